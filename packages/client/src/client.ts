import type * as c from './generated/contract.js';
import type { Operation, Query } from './generated/operations.js';
import { claimBody, lotBody, type ScanFile, type Side } from './scans.js';
import { serverSentEvents } from './server-sent-events.js';
import { type Call, type ClientOptions, type PerCall, sleep, Transport } from './transport.js';

export interface VerifyOptions {
  rough: Side;
  polish: Side;
  /** 0.90 to 0.99 in steps of 0.01; the service's default is 0.98. */
  rejectTarget?: number;
  /** Of sides sent as files: your references, in place of those in the files' names. Numbers have `stoneId`. */
  stoneIds?: { rough?: string; polish?: string };
  /** Scores without writing claim history; needs a replay or operator key. */
  replay?: boolean;
  signal?: AbortSignal;
}

/** Scans of a lot, or of what came back: each file named by its stone and a number, as `A12_1.csv`. */
export interface LotScans {
  files: readonly ScanFile[];
  /** The position of the stones, which decides the bar: say it. Left out, it is guessed from the scans, with a warning. */
  sessionType?: c.Lot['session_type'];
  signal?: AbortSignal;
}

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
  /** With `total: true`: items on all pages, 10,000 at most; `total_exact` is false where there are more. */
  total?: number;
  total_exact?: boolean;
}

/** A claim whose verdict was stored. */
export interface ClaimEvent {
  /** For `after` of a later stream. */
  id: string;
  claim: c.ClaimRow;
}

/** Between two connections of a stream. */
const RECONNECT_MS = 1_000;

/** Labels in one call. */
const LABELS_A_CALL = 5_000;

/** A method for each operation of the contract. Keys are kept where nothing prints them. */
export class MatchVerification {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** Any operation by its name, answered as it comes: status, headers and an unread body. */
  raw(operation: Operation, call: Call = {}): Promise<Response> {
    return this.#transport.send(operation, call, async (response) => response);
  }

  /** GET /api/v1: the contract in short, open to all. */
  summary(options?: PerCall): Promise<c.Summary> {
    return this.#call('showContract', { options });
  }
  paths(options?: PerCall): Promise<c.Paths> {
    return this.#call('showPaths', { options });
  }
  liveness(options?: PerCall): Promise<c.Liveness> {
    return this.#call('checkLiveness', { options });
  }
  /** A service that is not ready throws Unavailable. */
  readiness(options?: PerCall): Promise<c.Readiness> {
    return this.#call('checkReadiness', { options });
  }
  health(options?: PerCall): Promise<c.HealthDetail> {
    return this.#call('readHealth', { options });
  }
  /** In the text format of Prometheus. */
  metrics(options?: PerCall): Promise<string> {
    return this.#transport.send('readMetrics', { options }, (response) => response.text());
  }

  /** Did this polish come out of that rough? Sending the same claim again answers the same claim_id. */
  async verify(
    { rough, polish, rejectTarget, stoneIds, replay, signal }: VerifyOptions,
    options?: PerCall,
  ): Promise<c.Verification> {
    const body = await claimBody(rough, polish, rejectTarget, stoneIds);
    const headers = replay ? this.#transport.replay() : {};
    return this.#call('verifyMatch', { body, headers, options: options ?? signal });
  }
  /** A claim of this key: the stored answer, its label, and what a review came to. */
  ownClaim(claimId: string, options?: PerCall): Promise<c.OwnClaim> {
    return this.#call('getOwnClaim', { path: { claim_id: claimId }, options });
  }
  /** The claims of this key, latest first. */
  ownClaims(query: Query<'listOwnClaims'> = {}, options?: PerCall): AsyncGenerator<c.OwnClaimRow> {
    return this.#list('listOwnClaims', query, options);
  }
  /** Labels claims with their ground truth, in calls of 5,000; yields the outcome of each call as it comes. */
  async *label(labels: Iterable<c.Label>, options?: PerCall): AsyncGenerator<c.LabelResults> {
    const all = [...labels];
    for (let from = 0; from < all.length; from += LABELS_A_CALL) {
      const body = all.slice(from, from + LABELS_A_CALL);
      yield await this.#call('labelClaims', { body, options });
    }
  }

