import { createHash } from 'node:crypto';
import { VECTOR_LENGTH } from '../evidence.js';
import type { Isotonic } from '../isotonic.js';
import { type LadderEntry, type RejectTarget, rungName } from '../ladder.js';
import { readInSteps, type ScorerHeader } from './bytes.js';
import { type MappedScore, ScorerCore } from './core.js';
import { atOnce, type Steps } from './steps.js';

/** A population's own scorer, frozen: made by `fitScorer`, or read from its stored bytes. */
export class PopulationScorer {
  private constructor(
    /** SHA-256 of `bytes`, 64 hex digits. */
    readonly digest: string,
    /** The canonical form, some megabytes; all that is ever stored. */
    readonly bytes: Uint8Array,
    readonly header: ScorerHeader,
    readonly core: ScorerCore,
  ) {}

  /**
   * @param digest of the bytes, where the caller has it
   * @throws Refusal of kind `asset` for anything that is no scorer
   */
  static load(bytes: Uint8Array, digest = createHash('sha256').update(bytes).digest('hex')): PopulationScorer {
    return atOnce(PopulationScorer.loadInSteps(bytes, digest));
  }

  /** `load` in steps: in all it takes a tenth of a second. */
  static *loadInSteps(bytes: Uint8Array, digest: string): Steps<PopulationScorer> {
    const { header, parts } = yield* readInSteps(bytes);
    yield;
    const core = new ScorerCore(parts);
    yield* core.prepare();
    return new PopulationScorer(digest, bytes, header, core);
  }

  /** Digest of the model that made its vectors. */
  get model(): string {
    return this.header.model;
  }

  /** Names, in the model's order. */
  get encoders(): readonly string[] {
    return this.header.encoders;
  }

  get groups(): number {
    return this.core.groups;
  }

  /** `p_match_5050` by score. */
  get curve(): Isotonic {
    return this.header.curve;
  }

  /**
   * Scores a claim: -2 to 2, by encoder and in their mean. The bank's scans of the claim's own stones take no part.
   * @param rough and @param polish pooled unit vectors by encoder, 256 values each
   */
  score(rough: readonly Float32Array[], polish: readonly Float32Array[]): MappedScore {
    return this.core.score(this.joined([rough, polish]));
  }

  /** The carried-over entry of a rung. */
  entry(rung: RejectTarget): LadderEntry {
    const { rungs, population, groups } = this.header.ladder;
    const found = rungs.find(({ reject_target }) => reject_target === rung);
    if (!found) throw new RangeError(`no rung ${rungName(rung)}`);
    return {
      reject_target: rung,
      threshold: found.threshold,
      threshold_source: `shipped-default: ${population} population (simulated), scorers of ${groups} stones`,
      expected_genuine_accept: found.expected_genuine_accept,
    };
  }

  /** One after the other: 2 x encoders x 256 values. */
  private joined(sides: readonly (readonly Float32Array[])[]): Float32Array {
    const all = new Float32Array(sides.length * this.encoders.length * VECTOR_LENGTH);
    let at = 0;
    for (const vectors of sides) {
      if (vectors.length !== this.encoders.length || vectors.some(({ length }) => length !== VECTOR_LENGTH))
        throw new RangeError(
          `a side of ${vectors.length} vectors, not ${this.encoders.length} of ${VECTOR_LENGTH} values`,
        );
      for (const vector of vectors) {
        all.set(vector, at);
        at += vector.length;
      }
    }
    return all;
  }
}
