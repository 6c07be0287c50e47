/** Proposals, measured on threads of their own and kept: no request for a verdict ever waits for one. */
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import {
  type CalibrationAsset,
  CLAIMS_NEEDED,
  ClaimEvidence,
  type Known,
  METHOD,
  type Measured,
  measurePopulation,
  proposalDigest,
  type RejectTarget,
  type RungFigures,
  shippedEntry,
  suffices,
} from '#calibration';
import type { ProposalFacts } from '#domain';
import type { Model } from '#matching';
import type { ThreadPool } from '#threads';
import type { EvidenceView } from '#views';

/** Claims read before others get a turn. */
const CLAIMS_A_TURN = 100;
/** Measurements kept of a population, so that a proposal that an operator saw is at hand when it is approved. */
const KEPT = 16;
/** Claims whose vectors (4 kB a claim) stay in memory after use, and for how long: the view has them all. */
const CLAIMS_HELD = 20_000;
const IDLE_MILLISECONDS = 60_000;

/** The background looks this often, and measures anew when a population has grown by a quarter. */
const WATCH_MILLISECONDS = 5000;
const GROWTH = 1.25;
const MIN_CLAIMS = Math.min(...Object.values(CLAIMS_NEEDED));

/** With the place in the log of the last claim that it rests on. */
export type Placed = Measured & { position: string };

/** A population's claims with their vectors. */
interface Loaded {
  evidence: ClaimEvidence;
  /** Place in the log of each counted claim. */
  positions: string[];
  known: Known;
  /** Reads of new claims, one after the other; and measurements, of which each goes on from the one before. */
  reading: Promise<void>;
  measuring: Promise<unknown>;
  usedAt: number;
}

interface Population {
  /** Finished, the newest last. */
  kept: Placed[];
  /** By number of claims. */
  running: Map<number, Promise<Placed>>;
  loaded?: Loaded;
}

