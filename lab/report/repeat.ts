/** Populations of claims drawn from simulated stones again and again, and what the service's own code proposes for each. */
import { createHash } from 'node:crypto';
import type { ThreadPool } from '#kit/threads/pool';
import { type CalibrationAsset, shippedEntry } from '#science/calibration/asset';
import { ClaimEvidence, type CountedClaim, type CountedSide } from '#science/calibration/evidence';
import { type Measured, measurePopulation } from '#science/calibration/proposal';
import { type Interval, Z95 } from '#science/calibration/statistics';
import type { Model } from '#science/matching/model';
import type { Side } from '#science/spectra/refusal';
import type { Random } from '../simulator/index.js';
import type { Spread } from './figures.js';
import { rowOf, type Stones } from './stones.js';

/** The parts that every repetition needs. */
export interface Proposing {
  model: Model;
  asset: CalibrationAsset;
  pool: ThreadPool;
}

/** One stone's scan sets of some stones. */
export interface Which {
  of: Stones;
  stone: number;
  /** The reference that the client gives; none by default. */
  reference?: string;
}

/** A claim that this polish came out of this rough. */
export interface Sent {
  rough: Which;
  polish: Which;
}

/** Deals stones without putting them back; all are shuffled again when too few are left. */
export class Deck {
  private readonly stones: number[];
  private dealt: number;
  constructor(
    private readonly random: Random,
    from: number,
    to: number,
  ) {
    this.stones = Array.from({ length: to - from }, (_, i) => from + i);
    this.dealt = this.stones.length;
  }

  deal(count: number): number[] {
    if (count > this.stones.length) throw new RangeError(`${count} of ${this.stones.length} stones`);
    if (this.dealt + count > this.stones.length) {
      this.dealt = 0;
      for (let i = this.stones.length - 1; i > 0; i--) {
        const j = this.random.below(i + 1);
        [this.stones[i], this.stones[j]] = [this.stones[j], this.stones[i]];
      }
    }
    this.dealt += count;
    return this.stones.slice(this.dealt - count, this.dealt);
  }
}

/** Evidence of a population that holds these claims, every one counted. */
export function evidenceOf(model: Model, population: string, claims: Sent[]): ClaimEvidence {
  const names = model.encoders.map(({ name }) => name);
  const evidence = new ClaimEvidence(population, model.digest, names);
  for (const [i, claim] of claims.entries()) evidence.add(counted(claim, i));
  return evidence;
}

/** The proposals of a population that holds these claims. */
export function propose({ model, asset, pool }: Proposing, population: string, claims: Sent[]): Promise<Measured> {
  const evidence = evidenceOf(model, population, claims);
  return measurePopulation(evidence, claims.length, pool, (rung) => shippedEntry(asset, rung).threshold);
}

function counted({ rough, polish }: Sent, i: number): CountedClaim {
  return {
    claimId: `clm_${i}`,
    rough: setOf('rough', rough),
    polish: setOf('polish', polish),
    roughVectors: rowOf(rough.of, 'rough', rough.stone),
    polishVectors: rowOf(polish.of, 'polish', polish.stone),
  };
}

/** A scan set as its claim names it. */
export const setOf = (side: Side, { of, stone, reference }: Which): CountedSide => ({
  digest: createHash('sha256').update(`${of.name} ${side} ${stone}`).digest('hex'),
  references: reference === undefined ? [] : [reference],
});

/** Spread of a figure over repetitions. */
export function spread(values: number[]): Spread {
  const n = values.length;
  const mean = values.reduce((sum, one) => sum + one, 0) / n;
  const sd = Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(n - 1, 1));
  const half = (Z95 * sd) / Math.sqrt(n);
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => sorted[Math.min(Math.floor(share * n), n - 1)];
  const interval: Interval = [mean - half, mean + half];
  return { mean, interval, sd, range: [at(0.05), at(0.95)] };
}
