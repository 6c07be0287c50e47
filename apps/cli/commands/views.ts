import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { PROJECTIONS } from '#catalogue/projections';
import { dumpView, type OpenView, openView, rebuildViews } from '#catalogue/rebuild';
import { upcast } from '#catalogue/upcast';
import { BadInput, MatchVerification, ServiceError } from '#client';
import { readVariables, VARIABLES, VIEWS_VARIABLES } from '#config/environment';
import { copyView } from '#kit/views/files';
import { PoisonedEvent } from '#kit/views/projection';
import { ViewsInUse } from '#kit/views/replacing';
import { InputError, UsageError } from '../exit.js';
import { io } from '../io.js';
import {
  configuredSecrets,
  dataDirectory,
  folderOf,
  Lines,
  type LogOptions,
  withLogOptions,
  withReader,
} from '../logs.js';
import { ALWAYS_JSON, print } from '../print.js';
import { showProgress } from '../progress.js';

const NAMES = PROJECTIONS.map(({ name }) => name);
const VIEWS_OPTION = ['--views <dir>', 'directory of the views (default: views in the data directory)'] as const;
const VIEW_OPTION = ['--view <name...>', `only these of ${NAMES.join(', ')}`, named] as const;

function named(name: string, before: string[] = []): string[] {
  if (!NAMES.includes(name)) throw new InvalidArgumentError(`There are ${NAMES.join(', ')}.`);
  return [...before, name];
}

