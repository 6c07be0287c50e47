import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Command } from 'commander';
import { dumpView, type OpenView, openView, rebuildViews } from '#catalogue/rebuild';
import { upcast } from '#catalogue/upcast';
import { readVariables, VARIABLES, VIEWS_VARIABLES } from '#config/environment';
import { limits } from '#config/limits';
import { Findings } from '#findings/queries';
import {
  type Asked,
  CALL_LISTING,
  CALL_SUMMARY,
  CLAIM_LISTING,
  FINDING_LISTING,
  type Paging,
  type Parameters,
} from '#kit/views/listings';
import { BadCursor } from '#kit/views/page';
import { PoisonedEvent } from '#kit/views/projection';
import { ViewsInUse } from '#kit/views/replacing';
import { Telemetry } from '#records/queries-calls';
import { claimWithHistory } from '#records/queries-history';
import { Ledger } from '#records/queries-ledger';
import { InputError, UsageError } from '../exit.js';
import { withFormer } from '../former.js';
import { io } from '../io.js';
import { askedOf, pagingOf, time, withParameters } from '../listing-options.js';
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
import { chosen, directoryOf, NAMES, noView, VIEW_OPTION, VIEWS_OPTION } from '../views.js';
import { registerSnapshots } from './snapshots.js';

/** The last one where no time is asked for. */
const FORMER = [
  ['--since', '--from'],
  ['--before', '--to'],
  ['--rung', '--reject-target'],
  ['--into', '--out'],
  ['--from', '--views'],
] as const;

