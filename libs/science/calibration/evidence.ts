/** The counted claims of a population under a model, with their vectors and the chain of digests over them. */
import { createHash } from 'node:crypto';
import { littleEndian } from '#science/numerics/little-endian';
import { type RejectTarget, rungName } from './ladder.js';

export const METHOD = 'cross-pairs/1';
/** The same on the scores of a population's own scorer. */
export const MAPPED_METHOD = 'mapped-cross-pairs/1';
/** Of more counted claims than these only the newest make a proposal. The first of them changes every `step` claims. */
export const NEWEST = { claims: 5000, step: 1000 } as const;

/** Counted claims that a proposal by the first `claims` leaves out, from the first on. */
export const leftOutOf = (claims: number): number =>
  Math.max(0, Math.ceil((claims - NEWEST.claims) / NEWEST.step) * NEWEST.step);

/** @param scorer digest of the population's own, where it is in force */
export function methodOf(claims: number, scorer?: string): string {
  const method = scorer === undefined ? METHOD : MAPPED_METHOD;
  return leftOutOf(claims) > 0 ? method.replace('/1', '/2') : method;
}
/** Values of an encoder's vector of a side. */
export const VECTOR_LENGTH = 256;

/** One side of a counted claim. */
export interface CountedSide {
  /** 64 hex digits. */
  digest: string;
  references: string[];
}

/** A counted claim with the banked vectors of its sides: by encoder one after the other, `width` float32 in all. */
export interface CountedClaim {
  claimId: string;
  rough: CountedSide;
  polish: CountedSide;
  roughVectors: Float32Array;
  polishVectors: Float32Array;
}

/** The scan set that a claim brought on one side, and its references. */
export interface Appearance {
  set: number;
  references: string[];
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Scan sets of one side in order of first appearance; the vectors lie in shared memory for the threads. */
export class SideEvidence {
  readonly appearances: Appearance[] = [];
  private readonly sets = new Map<string, number>();
  private table: Float32Array<SharedArrayBuffer>;

  constructor(private readonly width: number) {
    this.table = new Float32Array(new SharedArrayBuffer(64 * width * 4));
  }

  get size(): number {
    return this.sets.size;
  }

  /** Rows of `width`, one per set; rows may be added behind these. */
  get vectors(): Float32Array<SharedArrayBuffer> {
    return this.table;
  }

  digests(): string[] {
    return [...this.sets.keys()];
  }

  vector(set: number): Float32Array {
    return this.table.subarray(set * this.width, (set + 1) * this.width);
  }

  add({ digest, references }: CountedSide, vectors: Float32Array): void {
    let set = this.sets.get(digest);
    if (set === undefined) {
      set = this.sets.size;
      this.sets.set(digest, set);
      if ((set + 1) * this.width > this.table.length) {
        const larger = new Float32Array(new SharedArrayBuffer(this.table.byteLength * 2));
        larger.set(this.table);
        this.table = larger;
      }
      this.table.set(vectors, set * this.width);
    }
    this.appearances.push({ set, references });
  }
}

/** Consecutive counted claims; numbers of claims are of these. */
export class ClaimEvidence {
  readonly rough: SideEvidence;
  readonly polish: SideEvidence;
  /** Score of each claim's own two sets, in their order. */
  readonly scores: number[] = [];
  /** h0, h1, ... of docs/concepts/calibration-method.md: one more than there are claims. */
  private readonly chain: Buffer[];
  readonly width: number;

  constructor(
    readonly population: string,
    readonly model: string,
    /** Names, in the model's order. */
    readonly encoders: readonly string[],
    /** Counted claims before the first of these. */
    readonly before = 0,
  ) {
    this.width = encoders.length * VECTOR_LENGTH;
    this.rough = new SideEvidence(this.width);
    this.polish = new SideEvidence(this.width);
    const of = [population, model, encoders];
    this.chain = [sha256(JSON.stringify(before === 0 ? ['mvs-evidence/1', ...of] : ['mvs-evidence/2', ...of, before]))];
  }

  get size(): number {
    return this.scores.length;
  }

  add(claim: CountedClaim): void {
    const { claimId, rough, polish, roughVectors, polishVectors } = claim;
    if (roughVectors.length !== this.width || polishVectors.length !== this.width)
      throw new RangeError(`vectors of ${roughVectors.length} and ${polishVectors.length} values, not ${this.width}`);
    this.rough.add(rough, roughVectors);
    this.polish.add(polish, polishVectors);
    this.scores.push(scoreOf(polishVectors, roughVectors, this.encoders.length));
    const line = JSON.stringify([claimId, rough.digest, polish.digest, rough.references, polish.references]);
    this.chain.push(
      createHash('sha256')
        .update(this.chain[this.chain.length - 1])
        .update(`${line}\n`)
        .update(littleEndian(roughVectors))
        .update(littleEndian(polishVectors))
        .digest(),
    );
  }

  /** Digest over the first `claims` claims, 64 hex digits. */
  digest(claims = this.size): string {
    return this.chain[claims].toString('hex');
  }

  /** The proposal's digest after the population's first `decisions` approvals and withdrawals. */
  proposalDigest(rung: RejectTarget, decisions: number, claims = this.size, scorer?: string): string {
    const { population, model, before } = this;
    const pinned = { population, model, rung, decisions, claims: before + claims };
    return proposalDigest({ ...pinned, evidence_digest: this.digest(claims), scorer });
  }

  /** Number of counted claims by which the proposal with this digest is; undefined if none by these stands. */
  claimsBehind(digest: string, rung: RejectTarget, decisions: number, scorer?: string): number | undefined {
    for (let claims = this.size; claims > 0 && leftOutOf(this.before + claims) === this.before; claims--)
      if (this.proposalDigest(rung, decisions, claims, scorer) === digest) return this.before + claims;
    return undefined;
  }
}

/** The values that a proposal's digest binds. */
export interface Pinned {
  population: string;
  model: string;
  rung: RejectTarget;
  /** Approvals and withdrawals of the population before it. */
  decisions: number;
  claims: number;
  evidence_digest: string;
  /** Digest of the population's own scorer, where it is in force. */
  scorer?: string;
}

/** 64 hex digits. */
export function proposalDigest({
  population,
  model,
  rung,
  decisions,
  claims,
  evidence_digest,
  scorer,
}: Pinned): string {
  const facts = [population, model, rungName(rung), decisions, claims, evidence_digest];
  const line = ['mvs-proposal/1', methodOf(claims, scorer), ...facts, ...(scorer === undefined ? [] : [scorer])];
  return sha256(JSON.stringify(line)).toString('hex');
}

/** Mean over the encoders of the cosines of unit vectors: each a float64 sum in index order. */
export function scoreOf(a: Float32Array, b: Float32Array, encoders: number): number {
  const length = a.length / encoders;
  let sum = 0;
  for (let from = 0; from < a.length; from += length) {
    let cosine = 0;
    for (let i = from; i < from + length; i++) cosine += a[i] * b[i];
    sum += cosine;
  }
  return sum / encoders;
}
