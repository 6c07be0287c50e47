/** Counted claims with their vectors, in memory for who measures them; the view knows where in the log they stand. */
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { ClaimEvidence, leftOutOf, NEWEST, VECTOR_LENGTH } from '#science/calibration/evidence';
import type { Known } from '#science/calibration/proposal';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import type { Model } from '#science/matching/model';
import type { EvidenceView } from './queries-evidence.js';

/** Claims read before others get a turn. */
const CLAIMS_A_TURN = 25;
/** Claims whose vectors (4 kB per claim) stay in memory after use, and for how long. */
const CLAIMS_HELD = 20_000;
const IDLE_MILLISECONDS = 60_000;

/** Claims of a population with their vectors. */
export interface Loaded {
  evidence: ClaimEvidence;
  /** Place in the log, and name of the key, of each of them. */
  positions: string[];
  keys: string[];
  known: Known;
  /** Reads of new claims, one after the other; and measurements, of which each goes on from the one before. */
  reading: Promise<void>;
  measuring: Promise<unknown>;
}

export class HeldClaims {
  /** Claims that have not been asked for in a while are let go of, and the longest unused beyond what may be held. */
  private readonly held = new LRUCache<string, Loaded>({
    ...{ maxSize: CLAIMS_HELD, sizeCalculation: ({ evidence }) => Math.max(1, evidence.size) },
    ...{ ttl: IDLE_MILLISECONDS, ttlAutopurge: true },
  });

  constructor(
    private readonly view: Pick<EvidenceView, 'counted' | 'held'>,
    private readonly model: Pick<Model, 'digest' | 'encoders'>,
  ) {}

  /** The newest of the first `counted` claims, by default of all that are counted now: those that a proposal rests on. */
  async load(population: string, counted = this.view.held(population, this.model.digest)): Promise<Loaded> {
    const { digest, encoders } = this.model;
    const names = encoders.map(({ name }) => name);
    const before = leftOutOf(counted);
    const name = `${before} ${population}`;
    const loaded = this.held.get(name) ?? begin(new ClaimEvidence(population, digest, names, before));
    this.held.set(name, loaded);
    const { evidence, positions, keys } = loaded;
    loaded.reading = loaded.reading
      .catch(() => {})
      .then(async () => {
        for (;;) {
          const wanted = Math.min(CLAIMS_A_TURN, NEWEST.claims - evidence.size);
          if (wanted === 0) return;
          const rows = await this.view.counted(population, digest, names, before + evidence.size, wanted);
          for (const row of rows) {
            evidence.add(row);
            positions.push(row.position);
            keys.push(row.key);
          }
          if (rows.length < wanted) return;
          await setImmediate();
        }
      });
    await loaded.reading;
    // Put back, as the cache counts a claim when it is put in.
    this.held.delete(name);
    this.held.set(name, loaded);
    return loaded;
  }
}

const begin = (evidence: ClaimEvidence): Loaded => ({
  evidence,
  positions: [],
  keys: [],
  known: {},
  reading: Promise.resolve(),
  measuring: Promise.resolve(),
});

/** Scores of the first `claims` claims of the evidence by a scorer, others getting a turn between them. */
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
