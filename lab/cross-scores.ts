import { type Interval, wilson, Z95 } from '#science/calibration/statistics';
import { NEARLY_IDENTICAL } from '#science/calibration/stones';
import { quantile } from '#science/numerics/quantile';

/** One stone's claim: its two scan sets, known by reference (where there is one) and digest. */
export interface BankedStone {
  reference?: string;
  roughDigest: string;
  polishDigest: string;
}

/** The pooled vectors of n stones by one encoder: row-major n x `width`, unit rows, in the order of the stones. */
export interface BankedVectors {
  rough: Float32Array;
  polish: Float32Array;
  width: number;
}

/** Stones with their vectors by every encoder. */
export interface Bank {
  stones: BankedStone[];
  encoders: BankedVectors[];
}

/** Cosines of every row of `a` with every row of `b`: rowsA x rowsB. */
export type CosineTable = (
  a: Float32Array,
  rowsA: number,
  b: Float32Array,
  rowsB: number,
  width: number,
) => Promise<Float32Array>;

const BLOCK_ROWS = 256;
/** Standard error of a share under which stones differ by rounding alone. */
const ALIKE = 1e-9;

/** Mean cosines over the encoders, in blocks of rows: `visit(first, rows, table)` with table rows x n. */
async function meanCosines(
  bank: Bank,
  sides: ['rough' | 'polish', 'rough' | 'polish'],
  cosines: CosineTable,
  visit: (first: number, rows: number, table: Float32Array) => void,
): Promise<void> {
  const n = bank.stones.length;
  for (let first = 0; first < n; first += BLOCK_ROWS) {
    const rows = Math.min(BLOCK_ROWS, n - first);
    const sum = new Float32Array(rows * n);
    for (const encoder of bank.encoders) {
      const { width } = encoder;
      const block = encoder[sides[0]].subarray(first * width, (first + rows) * width);
      const table = await cosines(block, rows, encoder[sides[1]], n, width);
      for (let i = 0; i < sum.length; i++) sum[i] += table[i];
    }
    for (let i = 0; i < sum.length; i++) sum[i] /= bank.encoders.length;
    visit(first, rows, sum);
  }
}

/**
 * Scores of every polish of a bank against every rough of it: the genuine claims on the diagonal, and as wrong claims all
 * pairs of different stones. Left out are pairs that share a stone reference or a digest, or whose rough (or polish)
 * vectors are nearly identical. Memory: 8 bytes per pair.
 */
export class CrossScores {
  /** Scores of the recorded claims, in the order of the stones. */
  readonly claims: Float32Array;
  /** n x n, polish by rough; NaN where the pair is no wrong claim. */
  private readonly table: Float32Array;
  private sortedClaims?: Float32Array;
  private sortedWrong?: Float32Array;

  private constructor(readonly size: number) {
    this.claims = new Float32Array(size);
    this.table = new Float32Array(size * size);
  }

  /** @param scored n x n, polish by rough, in place of the mean cosines */
  static async of(bank: Bank, cosines: CosineTable, scored?: Float32Array): Promise<CrossScores> {
    const n = bank.stones.length;
    const scores = new CrossScores(n);
    if (scored) scores.table.set(scored);
    else await meanCosines(bank, ['polish', 'rough'], cosines, (first, _, block) => scores.table.set(block, first * n));
    for (let i = 0; i < n; i++) {
      scores.claims[i] = scores.table[i * (n + 1)];
      scores.table[i * (n + 1)] = Number.NaN;
    }
    for (const side of ['rough', 'polish'] as const)
      await meanCosines(bank, [side, side], cosines, (first, rows, block) => {
        for (let i = 0; i < rows * n; i++) if (block[i] > NEARLY_IDENTICAL) scores.table[first * n + i] = Number.NaN;
      });
    for (const key of ['reference', 'roughDigest', 'polishDigest'] as const)
      scores.exclude(bank.stones.map((s) => s[key]));
    return scores;
  }

  /** Claims ascending. */
  get genuine(): Float32Array {
    this.sortedClaims ??= this.claims.slice().sort();
    return this.sortedClaims;
  }

