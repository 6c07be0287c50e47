import { scoreOf } from '#science/calibration/evidence';
import { REJECT_TARGETS, type RejectTarget } from '#science/calibration/ladder';
import type { Compute } from '#science/compute/port';
import { rowOf, type Stones } from './stones.js';

/** Bins a unit of score, from 0 to 1: fine ones of all pairs, coarse ones of the pairs that touch a stone. */
const FINE = 32_768;
const COARSE = 1024;
const BLOCK_ROWS = 512;
const binOf = (threshold: number, bins: number) => Math.min(Math.max(threshold * bins, 0), bins) | 0;

/**
 * Shares of a population's claims that a threshold from 0 to 1 lets through: wrong claims are all cross pairs, genuine ones
 * all own pairs but those of mispaired records.
 */
export class Truth {
  /** Threshold of a rung by all stones. */
  readonly thresholds: Record<RejectTarget, number>;

  private constructor(
    readonly stones: Stones,
    /** Cross pairs in this fine bin or above. */
    private readonly wrong: Float64Array,
    /** By stone: cross pairs that touch it, in this coarse bin or above; and its own pair's score, NaN if mispaired. */
    private readonly touching: Uint32Array[],
    private readonly own: Float64Array,
  ) {
    const share = (rung: RejectTarget) => wrong.findIndex((above) => above <= (1 - rung) * wrong[0]);
    this.thresholds = Object.fromEntries(REJECT_TARGETS.map((rung) => [rung, share(rung) / FINE])) as never;
  }

  static async of(stones: Stones, compute: Compute): Promise<Truth> {
    const { count, width, encoders, polish, rough, mispaired } = stones;
    const wrong = new Float64Array(FINE + 1);
    const touching = Array.from({ length: count }, () => new Uint32Array(COARSE + 1));
    for (let first = 0; first < count; first += BLOCK_ROWS) {
      const rows = Math.min(BLOCK_ROWS, count - first);
      // A row of unit vectors: its cosine is the mean of the encoders'.
      const block = polish.subarray(first * width, (first + rows) * width);
      const table = await compute.cosines(block, rows, rough, count, width);
      for (let i = 0; i < rows; i++) {
        const one = touching[first + i];
        for (let j = 0, at = i * count; j < count; j++, at++) {
          const score = table[at];
          if (score <= 0 || j === first + i) continue;
          wrong[Math.min(score * FINE, FINE) | 0]++;
          const coarse = Math.min(score * COARSE, COARSE) | 0;
          one[coarse]++;
          touching[j][coarse]++;
        }
      }
    }
    for (const counts of [wrong, ...touching])
      for (let bin = counts.length - 2; bin >= 0; bin--) counts[bin] += counts[bin + 1];
    wrong[0] = count * (count - 1);
    const own = Float64Array.from(mispaired, (wrongRecord, i) =>
      wrongRecord ? Number.NaN : scoreOf(rowOf(stones, 'polish', i), rowOf(stones, 'rough', i), encoders),
    );
    return new Truth(stones, wrong, touching, own);
  }

  /** Share of the cross pairs above a threshold, of stones that are not among `without`. */
  wrongAbove(threshold: number, without: number[] = []): number {
    const { count } = this.stones;
    const n = without.length;
    const all = this.wrong[binOf(threshold, FINE)];
    const bin = binOf(threshold, COARSE);
    // Those among themselves are taken off twice; their share is near enough that of all.
    const among = (all / this.wrong[0]) * n * (n - 1);
    const touched = without.reduce((sum, stone) => sum + this.touching[stone][bin], 0);
    return (all - touched + among) / ((count - n) * (count - n - 1));
  }

  /** Share of the genuine claims above a threshold, of stones that are not among `without`. */
  genuineAbove(threshold: number, without: number[] = []): number {
    const left = new Set(without);
    let above = 0;
    let claims = 0;
    for (const [stone, score] of this.own.entries()) {
      if (Number.isNaN(score) || left.has(stone)) continue;
      claims++;
      if (score > threshold) above++;
    }
    return above / claims;
  }
}
