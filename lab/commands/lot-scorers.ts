/** `mvs lots scorers`: measures workspaces' own lot scorers and writes the table of reports/lots-measured.md. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { makeFolder } from '#config/folder';
import { ThreadPool } from '#kit/threads/pool';
import { shippedLotModel } from '#science/lots/shipped';
import { print } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { measureScorers, parcelsOf, SCORED, type Scored, type ScoredFamily } from '../lots/scorers.js';
import { scorersPart, withScorers } from '../lots/scorers-page.js';
import { wholeNumber } from './whole-number.js';

const FAMILIES = Object.keys(SCORED) as Scored[];
export const SCORERS_SEED = 8400;

interface Options {
  family: Scored[];
  parcels: number;
  seed: number;
  threads: number;
  out: string;
  json?: true;
}

export function register(lots: Command): void {
  lots
    .command('scorers')
    .description("Measure workspaces' own lot scorers on simulated parcels that they never saw; write their table.")
    .addOption(new Option('--family <name...>', 'measure on these').choices(FAMILIES).default(FAMILIES))
    .option('--parcels <n>', 'parcels that judge, of each trader', wholeNumber, 6)
    .option('--seed <n>', 'seed of the parcels', wholeNumber, SCORERS_SEED)
    .option('--threads <n>', 'threads that simulate', wholeNumber, 2)
    .option('--out <folder>', 'folder of the page lots-measured.md, whose table of scorers is written', 'reports')
    .option('--json', 'print the figures too')
    .addHelpText(
      'after',
      '\nExamples:\n  mvs lots scorers\n  mvs lots scorers --family third --parcels 2 --out var/scorers',
    )
    .action(measure);
}

async function measure({ family: families, parcels, seed, threads, out, json }: Options): Promise<void> {
  const model = shippedLotModel();
  const pool = new ThreadPool({ threads });
  const steps = families.reduce((sum, family) => sum + parcelsOf(family, parcels), 0);
  const progress = showProgress('parcels', steps);
  const measured: ScoredFamily[] = [];
  try {
    for (const family of families)
      measured.push(await measureScorers(model, family, { seed, parcels }, pool, (by) => progress.advance(by)));
  } finally {
    progress.stop();
    await pool.close();
  }
  makeFolder(out);
  const page = join(out, 'lots-measured.md');
  const before = existsSync(page) ? readFileSync(page, 'utf8') : '# Lots\n\n<!-- scorers -->\n<!-- /scorers -->\n';
  writeFileSync(page, withScorers(before, scorersPart(measured)));
  print(json ? JSON.stringify(measured) : `${page} is written.`);
}
