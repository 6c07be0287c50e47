/** Operators' work with a workspace's own lot scorer: look, approve, withdraw. */
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type Approvals, inTime, type OperatorDecision, readToDecide, timeUpIn } from '#calibration/approvals';
import { approvalFacts } from '#domain/approval';
import { streams } from '#domain/streams';
import { decodeLotVector } from '#domain/vectors';
import type { Workspaces } from '#keys/credentials';
import { tokenPrefix, type WorkspaceFacts } from '#keys/events';
import { rootAfter } from '#kit/log/chain';
import type { EventReader, RecordedEvent } from '#kit/log/port';
import { CommandRefused } from '#kit/log/refused';
import { sha256Hex } from '#kit/log/secrets';
import { readState } from '#kit/log/stored-events';
import type { LotScoring } from '#kit/queue/lots/port';
import type { ViewReads } from '#kit/views/reads';
import type { LotFolder } from '#science/lots/folder';
import { rowsOf } from '#science/lots/lot';
import type { LotModel } from '#science/lots/model';
import { type CheckedHistory, type ProposedLotScorer, SCORER_LOTS } from '#science/lots/scorer/propose';
import { LOT_SCORER_METHOD, lotScorerDigest } from '#science/lots/scorer/scorer';
import { lotScorerChain } from './chain.js';
import { lotDecider, memberOf } from './decide.js';
import { type LotScorerRefusal, lotScorerDecider } from './decide-scorer.js';
import type { LotChecked } from './events.js';
import {
  type LotScorerApproved,
  type LotScorerProposal,
  type LotScorerState,
  lotScorerInForce,
} from './events-scorer.js';
import { type LotScorers, storedScorer } from './scorers.js';
import type { LotScorerRecord } from './shapes-scorer.js';
import type { LotHistory } from './view.js';

export interface LotScorerDecisionsDependencies {
  store: Pick<EventReader, 'readStream'>;
  approvals: Approvals;
  workspaces: Pick<Workspaces, 'ownerOf'>;
  scorers: LotScorers;
  scoring: Pick<LotScoring, 'decide'>;
  reads: Pick<ViewReads, 'ask'>;
  folder: Pick<LotFolder, 'model'>;
  /** Longest wait (ms) for a fit, when an operator looks. */
  viewWaitMs: number;
  logger: Pick<Logger, 'error'>;
}

type Checks = LotHistory['checks'];
type Outcome = ProposedLotScorer | { reason: string };

/** Outcomes kept, so that a scorer that an operator saw is at hand when it is approved. */
const KEPT = 8;
/** A fit of the most lots takes seconds; where every thread is busy it waits. */
const FIT_MS = 120_000;

export class LotScorerDecisions {
  /** By workspace and checks. */
  private readonly fits = new LRUCache<string, Outcome, { owner: WorkspaceFacts; checks: Checks }>({
    max: KEPT,
    ignoreFetchAbort: true,
    fetchMethod: (_name, _stale, { context }) => this.fitted(context.owner, context.checks),
  });

  constructor(private readonly dependencies: LotScorerDecisionsDependencies) {}

  /** The lot model that serves. */
  get model(): LotModel {
    return this.dependencies.folder.model;
  }

  /** A workspace's scorer as it is now. Its proposal is there within a bounded wait. @throws CommandRefused (not_found) */
  async record(workspaceId: string): Promise<LotScorerRecord> {
    const owner = await this.owner(workspaceId);
    const { state } = await this.dependencies.scorers.read(workspaceId);
    return this.shown(owner, state);
  }

  /** @throws CommandRefused (not_found, conflict), ScoringUnavailable */
  async approve(workspaceId: string, decision: OperatorDecision, digest: string): Promise<LotScorerRecord> {
    const approvable = this.approvable(await this.owner(workspaceId), decision);
    return this.dependencies.approvals.approve([approvable], decision, digest);
  }

  /** @throws CommandRefused (not_found, conflict) */
  async withdraw(workspaceId: string, decision: OperatorDecision): Promise<LotScorerRecord> {
    const approvable = this.approvable(await this.owner(workspaceId), decision);
    return this.dependencies.approvals.withdraw(approvable, decision);
  }

