/** Operators' work with a population's own scorer: look, approve, withdraw, try on past claims. */
import type { Logger } from 'pino';
import { approvalFacts } from '#domain/approval';
import type { EventReader } from '#kit/log/port';
import { CommandRefused } from '#kit/log/refused';
import { leftOutOf } from '#science/calibration/evidence';
import type { RejectTarget } from '#science/calibration/ladder';
import { SCORER_GROUPS, SCORER_METHOD } from '#science/calibration/scorer/method';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import { type Approvals, inTime, type OperatorDecision, timeUpIn } from './approvals.js';
import { groupsNeeded, type ScorerRefusal, scorerDecider } from './decide.js';
import { type CalibrationState, rungOf, type ScorerApproved, scorerOf } from './events.js';
import { scoresBy } from './held-claims.js';
import { byLabel, changedClaims, type EvidenceView } from './queries-evidence.js';
import type { PopulationLadders } from './queries-ladders.js';
import type { InstalledModel, Models } from './queries-models.js';
import type { FittedScorer, NotFitted } from './queries-scorer-proposals.js';
import { readPopulation } from './rejected-decisions.js';
import type { PopulationScorers } from './scorers.js';

export interface ScorerDecisionsDependencies {
  store: EventReader;
  approvals: Approvals;
  evidence: Pick<EvidenceView, 'held' | 'past'>;
  ladders: PopulationLadders;
  scorers: PopulationScorers;
  models: Models;
  /** Longest wait (ms) for a fit, when an operator looks. */
  viewWaitMs: number;
  logger: Pick<Logger, 'info' | 'error'>;
}

const MAX_ITEMS = 1000;

const neededOf = (state: CalibrationState, { model, scorers }: InstalledModel): number =>
  groupsNeeded(state, model.digest, scorers?.method ?? SCORER_METHOD);

export class ScorerDecisions {
  /** By population: groups of the newest proposal that was reported. */
  private readonly reported = new Map<string, number>();
  /** By model and population: claims that were held at the last fit that made too few groups, and its groups. */
  private readonly tried = new Map<string, { held: number; groups: number }>();

  constructor(private readonly dependencies: ScorerDecisionsDependencies) {}

  /** A population's scorer as it is now. Its proposal is the newest that is there within a bounded wait. */
  async record(population: string) {
    const { ladders, models, viewWaitMs, logger } = this.dependencies;
    const of = await models.live();
    const { state } = await ladders.read(population);
    const outcome = await inTime(this.fitted(population, state, of), timeUpIn(viewWaitMs), (error) =>
      logger.error({ err: error, population }, 'scorer not fitted'),
    );
    return this.shown(population, state, of, outcome);
  }

  /** Fits a scorer where one is due, and says so once; no call waits for it. @returns whether it is a new proposal */
  async propose(population: string): Promise<boolean> {
    const { ladders, models, logger } = this.dependencies;
    const of = await models.live();
    const { state } = await ladders.read(population);
    const next = neededOf(state, of);
    const { propose } = SCORER_GROUPS;
    const before = this.reported.get(population) ?? 0;
    const due = propose.find((groups) => groups >= Math.max(next, before + 1));
    const held = this.dependencies.evidence.held(population, of.model.digest);
    const name = `${of.model.digest} ${population}`;
    const tried = this.tried.get(name) ?? { held: 0, groups: 0 };
    // A claim brings one group at most: before so many more no fit can make enough.
    if (due === undefined || held - tried.held < due - tried.groups) return false;
    const outcome = await this.fitted(population, state, of);
    if (!outcome || 'reason' in outcome) return false;
    if (outcome.figures.groups < due) {
      this.tried.set(name, { held, groups: outcome.figures.groups });
      return false;
    }
    this.reported.set(population, outcome.figures.groups);
    logger.info({ population, groups: outcome.figures.groups, claims: outcome.claims }, 'scorer proposed');
    return true;
  }

  /** The scorer that the claims give now; undefined if none is due, or if the model came without ladders for it. */
  private async fitted(population: string, state: CalibrationState, of: InstalledModel) {
    const { evidence } = this.dependencies;
    const held = evidence.held(population, of.model.digest);
    return held < neededOf(state, of) ? undefined : of.scorers?.latest(population);
  }

  private shown(
    population: string,
    state: CalibrationState,
    of: InstalledModel,
    outcome: FittedScorer | NotFitted | undefined,
  ) {
    const { evidence, approvals } = this.dependencies;
    const { digest } = of.model;
    const { approval, ...rest } = scorerOf(state, digest);
    const needed = neededOf(state, of);
    const fitted = outcome && 'scorer' in outcome && outcome.figures.groups >= needed ? outcome : undefined;
    const facts = fitted && of.scorers!.facts(population, fitted, state.decisions);
    return {
      population,
      model: digest,
      scorer: approval ? ('population' as const) : ('raw' as const),
      in_force: approval ? grantedFacts(approval) : null,
      claims_held: evidence.held(population, digest),
      groups_needed: Number.isFinite(needed) ? needed : null,
      awaiting_second_operator: approvals.awaited(rest),
      proposal: facts ? { ...facts, proposal_digest: facts.digest, figures: { ...fitted.figures } } : null,
      no_proposal: fitted ? null : this.whyNone(population, state, of, outcome),
      approvals: state.approvals.map(({ approval: one, ended }) => ({
        ...grantedFacts(one),
        in_force: one === approval,
        ended,
      })),
    };
  }

