import { REJECT_TARGETS, type RejectTarget } from '#science/calibration/ladder';
import { type Interval, wilson } from '#science/calibration/statistics';
import type { Compute } from '#science/compute/port';
import { cosine, encodeSides, placeModel } from '#science/matching/encoder';
import { type Model, VECTOR } from '#science/matching/model';
import { REFERENCE_FIRST, REFERENCE_POINTS, REFERENCE_STEP } from '#science/spectra/axis';
import type { Sampling } from '#science/spectra/sampling';
import { type Bank, CrossScores } from '../cross-scores.js';
import type { SpectraTable } from './settings.js';
import { simulateTable, type TableRecipe } from './simulated-table.js';

/** Pooled vectors of every stone of a table, in blocks of stones. */
export async function bankOf(model: Model, compute: Compute, table: SpectraTable): Promise<Bank> {
  const placed = await placeModel(model, compute);
  const { stones } = table;
  const encoders = model.encoders.map(() => ({
    rough: new Float32Array(stones * VECTOR),
    polish: new Float32Array(stones * VECTOR),
    width: VECTOR,
  }));
  const size = table.rough + table.polish;
  const block = 64;
  for (let first = 0; first < stones; first += block) {
    const count = Math.min(block, stones - first);
    const counts = Array.from({ length: count }, () => [table.rough, table.polish]).flat();
    const sides = await encodeSides(placed, table.spectra.subarray(first * size * REFERENCE_POINTS), counts);
    for (const [e, { rough, polish }] of encoders.entries()) {
      for (let s = 0; s < count; s++) {
        rough.set(sides[2 * s][e], (first + s) * VECTOR);
        polish.set(sides[2 * s + 1][e], (first + s) * VECTOR);
      }
    }
  }
  placed.release();
  const names = Array.from({ length: stones }, (_, i) => ({ roughDigest: `rough ${i}`, polishDigest: `polish ${i}` }));
  return { stones: names, encoders };
}

export interface EvaluationOptions {
  /** Scans a side; 6 and 1 by default. */
  rough?: number;
  polish?: number;
  /** Keeps only the points below this wavenumber, cm^-1, of both sides or of one. */
  coverage?: { upTo: number; side?: 'rough' | 'polish' };
  /** Threads that simulate. */
  threads?: number;
}

/** A share with its 95% interval. */
export interface Share {
  share: number;
  interval: Interval;
}

/** A model's results on a population, with thresholds set on the population itself. */
export interface Evaluation {
  population: string;
  seed: number;
  stones: number;
  modelDigest: string;
  /** Genuine scores in the order of the stones, and all wrong pairs, to draw from. */
  scores: CrossScores;
  rungs: {
    rejectTarget: RejectTarget;
    threshold: number;
    confirmed: Share;
    /** Share of draws in which the best of 29 random wrong roughs stays rejected. */
    bestOf29Random: Share | null;
    /** The same for the 29 of 100 random roughs that are nearest to the true one, by the model itself. */
    bestOf29Nearest: Share;
  }[];
}

/** Encodes a simulated population and sets each rung's threshold from its cross pairs. Memory: 8 bytes per pair. */
export async function evaluatePopulation(
  model: Model,
  compute: Compute,
  population: string,
  seed: number,
  stones: number,
  options: EvaluationOptions = {},
): Promise<Evaluation> {
  const recipe: TableRecipe = {
    draws: [{ population, seed, from: 0, stones }],
    rough: options.rough ?? 6,
    polish: options.polish ?? 1,
    sampling: model.input.sampling,
  };
  const table = await simulateTable(recipe, options.threads ?? 2);
  if (options.coverage) cutTable(table, model.input.sampling, options.coverage.upTo, options.coverage.side);
  const bank = await bankOf(model, compute, table);
  const scores = await CrossScores.of(bank, (a, rowsA, b, rowsB, width) => compute.cosines(a, rowsA, b, rowsB, width));
  const nearest = nearestDecoys(bank);
  const rungs = REJECT_TARGETS.map((rejectTarget) => {
    const { threshold } = scores.threshold(rejectTarget);
    const rejected = nearest.filter((best) => best <= threshold).length;
    return {
      rejectTarget,
      threshold,
      confirmed: scores.confirmed(threshold),
      bestOf29Random: scores.bestOfRejected(DECOYS, threshold),
      bestOf29Nearest: { share: rejected / nearest.length, interval: wilson(rejected, nearest.length) },
    };
  });
  return { population, seed, stones, modelDigest: model.digest, scores, rungs };
}

const DECOYS = 29;
const LINE_UP = 100;

/** Resamples scans that end at a wavenumber, in place. */
export function cutTable(table: SpectraTable, sampling: Sampling, upTo: number, side?: 'rough' | 'polish'): void {
  const last = Math.floor((upTo - REFERENCE_FIRST) / REFERENCE_STEP);
  const scans = table.rough + table.polish;
  for (let scan = 0; scan < table.stones * scans; scan++) {
    if (side && scan % scans < table.rough !== (side === 'rough')) continue;
    const spectrum = table.spectra.subarray(scan * REFERENCE_POINTS, (scan + 1) * REFERENCE_POINTS);
    spectrum.fill(sampling === 'masked' ? Number.NaN : spectrum[last], last + 1);
  }
}

/** A polish's best score against the 29 roughs nearest to its true rough, of the 100 stones that follow it. */
function nearestDecoys(bank: Bank): number[] {
  const stones = bank.stones.length;
  const fused = (a: 'rough' | 'polish', i: number, b: 'rough' | 'polish', j: number) =>
    bank.encoders.reduce(
      (sum, sides) =>
        sum +
        cosine(sides[a].subarray(i * VECTOR, (i + 1) * VECTOR), sides[b].subarray(j * VECTOR, (j + 1) * VECTOR)) /
          bank.encoders.length,
      0,
    );
  return Array.from({ length: stones }, (_, i) => {
    const others = Array.from({ length: Math.min(LINE_UP, stones - 1) }, (_, k) => (i + 1 + k) % stones);
    const near = others
      .map((j) => ({ j, closeness: fused('rough', i, 'rough', j) }))
      .sort((a, b) => b.closeness - a.closeness)
      .slice(0, DECOYS);
    return Math.max(...near.map(({ j }) => fused('polish', i, 'rough', j)));
  });
}