  /** Counts of a window, the last 24 hours by default, and what waits or alarms now. */
  overview(query: Query<'showOverview'> = {}, options?: PerCall): Promise<c.Overview> {
    return this.#call('showOverview', { query, options });
  }
  /** The claim ledger, latest first; `action: 'review', reviewed: false` is the review queue. */
  claims(query: Query<'listClaims'> = {}, options?: PerCall): AsyncGenerator<c.ClaimRecord> {
    return this.#list('listClaims', query, options);
  }
  /** The same in short. */
  claimRows(query: Query<'listClaimRows'> = {}, options?: PerCall): AsyncGenerator<c.ClaimRow> {
    return this.#list('listClaimRows', query, options);
  }
  /** One page of them, with how many there are on all where the query asks `total`. */
  claimRowsPage(query: Query<'listClaimRows'> = {}, options?: PerCall): Promise<Page<c.ClaimRow>> {
    return this.#call('listClaimRows', { query, options });
  }
  /** Claims as their verdicts are stored, from now on or after an event; a lost connection is taken up where it was. */
  async *claimStream({ after, signal }: { after?: string; signal?: AbortSignal } = {}): AsyncGenerator<ClaimEvent> {
    for (let last = after; ; await sleep(RECONNECT_MS, signal)) {
      const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
      const call: Call = { headers, endless: true, options: { signal } };
      const response = await this.#transport.send('streamClaims', call, async (one) => one);
      const events = serverSentEvents(response);
      try {
        for (;;) {
          const { done, value } = await events.next().catch(() => ({ done: true as const, value: undefined }));
          if (done) break;
          last = value.id ?? last;
          if (value.data !== '') yield { id: last!, claim: JSON.parse(value.data) as c.ClaimRow };
        }
      } finally {
        await events.return(undefined);
      }
    }
  }
  claim(claimId: string, options?: PerCall): Promise<c.ClaimRecord> {
    return this.#call('getClaim', { path: { claim_id: claimId }, options });
  }
  reviewClaim(claimId: string, review: c.Review, options?: PerCall): Promise<c.ClaimRecord> {
    return this.#call('reviewClaim', { path: { claim_id: claimId }, body: review, options });
  }
  findings(query: Query<'listFindings'> = {}, options?: PerCall): AsyncGenerator<c.Finding> {
    return this.#list('listFindings', query, options);
  }
  findingsPage(query: Query<'listFindings'> = {}, options?: PerCall): Promise<Page<c.Finding>> {
    return this.#call('listFindings', { query, options });
  }
  finding(id: string, options?: PerCall): Promise<c.Finding> {
    return this.#call('getFinding', { path: { id }, options });
  }
  reviewFinding(id: string, review: c.FindingReview, options?: PerCall): Promise<c.Finding> {
    return this.#call('reviewFinding', { path: { id }, body: review, options });
  }
  hygiene(options?: PerCall): Promise<c.Hygiene> {
    return this.#call('checkHygiene', { options });
  }
  telemetry(query: Query<'listCalls'> = {}, options?: PerCall): AsyncGenerator<c.TelemetryRecord> {
    return this.#list('listCalls', query, options);
  }
  telemetryPage(query: Query<'listCalls'> = {}, options?: PerCall): Promise<Page<c.TelemetryRecord>> {
    return this.#call('listCalls', { query, options });
  }
  telemetrySummary(query: Query<'summariseCalls'> = {}, options?: PerCall): Promise<c.TelemetrySummary> {
    return this.#call('summariseCalls', { query, options });
  }

