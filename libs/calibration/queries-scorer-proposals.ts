/** Scorers fitted on what a population holds, on threads, and kept: no request for a verdict ever waits for one. */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ThreadPool } from '#kit/threads/pool';
import { type CalibrationAsset, shippedEntry } from '#science/calibration/asset';
import type { RejectTarget } from '#science/calibration/ladder';
import { fitScorer, type ScorerFigures } from '#science/calibration/scorer/fit';
import { type ScorerLadders, scorerProposalDigest } from '#science/calibration/scorer/ladders';
import { leastGroups, type ScorerMethod } from '#science/calibration/scorer/method';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import type { ScorerProposal } from './events.js';
import type { HeldClaims, Loaded } from './held-claims.js';

/** A fitted scorer, with the claims that it rests on. */
export interface FittedScorer {
  scorer: PopulationScorer;
  figures: ScorerFigures;
  claims: number;
  /** Place in the log of the last of them, and the digest over them. */
  position: string;
  evidence_digest: string;
}

/** The reason why claims make no scorer. */
export interface NotFitted {
  claims: number;
  reason: string;
}

type Outcome = FittedScorer | NotFitted;

/** Bytes of the scorers that are kept, so that one that an operator saw is at hand when it is approved. */
const KEPT_BYTES = 2 ** 26;
/** Counted of a fit that made no scorer. */
const NO_BYTES = 1000;

export class ScorerProposals {
  /** By the number of claims and the population. */
  private readonly fits = new LRUCache<string, Outcome, { population: string; loaded: Loaded; own: number }>({
    maxSize: KEPT_BYTES,
    sizeCalculation: (outcome) => ('scorer' in outcome ? outcome.scorer.bytes.length : NO_BYTES),
    ignoreFetchAbort: true,
    fetchMethod: (_name, _stale, { context }) => this.fitted(context.population, context.loaded, context.own),
  });
  /** By population, the claims of the one fitted last. */
  private readonly last = new Map<string, number>();
  /** The ladders that proposals bind; stored beside the scorers, so that an audit finds them. */
  readonly laddersStored: { digest: string; bytes: Uint8Array };

  /** @param ladders those that came with the model for such scorers */
  constructor(
    private readonly held: HeldClaims,
    private readonly model: { digest: string },
    private readonly asset: CalibrationAsset,
    private readonly ladders: ScorerLadders,
    private readonly pool: ThreadPool,
  ) {
    const bytes = Buffer.from(JSON.stringify(ladders));
    this.laddersStored = { digest: createHash('sha256').update(bytes).digest('hex'), bytes };
  }

  /** Of the scorers that it fits. */
  get method(): ScorerMethod {
    return this.ladders.method;
  }

  /** By all claims that are counted now. */
  async latest(population: string): Promise<Outcome> {
    const loaded = await this.held.load(population);
    return this.fit(population, loaded, loaded.evidence.size);
  }

  /** The scorer fitted last, while it is kept. */
  finished(population: string): Outcome | undefined {
    return this.fits.get(`${this.last.get(population)} ${population}`);
  }

  /** As an approval holds it. @param decisions approvals and withdrawals of the population so far */
  facts(population: string, fitted: FittedScorer, decisions: number): ScorerProposal {
    const { scorer, figures, claims, position, evidence_digest } = fitted;
    return {
      digest: this.digestOf(population, decisions, claims, evidence_digest),
      scorer: scorer.digest,
      evidence_digest,
      method: scorer.header.method,
      model: this.model.digest,
      position,
      decisions,
      claims,
      groups: figures.groups,
      trimmed: figures.trimmed,
      curve: figures.curve,
      rungs: figures.rungs.map((rung) => ({
        reject_target: rung.reject_target,
        confirmed_raw: rung.confirmed_raw,
        confirmed_mapped: rung.confirmed_mapped,
        wrong_raw: rung.wrong_raw,
        wrong_mapped: rung.wrong_mapped,
      })),
    };
  }

  /** The scorer proposed under this digest, whichever replica showed it: the first claims make the same one everywhere. */
  async find(population: string, digest: string, decisions: number): Promise<FittedScorer | undefined> {
    const loaded = await this.held.load(population);
    const { evidence } = loaded;
    for (let claims = evidence.size; claims >= leastGroups(this.ladders.method); claims--) {
      const counted = evidence.before + claims;
      if (this.digestOf(population, decisions, counted, evidence.digest(claims)) !== digest) continue;
      const outcome = await this.fit(population, loaded, claims);
      return 'scorer' in outcome ? outcome : undefined;
    }
    return undefined;
  }

  private digestOf(population: string, decisions: number, claims: number, evidence_digest: string): string {
    const { method } = this.ladders;
    const pinned = { method, population, model: this.model.digest, ladders: this.laddersStored.digest };
    return scorerProposalDigest({ ...pinned, decisions, claims, evidence_digest });
  }

  /** @param own the first of the loaded claims */
  private fit(population: string, loaded: Loaded, own: number): Promise<Outcome> {
    const claims = loaded.evidence.before + own;
    return this.fits.forceFetch(`${claims} ${population}`, { context: { population, loaded, own } });
  }

  private async fitted(population: string, { evidence, positions, keys }: Loaded, own: number): Promise<Outcome> {
    const claims = evidence.before + own;
    const shipped = (rung: RejectTarget) => shippedEntry(this.asset, rung).threshold;
    const fit = await fitScorer(evidence, own, (claim) => keys[claim], this.ladders, this.pool, shipped);
    const behind = { claims, position: positions[own - 1], evidence_digest: evidence.digest(own) };
    const outcome = 'reason' in fit ? { claims, reason: fit.reason } : { ...fit, ...behind };
    this.last.set(population, claims);
    return outcome;
  }
}