export class Proposals {
  private readonly populations = new Map<string, Population>();
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly view: EvidenceView,
    private readonly model: Pick<Model, 'digest' | 'encoders'>,
    private readonly asset: CalibrationAsset,
    private readonly pool: ThreadPool,
  ) {}

  /** By all claims that the view holds now. */
  async latest(population: string): Promise<Placed | undefined> {
    const newest = this.finished(population);
    if (newest?.claims === this.view.held(population, this.model.digest)) return newest;
    const loaded = await this.load(population);
    return loaded.evidence.size === 0 ? undefined : this.measure(population, loaded, loaded.evidence.size);
  }

  /** Of the finished measurements the one by most claims. */
  finished(population: string): Placed | undefined {
    const kept = this.populations.get(population)?.kept ?? [];
    return kept.reduce<Placed | undefined>((most, one) => (one.claims >= (most?.claims ?? 0) ? one : most), undefined);
  }

  /** Measures populations whose claims have grown, one after the other, until closed. */
  watch(onError: (error: Error) => void): void {
    let busy = false;
    const look = async () => {
      if (busy) return;
      busy = true;
      this.letGo();
      try {
        for (const population of this.view.populations()) {
          const held = this.view.held(population, this.model.digest);
          const before = this.finished(population)?.claims ?? 0;
          if (held >= MIN_CLAIMS && held > before * GROWTH) await this.latest(population);
        }
      } catch (error) {
        if (!this.closed) onError(error as Error);
      } finally {
        busy = false;
      }
    };
    this.timer = setInterval(() => void look(), WATCH_MILLISECONDS).unref();
  }

  /** Ends the watch; the pool is its owner's. */
  close(): void {
    this.closed = true;
    clearInterval(this.timer);
  }

  /** The rung's proposal out of a measurement; nothing where the claims do not suffice. */
  facts(population: string, measured: Placed, rung: RejectTarget, decisions: number): ProposalFacts | undefined {
    const figures = figuresOf(measured, rung);
    if (!figures || !suffices(rung, measured)) return undefined;
    return {
      digest: this.digestOf(population, measured, rung, decisions),
      evidence_digest: measured.evidence_digest,
      method: METHOD,
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
   * The proposal with this digest, whichever replica showed it: its digest says how many claims it rests on. Nothing
   * where there is none that stands.
   */
  async find(population: string, digest: string, rung: RejectTarget, decisions: number) {
    const kept = this.populations.get(population)?.kept ?? [];
    let found = kept.find((one) => this.digestOf(population, one, rung, decisions) === digest);
    if (!found) {
      const loaded = await this.load(population);
      const claims = loaded.evidence.claimsBehind(digest, rung, decisions);
      if (claims === undefined) return undefined;
      found = await this.measure(population, loaded, claims);
    }
    return this.facts(population, found, rung, decisions);
  }

  private digestOf(population: string, { claims, evidence_digest }: Measured, rung: RejectTarget, decisions: number) {
    return proposalDigest({ population, model: this.model.digest, rung, decisions, claims, evidence_digest });
  }

  private of(population: string): Population {
    const before = this.populations.get(population);
    if (before) return before;
    const fresh: Population = { kept: [], running: new Map() };
    this.populations.set(population, fresh);
    return fresh;
  }

  private measure(population: string, loaded: Loaded, claims: number): Promise<Placed> {
    const { evidence, positions, known } = loaded;
    const { kept, running } = this.of(population);
    const before = kept.find((one) => one.claims === claims) ?? running.get(claims);
    if (before) return Promise.resolve(before);
    const shipped = (rung: RejectTarget) => shippedEntry(this.asset, rung).threshold;
    const measured = loaded.measuring
      .then(() => measurePopulation(evidence, claims, this.pool, shipped, known))
      .then((done) => {
        const placed = { ...done, position: positions[claims - 1] };
        kept.push(placed);
        kept.splice(0, kept.length - KEPT);
        return placed;
      })
      .finally(() => running.delete(claims));
    loaded.measuring = measured.catch(() => {});
    running.set(claims, measured);
    return measured;
  }

  /** The claims that are counted now. */
  private async load(population: string): Promise<Loaded> {
    const { digest, encoders } = this.model;
    const names = encoders.map(({ name }) => name);
    const of = this.of(population);
    of.loaded ??= {
      evidence: new ClaimEvidence(population, digest, names),
      positions: [],
      known: {},
      reading: Promise.resolve(),
      measuring: Promise.resolve(),
      usedAt: 0,
    };
    const { loaded } = of;
    const { evidence, positions } = loaded;
    loaded.usedAt = performance.now();
    loaded.reading = loaded.reading
      .catch(() => {})
      .then(async () => {
        for (;;) {
          const rows = this.view.counted(population, digest, names, evidence.size, CLAIMS_A_TURN);
          for (const row of rows) {
            evidence.add(row);
            positions.push(row.position);
          }
          if (rows.length < CLAIMS_A_TURN) return;
          await setImmediate();
        }
      });
    await loaded.reading;
    this.letGo();
    return loaded;
  }

  /** Lets go of claims that nobody asked for in a while, and of the longest unused beyond what may be held. */
  private letGo(): void {
    const since = performance.now() - IDLE_MILLISECONDS;
    const holding = [...this.populations.values()].filter(({ loaded }) => loaded);
    holding.sort((a, b) => b.loaded!.usedAt - a.loaded!.usedAt);
    let claims = 0;
    for (const [i, one] of holding.entries()) {
      claims += one.loaded!.evidence.size;
      if (one.loaded!.usedAt < since || (i > 0 && claims > CLAIMS_HELD)) one.loaded = undefined;
    }
  }
}

export const figuresOf = (measured: Measured | undefined, rung: RejectTarget): RungFigures | undefined =>
  measured?.rungs.find(({ reject_target }) => reject_target === rung);
