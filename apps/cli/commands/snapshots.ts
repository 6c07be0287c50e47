/** `mvs views export` and `import`: views handed to another replica of the same log. */
import type { Command } from 'commander';
import { PROJECTIONS } from '#catalogue/projections';
import { upcast } from '#catalogue/upcast';
import { ViewsInUse } from '#kit/views/replacing';
import { BadSnapshot, exportViews, importViews, NoView, type SnapshotSummary } from '#kit/views/snapshot';
import { InputError } from '../exit.js';
import { type LogOptions, withLogOptions, withReader } from '../logs.js';
import { print } from '../print.js';
import { chosen, directoryOf, noView, VIEW_OPTION, VIEWS_OPTION } from '../views.js';

export function registerSnapshots(views: Command): void {
  views
    .command('export')
    .description('Write views as they are into one file, for another replica of the same log; the service may run.')
    .requiredOption('--out <file>', 'write to this file, whole or not at all')
    .option('--data <dir>', 'data directory (default: MVS_DATA_DIR, else var)')
    .option(...VIEWS_OPTION)
    .option(...VIEW_OPTION)
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
The file holds vectors and the names of stones: keep it as secret as the log.

Examples:
  mvs views export --out views.snapshot
  mvs views export --view lots --out lots.snapshot`,
    )
    .action(exportTo);
  withLogOptions(
    views
      .command('import')
      .description(
        'Put exported views in place of a stopped service’s, which then folds only what came since. The log must be the same.',
      ),
  )
    .argument('<file>', 'a snapshot, of which nothing is put in place before all of it is checked')
    .option(...VIEWS_OPTION)
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
Refused are a file that is cut off or changed, views of another version, and views of another log.

Examples:
  mvs views import views.snapshot
  mvs views import views.snapshot --views /var/mvs/views --eventstore "esdb://node1:2113?tls=true"`,
    )
    .action(importFrom);
}

async function exportTo(options: {
  out: string;
  data?: string;
  views?: string;
  view?: string[];
  json?: boolean;
}): Promise<void> {
  const directory = directoryOf(options);
  try {
    say('Exported', options, options.out, await exportViews(directory, chosen(options.view), options.out));
  } catch (error) {
    throw error instanceof NoView ? noView(error.view, directory) : error;
  }
}

async function importFrom(file: string, options: LogOptions & { views?: string; json?: boolean }): Promise<void> {
  const directory = directoryOf(options);
  try {
    const imported = await withReader(
      options,
      (log) => importViews(file, { directory, projections: PROJECTIONS, log }),
      { upcast },
    );
    say('Imported', options, directory, imported);
  } catch (error) {
    if (error instanceof BadSnapshot) throw new InputError(`${file}: ${error.message}`);
    throw error instanceof ViewsInUse ? new InputError(error.message) : error;
  }
}

function say(done: string, { json }: { json?: boolean }, into: string, { bytes, views }: SnapshotSummary): void {
  const shown = views.map(({ name, position }) => ({ view: name, position: String(position) }));
  const named = shown.map(({ view, position }) => `${view} at position ${position}`).join(', ');
  print(json ? JSON.stringify({ into, bytes, views: shown }, null, 2) : `${done} into ${into}: ${named}.`);
}
