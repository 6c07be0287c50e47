/** Proposals, measured on threads of their own when they are asked for, and kept: no request for a verdict ever waits for one. */

import { packageVersion } from '#config/version';
import type { ThreadPool } from '#kit/threads/pool';
import type { KeptResults } from '#kit/views/kept-results';
import { type CalibrationAsset, shippedEntry } from '#science/calibration/asset';
import { leftOutOf, methodOf, NEWEST, proposalDigest } from '#science/calibration/evidence';
import type { RejectTarget } from '#science/calibration/ladder';
import { type Measured, measurePopulation, type RungFigures, suffices } from '#science/calibration/proposal';
import { measureUnderScorer } from '#science/calibration/scorer/measure';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import type { Model } from '#science/matching/model';
import type { ProposalFacts } from './events.js';
import { HeldClaims, type Loaded } from './held-claims.js';
import type { EvidenceView } from './queries-evidence.js';

/** Measurements kept of a population, so that a proposal that an operator saw is at hand when it is approved. */
const KEPT = 16;

/** With the place in the log of the last claim that it rests on. */
export type Placed = Measured & { position: string };

/** Measurements of a population, by raw scores or under one scorer. */
interface Measurements {
  /** Finished, the newest last. */
  kept: Placed[];
  /** By number of claims. */
  running: Map<number, Promise<Placed>>;
}

export class Proposals {
  readonly claims: HeldClaims;
  private readonly measurements = new Map<string, Measurements>();

  constructor(
    private readonly view: EvidenceView,
    private readonly model: Pick<Model, 'digest' | 'encoders'>,
    private readonly asset: CalibrationAsset,
    private readonly pool: ThreadPool,
    /** Where measurements outlive the process. */
    private readonly results?: KeptResults,
  ) {
    this.claims = new HeldClaims(view, model);
  }

  /** By all claims that the view holds now. @param scorer the population's own, where it is in force */
  async latest(population: string, scorer?: PopulationScorer): Promise<Placed | undefined> {
    const newest = this.finished(population, scorer);
    if (newest?.claims === this.view.held(population, this.model.digest)) return newest;
    const loaded = await this.claims.load(population);
    const { before, size } = loaded.evidence;
    return size === 0 ? undefined : this.measure(population, loaded, before + size, scorer);
  }

  /** By the first `claims` counted claims. */
  async byFirst(population: string, claims: number): Promise<Placed> {
    return this.measure(population, await this.claims.load(population, claims), claims);
  }

  /** The finished measurement with most claims. */
  finished(population: string, scorer?: PopulationScorer): Placed | undefined {
    const { kept } = this.of(population, scorer);
    return kept.reduce<Placed | undefined>((most, one) => (one.claims >= (most?.claims ?? 0) ? one : most), undefined);
  }

  /** The rung's proposal out of a measurement; nothing where the claims do not suffice. */
  facts(
    population: string,
    measured: Placed,
    rung: RejectTarget,
    decisions: number,
    scorer?: PopulationScorer,
  ): ProposalFacts | undefined {
    const figures = figuresOf(measured, rung);
    if (!figures || !suffices(rung, measured)) return undefined;
    return {
      digest: this.digestOf(population, measured, rung, decisions, scorer),
      evidence_digest: measured.evidence_digest,
      method: methodOf(measured.claims, scorer?.digest),
      model: this.model.digest,
      position: measured.position,
      decisions,
      claims: measured.claims,
      roughs: measured.roughs,
      polishes: measured.polishes,
      pairs: measured.pairs,
      threshold: figures.threshold,
      interval: figures.interval,
      wrong_per_1000: figures.wrong_per_1000,
      expected_genuine_accept: figures.expected_genuine_accept,
      expected_genuine_accept_error: figures.expected_genuine_accept_error,
      expected_genuine_accept_reason: figures.expected_genuine_accept_reason,
    };
  }

  /**
   * The proposal with this digest, whichever replica showed it: its digest says how many claims it is by. Nothing where
   * there is none that stands.
   * @param requested claims that a proposal is by which waits for a second operator
   */
  async find(
    population: string,
    digest: string,
    rung: RejectTarget,
    decisions: number,
    scorer?: PopulationScorer,
    requested?: number,
  ) {
    const { kept } = this.of(population, scorer);
    const known = kept.find((one) => this.digestOf(population, one, rung, decisions, scorer) === digest);
    if (known) return this.facts(population, known, rung, decisions, scorer);
    const held = this.view.held(population, this.model.digest);
    // A proposal that was shown before the first of the newest claims changed last.
    const earlier = leftOutOf(held) + NEWEST.claims - NEWEST.step;
    for (const counted of new Set([held, earlier, requested ?? held].filter((one) => one <= held))) {
      const loaded = await this.claims.load(population, counted);
      const claims = loaded.evidence.claimsBehind(digest, rung, decisions, scorer?.digest);
      if (claims === undefined) continue;
      const found = await this.measure(population, loaded, claims, scorer);
      return this.facts(population, found, rung, decisions, scorer);
    }
    return undefined;
  }

  private digestOf(
    population: string,
    { claims, evidence_digest }: Measured,
    rung: RejectTarget,
    decisions: number,
    scorer?: PopulationScorer,
  ) {
    const pinned = { population, model: this.model.digest, rung, decisions, claims, evidence_digest };
    return proposalDigest({ ...pinned, scorer: scorer?.digest });
  }

  private of(population: string, scorer?: PopulationScorer): Measurements {
    const name = `${scorer?.digest ?? 'raw'} ${population}`;
    const before = this.measurements.get(name);
    if (before) return before;
    const fresh: Measurements = { kept: [], running: new Map() };
    this.measurements.set(name, fresh);
    return fresh;
  }

  private measure(population: string, loaded: Loaded, claims: number, scorer?: PopulationScorer): Promise<Placed> {
    const { evidence, positions, known } = loaded;
    const own = claims - evidence.before;
    const { kept, running } = this.of(population, scorer);
    const before = kept.find((one) => one.claims === claims) ?? running.get(claims);
    if (before) return Promise.resolve(before);
    const shipped = (rung: RejectTarget) => shippedEntry(this.asset, rung).threshold;
    const measure = () =>
      scorer
        ? measureUnderScorer(evidence, own, scorer, this.pool)
        : measurePopulation(evidence, own, this.pool, shipped, known);
    const method = methodOf(claims, scorer?.digest);
    const on = [population, this.model.digest, JSON.stringify(this.asset.rungs), claims, evidence.digest(own)];
    const measured = loaded.measuring
      .then(
        () =>
          this.results?.get<Measured>(['measured', packageVersion(), method, scorer?.digest ?? '', ...on], measure) ??
          measure(),
      )
      .then((done) => {
        const placed = { ...done, claims, position: positions[own - 1] };
        kept.push(placed);
        kept.splice(0, kept.length - KEPT);
        return placed;
      })
      .finally(() => running.delete(claims));
    loaded.measuring = measured.catch(() => {});
    running.set(claims, measured);
    return measured;
  }
}

export const figuresOf = (measured: Measured | undefined, rung: RejectTarget): RungFigures | undefined =>
  measured?.rungs.find(({ reject_target }) => reject_target === rung);