  /** The holder of this operator key, and its rights. */
  operator(options?: PerCall): Promise<c.Operator> {
    return this.#call('showOperator', { options });
  }
  keys(query: Query<'listKeys'> = {}, options?: PerCall): AsyncGenerator<c.Key> {
    return this.#list('listKeys', query, options);
  }
  keysPage(query: Query<'listKeys'> = {}, options?: PerCall): Promise<Page<c.Key>> {
    return this.#call('listKeys', { query, options });
  }
  /**
   * The full key is in this answer: store it. With an `idempotencyKey` the same call brings the same key once more for ten
   * minutes, where the answer was lost.
   */
  createKey(key: c.NewKey, options?: PerCall, idempotencyKey?: string): Promise<c.CreatedKey> {
    const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    return this.#call('createKey', { body: key, headers, options });
  }
  /** Pauses or resumes a key, or changes its end, rate or contact; what is left out stays. */
  changeKey(prefix: string, change: c.KeyChange, options?: PerCall): Promise<c.ChangedKey> {
    return this.#call('changeKey', { path: { key_prefix: prefix }, body: change, options });
  }
  revokeKey(prefix: string, options?: PerCall): Promise<c.RevokedKey> {
    return this.#call('revokeKey', { path: { key_prefix: prefix }, options });
  }

  models(options?: PerCall): Promise<c.Models> {
    return this.#call('showModels', { options });
  }
  switchModel(wish: c.ModelSwitch, options?: PerCall): Promise<c.Models> {
    return this.#call('switchModel', { body: wish, options });
  }
  calibrations(query: Query<'listCalibrations'> = {}, options?: PerCall): AsyncGenerator<c.Calibration> {
    return this.#list('listCalibrations', query, options);
  }
  calibration(population: string, options?: PerCall): Promise<c.Calibration> {
    return this.#call('getCalibration', { path: { population }, options });
  }
  /** Another model's ladder, or the decisions in force at a time. */
  calibrationAt(
    population: string,
    query: Query<'getCalibration'>,
    options?: PerCall,
  ): Promise<c.Calibration | c.CalibrationHistory> {
    return this.#call('getCalibration', { path: { population }, query, options });
  }
  calibrationHistory(population: string, options?: PerCall): Promise<c.CalibrationHistory> {
    return this.#call('getCalibrationHistory', { path: { population }, options });
  }
  /** Histograms of genuine and derived wrong scores, with the thresholds. */
  calibrationScores(
    population: string,
    query: Query<'getCalibrationScores'> = {},
    options?: PerCall,
  ): Promise<c.PopulationScores> {
    return this.#call('getCalibrationScores', { path: { population }, query, options });
  }
  /** The zip that an auditor recomputes offline. */
  auditBundle(population: string, options?: PerCall): Promise<Blob> {
    return this.#transport.send('getAuditBundle', { path: { population }, options }, (response) => response.blob());
  }
  /** Makes a proposal decide. `proposalDigest` is that of the proposal you saw. */
  approve(
    population: string,
    rejectTarget: number,
    { reason, proposalDigest }: { reason: string; proposalDigest: string },
    options?: PerCall,
  ): Promise<c.CalibratedRung> {
    const path = rung(population, rejectTarget);
    return this.#call('approveThreshold', { path, body: { reason, proposal_digest: proposalDigest }, options });
  }
  withdraw(
    population: string,
    rejectTarget: number,
    withdrawal: c.Withdrawal,
    options?: PerCall,
  ): Promise<c.CalibratedRung> {
    return this.#call('withdrawThreshold', { path: rung(population, rejectTarget), body: withdrawal, options });
  }
  /** Dry run of a threshold: the past claims that it would have decided otherwise. Changes nothing. */
  tryThreshold(population: string, rejectTarget: number, trial: c.Trial, options?: PerCall): Promise<c.DryRun> {
    return this.#call('tryThreshold', { path: rung(population, rejectTarget), body: trial, options });
  }
  /** The population's own scorer, and a proposal with what it would bring. */
  scorer(population: string, options?: PerCall): Promise<c.ScorerRecord> {
    return this.#call('getScorer', { path: { population }, options });
  }
  /** Lets a proposed scorer score. `proposalDigest` is that of the proposal you saw. */
  approveScorer(
    population: string,
    { reason, proposalDigest }: { reason: string; proposalDigest: string },
    options?: PerCall,
  ): Promise<c.ScorerRecord> {
    const body = { reason, proposal_digest: proposalDigest };
    return this.#call('approveScorer', { path: { population }, body, options });
  }
  withdrawScorer(population: string, withdrawal: c.ScorerWithdrawal, options?: PerCall): Promise<c.ScorerRecord> {
    return this.#call('withdrawScorer', { path: { population }, body: withdrawal, options });
  }
  /** Dry run of the proposed scorer: the past claims that it would have decided otherwise. Changes nothing. */
  tryScorer(population: string, trial: c.ScorerTrial = {}, options?: PerCall): Promise<c.ScorerDryRun> {
    return this.#call('tryScorer', { path: { population }, body: trial, options });
  }
  drift(query: Query<'listDrift'> = {}, options?: PerCall): AsyncGenerator<c.Drift> {
    return this.#list('listDrift', query, options);
  }
  driftPage(query: Query<'listDrift'> = {}, options?: PerCall): Promise<Page<c.Drift>> {
    return this.#call('listDrift', { query, options });
  }
  /** Events of one stream of the log, oldest first, as operators may see them. */
  stream(stream: string, query: Query<'readStream'> = {}, options?: PerCall): AsyncGenerator<c.StreamEvent> {
    return this.#list('readStream', query, options, { stream });
  }
  streamPage(stream: string, query: Query<'readStream'> = {}, options?: PerCall): Promise<Page<c.StreamEvent>> {
    return this.#call('readStream', { path: { stream }, query, options });
  }
  views(options?: PerCall): Promise<c.ViewList> {
    return this.#call('listViews', { options });
  }
  skipEvent(skip: c.Skip, options?: PerCall): Promise<c.Skipped> {
    return this.#call('skipEvent', { body: skip, options });
  }

