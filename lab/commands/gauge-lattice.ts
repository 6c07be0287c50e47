/** `mvs gauges lattice`: both errors of the look at the lattice. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { ThreadPool } from '#kit/threads/pool';
import { print } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { writeBlock } from '../blocks.js';
import { type LatticeCounts, type LatticeRun, MATERIALS, SHIFTED } from '../gauges/lattice-study.js';
import { shareOf } from '../gauges/study.js';
import { POPULATION_NAMES } from '../populations.js';
import { table } from '../report/text.js';
import { wholeNumber } from './whole-number.js';

const STUDY = new URL('../gauges/lattice-study.js', import.meta.url);
const PAGE = join('reports', 'gauges-check.md');
const RUN = 50;

interface Options {
  stones: number;
  variants: number;
  seed: number;
  json?: true;
  write?: true;
}

export function register(gauges: Command): void {
  gauges
    .command('lattice')
    .description('Count simulated sides of diamonds that are refused, and spectra of other materials that are taken.')
    .option(
      '--stones <n>',
      'stones of each population; each gives a rough side of 6 scans and a polish of 1',
      wholeNumber,
      600,
    )
    .option('--variants <n>', 'spectra of each other material', wholeNumber, 200)
    .option('--seed <n>', 'seed of both', wholeNumber, 31_337)
    .option('--json', 'print the answer as JSON')
    .option('--write', `write the answer into ${PAGE} (in a checkout)`)
    .addHelpText('after', '\nExample:\n  mvs gauges lattice --stones 100')
    .action(lattice);
}

async function lattice({ stones, variants, seed, json, write }: Options): Promise<void> {
  const pool = new ThreadPool();
  const wanted = [
    ...[...POPULATION_NAMES, SHIFTED].map((name) => ({ name, count: stones })),
    ...MATERIALS.map((name) => ({ name, count: name === MATERIALS.at(-1) ? 20 * variants : variants })),
  ];
  const progress = showProgress(
    'stones and spectra',
    wanted.reduce((sum, { count }) => sum + count, 0),
  );
  const counted = async ({ name, count }: (typeof wanted)[number]) => {
    const all: LatticeCounts = { looked: 0, foreign: 0, refused: 0 };
    const runs = Array.from({ length: Math.ceil(count / RUN) }, (_, i) => i * RUN);
    await Promise.all(
      runs.map(async (first) => {
        const run: LatticeRun = { name, seed, first, count: Math.min(RUN, count - first) };
        const found = await pool.run<LatticeCounts>(STUDY, 'countRefused', [run]);
        for (const key of Object.keys(all) as (keyof LatticeCounts)[]) all[key] += found[key];
        progress.advance(run.count);
      }),
    );
    return { name, ...all };
  };
  try {
    const rows = await Promise.all(wanted.map(counted));
    if (json) print(JSON.stringify({ seed, rows }));
    const text = pageOf(rows);
    if (write) writeBlock(PAGE, 'lattice', text);
    else if (!json) print(text);
  } finally {
    progress.stop();
    await pool.close();
  }
}

const share = (count: number, of: number): string => {
  const { share: found, interval } = shareOf(count, of);
  const percent = (value: number) => (100 * value).toFixed(2);
  return `${percent(found)}% (${interval.map(percent).join(' to ')})`;
};

function pageOf(rows: (LatticeCounts & { name: string })[]): string {
  const diamonds = rows
    .filter(({ name }) => !MATERIALS.includes(name))
    .map(({ name, looked, foreign, refused }) => [name, looked, foreign, share(foreign, looked), refused]);
  const others = rows
    .filter(({ name }) => MATERIALS.includes(name))
    .map(({ name, looked, foreign }) => [name, looked, looked - foreign, share(looked - foreign, looked)]);
  return [
    table(['simulated population', 'sides', 'refused as no diamond', 'share', 'refused for any reason'], diamonds),
    table(['other material, simulated', 'spectra', 'taken', 'share'], others),
  ].join('\n\n');
}
