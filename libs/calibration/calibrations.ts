/** Operators' work with ladders: look, approve, withdraw, try on past claims, look back. */
import type { Logger } from 'pino';
import { approvalFacts } from '#domain/approval';
import { fold } from '#domain/decider';
import { streams } from '#domain/streams';
import type { EventReader, RecordedEvent } from '#kit/log/port';
import { CommandRefused } from '#kit/log/refused';
import { readEvents } from '#kit/log/stored-events';
import { within } from '#kit/observe/elapsed';
import { driftedMeasures } from '#science/calibration/drift';
import { leftOutOf } from '#science/calibration/evidence';
import { CLAIMS_NEEDED, type RejectTarget, RUNGS } from '#science/calibration/ladder';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import { type Approvals, inTime, type OperatorDecision, timeUpIn } from './approvals.js';
import { chainRoot } from './chain.js';
import { calibrationDecider } from './decide.js';
import { dryRun } from './dry-run.js';
import { type CalibrationState, type ProposalFacts, rungOf, scorerInForce, uncalibrated } from './events.js';
import { type EvidenceDependencies, evidenceCaughtUp } from './queries-caught-up.js';
import type { Drifts } from './queries-drift.js';
import type { Drift } from './queries-drift-shapes.js';
import type { EvidenceView } from './queries-evidence.js';
import type { PopulationLadders } from './queries-ladders.js';
import { eventsUntil, type InstalledModel, type Models, notInstalled } from './queries-models.js';
import { figuresOf, type Placed } from './queries-proposals.js';
import { SENTENCES, whyNone } from './reasons.js';
import { type Decided, decidedReader, evolveDecided, readPopulation } from './rejected-decisions.js';

/** Facts about a population besides its ladder. */
interface Known {
  /** The population's own, where it is in force. */
  scorer?: PopulationScorer;
  measured?: Placed;
  drift?: Drift;
}

export interface CalibrationsDependencies extends EvidenceDependencies {
  store: EventReader;
  approvals: Approvals;
  now(): Date;
  evidence: EvidenceView;
  /** Root digest of a population's audit bundle. @param chain root of its decisions */
  auditRoot(population: string, chain: string): Promise<string>;
  ladders: PopulationLadders;
  models: Models;
  drifts: Pick<Drifts, 'driftOf'>;
  logger: Pick<Logger, 'error'>;
}

/** Longest wait (ms) for an audit root: of a log of a million claims it takes minutes, once after each decision. */
const AUDIT_ROOT_WITHIN_MS = 20_000;

export class Calibrations {
  private readonly roots = new Map<string, { decisions: number; root: Promise<string | null> }>();

  constructor(private readonly dependencies: CalibrationsDependencies) {}

  /** @throws CommandRefused (not_found), or (behind) where the view has not caught up */
  async require(population: string): Promise<void> {
    await evidenceCaughtUp(this.dependencies);
    if (!this.dependencies.evidence.has(population)) throw new CommandRefused('not_found', 'no such population');
  }

  /** The installed model with this digest; without one, the live model. @throws CommandRefused (not_found, behind) */
  async modelOf(digest?: string): Promise<InstalledModel> {
    const { models } = this.dependencies;
    const of = digest === undefined ? await models.live() : models.find(digest.toLowerCase());
    if (!of) throw new CommandRefused('not_found', 'no such model is installed');
    return of;
  }

  /** Names of all populations, as new as the call where the view gets there in time. */
  async populations(): Promise<string[]> {
    const { store, evidence, viewWaitMs } = this.dependencies;
    await evidence.waitFor(await store.head(), viewWaitMs);
    return evidence.populations();
  }

  /** Populations as they are now, all within one bounded wait. */
  records(populations: readonly string[], of: InstalledModel) {
    const timeUp = this.timeUp();
    return Promise.all(populations.map((population) => this.record(population, of, timeUp)));
  }

  private timeUp(): Promise<unknown> {
    return timeUpIn(this.dependencies.viewWaitMs);
  }

