/** Counted claims with their vectors, in memory for who measures them; the view has them all. */
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { ClaimEvidence, VECTOR_LENGTH } from '#science/calibration/evidence';
import type { Known } from '#science/calibration/proposal';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import type { Model } from '#science/matching/model';
import type { EvidenceView } from './queries-evidence.js';

/** Claims read before others get a turn. */
const CLAIMS_A_TURN = 100;
/** Claims whose vectors (4 kB per claim) stay in memory after use, and for how long. */
const CLAIMS_HELD = 20_000;
const IDLE_MILLISECONDS = 60_000;

/** A population's claims with their vectors. */
export interface Loaded {
  evidence: ClaimEvidence;
  /** Place in the log, and name of the key, of each counted claim. */
  positions: string[];
  keys: string[];
  known: Known;
  /** Reads of new claims, one after the other; and measurements, of which each goes on from the one before. */
  reading: Promise<void>;
  measuring: Promise<unknown>;
  usedAt: number;
}

export class HeldClaims {
  private readonly populations = new Map<string, Loaded>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly view: Pick<EvidenceView, 'counted'>,
    private readonly model: Pick<Model, 'digest' | 'encoders'>,
  ) {}

  /** The claims that are counted now. */
  async load(population: string): Promise<Loaded> {
    const { digest, encoders } = this.model;
    const names = encoders.map(({ name }) => name);
    const loaded = this.populations.get(population) ?? this.begin(population, names);
    const { evidence, positions, keys } = loaded;
    loaded.usedAt = performance.now();
    loaded.reading = loaded.reading
      .catch(() => {})
      .then(async () => {
        for (;;) {
          const rows = this.view.counted(population, digest, names, evidence.size, CLAIMS_A_TURN);
          for (const row of rows) {
            evidence.add(row);
            positions.push(row.position);
            keys.push(row.key);
          }
          if (rows.length < CLAIMS_A_TURN) return;
          await setImmediate();
        }
      });
    await loaded.reading;
    this.letGo();
    return loaded;
  }

  private begin(population: string, encoders: string[]): Loaded {
    const loaded: Loaded = {
      evidence: new ClaimEvidence(population, this.model.digest, encoders),
      positions: [],
      keys: [],
      known: {},
      reading: Promise.resolve(),
      measuring: Promise.resolve(),
      usedAt: 0,
    };
    this.populations.set(population, loaded);
    return loaded;
  }

  /** Lets go of claims that have not been asked for in a while, and of the longest unused beyond what may be held. */
  private letGo(): void {
    const since = performance.now() - IDLE_MILLISECONDS;
    const holding = [...this.populations].sort(([, a], [, b]) => b.usedAt - a.usedAt);
    let claims = 0;
    for (const [i, [population, { evidence, usedAt }]] of holding.entries()) {
      claims += evidence.size;
      if (usedAt < since || (i > 0 && claims > CLAIMS_HELD)) this.populations.delete(population);
    }
    clearTimeout(this.timer);
    this.timer = this.populations.size > 0 ? setTimeout(() => this.letGo(), IDLE_MILLISECONDS + 1).unref() : undefined;
  }
}

/** Scores of the first `claims` counted claims by a scorer, others getting a turn between them. */
export async function scoresBy(scorer: PopulationScorer, evidence: ClaimEvidence, claims: number): Promise<number[]> {
  const sides = (side: 'rough' | 'polish', claim: number) => {
    const vectors = evidence[side].vector(evidence[side].appearances[claim].set);
    return evidence.encoders.map((_, i) => vectors.subarray(i * VECTOR_LENGTH, (i + 1) * VECTOR_LENGTH));
  };
  const scores: number[] = [];
  for (let claim = 0; claim < claims; claim++) {
    scores.push(scorer.score(sides('rough', claim), sides('polish', claim)).fused);
    await setImmediate();
  }
  return scores;
}
