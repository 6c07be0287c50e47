/** What operators do with ladders: look, approve, withdraw, try on past claims, look back. */
import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { auditRoot, chainRoot } from '#audit';
import { CLAIMS_NEEDED, driftedMeasures, REJECT_TARGETS, type RejectTarget, rungName, suffices } from '#calibration';
import { mayUse } from '#config';
import {
  type CalibrationCommand,
  type CalibrationEvent,
  type CalibrationRefusal,
  type CalibrationState,
  decideCalibration,
  fold,
  obeyCalibration,
  type ProposalFacts,
  pendingRequest,
  rungOf,
  streams,
  uncalibrated,
} from '#domain';
import { type NewEvent, type RecordedEvent, WrongExpectedRevision } from '#event-store';
import { figuresOf, happenedBy, type InstalledModel, notInstalled, type Placed } from '#service';
import type { Drift } from '../drift/drifts.js';
import { namesOf, type PageQuery } from '../http/listing.js';
import { Problem } from '../http/problem.js';
import { PARTS, type Parts } from '../parts.js';

/** What an operator decides about a rung. */
export interface Decision {
  population: string;
  rung: RejectTarget;
  operator: string;
  reason: string;
  requestId: string;
}

/** What is known of a population beside its ladder. */
interface Known {
  measured?: Placed;
  drift?: Drift;
}

const MOST_ITEMS = 1000;
const RUNGS = [...REJECT_TARGETS].reverse();

/** What is decided on evidence waits for all that was stored before. @throws Problem (503) after a bounded wait */
export async function evidenceCaughtUp({ store, evidence, configuration }: Parts): Promise<void> {
  if (!(await evidence.waitFor(await store.head(), configuration.viewWaitMs)))
    throw new Problem('busy', ': the evidence has not caught up with the log', { headers: { 'retry-after': '2' } });
}

@Injectable()
export class Calibrations {
  private readonly roots = new Map<string, { decisions: number; root: Promise<string | null> }>();

  constructor(@Inject(PARTS) private readonly parts: Parts) {}

  /** @throws Problem (404), or (503) where the view has not caught up */
  async require(population: string): Promise<void> {
    const { evidence } = this.parts;
    await evidenceCaughtUp(this.parts);
    if (!evidence.has(population)) throw new Problem('not_found', ': no such population');
  }

  /** The installed model with this digest; without one, the live model. @throws Problem (404, 503) */
  async modelOf(digest?: string): Promise<InstalledModel> {
    const { models } = this.parts;
    const of = digest === undefined ? await models.live() : models.find(digest.toLowerCase());
    if (!of) throw new Problem('not_found', ': no such model is installed');
    return of;
  }

  /** Populations by name. */
  async list(page: PageQuery, of: InstalledModel) {
    const { store, evidence, configuration } = this.parts;
    await evidence.waitFor(await store.head(), configuration.viewWaitMs);
    const { names, next_cursor } = namesOf(evidence.populations(), page);
    const patience = setTimeout(configuration.viewWaitMs, undefined, { ref: false });
    return { items: await Promise.all(names.map((name) => this.record(name, of, patience))), next_cursor };
  }

  /** A population as it stands. Its proposals are the newest that are there within a bounded wait. */
  async record(
    population: string,
    of: InstalledModel,
    patience: Promise<unknown> = setTimeout(this.parts.configuration.viewWaitMs, undefined, { ref: false }),
  ) {
    const { ladders, drifts } = this.parts;
    const { proposals } = of;
    const within = <T>(work: Promise<T>, failure: string) => {
      const told = work.catch((error: Error) => {
        this.parts.logger.error({ err: error, population }, failure);
        return undefined;
      });
      return Promise.race([told, patience]) as Promise<T | undefined>;
    };
    const [measured = proposals.finished(population), drift, { state }] = await Promise.all([
      within(proposals.latest(population), 'proposals not measured'),
      within(drifts.look(population), 'drift not known'),
      ladders.read(population),
    ]);
    return this.shown(population, state, of, { measured, drift: drift?.model === of.model.digest ? drift : undefined });
  }

  private shown(population: string, state: CalibrationState, of: InstalledModel, now: Known) {
    const { models, evidence } = this.parts;
    const missing = evidence.notInstalled(models.digests).filter((one) => one.population === population);
    return {
      population,
      model: of.model.digest,
      ...(missing.length > 0 && {
        detail: 'approved under a model that is not installed: the shipped default decides',
        models_not_installed: missing.map((one) => one.model),
      }),
      rungs: RUNGS.map((rung) => this.shownRung(population, state, rung, of, now)),
    };
  }

