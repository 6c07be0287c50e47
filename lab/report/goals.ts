import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CalibrationAsset } from '#science/calibration/asset';
import { MODEL_FILE, shippedModelFolder } from '#science/matching/shipped';
import { MOVING_AVERAGES, POLYNOMIALS, UNPROCESSED } from '../gauges/study.js';
import type { Counted, GaugeFigures, Parts, Share } from './figures.js';
import { SHOWN } from './measure-families.js';
import { together } from './page-gauges.js';
import { percent, plain, rung, withInterval } from './text.js';

export interface Goal {
  goal: string;
  measured: string;
  met: string;
  /** The reason for a miss and the attempts made; printed for missed goals only. */
  tried?: string;
}

const TRAINING = '`reports/training.md`';
const FAMILY =
  'The stones are of a physics that the model does not know. The attempts are in ' +
  `${TRAINING}; the family itself was never trained on, and nothing was chosen by it.`;
/** By the worst population of the second family: as shipped and by own pairs, at 0.98, 0.96 and 0.90. */
const WORST: Record<number, [number, number, number]> = {
  0: [0.66, 0.76, 0.88],
  300: [0.82, 0.89, 0.95],
  1000: [0.86, 0.92, 0.96],
};
const MAX_WRONG = 0.09;
/** The product's stated figures for its calibration population, at which the difficulty is set. */
const DIFFICULTY: [number, number][] = [
  [0.98, 0.927],
  [0.96, 0.968],
];
const NEAR = 0.015;
/** Populations of the 8 cm^-1 class, where smoothing has goals. */
const NOMINAL = ['calibration', 'client-a', 'client-b', 'client-c'];

/** The goals set for the matching engine, each with its measured value. */
export function goalsOf(parts: Partial<Parts>, asset: CalibrationAsset): Goal[] {
  return [
    ...familyGoals(parts),
    ...elsewhere(),
    ...ladderGoals(parts),
    ...otherScores(parts, asset),
    ...gaugeGoals(parts.gauges ?? []),
  ];
}

function atLeast(goal: string, { share, interval }: Share, minimum: number, tried?: string): Goal {
  const met = share >= minimum ? 'yes' : interval[1] >= minimum ? 'no; the goal lies inside the interval' : '**no**';
  return { goal, measured: withInterval({ share, interval }, 2), met, tried };
}

function atMost(goal: string, { share, interval }: Share, maximum: number, tried?: string): Goal {
  const met = share <= maximum ? 'yes' : interval[0] <= maximum ? 'no; the goal lies inside the interval' : '**no**';
  return { goal, measured: withInterval({ share, interval }, 2), met, tried };
}

/** Measured by other commands, which are named. */
function elsewhere(): Goal[] {
  const { minutes, command } = JSON.parse(readFileSync(join(shippedModelFolder(), 'card.json'), 'utf8'));
  const mebibytes = statSync(join(shippedModelFolder(), MODEL_FILE)).size / 2 ** 20;
  return [
    {
      goal: 'training, both encoders, 2 cores: 60 minutes at most',
      measured: `${minutes} minutes (\`${command}\`, ${TRAINING})`,
      met: minutes <= 60 ? 'yes' : '**no**',
    },
    {
      goal: 'shipped weights 8 MiB at most',
      measured: `${mebibytes.toFixed(1)} MiB`,
      met: mebibytes <= 8 ? 'yes' : '**no**',
    },
    {
      goal: 'simulator: 250 stones (6 + 1 scans) a second and core',
      measured: '560 to 740 at 8 cm^-1, shared machine (`docs/laboratory/simulator.md`)',
      met: 'yes',
    },
    {
      goal: 'SIMD kernel: 70% of the 128-bit ceiling at batch 64 and above, 30% at 7',
      measured: '95 to 98% at 64 and 512, 84% at 7, Node 20 (`reports/performance.md`)',
      met: 'yes',
    },
  ];
}

function familyGoals({ families = [], pairs = [] }: Partial<Parts>): Goal[] {
  const live = families.filter(({ model }) => model === families[0].model);
  const goals: Goal[] = [];
  const add = (name: string, count: number, all: Share[][]) => {
    if (all.length === 0) return;
    for (const [r, target] of SHOWN.entries()) {
      const lowest = all.map((shares) => shares[r]).reduce((a, b) => (b.share < a.share ? b : a));
      const wanted = WORST[count][r];
      goals.push(
        atLeast(
          `second family, worst population, ${name}: ${percent(wanted, 0)} at ${rung(target)}`,
          lowest,
          wanted,
          FAMILY,
        ),
      );
    }
  };
  add(
    'as shipped',
    0,
    live.map(({ rungs }) => rungs.map(({ own }) => own)),
  );
  for (const count of [300, 1000])
    add(
      `${count} own pairs`,
      count,
      pairs.filter((one) => one.pairs === count).map(({ confirmed }) => confirmed),
    );
  const wrong = live.map(({ rungs }) => rungs[0].wrongAccepted);
  if (wrong.length > 0) {
    const highest = wrong.reduce((a, b) => (b.share > a.share ? b : a));
    goals.push(
      atMost(
        'second family, worst population: wrong claims accepted at the shipped 0.98, 9%',
        highest,
        MAX_WRONG,
        FAMILY,
      ),
    );
  }
  return goals;
}