export function register(views: Command): void {
  views.addHelpText(
    'after',
    `
A rebuild reads the log, also one that is being written, and puts the files into a directory: the service's own one
when the service is stopped, another one at any time. A copy starts another replica of the same log. What the views
answer is asked of the service.`,
  );

  withLogOptions(views.command('rebuild').description('Rebuild views from the log, with all of it or up to a moment.'))
    .option(
      '--until <moment>',
      'a position, or a time: the last event before the latest time of the log passes it',
      moment,
    )
    .option('--out <dir>', 'directory for the files (default: views in the data directory; with --until, beside it)')
    .option(...VIEW_OPTION)
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', '\nExample:\n  mvs views rebuild --until 2026-11-19T23:59:59Z --out yesterday')
    .action(rebuild);

  const reading = (name: string, description: string) =>
    views
      .command(name)
      .description(description)
      .option('--data <dir>', 'data directory (default: MVS_DATA_DIR, else var)')
      .option(...VIEWS_OPTION);
  reading(
    'copy',
    'Copy views as they are into a new directory, for another replica of the same log; the service may run.',
  )
    .requiredOption('--out <dir>', 'make this directory, whole or not at all')
    .option(...VIEW_OPTION)
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
The files hold vectors and the names of stones: keep them as secret as the log. Put the directory in place of views in
the other replica's data directory before it starts: it folds only what came since. Views of another log or of another
release are made anew there.

Examples:
  mvs views copy --out copied
  mvs views copy --view lots --out copied`,
    )
    .action(copy);
  reading('dump', 'Print all that views hold, one JSON object per row, in an order of its own.')
    .option(...ALWAYS_JSON)
    .option(...VIEW_OPTION)
    .option('--digest', 'print only rows and SHA-256 of each view')
    .addHelpText(
      'after',
      '\nExamples:\n  mvs views dump --digest\n  mvs views rebuild --out today && mvs views dump --views today --digest',
    )
    .action(dump);

  views
    .command('skip')
    .description(
      'Let the views of the running service pass over an event that they cannot take. An operator answers for it.',
    )
    .argument('<position>', 'where the views have stopped, as the alarm and /health/detail name it')
    .requiredOption('--reason <text>', 'why nothing is lost with it')
    .option('--url <url>', 'the service (default: that of this machine, at PORT)')
    .option('--operator-key <key>', 'default: MVS_OPERATOR_KEY')
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', '\nExample:\n  mvs views skip 4711 --reason "written by a tool that is gone"')
    .action(skip);
}

function moment(text: string): bigint | Date {
  if (/^[0-9]{1,18}$/.test(text)) return BigInt(text);
  const read = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : undefined;
  if (!read || Number.isNaN(read.getTime())) throw new InvalidArgumentError('It is a time as 2026-11-20T18:00:00Z.');
  return read;
}

async function rebuild(
  options: LogOptions & { until?: bigint | Date; out?: string; view?: string[]; json?: boolean },
): Promise<void> {
  const { until, view } = options;
  const suffix =
    until === undefined ? '' : `-until-${until instanceof Date ? until.toISOString().replaceAll(':', '-') : until}`;
  const into = options.out ?? join(dataDirectory(options), `views${suffix}`);
  const work = async () =>
    withReader(
      options,
      async (reader) => {
        const bar = showProgress('folding', Number(await reader.head()));
        let reached = 0n;
        const onProgress = (position: bigint) => {
          bar.advance(Number(position - reached));
          reached = position;
        };
        try {
          const log = folderOf(options);
          const from = { reader, log, secrets: configuredSecrets() };
          return await rebuildViews({ ...from, projections: chosen(view), directory: into, until, onProgress });
        } finally {
          bar.stop();
        }
      },
      { upcast },
    );
  try {
    const begin = performance.now();
    const { position, events } = await work();
    const seconds = (performance.now() - begin) / 1000;
    const outcome = { into, position: String(position), events, seconds: Math.round(seconds * 1000) / 1000 };
    const rebuilt = `${chosen(view)
      .map(({ name }) => name)
      .join(', ')} at position ${position} in ${into}`;
    const rate = `${events} events in ${seconds.toFixed(1)} s`;
    print(options.json ? JSON.stringify(outcome, null, 2) : `Rebuilt ${rebuilt}: ${rate}.`);
  } catch (error) {
    if (error instanceof ViewsInUse) throw new InputError(error.message);
    if (error instanceof PoisonedEvent) {
      throw new InputError(`the rebuild has ${error.message}; mvs views skip ${error.position} lets it pass`);
    }
    throw error;
  }
}

interface Reading {
  data?: string;
  views?: string;
  view?: string[];
}

const directoryOf = (options: Reading): string => options.views ?? join(dataDirectory(options), 'views');
const chosen = (names?: string[]) => PROJECTIONS.filter(({ name }) => !names || names.includes(name));
const noView = (name: string, directory: string): UsageError =>
  new UsageError(`there is no view ${name} of this version in ${directory}: mvs views rebuild makes it`);

function copy(options: Reading & { out: string; json?: boolean }): void {
  const [directory, out] = [directoryOf(options), resolve(options.out)];
  if (existsSync(out)) throw new UsageError(`${out} is there already: name another directory`);
  const part = `${out}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { mode: 0o700 });
  try {
    const views = chosen(options.view).map((projection) => {
      const position = copyView(directory, projection, part);
      if (position === undefined) throw noView(projection.name, directory);
      return { view: projection.name, position: String(position) };
    });
    renameSync(part, out);
    const named = views.map(({ view, position }) => `${view} at position ${position}`).join(', ');
    print(options.json ? JSON.stringify({ into: out, views }, null, 2) : `Copied into ${out}: ${named}.`);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

async function dump(options: Reading & { digest?: boolean }): Promise<void> {
  const directory = directoryOf(options);
  const opened: (OpenView & { name: string })[] = [];
  try {
    for (const projection of chosen(options.view)) {
      const view = openView(directory, projection);
      if (!view) throw noView(projection.name, directory);
      opened.push({ name: projection.name, ...view });
    }
    const lines = new Lines();
    for (const view of opened) {
      const hash = createHash('sha256');
      let rows = 0;
      for (const row of dumpView(view)) {
        rows++;
        if (options.digest) hash.update(row).update('\n');
        else await lines.write(row);
      }
      const { name, position } = view;
      if (options.digest)
        await lines.write(JSON.stringify({ view: name, position: String(position), rows, sha256: hash.digest('hex') }));
    }
    await lines.flush();
  } finally {
    for (const view of opened) view.close();
  }
}

async function skip(
  position: string,
  options: { reason: string; url?: string; operatorKey?: string; json?: true },
): Promise<void> {
  const { env } = io();
  const key = options.operatorKey ?? readVariables(VIEWS_VARIABLES, io().env).operatorKey;
  if (!key) throw new UsageError('give the operator key as MVS_OPERATOR_KEY or --operator-key');
  const baseUrl = options.url ?? `http://127.0.0.1:${env[VARIABLES.port.name] ?? VARIABLES.port.fallback}`;
  try {
    const service = new MatchVerification({ baseUrl, operatorKey: key });
    const skipped = await service.skipEvent({ position, reason: options.reason });
    print(options.json ? JSON.stringify(skipped) : `The views pass over position ${position}.`);
  } catch (error) {
    if (error instanceof ServiceError) throw new InputError(`the service refused (${error.status}): ${error.detail}`);
    if (error instanceof BadInput) throw new UsageError(error.message);
    throw error;
  }
}