  /** @param now nothing where the past is shown */
  private shownRung(population: string, state: CalibrationState, rung: RejectTarget, of: InstalledModel, now?: Known) {
    const { measured, drift } = now ?? {};
    const { evidence, ladders } = this.parts;
    const { model, proposals } = of;
    const at = rungOf(state, model.digest, rung);
    const { approval } = at;
    const request = pendingRequest(at, this.approvers());
    const entry = ladders.entryOf(rung, at, of);
    const facts = measured && proposals.facts(population, measured, rung, state.decisions);
    const figures = figuresOf(measured, rung);
    const held = evidence.held(population, model.digest);
    return {
      reject_target: rung,
      state: approval ? ('calibrated' as const) : ('uncalibrated' as const),
      threshold: entry.threshold,
      threshold_source: entry.threshold_source,
      expected_genuine_accept: entry.expected_genuine_accept,
      approved_by: approval?.operator ?? null,
      requested_by: approval?.requested_by ?? null,
      approved_at: approval?.at ?? null,
      reason: approval?.reason ?? null,
      evidence: approval?.proposal ?? null,
      ...(now && {
        claims_held: held,
        claims_needed: CLAIMS_NEEDED[rung] ?? null,
        awaiting_second_operator: request
          ? { digest: request.proposal.digest, requested_by: request.operator, at: request.at, reason: request.reason }
          : null,
        proposal: facts ? { ...facts, shipped_wrong_per_1000: figures?.shipped_wrong_per_1000 ?? null } : null,
        no_proposal: facts ? null : whyNone(rung, held, measured),
        drift: driftOf(drift, approval?.proposal, facts),
      }),
    };
  }

  /** A proposal of whichever installed model: its digest tells which. @throws Problem (409, 503) */
  async approve(decision: Decision, digest: string) {
    const { ladders, models, evidence, configuration } = this.parts;
    const { population, rung } = decision;
    const { state, revision } = await ladders.read(population);
    const needed = CLAIMS_NEEDED[rung] ?? Number.POSITIVE_INFINITY;
    const proposalBy = async ({ model, proposals }: InstalledModel) =>
      evidence.held(population, model.digest) < needed
        ? undefined
        : proposals.find(population, digest, rung, state.decisions);
    const live = await models.live();
    const beside = models.beside(live);
    let of = live;
    let proposal = await proposalBy(live);
    if (!proposal && beside) {
      proposal = await proposalBy(beside);
      if (proposal) of = beside;
    }
    return this.decide(decision, of, state, revision, {
      type: 'approve',
      ...(await this.told(decision, of, revision)),
      claimsHeld: evidence.held(population, of.model.digest),
      proposal,
      fourEyes: configuration.fourEyes,
      operators: this.approvers(),
    });
  }

  private approvers(): string[] {
    const { operators } = this.parts.configuration;
    return operators.filter((operator) => mayUse(operator, 'operate')).map(({ name }) => name);
  }

  /** @throws Problem (409) */
  async withdraw(decision: Decision, of: InstalledModel) {
    const { state, revision } = await this.parts.ladders.read(decision.population);
    const told = await this.told(decision, of, revision);
    return this.decide(decision, of, state, revision, { type: 'withdraw', ...told });
  }

  /** @param revision as far as the stream was read: the chain is that of the events up to it, to which the append is held */
  private async told({ population, rung, operator, reason }: Decision, { model }: InstalledModel, revision: bigint) {
    const at = this.parts.now().toISOString();
    const events = await this.parts.store.readStream(streams.calibration(population));
    const chain = chainRoot(population, events.slice(0, Number(revision) + 1));
    return { population, rejectTarget: rung, model: model.digest, operator, reason, at, chain };
  }

  private async decide(
    { population, rung, requestId }: Decision,
    of: InstalledModel,
    state: CalibrationState,
    revision: bigint,
    command: CalibrationCommand,
  ) {
    const { store, newId, ladders } = this.parts;
    const decision = decideCalibration(state, command);
    if ('refusal' in decision) throw new Problem('conflict', `: ${SENTENCES[decision.refusal]}`);
    const metadata = { correlationId: requestId };
    const events = decision.events.map((event) => ({ ...event, id: newId(), metadata }) as unknown as NewEvent);
    try {
      await store.append(streams.calibration(population), events, revision < 0n ? 'no_stream' : revision);
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      throw new Problem('conflict', ': another operator decided about this population first; look again');
    }
    const after = await ladders.read(population);
    return {
      population,
      model: of.model.digest,
      ...this.shownRung(population, after.state, rung, of, { measured: of.proposals.finished(population) }),
    };
  }

