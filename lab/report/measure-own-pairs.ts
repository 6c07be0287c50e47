import type { Model } from '#science/matching/model';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { CrossScores } from '../cross-scores.js';
import {
  bankOf,
  bestOf,
  type OwnPair,
  type SpectraTable,
  simulateTable,
  splitPairs,
  trainModel,
  tryWays,
  type Way,
} from '../training/index.js';
import type { OwnPairsFigures } from './figures.js';
import type { MeasuredModel } from './measure-scores.js';

const SHOWN = [0.98, 0.96, 0.9] as const;
/** Pairs come from other seeds: no stone is among those tested. */
const PAIRS_SEED_SHIFT = 1;

/** Accuracy of the shipped model on a population, and of a model trained from it on so many pairs of that population. */
export async function measureOwnPairs(
  scoring: MeasuredModel,
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
    const { kept, way } =
      count === 0 ? { kept: model, way: 'shipped' as const } : await trainOn(scoring, pairs.slice(0, count));
    const scores = await CrossScores.of(await bankOf(kept, compute, test), compute.cosines.bind(compute));
    const confirmed = SHOWN.map((target) => scores.confirmed(scores.threshold(target).threshold));
    figures.push({ population, pairs: count, stones, way, confirmed });
  }
  return figures;
}

/**
 * As `mvs train --pairs --start shipped` does: a quarter is held out, the ways that start from the shipped model are tried (from scratch takes as long as both and
 * more), and the best on it is kept.
 */
async function trainOn({ model, compute, seed }: MeasuredModel, pairs: OwnPair[]): Promise<{ kept: Model; way: Way }> {
  const hooks = { clock: () => 0, onEpoch: () => {} };
  const candidates = await tryWays(
    model,
    splitPairs(pairs, seed),
    { ways: ['tuned', 'folded'], seed },
    compute,
    async (_, settings, data, start) => (await trainModel('own', settings, data, hooks, start)).model,
  );
  const best = bestOf(candidates);
  return { kept: best.model, way: best.way };
}

function pairsOf({ spectra, stones, rough, polish }: SpectraTable): OwnPair[] {
  const size = (rough + polish) * REFERENCE_POINTS;
  return Array.from({ length: stones }, (_, i) => {
    const at = i * size;
    const middle = at + rough * REFERENCE_POINTS;
    return { rough: spectra.slice(at, middle), polish: spectra.slice(middle, at + size) };
  });
}
