/** `mvs gauges instruments`: how often the gauges refuse and warn about honest sides, over random instruments. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { ThreadPool } from '#kit/threads/pool';
import { DETAIL_RESIDUAL_BAND, isOnManifold, LOCALLY_POLYNOMIAL_LIMIT } from '#science/spectra/gauges/index';
import { print } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { writeBlock } from '../blocks.js';
import { type Family, type GaugedSide, type InstrumentRun, SIDES, traitsOf } from '../gauges/instrument-study.js';
import { PHYSICS } from '../gauges/instruments.js';
import { shareOf } from '../gauges/study.js';
import { table } from '../report/text.js';
import { wholeNumber } from './whole-number.js';

const STUDY = new URL('../gauges/instrument-study.js', import.meta.url);
const PAGE = join('reports', 'gauges-check.md');
/** Stones with which an instrument that had a side refused is measured again. */
const AGAIN = 100;
/** At most so many sides of a kind are simulated again without each physics. */
const MOST_TURNED = 60;

interface Options {
  instruments: number;
  stones: number;
  seed: number;
  heldOut?: true;
  oneLook?: true;
  attack?: string;
  json?: true;
  write?: true;
}

export function register(gauges: Command): void {
  gauges
    .command('instruments')
    .description(
      'Count how the gauges judge honest sides of random simulated instruments, and say which physics trips them.',
    )
    .option('--instruments <n>', 'instruments', wholeNumber, 2000)
    .option('--stones <n>', 'stones of each; each gives a rough side of 3 scans and a polish of 1', wholeNumber, 20)
    .option('--seed <n>', 'seed of the instruments and their stones', wholeNumber, 61_803)
    .option('--held-out', "instruments and stones of the second family's program, which the gauges were not made by")
    .option('--one-look', 'with one look, as the first model has it')
    .option('--attack <name>', 'count sides under this attack instead, as moving-average:7')
    .option('--json', 'print the answer as JSON')
    .option('--write', `write the answer into ${PAGE} (in a checkout)`)
    .addHelpText(
      'after',
      '\nExamples:\n  mvs gauges instruments\n  mvs gauges instruments --held-out --instruments 200 --stones 5',
    )
    .action(instruments);
}

type Runs = (runs: Omit<InstrumentRun, keyof Family | 'sampling'>[]) => Promise<GaugedSide[]>;

async function instruments(options: Options): Promise<void> {
  const { instruments: count, stones, attack, json, write } = options;
  const family: Family = { seed: options.seed, heldOut: options.heldOut ?? false };
  const sampling = options.oneLook ? 'bridged' : 'masked';
  const pool = new ThreadPool();
  const progress = showProgress('instruments', count);
  const gauged: Runs = async (runs) => {
    const parts = await Promise.all(
      runs.map(async (run) => {
        const part = await pool.run<GaugedSide[]>(STUDY, 'gaugeInstrument', [{ ...family, sampling, ...run }]);
        progress.advance();
        return part;
      }),
    );
    return parts.flat();
  };
  try {
    const all = numbers(count);
    const sides = await gauged(all.map((instrument) => ({ instrument, stones: numbers(stones), attack })));
    const again = attack ? [] : await refusedAgain(sides, stones, gauged);
    const turned = attack || family.heldOut ? [] : await withoutEach(sides, gauged);
    if (json) print(JSON.stringify({ ...family, instruments: count, stones, attack, ...counts(sides), again, turned }));
    const text = [summary(sides, count), againText(again), turnedText(turned), traitsTable(family, sides)];
    const page = text.filter((part) => part !== '').join('\n\n');
    if (write) writeBlock(PAGE, family.heldOut ? 'held-out' : 'instruments', page);
    else if (!json) print(page);
  } finally {
    progress.stop();
    await pool.close();
  }
}

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i);

const isRefused = ({ detailResidual }: GaugedSide) => detailResidual < DETAIL_RESIDUAL_BAND.refused;
const isPolynomial = ({ locallyPolynomial }: GaugedSide) => locallyPolynomial > LOCALLY_POLYNOMIAL_LIMIT;
const isWarned = (side: GaugedSide) => !isRefused(side) && (!isOnManifold(side.detailResidual) || isPolynomial(side));

function counts(sides: GaugedSide[]) {
  const count = (test: (side: GaugedSide) => boolean) => sides.filter(test).length;
  return {
    sides: sides.length,
    refused: count(isRefused),
    warned: count(isWarned),
    below: count((side) => !isRefused(side) && side.detailResidual < DETAIL_RESIDUAL_BAND.low),
    above: count((side) => side.detailResidual > DETAIL_RESIDUAL_BAND.high),
    polynomial: count((side) => !isRefused(side) && isPolynomial(side)),
  };
}