  private whyNone(
    population: string,
    state: CalibrationState,
    of: InstalledModel,
    outcome: FittedScorer | NotFitted | undefined,
  ): string {
    const held = this.dependencies.evidence.held(population, of.model.digest);
    const needed = neededOf(state, of);
    if (!of.scorers) return 'the model came without ladders for scorers';
    if (!Number.isFinite(needed))
      return 'no newer scorer is proposed: the one in force rests on as many stones as help';
    const needs = `a scorer needs ${needed} groups of distinct stones`;
    if (held < needed) return `${held} claims are held, ${needs}`;
    if (!outcome) return 'the scorer is being fitted; ask again';
    return 'reason' in outcome ? outcome.reason : `the claims make ${outcome.figures.groups} groups, ${needs}`;
  }

  /** @throws CommandRefused (conflict, behind), StoreUnavailable */
  async approve(population: string, decision: OperatorDecision, digest: string) {
    const { approvals, models } = this.dependencies;
    return approvals.approve([this.approvable(population, await models.live())], decision, digest);
  }

  /** Under the live model. @throws CommandRefused (conflict, behind) */
  async withdraw(population: string, decision: OperatorDecision) {
    const { approvals, models } = this.dependencies;
    return approvals.withdraw(this.approvable(population, await models.live()), decision);
  }

  private approvable(population: string, of: InstalledModel) {
    return {
      about: 'population' as const,
      model: of.model.digest,
      of: { population },
      decider: scorerDecider,
      sentences: SENTENCES,
      read: () => readPopulation(this.dependencies.store, population),
      find: async (digest: string, state: CalibrationState, requestId: string) => {
        const { scorers, evidence } = this.dependencies;
        const needed = neededOf(state, of);
        if (evidence.held(population, of.model.digest) < needed)
          throw new CommandRefused('conflict', this.whyNone(population, state, of, undefined));
        const found = await of.scorers?.find(population, digest, state.decisions);
        if (!found) return { proposal: undefined };
        if (found.figures.groups < needed)
          throw new CommandRefused('conflict', this.whyNone(population, state, of, found));
        // All parts before the event that names them: a reader of that event finds them.
        await scorers.store(population, found.scorer, requestId);
        await scorers.store(population, of.scorers!.laddersStored, requestId);
        return { proposal: of.scorers!.facts(population, found, state.decisions) };
      },
      show: async (state: CalibrationState) => this.shown(population, state, of, of.scorers?.finished(population)),
    };
  }

  /**
   * The counted claims that the proposed scorer would have decided otherwise at a rung.
   * @throws CommandRefused (conflict, behind)
   */
  async dryRun(population: string, rung: RejectTarget) {
    const { ladders, models } = this.dependencies;
    const of = await models.live();
    const { digest } = of.model;
    const { state } = await ladders.read(population);
    const outcome = await this.fitted(population, state, of);
    const needed = neededOf(state, of);
    if (!outcome || !('scorer' in outcome) || outcome.figures.groups < needed)
      throw new CommandRefused('conflict', this.whyNone(population, state, of, outcome));
    const now = await ladders.scorerIn(state, population, of);
    const { scorer, claims } = outcome;
    const [before, after] = [
      { scores: await this.scores(now, population, of, claims), ...entryUnder(ladders, state, rung, of, now) },
      { scores: await this.scores(scorer, population, of, claims), ...entryUnder(ladders, state, rung, of, scorer) },
    ];
    const past = this.dependencies.evidence
      .past(population, digest, claims, leftOutOf(claims))
      .map(({ claim_id, at, label }, i) => ({
        ...{ claim_id, at, label, score_before: before.scores[i], score_after: after.scores[i] },
        before: verdict(before.scores[i], before.threshold),
        after: verdict(after.scores[i], after.threshold),
      }));
    const changed = (to: 'MATCH' | 'NO_MATCH') =>
      changedClaims(
        byLabel(
          past.filter((claim) => claim.after === to && claim.before !== to),
          MAX_ITEMS,
        ),
      );
    return {
      population,
      model: digest,
      scorer: scorer.digest,
      proposal_digest: of.scorers!.facts(population, outcome, state.decisions).digest,
      reject_target: rung,
      claims,
      threshold: before.threshold,
      threshold_source: before.threshold_source,
      tried_threshold: after.threshold,
      tried_threshold_source: after.threshold_source,
      to_match: changed('MATCH'),
      to_no_match: changed('NO_MATCH'),
    };
  }

  /** Scores of the claims that a proposal by the first `claims` rests on: by a scorer, or raw. */
  private async scores(scorer: PopulationScorer | undefined, population: string, of: InstalledModel, claims: number) {
    const { evidence } = await of.proposals.claims.load(population, claims);
    const own = claims - evidence.before;
    return scorer ? scoresBy(scorer, evidence, own) : evidence.scores.slice(0, own);
  }
}

const verdict = (score: number, threshold: number) => (score > threshold ? ('MATCH' as const) : ('NO_MATCH' as const));

const entryUnder = (
  ladders: PopulationLadders,
  state: CalibrationState,
  rung: RejectTarget,
  of: InstalledModel,
  scorer: PopulationScorer | undefined,
) => ladders.entryOf(rung, rungOf(state, of.model.digest, rung, scorer?.digest ?? null), of, scorer);

const grantedFacts = (approval: ScorerApproved['data']) => {
  const { scorer, model, claims, groups } = approval.proposal;
  return { scorer, model, claims, groups, ...approvalFacts(approval) };
};

const SENTENCES: Record<ScorerRefusal, string> = {
  not_enough_groups: 'the next scorer needs more groups of claims on distinct stones',
  no_such_proposal:
    'the proposal is unknown or no longer stands: a decision about the population or a change of model came after it; look again',
  same_operator: 'a second named operator has to approve',
  in_force: 'this scorer is in force already',
  not_approved: 'raw scores decide already',
};