  /** Scores of all wrong claims, ascending. */
  get wrong(): Float32Array {
    // The sort puts NaN last.
    if (!this.sortedWrong) {
      const sorted = this.table.slice().sort();
      let count = sorted.length;
      while (count > 0 && Number.isNaN(sorted[count - 1])) count--;
      this.sortedWrong = sorted.subarray(0, count);
    }
    return this.sortedWrong;
  }

  private exclude(keys: (string | undefined)[]): void {
    const stones = new Map<string, number[]>();
    keys.forEach((key, i) => {
      if (key !== undefined) stones.set(key, [...(stones.get(key) ?? []), i]);
    });
    for (const same of stones.values())
      for (const i of same) for (const j of same) this.table[i * this.size + j] = Number.NaN;
  }

  /**
   * Share of wrong claims above a threshold. Pairs that share a stone are not independent: the interval is that of a
   * U-statistic, over stones by each one's influence, never over pairs; Wilson's over stones where all have the same influence, as of
   * none accepted.
   */
  wrongAccepted(threshold: number): { share: number; standardError: number; interval: Interval } {
    const n = this.size;
    const above = new Float64Array(n);
    const pairs = new Float64Array(n);
    let allAbove = 0;
    let allPairs = 0;
    for (let i = 0, at = 0; i < n; i++)
      for (let j = 0; j < n; j++, at++) {
        const score = this.table[at];
        if (Number.isNaN(score)) continue;
        allPairs++;
        pairs[i]++;
        pairs[j]++;
        if (score > threshold) {
          allAbove++;
          above[i]++;
          above[j]++;
        }
      }
    const share = allAbove / allPairs;
    let variance = 0;
    for (let i = 0; i < n; i++) {
      const influence = (above[i] - share * pairs[i]) * (n / allPairs);
      variance += influence * influence;
    }
    const standardError = Math.sqrt(variance) / n;
    return {
      share,
      standardError,
      interval:
        standardError > ALIKE
          ? [Math.max(share - Z95 * standardError, 0), Math.min(share + Z95 * standardError, 1)]
          : wilson(share * n, n),
    };
  }

  /** The threshold of a rung, the quantile of the wrong claims, with the interval that the choice of stones leaves. */
  threshold(rejectTarget: number): { threshold: number; interval: Interval } {
    const threshold = quantile(this.wrong, rejectTarget);
    const { standardError } = this.wrongAccepted(threshold);
    const at = (shift: number) => quantile(this.wrong, Math.min(Math.max(rejectTarget + shift, 0), 1));
    return { threshold, interval: [at(-Z95 * standardError), at(Z95 * standardError)] };
  }

  /** Share of the recorded claims above a threshold, with Wilson's interval; `of` counts claims refused unscored too. */
  confirmed(threshold: number, of = this.size): { share: number; interval: Interval } {
    const count = this.claims.reduce((sum, score) => sum + (score > threshold ? 1 : 0), 0);
    return { share: count / of, interval: wilson(count, of) };
  }

  /**
   * Share of draws in which the best of `decoys` random wrong roughs for a polish stays rejected: exact over all draws for
   * a polish, averaged over the polishes. Null where no polish has that many wrong roughs.
   */
  bestOfRejected(decoys: number, threshold: number): { share: number; interval: Interval } | null {
    const n = this.size;
    const shares: number[] = [];
    for (let i = 0; i < n; i++) {
      let above = 0;
      let pairs = 0;
      for (let j = 0; j < n; j++) {
        const score = this.table[i * n + j];
        if (Number.isNaN(score)) continue;
        pairs++;
        if (score > threshold) above++;
      }
      if (pairs < decoys) continue;
      let rejected = 1;
      for (let drawn = 0; drawn < decoys; drawn++) rejected *= Math.max(pairs - above - drawn, 0) / (pairs - drawn);
      shares.push(rejected);
    }
    if (shares.length === 0) return null;
    const share = shares.reduce((sum, one) => sum + one, 0) / shares.length;
    const variance = shares.reduce((sum, one) => sum + (one - share) ** 2, 0) / Math.max(shares.length - 1, 1);
    const half = Z95 * Math.sqrt(variance / shares.length);
    return { share, interval: [Math.max(share - half, 0), Math.min(share + half, 1)] };
  }
}
