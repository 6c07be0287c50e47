/** The first lines of the generated reports: figures of the parts below them, each named with its sort of stones. */
import type { CalibrationAsset } from '#science/calibration/asset';
import { UNPROCESSED } from '../gauges/study.js';
import type { EvidenceParts, Parts, RungFigures, Share } from './figures.js';
import { goalsOf } from './goals.js';
import { together } from './page-gauges.js';
import { worstConfirmed } from './page-scorers.js';
import { percent, withInterval } from './text.js';

const TARGET = 0.98;
const lowest = <T>(all: readonly T[], of: (one: T) => number): T => all.reduce((a, b) => (of(b) < of(a) ? b : a));
const atTarget = <R extends { rejectTarget: number }>(rungs: R[]): R =>
  rungs.find(({ rejectTarget }) => rejectTarget === TARGET)!;

const section = (lines: (string | false | null | undefined)[]): string =>
  `## In short\n\n${lines
    .filter(Boolean)
    .map((line) => `- ${line}`)
    .join('\n')}`;

/** At rung 0.98 unless a line says otherwise. */
export function accuracySummary(parts: Partial<Parts>, asset: CalibrationAsset): string {
  const { families = [], pairs = [], ladders = [], gauges = [], real } = parts;
  const live = families.filter(({ model }) => model === families[0].model);
  const counts = [...new Set(pairs.map((one) => one.pairs))].filter((count) => count > 0);
  const confirmed = ladders.map(({ population, rungs }) => ({ population, ...atTarget<RungFigures>(rungs).confirmed }));
  const unprocessed = gauges.filter(({ treatment }) => treatment === UNPROCESSED);
  const refused = together(unprocessed, (one) => one.refused);
  const goals = goalsOf(parts, asset);
  const met = goals.filter((goal) => goal.met === 'yes').length;
  return section([
    'Every figure is of simulated stones, but for the scans of three real diamonds. None says how the model does on real pairs.',
    'The figures are those of rung 0.98. The sections below hold the other rungs, the counts and the commands.',
    live.length > 0 &&
      `On stones of physics that the model was not trained on (the worst of ${live.length} populations), ${withInterval(
        lowest(live, ({ rungs }) => rungs[0].own.share).rungs[0].own,
      )} of the genuine claims are confirmed, with thresholds of the population's own.`,
    live.length > 0 &&
      `There the shipped threshold accepts up to ${withInterval(
        lowest(live, ({ rungs }) => -rungs[0].wrongAccepted.share).rungs[0].wrongAccepted,
      )} of the wrong claims. Its label promises 2%.`,
    counts.length > 0 &&
      `A training on pairs of the population's own mends most of it: ${counts
        .map((count) => {
          const of = pairs.filter((one) => one.pairs === count);
          const worst: Share = lowest(of, (one) => one.confirmed[0].share).confirmed[0];
          return `${percent(worst.share)} after ${count.toLocaleString('en')} pairs`;
        })
        .join(', ')}.`,
    confirmed.length > 0 &&
      `On other stones of the physics that it was trained on, ${percent(
        Math.min(...confirmed.map(({ own }) => own.share)),
      )} to ${percent(Math.max(...confirmed.map(({ own }) => own.share)))} are confirmed (${confirmed
        .map(({ population }) => `\`${population}\``)
        .join(', ')}).`,
    ladders.length > 0 &&
      `The probability is off by ${ladders[0].ece.share.toFixed(4)} on \`${ladders[0].population}\` (expected calibration error)${
        live.length > 0
          ? ` and by up to ${Math.max(...live.map(({ ece }) => ece)).toFixed(2)} on the other physics`
          : ''
      }.`,
    unprocessed.length > 0 &&
      `Of ${refused.of.toLocaleString('en')} unprocessed sides the gauges refuse ${withInterval(refused, 2)}.`,
    real &&
      `Of the public scans of real diamonds, ${
        real.pairs.filter(({ same, model }) => !same && model !== null && model > real.threshold).length
      } of ${real.pairs.filter(({ same }) => !same).length} pairs of different stones score as a match.`,
    goals.length > 0 &&
      `${met} of ${goals.length} goals are met. The [missed ones](#goals) and what was tried are listed.`,
  ]);
}

export function evidenceSummary({ proposals = [], poisoning, scorers = [] }: Partial<EvidenceParts>): string {
  const rungs = proposals.flatMap(({ rungs }) => rungs);
  const off = rungs.map(({ after, rejectTarget }) => after.mean - (1 - rejectTarget));
  const near = off.filter((one) => Math.abs(one) <= 0.001).length;
  const before = proposals.map((one) => atTarget(one.rungs).before);
  const after = proposals.map((one) => atTarget(one.rungs).after);
  // Few claims make no scorer.
  const made = scorers.flatMap(({ draws }) => draws.filter(({ groups, claims }) => groups !== null && claims >= 50));
  const sizes = [...new Set(made.map(({ claims }) => claims))];
  return section([
    'Every figure is of simulated stones. The page tests the method; it says nothing about real stones.',
    rungs.length > 0 &&
      `Thresholds of a population's own claims accept nearly the share of wrong claims that the rung says: ${near} of ${rungs.length} means lie within 0.1 point of the label.`,
    rungs.length > 0 && `The furthest mean is ${(100 * Math.max(...off.map(Math.abs))).toFixed(2)} points off.`,
    before.length > 0 &&
      `At rung 0.98, whose label is 2%, the shipped threshold accepts ${percent(Math.min(...before), 2)} to ${percent(Math.max(...before), 2)}; the population's own accepts ${percent(Math.max(...after.map(({ mean }) => mean)), 2)} or less on average.`,
    after.length > 0 &&
      `A single approval varies: its standard deviation is up to ${(100 * Math.max(...after.map(({ sd }) => sd))).toFixed(2)} points at 0.98.`,
    poisoning &&
      `${new Set(poisoning.kinds.filter(({ kind }) => kind !== 'none').map(({ kind }) => kind)).size} ways in which a client can spoil its own evidence are measured; the [tables](#a-poisoned-bank) say how far each moves a threshold.`,
    sizes.length > 0 &&
      `A [scorer](#a-populations-own-scorer) of the population's own confirms ${sizes
        .map((claims) => `${percent(worstConfirmed(scorers, claims, 0))} from ${claims} claims`)
        .join(', ')} (rung 0.98, worst of ${scorers.length} populations of other physics).`,
    made.length > 0 &&
      `At the threshold that it brings, up to ${percent(
        Math.max(...made.map(({ carried }) => carried)),
      )} of the wrong claims are accepted in a draw; the label is 2%. An approved threshold of its own mends that.`,
  ]);
}