export function register(views: Command): void {
  views.addHelpText(
    'after',
    `
A rebuild reads the log, also one that is being written, and puts the files into a directory: the service's own one
when the service is stopped, another one at any time. An import takes them from another replica. The other commands
read such a directory.`,
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

  registerSnapshots(views);
  registerReaders(views);

  views
    .command('skip')
    .description(
      'Let the views of the running service pass over an event that they cannot take. An operator answers for it.',
    )
    .argument('<position>', 'where the views have stopped, as the alarm and /health/detail name it')
    .requiredOption('--reason <text>', 'why nothing is lost with it')
    .option(
      '--url <url>',
      'the service',
      `http://127.0.0.1:${io().env[VARIABLES.port.name] ?? VARIABLES.port.fallback}`,
    )
    .option('--operator-key <key>', 'default: MVS_OPERATOR_KEY')
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', '\nExample:\n  mvs views skip 4711 --reason "written by a tool that is gone"')
    .action(skip);

  for (const command of views.commands) {
    const has = (option: string) => command.options.some(({ long }) => long === option);
    for (const [former, present] of FORMER) if (has(present) && !has(former)) withFormer(command, former, present);
  }
}

/** Commands that read the files of views. */
function registerReaders(views: Command): void {
  const reading = (name: string, description: string) =>
    views
      .command(name)
      .description(description)
      .option('--data <dir>', 'data directory (default: MVS_DATA_DIR, else var)')
      .option(...VIEWS_OPTION)
      .option(...ALWAYS_JSON);

  reading('dump', 'Print all that views hold, one JSON object per row, in an order of its own.')
    .option(...VIEW_OPTION)
    .option('--digest', 'print only rows and SHA-256 of each view')
    .addHelpText(
      'after',
      '\nExamples:\n  mvs views dump --digest\n  mvs views rebuild --out today && mvs views dump --views today --digest',
    )
    .action(dump);

  registerListings(reading);

  withParameters(
    reading('telemetry', 'The calls of a window: what the service answers, without its queue, its drift and its lots.'),
    {
      ...CALL_SUMMARY,
      from: { ...CALL_SUMMARY.from, says: 'ended at or after (default: 24 hours before the end)' },
      to: { ...CALL_SUMMARY.to, says: 'ended before (default: now)' },
    },
  )
    .addHelpText('after', '\nExample:\n  mvs views telemetry --from 2026-11-18 --to 2026-11-19 --population lab-a')
    .action(telemetry);

  withLogOptions(
    views
      .command('claim')
      .description('One claim with its history, which is read from the log. Prints what the service answers.'),
  )
    .argument('<claim_id>')
    .option(...VIEWS_OPTION)
    .option(...ALWAYS_JSON)
    .addHelpText('after', '\nExample:\n  mvs views claim clm_5f0c...')
    .action(claim);
}

/** Listings, with the parameters that the service takes. */
function registerListings(reading: (name: string, description: string) => Command): void {
  const listing = <P extends Parameters>(
    name: string,
    description: string,
    example: string,
    parameters: P,
    views: string[],
    list: (asked: Paging & Asked<P>, views: ReturnType<typeof answering>) => unknown,
  ) =>
    withParameters(reading(name, `${description} Prints what the service answers.`), parameters)
      .option('--limit <n>', 'items per page', Number, limits.pageItems)
      .option('--cursor <cursor>', 'next_cursor of the previous page')
      .addHelpText('after', `\nExample:\n  mvs views ${name}${example}`)
      .action((options: Reading & Paging) =>
        ask(options, views, (opened) => list({ ...pagingOf(options), ...askedOf(parameters, options) }, opened)),
      );
  listing(
    'claims',
    'The ledger of claims, newest first.',
    ' --views yesterday --status unfinished',
    CLAIM_LISTING,
    ['ledger', 'findings'],
    (asked, { ledger }) => ledger.claims(asked),
  );
  listing('keys', 'The API keys in the order of their creation.', '', {}, ['ledger'], (asked, { ledger }) =>
    ledger.keys(asked),
  );
  listing(
    'findings',
    'The findings, latest opened first.',
    ' --breach --status open',
    FINDING_LISTING,
    ['findings'],
    (asked, { findings }) => findings.list(asked),
  );
  listing(
    'calls',
    'Every call that ended, as a record, latest first.',
    ' --status 400 --from 2026-11-18',
    CALL_LISTING,
    ['telemetry'],
    (asked, { telemetry }) => telemetry.calls(asked),
  );
}

function moment(text: string): bigint | Date {
  return /^[0-9]{1,18}$/.test(text) ? BigInt(text) : new Date(time(text));
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
}

/** Opens views to read them, in the order of `PROJECTIONS`; closed when `work` is done. */
async function withViews<T>(options: Reading, names: string[], work: (views: View[]) => Promise<T>): Promise<T> {
  const directory = directoryOf(options);
  const opened: View[] = [];
  try {
    for (const projection of chosen(names)) {
      const view = openView(directory, projection);
      if (!view) throw noView(projection.name, directory);
      opened.push({ name: projection.name, ...view });
    }
    return await work(opened);
  } finally {
    for (const view of opened) view.close();
  }
}
type View = OpenView & { name: string };

async function dump(options: Reading & { view?: string[]; digest?: boolean }): Promise<void> {
  await withViews(options, options.view ?? NAMES, async (views) => {
    const lines = new Lines();
    for (const view of views) {
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
  });
}

/** Queries of views, for those that were opened. */
function answering(opened: View[]) {
  const file = (name: string) => opened.find((view) => view.name === name) ?? opened[0];
  const findings = new Findings(file('findings'));
  return {
    ledger: new Ledger(file('ledger'), findings),
    findings,
    telemetry: new Telemetry(file('telemetry'), findings),
  };
}

async function ask(
  options: Reading & Paging,
  names: string[],
  answer: (views: ReturnType<typeof answering>) => unknown,
): Promise<void> {
  if (!Number.isSafeInteger(options.limit) || options.limit < 1) throw new UsageError('--limit is a whole number');
  await withViews(options, names, async (opened) => {
    try {
      print(JSON.stringify(answer(answering(opened)), null, 2));
    } catch (error) {
      throw error instanceof BadCursor ? new UsageError(`--cursor: ${error.message}`) : error;
    }
  });
}

function telemetry(options: Reading): Promise<void> {
  return withViews(options, ['findings', 'telemetry'], async (opened) => {
    const { telemetry } = answering(opened);
    print(JSON.stringify(telemetry.window(askedOf(CALL_SUMMARY, options), new Date()), null, 2));
  });
}

function claim(claimId: string, options: LogOptions & Reading): Promise<void> {
  return withViews(options, ['ledger', 'findings'], async (opened) => {
    const { ledger } = answering(opened);
    const found = await withReader(options, (reader) => claimWithHistory(ledger, reader, claimId), { upcast });
    if (!found) throw new InputError(`no claim has this claim_id: ${claimId}`);
    print(JSON.stringify(found, null, 2));
  });
}

async function skip(
  position: string,
  options: { reason: string; url: string; operatorKey?: string; json?: true },
): Promise<void> {
  const key = options.operatorKey ?? readVariables(VIEWS_VARIABLES, io().env).operatorKey;
  if (!key) throw new UsageError('give the operator key as MVS_OPERATOR_KEY or --operator-key');
  let answer: Response;
  try {
    answer = await fetch(new URL('/api/v1/views/skip', options.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-svc-admin': key },
      body: JSON.stringify({ position, reason: options.reason }),
      signal: AbortSignal.timeout(30_000),
    });
  } catch (error) {
    const { cause, message } = error as Error;
    throw new Error(
      `the service at ${options.url} does not answer: ${(cause as Error | undefined)?.message || message}`,
    );
  }
  const text = await answer.text();
  if (!answer.ok) {
    let detail = text;
    try {
      detail = (JSON.parse(text) as { detail: string }).detail;
    } catch {}
    throw new InputError(`the service refused (${answer.status}): ${detail}`);
  }
  print(options.json ? text : `The views pass over position ${position}.`);
}
