import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { CalibrationAsset } from '#calibration';
import { MODEL_FILE, shippedModelFolder } from '#matching';
import { MOVING_AVERAGES, POLYNOMIALS } from '../gauges/study.js';
import type { Counted, GaugeFigures, Parts, Share } from './figures.js';
import { UNSEEN } from './measure-scores.js';
import { together } from './page-gauges.js';
import { percent, plain, rung, withInterval } from './text.js';

export interface Goal {
  goal: string;
  measured: string;
  met: string;
  /** Why it is missed and what was tried; printed for missed goals only. */
  tried?: string;
}

const TRAINING = '`docs/training.md`';
const CEILING =
  'Cause: 1.5% of the simulated records are mispaired on purpose, and a rung of .90 accepts a tenth of those: a perfect ' +
  'model reaches 98.65%. Tried: 40,000 stones and 40 epochs for 8,192 and 12, a doubled peak rate, a shorter start, batches ' +
  `of one population, three pooled scans, no span masks (${TRAINING}). The records' errors were left in the test.`;
const NOMINAL = ['calibration', ...UNSEEN];

/** The goals set for the matching engine, with what was measured. */
export function goalsOf(parts: Partial<Parts>, asset: CalibrationAsset): Goal[] {
  return [...elsewhere(), ...ladderGoals(parts), ...otherScores(parts, asset), ...gaugeGoals(parts.gauges ?? [])];
}

function atLeast(goal: string, { share, interval }: Share, least: number, tried?: string): Goal {
  const met = share >= least ? 'yes' : interval[1] >= least ? 'no; the goal lies inside the interval' : '**no**';
  return { goal, measured: withInterval({ share, interval }, 2), met, tried };
}

function atMost(goal: string, { share, interval }: Share, most: number, tried?: string): Goal {
  const met = share <= most ? 'yes' : interval[0] <= most ? 'no; the goal lies inside the interval' : '**no**';
  return { goal, measured: withInterval({ share, interval }, 2), met, tried };
}

/** Measured by other commands, which are named. */
function elsewhere(): Goal[] {
  const mebibytes = statSync(join(shippedModelFolder(), MODEL_FILE)).size / 2 ** 20;
  return [
    {
      goal: 'difficulty: the closed form alone confirms 81 ± 2% at .98 on `calibration`',
      measured: '81.5%, 4,000 stones, seed 77 (`docs/decisions/simulated-difficulty.md`)',
      met: 'yes',
    },
    {
      goal: 'training of 24,000 stones, both encoders, 2 cores: 60 minutes and 4 GiB at most',
      measured: `40,000 stones x 40 epochs, both encoders: 19.2 minutes, 3.1 GB on 2 busy cores (${TRAINING})`,
      met: 'yes',
    },
    {
      goal: 'shipped weights 8 MiB at most',
      measured: `${mebibytes.toFixed(1)} MiB`,
      met: mebibytes <= 8 ? 'yes' : '**no**',
    },
    {
      goal: 'simulator: 250 stones (6 + 1 scans) a second and core',
      measured: '560 to 740 at 8 cm^-1, shared machine (`npm run bench simulator`, `docs/simulator.md`)',
      met: 'yes',
    },
    {
      goal: 'SIMD kernel: 70% of the 128-bit ceiling at batch 64 and above, 30% at 7',
      measured: '95 to 98% at 64 and 512, 84% at 7, Node 20 (`npm run bench compute`, `docs/performance.md`)',
      met: 'yes',
    },
  ];
}

function ladderGoals({ ladders = [] }: Partial<Parts>): Goal[] {
  return ladders
    .filter(({ population }) => NOMINAL.includes(population))
    .flatMap(({ population, rungs, stones }) => {
      const wanted = population === 'calibration' ? [0.97, 0.985, 0.99] : [0.93, 0.97, 0.985];
      return [0.98, 0.96, 0.9].flatMap((target, i) => {
        const found = rungs.find(({ rejectTarget }) => rejectTarget === target);
        const goal = `\`${population}\`, ${stones} stones: ${percent(wanted[i])} confirmed at ${rung(target)}, own thresholds`;
        return found ? [atLeast(goal, found.confirmed.own, wanted[i], CEILING)] : [];
      });
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
    const honest = of('honest');
    const polish = honest.filter(({ side }) => side === 'polish');
    const refused = together(honest, (one) => one.refused);
    const warned = together(honest, (one) => one.warned);
    const inBand = together(honest, (one) => one.inBand);
    const sharp = together(polish, (one) => one.sharp);
    const goals = [
      atMost(name('honest refused 0.1% at most', refused), refused, 0.001, REFITTED),
      atMost(name('honest warned as polynomial 0.5% at most', warned), warned, 0.005, REFITTED),
      atLeast(name('honest detail residual in its band 99%', inBand), inBand, 0.99, REFITTED),
      atLeast(name('polish sharpness in its band 95%', sharp), sharp, 0.95, SHARPNESS),
    ];
    if (!NOMINAL.includes(population)) return goals;
    const least = (treatments: string[], pick: (one: GaugeFigures) => Counted) =>
      treatments.map((one) => together(of(one), pick)).reduce((a, b) => (b.share < a.share ? b : a));
    const averaged = least(MOVING_AVERAGES, (one) => one.refused);
    const smoothed = least(POLYNOMIALS, (one) => one.warned);
    return [
      ...goals,
      atLeast(name('moving average 7 and 9 refused 99% (the lesser)', averaged), averaged, 0.99, REFITTED),
      atLeast(name('Savitzky-Golay 9-15, order 2-3, warned 95% (least of five)', smoothed), smoothed, 0.95, REFITTED),
    ];
  });
}

const REFITTED =
  "Tried: the gauges' constants were refitted on honest simulated stones (`mvs gauges fit`) and their shape searched " +
  'on further seeds; what catches more of the smoothed sides here refuses honest ones of another population.';
const SHARPNESS =
  "Cause: a line of 16 cm^-1 rounds the lattice's tips, so that the sides outside lie below .040, none above .065. The " +
  "band is the specification's, an early warning for an 8 cm^-1 machine and no gate for a claim, and was not moved.";