/** Other stones of the instruments that had a side refused. */
async function refusedAgain(sides: GaugedSide[], stones: number, gauged: Runs) {
  const refusing = [...new Set(sides.filter(isRefused).map(({ instrument }) => instrument))];
  const again = await gauged(refusing.map((instrument) => ({ instrument, stones: numbers(AGAIN, stones) })));
  return refusing.map((instrument) => ({
    instrument,
    ...counts(again.filter((side) => side.instrument === instrument)),
  }));
}

/** The refused sides, and some of those warned about, simulated again without one physics at a time. */
async function withoutEach(sides: GaugedSide[], gauged: Runs) {
  const some = (test: (side: GaugedSide) => boolean) => sides.filter(test).slice(0, MOST_TURNED);
  const groups = { refused: some(isRefused), warned: some(isWarned) };
  if (groups.refused.length + groups.warned.length === 0) return [];
  const turned: { without: string; refused: number; warned: number; of: Record<keyof typeof groups, number> }[] = [];
  const of = { refused: groups.refused.length, warned: groups.warned.length };
  for (const without of Object.keys(PHYSICS)) {
    const still = async (group: GaugedSide[], test: (side: GaugedSide) => boolean) => {
      const found = await gauged(group.map(({ instrument, stone }) => ({ instrument, stones: [stone], without })));
      return group.filter(({ instrument, stone, side }) =>
        found.some((f) => f.instrument === instrument && f.stone === stone && f.side === side && test(f)),
      ).length;
    };
    turned.push({
      without,
      refused: await still(groups.refused, isRefused),
      warned: await still(groups.warned, (side) => isRefused(side) || isWarned(side)),
      of,
    });
  }
  return turned;
}

const share = (count: number, of: number, digits = 2) => {
  const { share: found, interval } = shareOf(count, of);
  const percent = (value: number) => (100 * value).toFixed(digits);
  return `${percent(found)}% (${interval.map(percent).join(' to ')})`;
};

function summary(sides: GaugedSide[], instrumentCount: number): string {
  const all = counts(sides);
  const refusing = new Set(sides.filter(isRefused).map(({ instrument }) => instrument)).size;
  const lines = [...SIDES, null].map((side) => {
    const of = side ? counts(sides.filter((one) => one.side === side)) : all;
    const cells = [of.refused, of.warned, of.below, of.above, of.polynomial].map((count) => share(count, of.sides));
    return [side ?? 'both', of.sides, of.refused, ...cells];
  });
  const head = [
    'side',
    'sides',
    'refused',
    'refused',
    'warned',
    'residual below its band',
    'above',
    'called polynomial',
  ];
  return `${instrumentCount} instruments, ${refusing} of them with a side refused.\n\n${table(head, lines)}`;
}

const againText = (again: Awaited<ReturnType<typeof refusedAgain>>): string =>
  again.length === 0
    ? ''
    : `${AGAIN} other stones of each instrument that had a side refused:\n\n${table(
        ['instrument', 'sides', 'refused', 'warned'],
        again.map(({ instrument, sides, refused, warned }) => [instrument, sides, refused, warned]),
      )}`;

const turnedText = (turned: Awaited<ReturnType<typeof withoutEach>>): string =>
  turned.length === 0
    ? ''
    : `Sides simulated again without one physics, its noise and all else the same:\n\n${table(
        ['without', 'of the refused, still refused', 'of those warned about, still so'],
        turned.map(({ without, refused, warned, of }) => [
          without,
          `${refused} of ${of.refused}`,
          `${warned} of ${of.warned}`,
        ]),
      )}`;

/** A line a kind of instrument. */
function traitsTable(family: Family, sides: GaugedSide[]): string {
  const traits = new Map<number, Record<string, string>>();
  for (const { instrument } of sides) if (!traits.has(instrument)) traits.set(instrument, traitsOf(family, instrument));
  const kinds = new Map<string, GaugedSide[]>();
  for (const side of sides)
    for (const [trait, value] of Object.entries(traits.get(side.instrument) ?? {})) {
      const key = `${trait}: ${value}`;
      const of = kinds.get(key) ?? [];
      of.push(side);
      kinds.set(key, of);
    }
  const rows = [...kinds]
    .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([kind, of]) => {
      const { sides: total, refused, warned } = counts(of);
      return [kind, total, refused, share(warned, total)];
    });
  return table(['instruments', 'sides', 'refused', 'warned'], rows);
}