  private approvable(owner: WorkspaceFacts, { requestId }: OperatorDecision) {
    const { store } = this.dependencies;
    const rootOf = (events: readonly RecordedEvent[]) => rootAfter(lotScorerChain, owner.id, events);
    return {
      about: 'workspace' as const,
      model: this.model.digest,
      of: { workspace: owner, request_id: requestId },
      decider: lotScorerDecider,
      sentences: SENTENCES,
      read: () => readToDecide(store, streams.lotScorer(owner.id), lotScorerDecider, rootOf),
      find: async (digest: string, state: LotScorerState) => {
        const history = await this.history(owner.id);
        const why = whyNone(history);
        if (why !== undefined) throw new CommandRefused('conflict', why);
        return this.find(owner, history.checks, digest, state);
      },
      show: (state: LotScorerState) => this.shown(owner, state),
    };
  }

  /** What the history gives, as far as it is there within a bounded wait: a decision that is stored is answered in any case. */
  private async outcome(owner: WorkspaceFacts, history: LotHistory): Promise<Outcome | undefined> {
    const why = whyNone(history);
    if (why !== undefined) return { reason: why };
    const { viewWaitMs, logger } = this.dependencies;
    return inTime(this.fit(owner, chosen(history.checks)), timeUpIn(viewWaitMs), (error) =>
      logger.error({ err: error, workspace: owner.name }, 'lot scorer not fitted'),
    );
  }

  private async owner(workspaceId: string): Promise<WorkspaceFacts> {
    const owner = await this.dependencies.workspaces.ownerOf(workspaceId);
    if (!owner) throw new CommandRefused('not_found', 'no token has this prefix');
    return owner;
  }

  private history(workspaceId: string): Promise<LotHistory> {
    return this.dependencies.reads.ask('lots', 'history', workspaceId, this.dependencies.folder.model.digest);
  }

  /**
   * The scorer proposed under this digest, whichever replica showed it: the first checks make the same one everywhere.
   * @throws CommandRefused (conflict) with the reason, where the checks give none
   */
  private async find(owner: WorkspaceFacts, checks: Checks, digest: string, state: LotScorerState) {
    for (let count = checks.length; count >= SCORER_LOTS.least; count--) {
      const some = chosen(checks.slice(0, count));
      if (this.digestOf(owner, state, some) !== digest) continue;
      const proposed = proposedOf(await this.fit(owner, some));
      return { proposal: this.proposal(owner, proposed, state, some), scorer: storedScorer(proposed.scorer) };
    }
    proposedOf(await this.fit(owner, chosen(checks)));
    return { proposal: undefined, scorer: undefined };
  }

  private digestOf({ id }: WorkspaceFacts, { decisions }: LotScorerState, checks: Checks): string {
    const { digest } = this.dependencies.folder.model;
    const of = checks.map(({ lot_id, check_id }) => [lot_id, check_id]);
    return sha256Hex(JSON.stringify([LOT_SCORER_METHOD, digest, id, decisions, of]));
  }

  private proposal(
    owner: WorkspaceFacts,
    { scorer, figures, rests_on, evidence_digest }: ProposedLotScorer,
    state: LotScorerState,
    checks: Checks,
  ): LotScorerProposal {
    const { digest: model } = this.dependencies.folder.model;
    const { lots: _, ...counted } = figures;
    return {
      digest: this.digestOf(owner, state, checks),
      scorer: lotScorerDigest(model, scorer),
      method: LOT_SCORER_METHOD,
      model,
      evidence_digest,
      decisions: state.decisions,
      rests_on,
      ...counted,
    };
  }

  /** Each set of checks is fitted once. */
  private fit(owner: WorkspaceFacts, checks: Checks): Promise<Outcome> {
    const name = JSON.stringify([owner.id, checks.map(({ check_id }) => check_id)]);
    return this.fits.forceFetch(name, { context: { owner, checks } });
  }

  private async fitted({ id }: WorkspaceFacts, checks: Checks): Promise<Outcome> {
    const history = await Promise.all(checks.map((check) => this.load(id, check)));
    const options = { timeoutMs: FIT_MS, by: 'operators' };
    return this.dependencies.scoring.decide('propose', { history }, options);
  }

