/** Simulated worlds together: each one's deposits, instrument and laboratory are drawn anew, and wrong claims pair stones of one world. */
import type { WorldsSource } from '#science/calibration/asset';
import { type Interval, shareAbove, Z95 } from '#science/calibration/statistics';
import { joined } from '#science/numerics/joined';
import { quantile } from '#science/numerics/quantile';
import { type Bank, type CosineTable, CrossScores } from './cross-scores.js';

/** Stones of one world. */
export interface WorldEvidence {
  source: { population: string; seed: number; stones: number; refused: number };
  bank: Bank;
}

/** In this share of the worlds no more than twice as many wrong claims may pass as in all together. */
export const WORLDS_MET = 0.9;
const MOST_IN_A_WORLD = 2;

export class WorldScores {
  /** Ascending. */
  readonly genuine: Float32Array;
  readonly wrong: Float32Array;

  constructor(private readonly worlds: readonly CrossScores[]) {
    this.genuine = joined(worlds.map(({ genuine }) => genuine)).sort();
    this.wrong = joined(worlds.map(({ wrong }) => wrong)).sort();
  }

  static async of(banks: readonly Bank[], cosines: CosineTable): Promise<WorldScores> {
    const scores: CrossScores[] = [];
    for (const bank of banks) scores.push(await CrossScores.of(bank, cosines));
    return new WorldScores(scores);
  }

  /**
   * The lowest threshold that rejects a share of the wrong claims of all worlds together, and at which in 90% of the worlds no more
   * than twice as many pass as it allows: a world's few stones alone move its share by half of that.
   * @returns with the 95% interval that the choice of worlds leaves
   */
  threshold(rejectTarget: number): { threshold: number; interval: Interval } {
    const inWorlds = Float64Array.from(this.worlds, ({ wrong }) =>
      quantile(wrong, 1 - MOST_IN_A_WORLD * (1 - rejectTarget)),
    ).sort();
    const pooled = (shift: number) => quantile(this.wrong, Math.min(Math.max(rejectTarget + shift, 0), 1));
    const count = inWorlds.length;
    const ranks = Z95 * Math.sqrt(count * WORLDS_MET * (1 - WORLDS_MET));
    const met = (shift: number) => {
      const rank = Math.ceil(WORLDS_MET * count + shift);
      return inWorlds[Math.min(Math.max(rank, 1), count) - 1];
    };
    const threshold = Math.max(pooled(0), met(0));
    const half = Z95 * this.standardError(threshold);
    return {
      threshold,
      interval: [Math.max(pooled(-half), met(-ranks)), Math.max(pooled(half), met(ranks))],
    };
  }

  /** Of the pooled share of wrong claims above a threshold, by how the worlds differ. */
  standardError(threshold: number): number {
    const shares = this.accepted(threshold);
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    const squares = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0);
    return Math.sqrt(squares / Math.max(shares.length - 1, 1) / shares.length);
  }

  /** Shares of genuine claims that a threshold of each world's own wrong claims confirms, one a world. */
  confirmedByOwn(rejectTarget: number): number[] {
    return this.worlds.map((world) => world.confirmed(world.threshold(rejectTarget).threshold).share);
  }

  /** Shares of wrong claims above a threshold, ascending, one a world. */
  accepted(threshold: number): number[] {
    return this.worlds.map(({ wrong }) => shareAbove(wrong, threshold)).sort((a, b) => a - b);
  }
}

export function worldsSources(worlds: readonly WorldEvidence[]): WorldsSource[] {
  const sources: WorldsSource[] = [];
  for (const { source } of worlds) {
    const { population, seed } = source;
    let found = sources.find((one) => one.population === population && one.seed === seed);
    if (!found) {
      found = { population, seed, worlds: 0, stones: 0, refused: 0 };
      sources.push(found);
    }
    found.worlds++;
    found.stones += source.stones - source.refused;
    found.refused += source.refused;
  }
  return sources;
}