  /**
   * Distribution of a population's scores under the scorer in force.
   * @throws CommandRefused (behind) until it is measured
   */
  async scores(population: string, of: InstalledModel) {
    const { ladders, evidence } = this.dependencies;
    const { state } = await ladders.read(population);
    const scorer = await ladders.scorerIn(state, population, of);
    const latest = of.proposals.latest(population, scorer);
    latest.catch(() => {});
    const measured =
      ((await Promise.race([latest, this.timeUp()])) as Placed | undefined) ??
      of.proposals.finished(population, scorer);
    if (!measured && evidence.held(population, of.model.digest) > 0)
      throw new CommandRefused('behind', 'the scores are being measured; ask again');
    const { claims = 0, pairs = 0, reason = null, histograms } = (measured ?? {}) as Partial<Placed>;
    const { from, width, genuine, wrong } = histograms ?? { from: null, width: null, genuine: [], wrong: [] };
    // Under a scorer the histograms are of the newest claims alone: labels are then not told apart.
    const labelled_no_match = genuine.map(() => 0);
    if (histograms && !scorer)
      for (const { label, fused_score } of evidence.past(population, of.model.digest, claims, leftOutOf(claims)))
        if (label === 'no_match') labelled_no_match[Math.floor((fused_score - histograms.from) / histograms.width)]++;
    return {
      ...{ population, model: of.model.digest, scorer: scorer?.digest ?? null },
      ...{ claims, pairs, reason: measured ? reason : 'no claims', from, width, genuine, labelled_no_match, wrong },
      rungs: RUNGS.map((rung) => {
        const { reject_target, threshold, threshold_source } = this.decidedRung(state, rung, of, scorer);
        return { reject_target, threshold, threshold_source, measured: figuresOf(measured, rung)?.threshold ?? null };
      }),
    };
  }

  /** A population as it is now. Its proposals are the newest that are there within a bounded wait. */
  async record(population: string, of: InstalledModel, timeUp = this.timeUp()) {
    const { ladders, drifts } = this.dependencies;
    const { proposals } = of;
    const within = <T>(work: Promise<T>, failure: string) =>
      inTime(work, timeUp, (error) => this.dependencies.logger.error({ err: error, population }, failure));
    const { state } = await ladders.read(population);
    const scorer = await ladders.scorerIn(state, population, of);
    const [measured = proposals.finished(population, scorer), drift] = await Promise.all([
      within(proposals.latest(population, scorer), 'proposals not measured'),
      within(drifts.driftOf(population), 'drift not known'),
    ]);
    const known = { measured, scorer, drift: drift?.model === of.model.digest ? drift : undefined };
    return this.shown(population, state, of, known);
  }

  private shown(population: string, state: CalibrationState, of: InstalledModel, now: Known) {
    const { models, evidence } = this.dependencies;
    const missing = evidence.notInstalled(models.digests).filter((one) => one.population === population);
    return {
      population,
      model: of.model.digest,
      scorer: now.scorer?.digest ?? null,
      ...(missing.length > 0 && {
        detail: 'approved under a model that is not installed: the shipped default decides',
        models_not_installed: missing.map((one) => one.model),
      }),
      rungs: RUNGS.map((rung) => this.shownRung(population, state, rung, of, now)),
    };
  }

  /** A rung as it was decided. */
  private decidedRung(state: CalibrationState, rung: RejectTarget, of: InstalledModel, scorer?: PopulationScorer) {
    const at = rungOf(state, of.model.digest, rung);
    const { approval } = at;
    const entry = this.dependencies.ladders.entryOf(rung, at, of, scorer);
    return {
      reject_target: rung,
      state: approval ? ('calibrated' as const) : ('uncalibrated' as const),
      threshold: entry.threshold,
      threshold_source: entry.threshold_source,
      expected_genuine_accept: entry.expected_genuine_accept,
      ...(approval ? approvalFacts(approval) : NOT_APPROVED),
    };
  }

  /** The same with what is known now. */
  private shownRung(population: string, state: CalibrationState, rung: RejectTarget, of: InstalledModel, now: Known) {
    const { measured, scorer, drift } = now;
    const { model, proposals } = of;
    const decided = this.decidedRung(state, rung, of, scorer);
    const facts = measured && proposals.facts(population, measured, rung, state.decisions, scorer);
    const figures = figuresOf(measured, rung);
    const held = this.dependencies.evidence.held(population, model.digest);
    return {
      ...decided,
      claims_held: held,
      claims_needed: CLAIMS_NEEDED[rung] ?? null,
      awaiting_second_operator: this.dependencies.approvals.awaited(rungOf(state, model.digest, rung)),
      proposal: facts
        ? { ...facts, proposal_digest: facts.digest, shipped_wrong_per_1000: figures?.shipped_wrong_per_1000 ?? null }
        : null,
      no_proposal: facts ? null : whyNone(rung, held, measured),
      drift: driftOf(drift, decided.evidence ?? undefined, facts),
    };
  }

  /** A proposal of whichever installed model: its digest says which. @throws CommandRefused (conflict, behind) */
  async approve(population: string, rung: RejectTarget, decision: OperatorDecision, digest: string) {
    const { models, approvals } = this.dependencies;
    const live = await models.live();
    const shadow = models.shadow(live);
    const ofModels = [live, ...(shadow ? [shadow] : [])].map((of) => this.approvable(population, rung, of));
    return approvals.approve(ofModels, decision, digest);
  }

  /** @throws CommandRefused (conflict) */
  async withdraw(population: string, rung: RejectTarget, decision: OperatorDecision, of: InstalledModel) {
    return this.dependencies.approvals.withdraw(this.approvable(population, rung, of), decision);
  }

