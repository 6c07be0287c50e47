import { CrossScores } from '#calibration';
import type { Model } from '#matching';
import { REFERENCE_POINTS } from '#spectra';
import {
  bankOf,
  compareModels,
  encoderSettings,
  type OwnPair,
  type SpectraTable,
  simulateTable,
  splitPairs,
  trainModel,
} from '#training';
import type { OwnPairsFigures } from './figures.js';
import { SHOWN } from './measure-families.js';
import type { Scoring } from './measure-scores.js';

/** Pairs come from seeds of their own: no stone is among those tested. */
const PAIRS_SEED_SHIFT = 1;

/** How the shipped model does on a population, and a model trained from it on so many pairs of that population. */
export async function measureOwnPairs(
  scoring: Scoring,
  population: string,
  stones: number,
  counts: readonly number[],
): Promise<OwnPairsFigures[]> {
  const { model, compute, seed, threads } = scoring;
  const table = (from: number, count: number) =>
    simulateTable(
      {
        draws: [{ population, seed: from, from: 0, stones: count }],
        rough: 6,
        polish: 1,
        sampling: model.input.sampling,
      },
      threads,
    );
  const test = await table(seed, stones);
  const pairs = pairsOf(await table(seed + PAIRS_SEED_SHIFT, Math.max(...counts)));
  const figures: OwnPairsFigures[] = [];
  for (const count of [0, ...counts]) {
    const { kept, own } = count === 0 ? { kept: model, own: false } : await trainOn(scoring, pairs.slice(0, count));
    const scores = await CrossScores.of(await bankOf(kept, compute, test), compute.cosines.bind(compute));
    const confirmed = SHOWN.map((target) => scores.confirmed(scores.threshold(target).threshold));
    figures.push({ population, pairs: count, stones, own, confirmed });
  }
  return figures;
}

/** As `mvs train --pairs --from shipped` does: a quarter is held out, and the better model on it is kept. */
async function trainOn({ model, compute, seed }: Scoring, pairs: OwnPair[]): Promise<{ kept: Model; own: boolean }> {
  const { train, heldOut } = splitPairs(pairs, seed);
  const settings = encoderSettings({ epochs: 200, seed, batch: Math.min(512, train.stones), rate: 1e-4 }).map(
    (setting, i) => ({ ...setting, hidden: model.encoders[i].hiddenBias.length }),
  );
  const hooks = { clock: () => 0, onEpoch: () => {} };
  const { model: trained } = await trainModel('own', settings, { train, heldOut }, hooks, model);
  const { ownIsBetter } = await compareModels(trained, model, compute, heldOut);
  return { kept: ownIsBetter ? trained : model, own: ownIsBetter };
}

function pairsOf({ spectra, stones, rough, polish }: SpectraTable): OwnPair[] {
  const size = (rough + polish) * REFERENCE_POINTS;
  return Array.from({ length: stones }, (_, i) => {
    const at = i * size;
    const middle = at + rough * REFERENCE_POINTS;
    return { rough: spectra.slice(at, middle), polish: spectra.slice(middle, at + size) };
  });
}
