/** Proposals, measured on threads of their own and kept: no request for a verdict ever waits for one. */
import { setImmediate } from 'node:timers/promises';
import {
  type CalibrationAsset,
  CLAIMS_NEEDED,
  ClaimEvidence,
  type KnownStones,
  METHOD,
  type Measured,
  measurePopulation,
  type RejectTarget,
  type RungFigures,
  shippedEntry,
  suffices,
} from '#calibration';
import type { ThreadPool } from '#compute';
import type { ProposalFacts } from '#domain';
import type { Model } from '#matching';
import type { EvidenceView } from '#views';

/** Claims read before others get a turn. */
const CLAIMS_A_TURN = 100;
/** Measurements kept of a population, so that a proposal that an operator saw is at hand when it is approved. */
const KEPT = 16;
/** Populations whose vectors stay in memory. */
const POPULATIONS_HELD = 64;

/** The background looks this often, and measures anew when a population has grown by a quarter. */
const WATCH_MILLISECONDS = 5000;
const GROWTH = 1.25;
const FEWEST_CLAIMS = Math.min(...Object.values(CLAIMS_NEEDED));

interface Population {
  evidence: ClaimEvidence;
  /** Place in the log of each counted claim. */
  positions: string[];
  known: KnownStones;
  /** By number of claims, oldest first. */
  kept: Map<number, Promise<Measured>>;
  newest?: Measured;
  /** Reads of new claims, one after the other. */
  reading: Promise<void>;
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
  async latest(population: string): Promise<Measured | undefined> {
    const held = await this.read(population);
    return held.evidence.size === 0 ? undefined : this.measure(held, held.evidence.size);
  }

  /** The newest measurement that is finished. */
  finished(population: string): Measured | undefined {
    return this.populations.get(population)?.newest;
  }

  /** Measures populations whose claims have grown, one after the other, until closed. */
  watch(onError: (error: Error) => void): void {
    let busy = false;
    const look = async () => {
      if (busy) return;
      busy = true;
      try {
        for (const population of this.view.populations()) {
          const held = this.view.held(population, this.model.digest);
          const before = this.finished(population)?.claims ?? 0;
          if (held >= FEWEST_CLAIMS && held > before * GROWTH) await this.latest(population);
        }
      } catch (error) {
        if (!this.closed) onError(error as Error);
      } finally {
        busy = false;
      }
    };
    this.timer = setInterval(() => void look(), WATCH_MILLISECONDS).unref();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.pool.close();
  }

  /** The rung's proposal out of a measurement; nothing where the claims do not suffice. */
  facts(population: string, measured: Measured, rung: RejectTarget, decisions: number): ProposalFacts | undefined {
    const held = this.populations.get(population);
    const figures = figuresOf(measured, rung);
    if (!held || !figures || !suffices(rung, measured)) return undefined;
    return {
      digest: held.evidence.proposalDigest(rung, decisions, measured.claims),
      evidence_digest: measured.evidence_digest,
      method: METHOD,
      model: this.model.digest,
      position: held.positions[measured.claims - 1],
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
   * The proposal with this digest, whichever replica showed it: its digest tells how many claims it rests on. Nothing
   * where there is none that stands.
   */
  async find(population: string, digest: string, rung: RejectTarget, decisions: number) {
    const held = await this.read(population);
    const claims = held.evidence.claimsBehind(digest, rung, decisions);
    if (claims === undefined) return undefined;
    return this.facts(population, await this.measure(held, claims), rung, decisions);
  }

  private measure(held: Population, claims: number): Promise<Measured> {
    const before = held.kept.get(claims);
    if (before) return before;
    const shipped = (rung: RejectTarget) => shippedEntry(this.asset, rung).threshold;
    const measured = measurePopulation(held.evidence, claims, this.pool, shipped, held.known);
    held.kept.set(claims, measured);
    measured.then(
      (done) => {
        if (done.claims >= (held.newest?.claims ?? 0)) held.newest = done;
      },
      () => held.kept.delete(claims),
    );
    for (const old of [...held.kept.keys()].slice(0, -KEPT)) held.kept.delete(old);
    return measured;
  }

  /** Takes up what was counted since. */
  private async read(population: string): Promise<Population> {
    const { digest, encoders } = this.model;
    const names = encoders.map(({ name }) => name);
    let held = this.populations.get(population);
    if (!held) {
      held = {
        evidence: new ClaimEvidence(population, digest, names),
        positions: [],
        known: {},
        kept: new Map(),
        reading: Promise.resolve(),
      };
      this.populations.set(population, held);
      const [oldest] = this.populations.keys();
      if (this.populations.size > POPULATIONS_HELD) this.populations.delete(oldest);
    }
    const { evidence, positions } = held;
    held.reading = held.reading
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
    await held.reading;
    return held;
  }
}

export const figuresOf = (measured: Measured | undefined, rung: RejectTarget): RungFigures | undefined =>
  measured?.rungs.find(({ reject_target }) => reject_target === rung);