  /** The claims that a lot check supports, with every exclusion. */
  lotBounds(options?: PerCall): Promise<c.LotBounds> {
    return this.#call('showBounds', { options });
  }
  /** Enrols a lot: 10 to 60 stones, at least 3 scans each. The same files under the same name are the same lot. */
  async enrolLot(name: string, { files, sessionType, signal }: LotScans, options?: PerCall): Promise<c.Lot> {
    const body = await lotBody(files, { name, session_type: sessionType });
    return this.#call('enrolLot', { body, options: options ?? signal });
  }
  lots(query: Query<'listLots'> = {}, options?: PerCall): AsyncGenerator<c.LotSummary> {
    return this.#list('listLots', query, options);
  }
  lot(lotId: string, options?: PerCall): Promise<c.LotWithChecks> {
    return this.#call('getLot', { path: { lot_id: lotId }, options });
  }
  /** Renames a lot, or corrects its declared session type. */
  changeLot(lotId: string, wish: c.LotWish, options?: PerCall): Promise<c.Lot> {
    return this.#call('changeLot', { path: { lot_id: lotId }, body: wish, options });
  }
  /** Retires a lot: it is read as before, and no longer checked. */
  retireLot(lotId: string, options?: PerCall): Promise<c.Lot> {
    return this.#call('retireLot', { path: { lot_id: lotId }, options });
  }
  lotChecks(lotId: string, query: Query<'listLotChecks'> = {}, options?: PerCall): AsyncGenerator<c.LotCheckSummary> {
    return this.#list('listLotChecks', query, options, { lot_id: lotId });
  }
  /** A check, as it was answered. */
  lotCheck(lotId: string, checkId: string, options?: PerCall): Promise<c.LotCheck> {
    return this.#call('getLotCheck', { path: { lot_id: lotId, check_id: checkId }, options });
  }
  /** The tray of a check, as SVG. */
  lotCheckTray(lotId: string, checkId: string, options?: PerCall): Promise<string> {
    const path = { lot_id: lotId, check_id: checkId };
    return this.#transport.send('drawLotCheck', { path, options }, (response) => response.text());
  }
  /** A check as a page to be printed, in HTML. */
  lotCheckReport(lotId: string, checkId: string, options?: PerCall): Promise<string> {
    const path = { lot_id: lotId, check_id: checkId };
    return this.#transport.send('reportLotCheck', { path, options }, (response) => response.text());
  }
  /** Checks which of the returned stones are members. Sending the same return again answers the same check. */
  async checkLot(lotId: string, { files, sessionType, signal }: LotScans, options?: PerCall): Promise<c.LotCheck> {
    const body = await lotBody(files, { session_type: sessionType });
    return this.#call('checkLot', { path: { lot_id: lotId }, body, options: options ?? signal });
  }
  /** Rehearses a substitution and says how much of it would be caught. The same seed gives the same answer. */
  rehearseLot(lotId: string, wish: c.RehearsalWish = {}, options?: PerCall): Promise<c.Rehearsal> {
    return this.#call('rehearseLot', { path: { lot_id: lotId }, body: wish, options });
  }
  workspaces(query: Query<'listWorkspaces'> = {}, options?: PerCall): AsyncGenerator<c.Workspace> {
    return this.#list('listWorkspaces', query, options);
  }
  /** The token is in this answer and in no other: store it. */
  createWorkspace(name: string, options?: PerCall): Promise<c.CreatedWorkspace> {
    return this.#call('createWorkspace', { body: { name }, options });
  }
  revokeWorkspace(prefix: string, options?: PerCall): Promise<c.RevokedWorkspace> {
    return this.#call('revokeWorkspace', { path: { token_prefix: prefix }, options });
  }
  /** The workspace's own lot scorer, and a proposal with what it would bring. */
  lotScorer(prefix: string, options?: PerCall): Promise<c.LotScorerRecord> {
    return this.#call('getLotScorer', { path: { token_prefix: prefix }, options });
  }
  /** Lets a proposed scorer decide the workspace's marked lots. `proposalDigest` is that of the proposal you saw. */
  approveLotScorer(
    prefix: string,
    { reason, proposalDigest }: { reason: string; proposalDigest: string },
    options?: PerCall,
  ): Promise<c.LotScorerRecord> {
    const body = { reason, proposal_digest: proposalDigest };
    return this.#call('approveLotScorer', { path: { token_prefix: prefix }, body, options });
  }
  /** The zip that an auditor recomputes offline. */
  lotAuditBundle(prefix: string, options?: PerCall): Promise<Blob> {
    const path = { token_prefix: prefix };
    return this.#transport.send('getLotAuditBundle', { path, options }, (response) => response.blob());
  }
  withdrawLotScorer(prefix: string, withdrawal: c.ReasonBody, options?: PerCall): Promise<c.LotScorerRecord> {
    return this.#call('withdrawLotScorer', { path: { token_prefix: prefix }, body: withdrawal, options });
  }

  #call<T>(operation: Operation, call: Call): Promise<T> {
    return this.#transport.call(operation, call);
  }

  async *#list<T>(operation: Operation, filter: object, options?: PerCall, path?: Call['path']): AsyncGenerator<T> {
    let cursor: string | null | undefined;
    do {
      const query = cursor ? { ...filter, cursor } : filter;
      const page: Page<T> = await this.#call(operation, { path, query, options });
      yield* page.items;
      cursor = page.next_cursor;
    } while (cursor);
  }
}

const rung = (population: string, rejectTarget: number) => ({ population, reject_target: rejectTarget.toFixed(2) });