  private async load(workspaceId: string, { lot_id, check_id }: Checks[number]): Promise<CheckedHistory> {
    const lot = await this.dependencies.scorers.enrolled(workspaceId, lot_id);
    const stream = streams.lotCheck(workspaceId, check_id);
    const { state } = await readState(this.dependencies.store, stream, lotDecider);
    if (!lot || state.status !== 'recorded' || state.event.type !== 'LotChecked')
      throw new TypeError(`the check ${check_id} stands in the view and not in the log`);
    const { stones, result } = (state.event as LotChecked).data;
    return {
      ...{ lot_id, check_id, session_type: result.session_type },
      stones: stones.map(({ stone }) => stone),
      members: rowsOf(lot.stones.map(memberOf)),
      returned: rowsOf(stones.map(({ vector }) => ({ vector: decodeLotVector(vector) as Float32Array }))),
    };
  }

  private async shown(owner: WorkspaceFacts, state: LotScorerState): Promise<LotScorerRecord> {
    const history = await this.history(owner.id);
    const outcome = await this.outcome(owner, history);
    const { digest: model } = this.dependencies.folder.model;
    const checks = chosen(history.checks);
    const proposed = outcome && !('reason' in outcome) ? outcome : undefined;
    const facts = proposed && this.proposal(owner, proposed, state, checks);
    const approval = lotScorerInForce(state, model);
    const standing = facts?.scorer === approval?.proposal.scorer ? undefined : facts;
    const ofModel = state.request?.proposal.model === model ? state : {};
    return {
      workspace: owner.name,
      prefix: tokenPrefix(owner.id),
      model,
      scorer: approval ? 'workspace' : 'shipped',
      in_force: approval ? granted(approval) : null,
      ...{ lots: history.lots, lots_marked: history.marked, lots_checked: checks.length },
      lots_needed: SCORER_LOTS.least,
      awaiting_second_operator: this.dependencies.approvals.awaited(ofModel),
      proposal:
        standing && proposed ? { ...standing, proposal_digest: standing.digest, changed: proposed.checks } : null,
      no_proposal: standing
        ? null
        : facts
          ? 'the scorer in force rests on the newest lots and checks'
          : outcome && 'reason' in outcome
            ? outcome.reason
            : 'the scorer is being fitted; ask again',
      approvals: state.approvals.map(({ approval: one, ended }) => ({
        ...granted(one),
        in_force: one === approval,
        ended,
      })),
    };
  }
}

/** @throws CommandRefused (conflict) */
function proposedOf(outcome: Outcome): ProposedLotScorer {
  if ('reason' in outcome) throw new CommandRefused('conflict', outcome.reason);
  return outcome;
}

const granted = (approval: LotScorerApproved['data']) => {
  const { scorer, model, rests_on } = approval.proposal;
  return { scorer, model, lots: rests_on.length, ...approvalFacts(approval) };
};

/** Of each lot the check with the most stones, the later of two; of these the newest, oldest first. */
function chosen(checks: Checks): Checks {
  const byLot = new Map<string, Checks[number]>();
  for (const check of checks) {
    if (check.returned < SCORER_LOTS.returned) continue;
    const before = byLot.get(check.lot_id);
    if (!before || check.returned >= before.returned) byLot.set(check.lot_id, check);
  }
  return [...byLot.values()].sort((a, b) => a.position - b.position).slice(-SCORER_LOTS.most);
}

/** The reason why nothing is fitted, before anything is. */
function whyNone({ lots, marked, checks }: LotHistory): string | undefined {
  if (lots === 0) return 'no lot is enrolled yet';
  if (2 * marked < lots) {
    const unusual = marked === 0 ? 'none of the lots is unusual' : `only ${marked} of ${lots} lots are unusual`;
    return `${unusual}, and the shipped scorer suits usual lots better`;
  }
  const held = chosen(checks).length;
  if (held >= SCORER_LOTS.least) return undefined;
  return `${held} marked lots have a check of ${SCORER_LOTS.returned} stones or more: a scorer needs ${SCORER_LOTS.least}, and with ${SCORER_LOTS.better} more members are confirmed`;
}

const SENTENCES: Record<LotScorerRefusal, string> = {
  no_such_proposal:
    'the proposal is unknown or no longer stands: a decision about the workspace, a change of its lots or of the lot model came after it; look again',
  same_operator: 'a second named operator has to approve',
  in_force: 'this scorer is in force already',
  not_approved: 'the shipped scorer decides already',
};