function ladderGoals({ ladders = [] }: Partial<Parts>): Goal[] {
  const calibration = ladders.find(({ population }) => population === 'calibration');
  return DIFFICULTY.flatMap(([target, wanted]) => {
    const found = calibration?.rungs.find(({ rejectTarget }) => rejectTarget === target)?.confirmed.own;
    if (!found) return [];
    return [
      {
        goal: `difficulty: \`calibration\` at the reference's ${percent(wanted)} ± 1.5 points at ${rung(target)}`,
        measured: withInterval(found, 2),
        met: Math.abs(found.share - wanted) <= NEAR ? 'yes' : '**no**',
        tried:
          'The difficulty was set for the former model and kept, so that figures stay comparable (`docs/decisions/calibration-difficulty.md`).',
      },
    ];
  });
}

function otherScores({ ladders, coverage = [] }: Partial<Parts>, asset: CalibrationAsset): Goal[] {
  const goals: Goal[] = coverage
    .filter(({ short }) => short !== 'neither')
    .map(({ population, short, drop }) => ({
      goal: `400-4000 cm^-1, \`${population}\`, ${short === 'both' ? 'both sides' : short} short: mean drop 0.03 at most`,
      measured: plain(drop, 4),
      met: drop.share <= 0.03 ? 'yes' : '**no**',
    }));
  const calibration = ladders?.find(({ population }) => population === 'calibration');
  if (calibration) {
    const { share, interval } = calibration.ece;
    goals.push({
      goal: 'p_match_5050: calibration error 0.03 at most on held-out stones',
      measured: `${share.toFixed(4)}, at most ${interval[1].toFixed(4)} (97.5%)`,
      met: share <= 0.03 ? 'yes' : '**no**',
    });
  }
  const { probabilities } = asset.p_match_5050;
  const monotone = probabilities.every((one, i) => i === 0 || one >= probabilities[i - 1]);
  const [lowest, highest] = [probabilities[0], probabilities[probabilities.length - 1]];
  goals.push({
    goal: 'p_match_5050 never 0 or 1, monotone',
    measured: `${lowest} to ${highest}, ${monotone ? 'monotone' : 'not monotone'}`,
    met: monotone && lowest > 0 && highest < 1 ? 'yes' : '**no**',
  });
  for (const target of [0.99, 0.98, 0.97, 0.96, 0.95]) {
    const checked = asset.check.rungs.find(({ reject_target }) => reject_target === target);
    const again = calibration?.rungs.find(({ rejectTarget }) => rejectTarget === target);
    const label = 1 - target;
    const shares = [
      checked && { share: checked.wrong_accepted, interval: checked.wrong_accepted_interval },
      again?.wrongAccepted,
    ].filter((one) => one !== undefined);
    const far = shares.filter(({ share }) => Math.abs(share - label) > 0.001);
    const excluded = far.filter(({ interval: [low, high] }) => low > label + 0.001 || high < label - 0.001);
    goals.push({
      goal: `wrong claims accepted at ${rung(target)}, held-out \`calibration\`: ${percent(label, 0)} ± 0.1 point`,
      measured: shares.map((share) => withInterval(share, 2)).join('; '),
      met: far.length === 0 ? 'yes' : excluded.length === 0 ? 'no; the goal lies inside the interval' : '**no**',
      tried:
        `Tried: two independent draws of stones, and ${asset.source.stones} stones to set the thresholds. The choice of the ` +
        'stones that try a threshold moves its rate by what the interval says; more would narrow it, by the root of their number.',
    });
  }
  return goals;
}

function gaugeGoals(gauges: GaugeFigures[]): Goal[] {
  const populations = [...new Set(gauges.map(({ population }) => population))];
  return populations.flatMap((population) => {
    const of = (treatment: string) => gauges.filter((g) => g.population === population && g.treatment === treatment);
    const name = (what: string, { of: sides }: Counted) => `\`${population}\`, ${sides} sides: ${what}`;
    const unprocessed = of(UNPROCESSED);
    const polish = unprocessed.filter(({ side }) => side === 'polish');
    const refused = together(unprocessed, (one) => one.refused);
    const warned = together(unprocessed, (one) => one.warned);
    const inBand = together(unprocessed, (one) => one.inBand);
    const sharp = together(polish, (one) => one.sharp);
    const goals = [
      atMost(name('unprocessed refused 0.1% at most', refused), refused, 0.001, REFITTED),
      atMost(name('unprocessed warned as polynomial 0.5% at most', warned), warned, 0.005, REFITTED),
      atLeast(name('unprocessed detail residual in its band 99%', inBand), inBand, 0.99, REFITTED),
      atLeast(name('polish sharpness in its band 95%', sharp), sharp, 0.95, SHARPNESS),
    ];
    if (!NOMINAL.includes(population)) return goals;
    const lowest = (treatments: string[], pick: (one: GaugeFigures) => Counted) =>
      treatments.map((one) => together(of(one), pick)).reduce((a, b) => (b.share < a.share ? b : a));
    const averaged = lowest(MOVING_AVERAGES, (one) => one.refused);
    const smoothed = lowest(POLYNOMIALS, (one) => one.warned);
    return [
      ...goals,
      atLeast(name('moving average 7 and 9 refused 99% (the lesser)', averaged), averaged, 0.99, REFITTED),
      atLeast(name('Savitzky-Golay 9-15, order 2-3, warned 95% (lowest of five)', smoothed), smoothed, 0.95, REFITTED),
    ];
  });
}

const REFITTED =
  "Tried: the gauges' constants were refitted on unprocessed simulated scans (`mvs gauges fit`) and their shape searched " +
  'on further seeds; what catches more of the smoothed sides here refuses unprocessed ones of another population.';
const SHARPNESS =
  "Cause: a line of 16 cm^-1 rounds the lattice's tips, so that the sides outside lie below 0.040, none above 0.065. The " +
  "band is the contract's, an early warning for an 8 cm^-1 machine and no gate for a claim, and was not moved.";