  private approvable(population: string, rung: RejectTarget, of: InstalledModel) {
    const { store, ladders, evidence } = this.dependencies;
    const { digest: model } = of.model;
    return {
      about: 'population' as const,
      model,
      of: { population, rejectTarget: rung },
      decider: calibrationDecider,
      sentences: SENTENCES,
      read: () => readPopulation(store, population),
      find: async (digest: string, state: CalibrationState) => {
        const claimsHeld = evidence.held(population, model);
        if (claimsHeld < (CLAIMS_NEEDED[rung] ?? Number.POSITIVE_INFINITY)) return { claimsHeld, proposal: undefined };
        const scorer = await ladders.scorerIn(state, population, of);
        const requested = rungOf(state, model, rung).request?.proposal.claims;
        return {
          claimsHeld,
          proposal: await of.proposals.find(population, digest, rung, state.decisions, scorer, requested),
        };
      },
      show: async (state: CalibrationState) => {
        const scorer = await ladders.scorerIn(state, population, of);
        const measured = of.proposals.finished(population, scorer);
        const shown = this.shownRung(population, state, rung, of, { scorer, measured });
        return { population, model, scorer: scorer?.digest ?? null, ...shown };
      },
    };
  }

  /**
   * The counted claims that a threshold would have decided otherwise.
   * @throws CommandRefused (conflict)
   */
  dryRun(population: string, rung: RejectTarget, of: InstalledModel, threshold?: number) {
    return dryRun(this.dependencies, population, rung, of, threshold);
  }

  /**
   * Every decision, and what was live at a time (by default now) under the model that was live then, unless another
   * one is named.
   * @throws CommandRefused (behind) while the audit root of the newest decision is being made
   */
  async history(population: string, asOf?: Date, named?: InstalledModel) {
    const { store, models, now } = this.dependencies;
    const events = await readEvents<Decided>(decidedReader(store), streams.calibration(population));
    const past = asOf ? eventsUntil(events, asOf) : events;
    const state = fold(evolveDecided, uncalibrated, past);
    const items = past.map(({ type, revision, rejected, data: { population: _, ...data } }) => ({
      event: type,
      revision: Number(revision),
      ...data,
      ...(rejected !== undefined && { not_obeyed: rejected }),
    }));
    const digest = named?.model.digest ?? (await (asOf ? models.liveAt(asOf) : models.liveDigest()));
    const of = models.find(digest);
    const scorer = of && (await this.dependencies.ladders.scorerIn(state, population, of));
    const chain_root = chainRoot(population, past as RecordedEvent[]);
    return {
      population,
      model: digest,
      scorer: scorerInForce(state, digest),
      ...(!of && { detail: notInstalled(digest) }),
      as_of: (asOf ?? now()).toISOString(),
      rungs: of ? RUNGS.map((rung) => this.decidedRung(state, rung, of, scorer)) : [],
      items,
      chain_root,
      audit_root: asOf ? null : await this.auditRoot(population, events.length, chain_root),
    };
  }

  /**
   * Changes with decisions alone, so it is kept until the next one. Null where the log lacks an approval's claims.
   * @throws CommandRefused (behind) where it is not made in time; making it goes on
   */
  private async auditRoot(population: string, decisions: number, chain: string): Promise<string | null> {
    const { auditRoot, logger } = this.dependencies;
    let kept = this.roots.get(population);
    if (kept?.decisions !== decisions) {
      const root = auditRoot(population, chain).catch((error: Error) => {
        logger.error({ err: error, population }, 'no audit bundle');
        this.roots.delete(population);
        return null;
      });
      kept = { decisions, root };
      this.roots.set(population, kept);
    }
    const late = () =>
      new CommandRefused('behind', 'the audit root of the newest decision is being made from the whole log', 30);
    return within(AUDIT_ROOT_WITHIN_MS, kept.root, late);
  }
}

const NOT_APPROVED = { approved_by: null, requested_by: null, approved_at: null, reason: null, evidence: null };

/**
 * Compares the thresholds in force with the claims: recent ones with the baseline, and an approved threshold with the
 * interval of the newest proposal.
 */
function driftOf(drift: Drift | undefined, approved?: ProposalFacts, newest?: ProposalFacts) {
  if (!drift && !(approved && newest)) return null;
  const interval = (approved && newest?.interval) ?? null;
  const outside = interval !== null && (approved!.threshold < interval[0] || approved!.threshold > interval[1]);
  return {
    alarm: outside || drift?.alarm === true,
    threshold_outside_interval: outside,
    interval_now: interval,
    claims_since: approved && newest ? newest.claims - approved.claims : null,
    status: drift?.status ?? null,
    baseline: drift?.baseline.source ?? null,
    measures: drift?.began ? driftedMeasures(drift.began) : [],
  };
}