  /** What a threshold would have changed about the counted claims. @throws Problem (409) */
  async dryRun(population: string, rung: RejectTarget, of: InstalledModel, threshold?: number) {
    const { ladders, evidence } = this.parts;
    const { model, proposals } = of;
    const { entry } = await ladders.entry(population, rung, of);
    const measured = await proposals.latest(population);
    const { state } = await ladders.read(population);
    const proposal = measured && proposals.facts(population, measured, rung, state.decisions);
    const tried = threshold ?? proposal?.threshold;
    if (tried === undefined)
      throw new Problem(
        'conflict',
        `: ${whyNone(rung, evidence.held(population, model.digest), measured)}; give a threshold`,
      );
    const claims = measured?.claims ?? 0;
    const between = (low: number, high: number, before: string, after: string) => {
      const empty = { match: 0, no_match: 0, unlabelled: 0, items: [] };
      const { items, ...labels } =
        low < high ? evidence.between(population, model.digest, claims, [low, high], MOST_ITEMS) : empty;
      const total = labels.match + labels.no_match + labels.unlabelled;
      return {
        total,
        labelled_match: labels.match,
        labelled_no_match: labels.no_match,
        unlabelled: labels.unlabelled,
        claims: items.map((item) => ({ ...item, before, after })),
      };
    };
    return {
      population,
      model: model.digest,
      reject_target: rung,
      claims,
      threshold: entry.threshold,
      threshold_source: entry.threshold_source,
      tried_threshold: tried,
      proposal_digest: tried === proposal?.threshold ? proposal.digest : null,
      to_match: between(tried, entry.threshold, 'NO_MATCH', 'MATCH'),
      to_no_match: between(entry.threshold, tried, 'MATCH', 'NO_MATCH'),
    };
  }

  /**
   * Every decision, and what was live at a time (now, unless told) under the model that was live then, unless another
   * one is named.
   */
  async history(population: string, asOf?: Date, named?: InstalledModel) {
    const { store, models, now } = this.parts;
    const stream = await store.readStream(streams.calibration(population));
    const events = stream as unknown as (CalibrationEvent & RecordedEvent)[];
    const past = asOf ? happenedBy(events, asOf) : events;
    const state = fold(obeyCalibration, uncalibrated, past);
    const items = past.map(({ type, revision, data: { population: _, ...data } }) => ({
      event: type,
      revision: Number(revision),
      ...data,
    }));
    const digest = named?.model.digest ?? (await (asOf ? models.liveAt(asOf) : models.liveDigest()));
    const of = models.find(digest);
    return {
      population,
      model: digest,
      ...(!of && { detail: notInstalled(digest) }),
      as_of: (asOf ?? now()).toISOString(),
      rungs: of ? RUNGS.map((rung) => this.shownRung(population, state, rung, of)) : [],
      items,
      chain_root: chainRoot(population, past),
      audit_root: asOf ? null : await this.auditRoot(population, events.length),
    };
  }

  /** Changes with decisions alone, so it is kept until the next one. Null where the log lacks an approval's claims. */
  private auditRoot(population: string, decisions: number): Promise<string | null> {
    const kept = this.roots.get(population);
    if (kept?.decisions === decisions) return kept.root;
    const root = auditRoot({ reader: this.parts.store, population }).catch((error: Error) => {
      this.parts.logger.error({ err: error, population }, 'no audit bundle');
      this.roots.delete(population);
      return null;
    });
    this.roots.set(population, { decisions, root });
    return root;
  }
}

const SENTENCES: Record<CalibrationRefusal, string> = {
  never_calibrated: 'this rung never settles and always runs on the shipped default',
  not_enough_claims: 'not enough claims are held for this rung',
  no_such_proposal:
    'the proposal is unknown or no longer stands: an approval, a withdrawal or a change of model came after it; look again',
  same_operator: 'a second named operator has to approve',
  not_calibrated: 'the rung runs on the shipped default already',
};

function whyNone(rung: RejectTarget, held: number, measured: Placed | undefined): string {
  const needed = CLAIMS_NEEDED[rung];
  if (needed === undefined) return SENTENCES.never_calibrated;
  if (held < needed) return `${held} claims are held, rung ${rungName(rung)} needs ${needed}`;
  if (!measured) return 'the proposal is being measured; ask again';
  if (measured.reason) return measured.reason;
  return suffices(rung, measured)
    ? 'the proposal is being measured; ask again'
    : `the claims come from ${measured.roughs} rough and ${measured.polishes} polish stones, rung ${rungName(rung)} needs half of ${needed}`;
}

/**
 * Whether what decides still fits the claims: recent ones against the baseline, and an approved threshold against the
 * interval of the newest proposal.
 */
function driftOf(drift: Drift | undefined, approved?: ProposalFacts, newest?: ProposalFacts) {
  if (!drift && !(approved && newest)) return null;
  const interval = (approved && newest?.interval) ?? null;
  const outside = interval !== null && (approved!.threshold < interval[0] || approved!.threshold > interval[1]);
  return {
    alarm: outside || drift?.status === 'drifting',
    threshold_outside_interval: outside,
    interval_now: interval,
    claims_since: approved && newest ? newest.claims - approved.claims : null,
    status: drift?.status ?? null,
    baseline: drift?.baseline.source ?? null,
    measures: drift?.began ? driftedMeasures(drift.began) : [],
  };
}
