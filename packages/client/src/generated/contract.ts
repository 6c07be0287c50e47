/* Generated from the OpenAPI document: UPDATE_DOCS=1 npm test -- client */

export type Labels =
  | Label[]
  | {
      /**
       * @maxItems 5000
       */
      items: Label[];
    };

export interface Paths {
  /**
   * its name
   */
  service: string;
  /**
   * path
   */
  contract: string;
  /**
   * path
   */
  docs: string;
  /**
   * path
   */
  ready: string;
}
export interface FormInputs {
  /**
   * what to send
   */
  rough_files: string;
  /**
   * what to send
   */
  polish_files: string;
  /**
   * what to send
   */
  reject_target: string;
}
export interface JsonInputs {
  /**
   * what to send
   */
  rough: string;
  /**
   * what to send
   */
  polish: string;
  /**
   * what to send
   */
  reject_target: string;
}
export interface Inputs {
  multipart: FormInputs;
  json: JsonInputs;
}
export interface ExpectedResults {
  /**
   * where labels are sent
   */
  endpoint: string;
  /**
   * what for
   */
  purpose: string;
  /**
   * what to send
   */
  body: string;
  /**
   * labels of one call
   */
  max_per_call: number;
  /**
   * what labels do not do
   */
  advisory: string;
}
export interface Summary {
  /**
   * its name
   */
  service: string;
  /**
   * of the service
   */
  version: string;
  /**
   * compute engine
   */
  engine: string;
  /**
   * digest of the live model
   */
  model: string;
  /**
   * where claims are sent
   */
  endpoint: string;
  /**
   * what a call needs
   */
  auth: string;
  /**
   * what the calibration covers
   */
  scope: string;
  inputs: Inputs;
  /**
   * rungs that a claim may name
   */
  reject_targets: (0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9)[];
  default_reject_target: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9;
  expected_results: ExpectedResults;
  experimental_reject_targets: (0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9)[];
  /**
   * what an experimental rung is for
   */
  experimental_note: string;
  /**
   * what an integrator should know
   */
  notes: string[];
}
export interface Liveness {
  status: 'ok';
}
export interface Engine {
  /**
   * compute engine
   */
  engine: string;
  /**
   * why it was chosen
   */
  reason: string;
}
export interface NeededPart {
  status: 'ok' | 'unavailable';
}
export interface ViewsPart {
  status: 'ok' | 'stopped';
}
export interface LogCheckPart {
  status: 'running' | 'sound' | 'damaged' | 'failed';
}
export interface LogOutputPart {
  /**
   * dropping: the standard output does not take log lines
   */
  status: 'ok' | 'dropping';
}
export interface ReadinessParts {
  event_log: NeededPart;
  disk: NeededPart;
  model: NeededPart;
  scoring: NeededPart;
  views: ViewsPart;
  log_check?: LogCheckPart;
  log_output?: LogOutputPart;
}
export interface Readiness {
  /**
   * degraded: claims are served, something else stands still or is damaged
   */
  status: 'ok' | 'degraded' | 'unavailable';
  /**
   * of the service
   */
  version: string;
  /**
   * digest of the live model
   */
  model: string | null;
  engine: Engine;
  parts: ReadinessParts;
}
export interface EventLogDetail {
  status: 'ok' | 'unavailable';
  /**
   * why it is unavailable
   */
  reason?: string;
  /**
   * the last one
   */
  position?: string;
}
export interface DiskDetail {
  status: 'ok' | 'unavailable';
  /**
   * why it is unavailable
   */
  reason?: string;
}
export interface ModelDetail {
  status: 'ok' | 'unavailable';
  /**
   * why it is unavailable
   */
  reason?: string;
  /**
   * digest of the live model
   */
  digest?: string;
  /**
   * digests of all models
   */
  installed: string[];
}
export interface ScoringDetail {
  status: 'ok' | 'unavailable';
  /**
   * why it is unavailable
   */
  reason?: string;
  /**
   * claims
   */
  waiting?: number;
  /**
   * claims in work
   */
  active?: number;
  /**
   * those that hold the live model
   */
  workers?: number;
}
export interface LadderDetail {
  /**
   * digest of a model
   */
  model: string;
  /**
   * of its shipped ladder
   */
  ladder_digest: string;
  /**
   * whether its card names it
   */
  in_card: boolean;
}
export interface Rebuilding {
  /**
   * how far the old file goes, which answers meanwhile
   */
  servedPosition: string;
}
export interface View {
  /**
   * the view
   */
  name: string;
  /**
   * of its fold
   */
  version: number;
  /**
   * everything up to here is in it
   */
  position: string;
  /**
   * whether it has reached the log’s end since the start
   */
  caughtUp: boolean;
  rebuilding?: Rebuilding;
  /**
   * why it has stopped
   */
  failure?: string;
}
export interface DamagedEvent {
  /**
   * in the log
   */
  position: string;
  /**
   * the event’s
   */
  stream: string | null;
  /**
   * the event’s
   */
  revision: number | null;
  /**
   * the event’s
   */
  type: string | null;
  /**
   * what is wrong
   */
  problem: string;
}
export interface LogCheckDetail {
  status: 'running' | 'sound' | 'damaged' | 'failed';
  /**
   * positions looked at; null before the first window
   */
  checked: string | null;
  /**
   * of so many
   */
  head: string | null;
  /**
   * findings: events that are not as they were written, or as mvs events verify has them
   */
  damaged: number;
  /**
   * the first of them
   */
  damage: DamagedEvent[];
  /**
   * why the check could not go on
   */
  reason?: string;
}
export interface LogOutputDetail {
  /**
   * dropping: the standard output does not take log lines
   */
  status: 'ok' | 'dropping';
  /**
   * log lines since the start
   */
  dropped: number;
}
export interface MissingModel {
  /**
   * approved under it
   */
  population: string;
  /**
   * digest of a model
   */
  model: string;
}
export interface NotObeyedEvent {
  /**
   * in the log
   */
  position: string;
  /**
   * the event’s
   */
  stream: string;
  /**
   * the event’s
   */
  revision: number;
  /**
   * the event’s
   */
  type: string;
  /**
   * whose stream it is
   */
  population: string;
  /**
   * why it is passed over
   */
  problem: string;
}
export interface CalibrationDetail {
  models_not_installed: MissingModel[];
  /**
   * events of calibration streams that are passed over
   */
  not_obeyed: number;
  /**
   * the latest of them
   */
  not_obeyed_events: NotObeyedEvent[];
}
export interface HealthParts {
  event_log: EventLogDetail;
  disk: DiskDetail;
  model: ModelDetail;
  scoring: ScoringDetail;
  ladders: LadderDetail[];
  views: View[];
  log_check?: LogCheckDetail;
  log_output?: LogOutputDetail;
  calibration: CalibrationDetail;
}
export interface HealthDetail {
  /**
   * of the service
   */
  version: string;
  engine: Engine;
  parts: HealthParts;
}
export interface ScanSet {
  /**
   * cm^-1: one axis for the side, ascending or descending, no value twice
   *
   * @minItems 50
   * @maxItems 100000
   */
  wavenumbers: number[];
  /**
   * each as long as wavenumbers; all values finite
   *
   * @minItems 1
   * @maxItems 64
   */
  spectra: number[][];
  /**
   * your reference; trimmed, 64 characters are kept
   */
  stone_id?: string;
}
export interface Claim {
  rough: ScanSet;
  polish: ScanSet;
  /**
   * 0.98 where it is left out; null is no rung
   */
  reject_target?: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9;
}
export interface ClaimForm {
  /**
   * @minItems 1
   */
  rough_files: string[];
  /**
   * @minItems 1
   */
  polish_files: string[];
  reject_target?: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9;
}
export interface Verification {
  /**
   * mean of member_scores: what is held against the threshold; negative too, by a population’s own scorer
   */
  fused_score: number;
  /**
   * scoring rule: population where the population’s own is approved
   */
  scorer: 'raw' | 'population';
  /**
   * score by encoder; names and count may change
   */
  member_scores: {
    [k: string]: number;
  };
  /**
   * raw cosine by encoder, whatever the scorer
   */
  member_cosines: {
    [k: string]: number;
  };
  /**
   * bar applied to fused_score
   */
  threshold: number;
  /**
   * begins shipped-default or population-calibrated
   */
  threshold_source: string;
  /**
   * estimated share of genuine claims confirmed here
   */
  expected_genuine_accept: number | null;
  /**
   * probability that the claim is true, were as many true as false
   */
  p_match_5050: number;
  /**
   * always verify-match
   */
  mode: 'verify-match';
  /**
   * MATCH when fused_score exceeds threshold: decide on this
   */
  verdict: 'MATCH' | 'NO_MATCH';
  /**
   * operating point used
   */
  reject_target: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9;
  /**
   * scans used
   */
  n_rough_scans: number;
  /**
   * scans used
   */
  n_polish_scans: number;
  /**
   * spectral-detail gauge
   */
  rough_sharpness: number;
  /**
   * spectral-detail gauge
   */
  polish_sharpness: number;
  /**
   * departure from directly acquired noise
   */
  rough_detail_residual: number;
  /**
   * departure from directly acquired noise
   */
  polish_detail_residual: number;
  /**
   * problems that are not fatal: log them
   */
  warnings: string[];
  /**
   * what the calibration covers: keep it with the result
   */
  scope: string;
  /**
   * needed to label the claim later; the same claim sent again has the same one
   */
  claim_id: string;
  /**
   * on an experimental rung only
   */
  experimental?: true;
}
export interface LabelResult {
  /**
   * as sent
   */
  claim_id: string | null;
  status: 'accepted' | 'duplicate' | 'amended' | 'rejected';
  expected: 'match' | 'no_match' | null;
  verdict: 'MATCH' | 'NO_MATCH' | null;
  /**
   * whether the label agrees with the verdict
   */
  agrees: boolean | null;
  /**
   * why it is rejected
   */
  reason?: string;
  /**
   * as sent
   */
  stone_id?: string;
}
export interface LabelCounts {
  /**
   * new labels
   */
  accepted: number;
  /**
   * labels already held
   */
  duplicate: number;
  /**
   * labels changed; both versions are kept
   */
  amended: number;
  /**
   * unknown claims or malformed items
   */
  rejected: number;
}
export interface LabelResults {
  /**
   * one for each item, in order
   */
  results: LabelResult[];
  counts: LabelCounts;
}
export interface NewKey {
  /**
   * one per machine or integration; unique for good
   */
  name: string;
  /**
   * whose ladder decides; the key’s own name by default. A replacement names the old key’s
   */
  population?: string;
  /**
   * test traffic is reported apart
   */
  kind?: 'production' | 'test';
}
export interface CreatedKey {
  /**
   * as given
   */
  name: string;
  /**
   * the full key, shown this once
   */
  key: string;
  /**
   * reminder to store it
   */
  note: string;
  /**
   * whose ladder decides
   */
  population: string;
  /**
   * production or test
   */
  kind: string;
}
export interface Key {
  /**
   * unique
   */
  name: string;
  /**
   * what DELETE takes, whole or its beginning
   */
  prefix: string;
  /**
   * production or test
   */
  kind: string;
  /**
   * whose ladder decides
   */
  population: string;
  status: 'active' | 'revoked';
  /**
   * when
   */
  created_at: string;
  /**
   * operator
   */
  created_by: string;
  /**
   * when
   */
  revoked_at: string | null;
  /**
   * operator
   */
  revoked_by: string | null;
  /**
   * of its latest claim, replay or refused claim
   */
  last_used_at: string | null;
}
export interface RevokedKey {
  /**
   * the key’s
   */
  name: string;
  /**
   * the key’s
   */
  prefix: string;
  status: 'revoked';
  /**
   * when it was first revoked
   */
  revoked_at: string;
  /**
   * operator
   */
  revoked_by: string;
}
export interface ShownKey {
  /**
   * the key’s
   */
  name: string;
  /**
   * the key’s
   */
  prefix: string;
  /**
   * production or test
   */
  kind: string;
}
export interface ScanSetFacts {
  /**
   * first 16 hex digits of the scan set’s SHA-256
   */
  digest: string;
  /**
   * scans used
   */
  scans: number;
  /**
   * of these, copies of another
   */
  duplicates: number;
  /**
   * whether an axis has a hole or stops short of the reference axis
   */
  short_coverage: boolean;
  /**
   * stone references
   */
  references: string[];
  /**
   * spectral-detail gauge
   */
  sharpness: number;
  /**
   * noise-character gauge, as answered
   */
  detail_residual: number;
  /**
   * the same as measured, where polynomial smoothing had it held
   */
  detail_residual_measured: number | null;
  /**
   * smoothing gauge
   */
  locally_polynomial: number;
}
export interface ReviewNote {
  /**
   * the operator’s
   */
  note: string;
  /**
   * who
   */
  operator: string;
  /**
   * when
   */
  at: string;
}
export interface ClaimRecord {
  /**
   * mean of member_scores: what is held against the threshold; negative too, by a population’s own scorer
   */
  fused_score?: number;
  /**
   * scoring rule: population where the population’s own is approved
   */
  scorer?: 'raw' | 'population';
  /**
   * score by encoder; names and count may change
   */
  member_scores?: {
    [k: string]: number;
  };
  /**
   * raw cosine by encoder, whatever the scorer
   */
  member_cosines?: {
    [k: string]: number;
  };
  /**
   * bar applied to fused_score
   */
  threshold?: number;
  /**
   * begins shipped-default or population-calibrated
   */
  threshold_source?: string;
  /**
   * estimated share of genuine claims confirmed here
   */
  expected_genuine_accept?: number | null;
  /**
   * probability that the claim is true, were as many true as false
   */
  p_match_5050?: number;
  /**
   * the claim
   */
  claim_id: string;
  status: 'scored' | 'unfinished';
  /**
   * when
   */
  submitted_at: string;
  /**
   * when
   */
  scored_at?: string;
  /**
   * of the request that made it
   */
  request_id: string;
  key: ShownKey;
  /**
   * whose ladder decided
   */
  population: string;
  transport: 'json' | 'multipart';
  reject_target: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9;
  /**
   * digest of the model
   */
  model: string;
  /**
   * compute engine
   */
  engine?: string;
  rough: ScanSetFacts;
  polish: ScanSetFacts;
  verdict: 'MATCH' | 'NO_MATCH' | null;
  /**
   * as answered
   */
  warnings?: string[];
  /**
   * milliseconds by stage
   */
  latency_ms?: {
    [k: string]: number;
  };
  /**
   * times it was sent again
   */
  repeats: number;
  /**
   * ground truth as it holds now
   */
  label: {
    [k: string]: unknown;
  } | null;
  /**
   * the latest note of an operator
   */
  review: ReviewNote | null;
  /**
   * scans of the rough that are scans of the polish too
   */
  shared_scans: number | null;
  findings: ('probing' | 'multi_pass')[];
  /**
   * every event of the claim; of one claim only
   */
  history?: {
    [k: string]: unknown;
  }[];
}
export interface Review {
  /**
   * what was found
   */
  note: string;
}
export interface LastSwitch {
  /**
   * digest of a model
   */
  from: string;
  /**
   * digest of a model
   */
  to: string;
  /**
   * populations
   */
  populations_falling_back: string[];
  /**
   * who
   */
  operator: string;
  /**
   * as the operator gave it
   */
  reason: string;
  /**
   * the request
   */
  request_id: string;
  /**
   * when
   */
  at: string;
}
export interface FallingBack {
  /**
   * the population
   */
  population: string;
  /**
   * rungs as 0.98
   */
  rungs: string[];
}
export interface InstalledModel {
  /**
   * digest of a model
   */
  model: string;
  /**
   * as its file has it
   */
  name: string;
  /**
   * whether it decides; the other one is the shadow
   */
  live: boolean;
  /**
   * of its calibration asset
   */
  scope: string;
  /**
   * approved under the live model and not under this one
   */
  populations_falling_back: FallingBack[];
}
export interface ScoringWorker {
  /**
   * worker
   */
  id: string;
  /**
   * compute engine
   */
  engine: string;
  /**
   * digests of its models
   */
  models: string[];
}
export interface Models {
  /**
   * digest of the model that decides
   */
  live: string;
  switched: LastSwitch | null;
  installed: InstalledModel[];
  workers: ScoringWorker[];
  /**
   * answered claims since this process began: scored by the shadow model, or why not
   */
  shadow_claims: {
    [k: string]: number;
  };
}
export interface ModelSwitch {
  /**
   * digest of a model
   */
  model: string;
  /**
   * at most 2,000 characters
   */
  reason: string;
  /**
   * populations may fall back to the shipped default
   */
  accept_uncalibrated?: boolean;
}
export interface Proposal {
  /**
   * what an approval names: over the evidence, the rung and the decisions before it
   */
  digest: string;
  /**
   * over the counted claims and their vectors
   */
  evidence_digest: string;
  /**
   * version of the method
   */
  method: string;
  /**
   * digest of the model
   */
  model: string;
  /**
   * place in the log of the last claim behind it
   */
  position: string;
  /**
   * approvals and withdrawals of the population before it
   */
  decisions: number;
  /**
   * counted claims
   */
  claims: number;
  /**
   * rough stones
   */
  roughs: number;
  /**
   * polish stones
   */
  polishes: number;
  /**
   * pairs of stones that stand for wrong claims
   */
  pairs: number;
  /**
   * the rung’s quantile of their scores
   */
  threshold: number;
  /**
   * scores: 95%, over stones
   *
   * @minItems 2
   * @maxItems 2
   */
  interval: number[];
  /**
   * wrong claims in 1,000 that it accepts
   */
  wrong_per_1000: number;
  /**
   * estimated share of genuine claims confirmed
   */
  expected_genuine_accept: number | null;
  /**
   * its standard error
   */
  expected_genuine_accept_error: number | null;
  /**
   * why it is null
   */
  expected_genuine_accept_reason: string | null;
}
export interface AwaitedApproval {
  /**
   * the proposal
   */
  digest: string;
  /**
   * operator
   */
  requested_by: string;
  /**
   * when
   */
  at: string;
  /**
   * as the operator gave it
   */
  reason: string;
}
export interface MeasuredProposal {
  /**
   * what an approval names: over the evidence, the rung and the decisions before it
   */
  digest: string;
  /**
   * over the counted claims and their vectors
   */
  evidence_digest: string;
  /**
   * version of the method
   */
  method: string;
  /**
   * digest of the model
   */
  model: string;
  /**
   * place in the log of the last claim behind it
   */
  position: string;
  /**
   * approvals and withdrawals of the population before it
   */
  decisions: number;
  /**
   * counted claims
   */
  claims: number;
  /**
   * rough stones
   */
  roughs: number;
  /**
   * polish stones
   */
  polishes: number;
  /**
   * pairs of stones that stand for wrong claims
   */
  pairs: number;
  /**
   * the rung’s quantile of their scores
   */
  threshold: number;
  /**
   * scores: 95%, over stones
   *
   * @minItems 2
   * @maxItems 2
   */
  interval: number[];
  /**
   * wrong claims in 1,000 that it accepts
   */
  wrong_per_1000: number;
  /**
   * estimated share of genuine claims confirmed
   */
  expected_genuine_accept: number | null;
  /**
   * its standard error
   */
  expected_genuine_accept_error: number | null;
  /**
   * why it is null
   */
  expected_genuine_accept_reason: string | null;
  /**
   * wrong claims in 1,000 that the shipped threshold accepts here
   */
  shipped_wrong_per_1000: number | null;
}
export interface RungDrift {
  /**
   * recent claims differ from the baseline, or the approved threshold no longer fits
   */
  alarm: boolean;
  /**
   * the approved threshold lies outside the interval of the newest proposal
   */
  threshold_outside_interval: boolean;
  /**
   * scores
   */
  interval_now: number[] | null;
  /**
   * claims counted since the approval
   */
  claims_since: number | null;
  /**
   * differs_from_shipped: nothing is approved, and recent claims are not like those of the shipped asset; gathering: no window is full yet; no_baseline: the asset holds none and nothing is approved
   */
  status: 'drifting' | 'differs_from_shipped' | 'steady' | 'gathering' | 'no_baseline' | null;
  /**
   * claims behind the newest approval; until there is one, the shipped asset
   */
  baseline: 'approved' | 'shipped' | null;
  /**
   * measures that differ
   */
  measures: string[];
}
export interface Rung {
  reject_target: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9;
  state: 'uncalibrated' | 'calibrated';
  /**
   * what decides
   */
  threshold: number;
  /**
   * begins shipped-default or population-calibrated
   */
  threshold_source: string;
  /**
   * as answers carry it
   */
  expected_genuine_accept: number | null;
  /**
   * operator
   */
  approved_by: string | null;
  /**
   * the first of two operators, where two are needed
   */
  requested_by: string | null;
  /**
   * when
   */
  approved_at: string | null;
  /**
   * as the operator gave it
   */
  reason: string | null;
  /**
   * what the approval rests on
   */
  evidence: Proposal | null;
  /**
   * counted claims of the population under the model
   */
  claims_held: number;
  /**
   * what the rung needs; null: it never settles
   */
  claims_needed: number | null;
  awaiting_second_operator: AwaitedApproval | null;
  proposal: MeasuredProposal | null;
  /**
   * why there is none
   */
  no_proposal: string | null;
  drift: RungDrift | null;
}
export interface Calibration {
  /**
   * the population
   */
  population: string;
  /**
   * digest of the model whose ladder it is
   */
  model: string;
  /**
   * digest of the population’s own scorer, in whose scores the thresholds are; null for raw scores
   */
  scorer: string | null;
  /**
   * where something keeps its ladder from deciding
   */
  detail?: string;
  /**
   * digests of models that approvals name
   */
  models_not_installed?: string[];
  rungs: Rung[];
}
export interface ApprovedRung {
  reject_target: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9;
  state: 'uncalibrated' | 'calibrated';
  /**
   * what decides
   */
  threshold: number;
  /**
   * begins shipped-default or population-calibrated
   */
  threshold_source: string;
  /**
   * as answers carry it
   */
  expected_genuine_accept: number | null;
  /**
   * operator
   */
  approved_by: string | null;
  /**
   * the first of two operators, where two are needed
   */
  requested_by: string | null;
  /**
   * when
   */
  approved_at: string | null;
  /**
   * as the operator gave it
   */
  reason: string | null;
  /**
   * what the approval rests on
   */
  evidence: Proposal | null;
}
export interface CalibrationHistory {
  /**
   * the population
   */
  population: string;
  /**
   * digest of the model whose ladder it is
   */
  model: string;
  /**
   * digest of the population’s own scorer, in whose scores the thresholds are; null for raw scores
   */
  scorer: string | null;
  /**
   * where the model that was live then is not installed: its rungs are unknown
   */
  detail?: string;
  /**
   * the moment it speaks of
   */
  as_of: string;
  /**
   * what was live then, under the model that was
   */
  rungs: ApprovedRung[];
  /**
   * decisions of all models up to then, oldest first
   */
  items: {
    /**
     * ApprovalRequested, RungApproved or RungWithdrawn
     */
    event: string;
    /**
     * its place among the population’s decisions, from 0
     */
    revision: number;
    /**
     * why it decides nothing; only where it could not have been made so
     */
    not_obeyed?: string;
    [k: string]: unknown;
  }[];
  /**
   * hash over the decisions listed here; a later audit bundle continues it
   */
  chain_root: string;
  /**
   * root digest of the audit bundle as it is now; null with as_of, and where there is none
   */
  audit_root: string | null;
}
export interface Approval {
  /**
   * at most 2,000 characters
   */
  reason: string;
  /**
   * digest of the proposal that the operator saw
   */
  proposal_digest: string;
}
export interface CalibratedRung {
  reject_target: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9;
  state: 'uncalibrated' | 'calibrated';
  /**
   * what decides
   */
  threshold: number;
  /**
   * begins shipped-default or population-calibrated
   */
  threshold_source: string;
  /**
   * as answers carry it
   */
  expected_genuine_accept: number | null;
  /**
   * operator
   */
  approved_by: string | null;
  /**
   * the first of two operators, where two are needed
   */
  requested_by: string | null;
  /**
   * when
   */
  approved_at: string | null;
  /**
   * as the operator gave it
   */
  reason: string | null;
  /**
   * what the approval rests on
   */
  evidence: Proposal | null;
  /**
   * counted claims of the population under the model
   */
  claims_held: number;
  /**
   * what the rung needs; null: it never settles
   */
  claims_needed: number | null;
  awaiting_second_operator: AwaitedApproval | null;
  proposal: MeasuredProposal | null;
  /**
   * why there is none
   */
  no_proposal: string | null;
  drift: RungDrift | null;
  /**
   * the population
   */
  population: string;
  /**
   * digest of the model whose ladder it is
   */
  model: string;
  /**
   * digest of the population’s own scorer, in whose scores the thresholds are; null for raw scores
   */
  scorer: string | null;
}
export interface Withdrawal {
  /**
   * at most 2,000 characters
   */
  reason: string;
  /**
   * digest of an installed model; the live one by default
   */
  model?: string;
}
export interface Trial {
  /**
   * digest of an installed model; the live one by default
   */
  model?: string;
  /**
   * instead of the proposal’s
   */
  threshold?: number;
}
export interface ChangedClaim {
  /**
   * the claim
   */
  claim_id: string;
  /**
   * its score
   */
  fused_score: number;
  /**
   * when it was scored
   */
  at: string;
  /**
   * match or no_match
   */
  label: string | null;
  before: 'MATCH' | 'NO_MATCH';
  after: 'MATCH' | 'NO_MATCH';
}
export interface ChangedClaims {
  /**
   * claims
   */
  total: number;
  /**
   * of these, labelled match
   */
  labelled_match: number;
  /**
   * labelled no_match
   */
  labelled_no_match: number;
  /**
   * not labelled
   */
  unlabelled: number;
  /**
   * @maxItems 1000
   */
  claims: ChangedClaim[];
}
export interface DryRun {
  /**
   * the population
   */
  population: string;
  /**
   * digest of the model whose ladder it is
   */
  model: string;
  reject_target: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9;
  /**
   * counted claims
   */
  claims: number;
  /**
   * what decides now
   */
  threshold: number;
  /**
   * where it comes from
   */
  threshold_source: string;
  /**
   * what was tried
   */
  tried_threshold: number;
  /**
   * the proposal, where its threshold was tried
   */
  proposal_digest: string | null;
  to_match: ChangedClaims;
  to_no_match: ChangedClaims;
}
export interface ScorerRung {
  reject_target: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9;
  /**
   * share of genuine claims confirmed with raw scores
   */
  confirmed_raw: number | null;
  /**
   * the same under the scorer
   */
  confirmed_mapped: number | null;
  /**
   * share of wrong claims accepted at the threshold that came with the model
   */
  wrong_raw: number | null;
  /**
   * the same under the scorer
   */
  wrong_mapped: number | null;
}
export interface ScorerEvidence {
  /**
   * what an approval names: over the evidence and the decisions before it
   */
  digest: string;
  /**
   * digest of the scorer
   */
  scorer: string;
  /**
   * over the counted claims and their vectors
   */
  evidence_digest: string;
  /**
   * version of the method
   */
  method: string;
  /**
   * digest of the model
   */
  model: string;
  /**
   * place in the log of the last claim behind it
   */
  position: string;
  /**
   * approvals and withdrawals of the population before it
   */
  decisions: number;
  /**
   * counted claims
   */
  claims: number;
  /**
   * groups of claims on distinct stones
   */
  groups: number;
  /**
   * claims left out of the fit, as they score like wrong ones
   */
  trimmed: number;
  /**
   * where p_match_5050 comes from
   */
  curve: 'own' | 'shipped';
  rungs: ScorerRung[];
}
export interface ApprovedScorer {
  /**
   * digest of the scorer
   */
  scorer: string;
  /**
   * digest of the model
   */
  model: string;
  /**
   * counted claims
   */
  claims: number;
  /**
   * groups of claims on distinct stones
   */
  groups: number;
  /**
   * operator
   */
  approved_by: string;
  /**
   * the first of two operators, where two are needed
   */
  requested_by: string | null;
  /**
   * when
   */
  approved_at: string;
  /**
   * as the operator gave it
   */
  reason: string;
  /**
   * what the approval rests on
   */
  evidence: ScorerEvidence;
}
export interface ScorerToApprove {
  /**
   * what an approval names: over the evidence and the decisions before it
   */
  digest: string;
  /**
   * digest of the scorer
   */
  scorer: string;
  /**
   * over the counted claims and their vectors
   */
  evidence_digest: string;
  /**
   * version of the method
   */
  method: string;
  /**
   * digest of the model
   */
  model: string;
  /**
   * place in the log of the last claim behind it
   */
  position: string;
  /**
   * approvals and withdrawals of the population before it
   */
  decisions: number;
  /**
   * counted claims
   */
  claims: number;
  /**
   * groups of claims on distinct stones
   */
  groups: number;
  /**
   * claims left out of the fit, as they score like wrong ones
   */
  trimmed: number;
  /**
   * where p_match_5050 comes from
   */
  curve: 'own' | 'shipped';
  rungs: ScorerRung[];
  /**
   * all that was measured: shares by key, stability, laboratories; members may be added
   */
  figures: {
    [k: string]: unknown;
  };
}
export interface ScorerEnd {
  how: 'superseded' | 'withdrawn';
  /**
   * operator
   */
  by: string;
  /**
   * when
   */
  at: string;
}
export interface ListedScorer {
  /**
   * digest of the scorer
   */
  scorer: string;
  /**
   * digest of the model
   */
  model: string;
  /**
   * counted claims
   */
  claims: number;
  /**
   * groups of claims on distinct stones
   */
  groups: number;
  /**
   * operator
   */
  approved_by: string;
  /**
   * the first of two operators, where two are needed
   */
  requested_by: string | null;
  /**
   * when
   */
  approved_at: string;
  /**
   * as the operator gave it
   */
  reason: string;
  /**
   * what the approval rests on
   */
  evidence: ScorerEvidence;
  /**
   * it scores now, under the live model
   */
  in_force: boolean;
  ended: ScorerEnd | null;
}
export interface ScorerRecord {
  /**
   * the population
   */
  population: string;
  /**
   * digest of the live model
   */
  model: string;
  /**
   * what answers say
   */
  scorer: 'raw' | 'population';
  in_force: ApprovedScorer | null;
  /**
   * counted claims of the population under the model
   */
  claims_held: number;
  /**
   * groups that the next proposal needs; null: there is none
   */
  groups_needed: number | null;
  awaiting_second_operator: AwaitedApproval | null;
  proposal: ScorerToApprove | null;
  /**
   * why there is none
   */
  no_proposal: string | null;
  /**
   * every approval, of all models, oldest first
   */
  approvals: ListedScorer[];
}
export interface ScorerWithdrawal {
  /**
   * at most 2,000 characters
   */
  reason: string;
}
export interface ScorerTrial {
  /**
   * by default 0.98
   */
  reject_target?: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9;
}
export interface RescoredClaim {
  /**
   * the claim
   */
  claim_id: string;
  /**
   * when it was scored
   */
  at: string;
  /**
   * match or no_match
   */
  label: string | null;
  /**
   * its score by what decides now
   */
  score_before: number;
  /**
   * by the proposed scorer
   */
  score_after: number;
  before: 'MATCH' | 'NO_MATCH';
  after: 'MATCH' | 'NO_MATCH';
}
export interface RescoredClaims {
  /**
   * claims
   */
  total: number;
  /**
   * of these, labelled match
   */
  labelled_match: number;
  /**
   * labelled no_match
   */
  labelled_no_match: number;
  /**
   * not labelled
   */
  unlabelled: number;
  /**
   * @maxItems 1000
   */
  claims: RescoredClaim[];
}
export interface ScorerDryRun {
  /**
   * the population
   */
  population: string;
  /**
   * digest of the live model
   */
  model: string;
  /**
   * digest of the proposed scorer
   */
  scorer: string;
  /**
   * the proposal
   */
  proposal_digest: string;
  reject_target: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9;
  /**
   * counted claims
   */
  claims: number;
  /**
   * what decides now
   */
  threshold: number;
  /**
   * where it comes from
   */
  threshold_source: string;
  /**
   * what would decide
   */
  tried_threshold: number;
  /**
   * where it would come from
   */
  tried_threshold_source: string;
  to_match: RescoredClaims;
  to_no_match: RescoredClaims;
}
export interface DriftBaseline {
  /**
   * claims behind the newest approval; until there is one, the shipped asset
   */
  source: 'approved' | 'shipped';
  reject_target: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9 | null;
  /**
   * when
   */
  approved_at: string | null;
  /**
   * claims that it is made of
   */
  claims: number;
  /**
   * place in the log after which windows begin
   */
  position: string;
}
export interface DriftMeasure {
  measure: 'fused_score' | 'rough_sharpness' | 'polish_sharpness' | 'rough_detail_residual' | 'polish_detail_residual';
  /**
   * Anderson-Darling statistic of window against baseline
   */
  statistic: number;
  /**
   * whether it exceeds 6
   */
  drifted: boolean;
  /**
   * median of the baseline
   */
  baseline_median: number;
  /**
   * median of the window
   */
  window_median: number;
  /**
   * from median to median, in standard deviations of the baseline
   */
  shift: number | null;
}
export interface DriftWindow {
  /**
   * place in the log of its first claim
   */
  from: number;
  /**
   * the same of its last
   */
  to: number;
  /**
   * when that was made
   */
  until: string;
  /**
   * claims in it
   */
  claims: number;
  measures: DriftMeasure[];
}
export interface Drift {
  /**
   * the population
   */
  population: string;
  /**
   * digest of the live model
   */
  model: string;
  /**
   * differs_from_shipped: nothing is approved, and recent claims are not like those of the shipped asset; gathering: no window is full yet; no_baseline: the asset holds none and nothing is approved
   */
  status: 'drifting' | 'differs_from_shipped' | 'steady' | 'gathering' | 'no_baseline';
  /**
   * whether it drifts from a baseline of its own
   */
  alarm: boolean;
  baseline: DriftBaseline;
  /**
   * claims of a window; windows do not overlap
   */
  window_claims: number;
  /**
   * windows held against the baseline, each once
   */
  windows: number;
  /**
   * claims towards the next one
   */
  waiting: number;
  /**
   * the window that the present episode began with
   */
  began: DriftWindow | null;
  /**
   * the latest window
   */
  latest: DriftWindow | null;
}
export interface FindingEvidence {
  by: 'key' | 'population';
  /**
   * names
   */
  keys: string[];
  /**
   * that the key by itself, or the keys together, claimed or were confirmed for
   */
  roughs: number;
  /**
   * behind that
   */
  claims: number;
}
export interface PolishSets {
  /**
   * first 16 hex digits of each
   */
  digests: string[];
  /**
   * stone references
   */
  references: string[];
}
export interface ShownScanSet {
  /**
   * first 16 hex digits
   */
  digest: string;
  /**
   * stone references
   */
  references: string[];
}
export interface ClaimBehind {
  /**
   * the claim
   */
  claim_id: string;
  /**
   * when
   */
  submitted_at: string;
  reject_target: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9;
  verdict: 'MATCH' | 'NO_MATCH';
  /**
   * score
   */
  fused_score: number;
  label: 'match' | 'no_match' | null;
  rough: ShownScanSet;
  polish: ShownScanSet;
}
export interface Finding {
  /**
   * the finding
   */
  id: string;
  kind: 'probing' | 'multi_pass';
  status: 'open' | 'reviewed';
  key: ShownKey;
  /**
   * all whose claims are behind it; key is the one whose claim opened it
   */
  keys: ShownKey[];
  /**
   * the keys’
   */
  population: string;
  /**
   * key: one by itself; population: its production keys together
   */
  evidence: FindingEvidence[];
  /**
   * the operating rule, where a production key broke it by probing a panel of roughs
   */
  breach: string | null;
  polish: PolishSets;
  /**
   * roughs claimed, or confirmed, for the polish
   */
  roughs: number;
  /**
   * claims behind it
   */
  claims_total: number;
  /**
   * latest first
   */
  claims: ClaimBehind[];
  /**
   * when
   */
  opened_at: string;
  /**
   * when
   */
  last_claim_at: string;
  review: ReviewNote | null;
}
export interface HygieneCheck {
  /**
   * name of the check
   */
  check: string;
  /**
   * what it means
   */
  meaning: string;
  /**
   * what to do
   */
  advice: string;
  status: 'ok' | 'attention';
  /**
   * what was found
   */
  found: number;
  /**
   * @maxItems 100
   */
  items: {
    [k: string]: unknown;
  }[];
}
export interface Hygiene {
  /**
   * when
   */
  at: string;
  checks: HygieneCheck[];
}
export interface CallSummary {
  /**
   * calls that ended
   */
  calls: number;
  /**
   * of these, claims sent again
   */
  repeats: number;
  /**
   * by HTTP status
   */
  by_status: {
    [k: string]: number;
  };
  /**
   * refused calls by reason
   */
  by_reason: {
    [k: string]: number;
  };
  /**
   * repeats left out
   */
  verdicts: {
    [k: string]: number;
  };
  /**
   * by kind
   */
  warnings: {
    [k: string]: number;
  };
  /**
   * claims by number of rough scans
   */
  rough_scans: {
    [k: string]: number;
  };
  /**
   * the same of polish scans
   */
  polish_scans: {
    [k: string]: number;
  };
  /**
   * count, least, p05, p50, p95, p99, most by name
   */
  latency_ms: {
    [k: string]: unknown;
  };
  /**
   * count, least, p05, p50, p95, p99, most by name
   */
  quantiles: {
    [k: string]: unknown;
  };
  /**
   * latest calls that quantiles are taken of
   */
  quantiles_over: number;
}
export interface FindingCounts {
  kind: 'probing' | 'multi_pass';
  key_kind: 'production' | 'test';
  /**
   * the key’s
   */
  population: string;
  /**
   * its name
   */
  key: string;
  /**
   * its prefix
   */
  key_prefix: string;
  /**
   * opened in the window
   */
  findings: number;
  /**
   * not reviewed
   */
  open: number;
  /**
   * panels of roughs probed with a production key
   */
  breaches: number;
}
export interface DriftingPopulation {
  /**
   * drifts at present, whatever the window
   */
  population: string;
  /**
   * end of the window of claims that the episode began with
   */
  since: string;
  /**
   * measures that differ
   */
  measures: string[];
}
export interface LabelAgreement {
  reject_target: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9;
  /**
   * claims with a label
   */
  labelled: number;
  /**
   * MATCH, labelled match
   */
  true_accept: number;
  /**
   * MATCH, labelled no_match
   */
  false_accept: number;
  /**
   * NO_MATCH, labelled no_match
   */
  true_reject: number;
  /**
   * NO_MATCH, labelled match
   */
  false_reject: number;
  /**
   * @deprecated
   * as true_accept, its name from now on
   */
  confirmed_right: number;
  /**
   * @deprecated
   * as false_accept, its name from now on
   */
  confirmed_wrong: number;
  /**
   * @deprecated
   * as true_reject, its name from now on
   */
  rejected_right: number;
  /**
   * @deprecated
   * as false_reject, its name from now on
   */
  rejected_wrong: number;
}
export interface WorkspaceCounts {
  /**
   * in the window
   */
  created: number;
  /**
   * in the window
   */
  revoked: number;
}
export interface StoneCounts {
  /**
   * members of the lots enrolled
   */
  enrolled: number;
  /**
   * returned stones confirmed as members
   */
  confirmed: number;
  /**
   * returned stones that were not
   */
  not_confirmed: number;
}
export interface LotActivity {
  workspaces: WorkspaceCounts;
  /**
   * lots
   */
  enrolled: number;
  /**
   * returns
   */
  checked: number;
  /**
   * rehearsals
   */
  rehearsed: number;
  stones: StoneCounts;
}
export interface TelemetrySummary {
  /**
   * calls that ended
   */
  calls: number;
  /**
   * of these, claims sent again
   */
  repeats: number;
  /**
   * by HTTP status
   */
  by_status: {
    [k: string]: number;
  };
  /**
   * refused calls by reason
   */
  by_reason: {
    [k: string]: number;
  };
  /**
   * repeats left out
   */
  verdicts: {
    [k: string]: number;
  };
  /**
   * by kind
   */
  warnings: {
    [k: string]: number;
  };
  /**
   * claims by number of rough scans
   */
  rough_scans: {
    [k: string]: number;
  };
  /**
   * the same of polish scans
   */
  polish_scans: {
    [k: string]: number;
  };
  /**
   * count, least, p05, p50, p95, p99, most by name
   */
  latency_ms: {
    [k: string]: unknown;
  };
  /**
   * count, least, p05, p50, p95, p99, most by name
   */
  quantiles: {
    [k: string]: unknown;
  };
  /**
   * latest calls that quantiles are taken of
   */
  quantiles_over: number;
  /**
   * begin of the window
   */
  from: string;
  /**
   * its end
   */
  to: string;
  /**
   * replays, counted apart
   */
  replay: CallSummary;
  findings: FindingCounts[];
  drift: DriftingPopulation[];
  label_agreement: LabelAgreement[];
  /**
   * the lot product in the window, of all workspaces
   */
  lots: LotActivity;
  /**
   * waiting and running jobs, and the workers
   */
  queue: {
    [k: string]: unknown;
  };
}
export interface TelemetryRecord {
  /**
   * place in the log
   */
  position: string;
  /**
   * when
   */
  at: string;
  /**
   * verify_match, verify_match_replay or refused_at_the_edge
   */
  tag: string;
  /**
   * HTTP status
   */
  status: number;
  /**
   * calls that the record stands for
   */
  count: number;
  /**
   * the request
   */
  request_id?: string;
  /**
   * the claim
   */
  claim_id?: string;
  key?: ShownKey;
  /**
   * the key’s
   */
  population?: string;
  /**
   * kind of the refusal
   */
  reason?: string;
  verdict?: 'MATCH' | 'NO_MATCH';
}
export interface ViewList {
  views: View[];
}
export interface Skip {
  /**
   * where a view has stopped, as its failure says
   */
  position: string;
  /**
   * why it may be passed over
   */
  reason: string;
}
export interface Skipped {
  /**
   * as given
   */
  position: string;
  /**
   * the event’s
   */
  stream: string;
  /**
   * the event’s
   */
  type: string;
  /**
   * views that had stopped there and pass over it; left out: all, as none can read it
   */
  views?: string[];
  /**
   * as given
   */
  reason: string;
  /**
   * who
   */
  operator: string;
  /**
   * when
   */
  at: string;
}
export interface NewWorkspace {
  /**
   * 1 to 64 printable characters; it stays taken
   */
  name: string;
}
export interface CreatedWorkspace {
  /**
   * its name
   */
  name: string;
  /**
   * for X-Svc-Token; shown this once
   */
  token: string;
  /**
   * a reminder to store it
   */
  note: string;
}
export interface Workspace {
  /**
   * its name
   */
  name: string;
  /**
   * as listings show it
   */
  prefix: string;
  status: 'active' | 'revoked';
  /**
   * when
   */
  created_at: string;
  /**
   * operator
   */
  created_by: string;
  /**
   * when
   */
  revoked_at: string | null;
  /**
   * operator
   */
  revoked_by: string | null;
  /**
   * when its token last opened anything, reads and repeats too, to the hour
   */
  last_used_at: string | null;
}
export interface RevokedWorkspace {
  /**
   * its name
   */
  name: string;
  /**
   * as listings show it
   */
  prefix: string;
  status: 'revoked';
  /**
   * when
   */
  revoked_at: string;
  /**
   * operator
   */
  revoked_by: string;
}
export interface MeasuredBounds {
  /**
   * simulated lots, no real stones
   */
  simulated: true;
  /**
   * what it is
   */
  note: string;
  /**
   * digest of the lot model
   */
  model: string;
  /**
   * of the parcels
   */
  seed: number;
  /**
   * of every stone and visit
   */
  scans: number;
  /**
   * what was counted
   */
  cells: {
    [k: string]: unknown;
  }[];
  /**
   * what was counted
   */
  rehearsal: {
    [k: string]: unknown;
  }[];
}
export interface LotBounds {
  /**
   * a change of any bound or exclusion is a new one
   */
  version: string;
  /**
   * date of the stamp
   */
  stamped: string;
  /**
   * the product’s bounds and exclusions; none of them was measured by this implementation
   */
  specified: {
    [k: string]: unknown;
  };
  /**
   * what this implementation measured; null where nothing was measured with its model
   */
  measured: MeasuredBounds | null;
  /**
   * digest of the lot model
   */
  model: string;
  /**
   * what the answer says and does not: keep it with the result
   */
  scope: string;
}
export interface LotForm {
  /**
   * @minItems 1
   */
  files: string[];
  /**
   * how the stones lay
   */
  session_type?: 'shaken' | 'table-up' | 'culet-focus';
  /**
   * who scanned; stands in the report
   */
  operator?: string;
  /**
   * with what; stands in the report
   */
  instrument?: string;
  /**
   * unique in the workspace
   */
  name: string;
}
export interface LotStone {
  /**
   * the member
   */
  stone: string;
  /**
   * scans used
   */
  scans: number;
}
export interface StonePair {
  /**
   * a member
   */
  a: string;
  /**
   * another
   */
  b: string;
}
export interface LookAlikes {
  /**
   * of the stones: those that have a look-alike in the lot
   */
  share: number;
  /**
   * usual up to
   */
  usual_to: number;
}
export interface LotDistance {
  /**
   * of the members’ mean from the middle of the parcels that the bars were set on
   */
  value: number;
  /**
   * usual up to
   */
  usual_to: number;
}
export interface LotFit {
  /**
   * whether the published figures may be expected to hold; where not, do not rely on the answer
   */
  usual: boolean;
  look_alikes: LookAlikes;
  distance: LotDistance;
  /**
   * one sentence: show it wherever you show the answer
   */
  says: string;
}
export interface LotChange {
  /**
   * what was changed
   */
  what: 'renamed' | 'session_type_corrected' | 'retired';
  /**
   * the new name or session type
   */
  to: string | null;
  /**
   * when
   */
  at: string;
}
export interface Lot {
  /**
   * the lot’s
   */
  lot_id: string;
  /**
   * as the workspace calls it
   */
  name: string;
  stones: LotStone[];
  /**
   * how the stones lay
   */
  session_type: 'shaken' | 'table-up' | 'culet-focus';
  /**
   * estimated from the scans where the caller does not say
   */
  session_type_source: 'declared' | 'estimated';
  /**
   * members too alike to be distinguished: a swap between them is invisible
   */
  twins: StonePair[];
  /**
   * whether the lot is like those that the bars were set on; null where that is not known
   */
  fit: LotFit | null;
  /**
   * what is no fault and yet to be known: log it
   */
  warnings: string[];
  /**
   * digest of the lot model
   */
  model: string;
  /**
   * version of GET /api/lotscan/bounds that the answer rests on
   */
  bounds_version: string;
  /**
   * what to do where another lot model serves than the lot was enrolled with
   */
  to_do: string | null;
  /**
   * a retired lot is read, and no longer checked
   */
  status: 'active' | 'retired';
  /**
   * when it was retired
   */
  retired_at: string | null;
  /**
   * since it was enrolled, oldest first
   */
  changes: LotChange[];
  /**
   * when
   */
  enrolled_at: string;
}
export interface LotSummary {
  /**
   * the lot’s
   */
  lot_id: string;
  /**
   * as the workspace calls it
   */
  name: string;
  /**
   * members
   */
  stones: number;
  /**
   * how the stones lay
   */
  session_type: 'shaken' | 'table-up' | 'culet-focus';
  /**
   * whether the lot is like those that the bars were set on; null where that is not known
   */
  usual: boolean | null;
  /**
   * a retired lot is read, and no longer checked
   */
  status: 'active' | 'retired';
  /**
   * when it was retired
   */
  retired_at: string | null;
  /**
   * when
   */
  enrolled_at: string;
  /**
   * made of it
   */
  checks: number;
}
export interface LotCounts {
  /**
   * stones
   */
  returned: number;
  /**
   * of these
   */
  confirmed: number;
  /**
   * of these
   */
  not_confirmed: number;
  /**
   * members that no returned stone is confirmed as
   */
  members_unaccounted: number;
}
export interface LotCheckSummary {
  /**
   * the check
   */
  check_id: string;
  /**
   * how the stones lay
   */
  session_type: 'shaken' | 'table-up' | 'culet-focus';
  /**
   * the check in one line; null of checks made before there was one
   */
  verdict: string | null;
  /**
   * whether the lot is like those that the bars were set on; null where that is not known
   */
  usual: boolean | null;
  counts: LotCounts;
  /**
   * returned stones
   */
  not_confirmed: string[];
  /**
   * when
   */
  checked_at: string;
}
export interface LotWithChecks {
  /**
   * the lot’s
   */
  lot_id: string;
  /**
   * as the workspace calls it
   */
  name: string;
  stones: LotStone[];
  /**
   * how the stones lay
   */
  session_type: 'shaken' | 'table-up' | 'culet-focus';
  /**
   * estimated from the scans where the caller does not say
   */
  session_type_source: 'declared' | 'estimated';
  /**
   * members too alike to be distinguished: a swap between them is invisible
   */
  twins: StonePair[];
  /**
   * whether the lot is like those that the bars were set on; null where that is not known
   */
  fit: LotFit | null;
  /**
   * what is no fault and yet to be known: log it
   */
  warnings: string[];
  /**
   * digest of the lot model
   */
  model: string;
  /**
   * version of GET /api/lotscan/bounds that the answer rests on
   */
  bounds_version: string;
  /**
   * what to do where another lot model serves than the lot was enrolled with
   */
  to_do: string | null;
  /**
   * a retired lot is read, and no longer checked
   */
  status: 'active' | 'retired';
  /**
   * when it was retired
   */
  retired_at: string | null;
  /**
   * since it was enrolled, oldest first
   */
  changes: LotChange[];
  /**
   * when
   */
  enrolled_at: string;
  /**
   * all of them
   */
  check_count: number;
  /**
   * the latest, newest first
   *
   * @maxItems 100
   */
  checks: LotCheckSummary[];
}
export interface LotWish {
  /**
   * another name, unique in the workspace
   */
  name?: string;
  /**
   * how the stones lay
   */
  session_type?: 'shaken' | 'table-up' | 'culet-focus';
}
export interface ReturnedStone {
  /**
   * returned stone, as its files are named
   */
  stone: string;
  /**
   * scans used
   */
  scans: number;
  /**
   * `scan_again`: not confirmed, and a scan may change that
   */
  outcome: 'confirmed' | 'scan_again' | 'not_confirmed';
  /**
   * why it should be scanned again
   */
  why: string | null;
  /**
   * whether it is confirmed as a member; not confirmed is neither foreign nor absent
   */
  confirmed: boolean;
  /**
   * as which
   */
  member: string | null;
  /**
   * against that member, else against the nearest
   */
  score: number;
  /**
   * what the score has to exceed
   */
  bar: number;
  /**
   * score less bar; above 0 and not confirmed: another stone resembles that member more
   */
  margin: number;
  /**
   * that it is that member, a fifth of a simulated lot being exchanged; null where nobody can say so honestly
   */
  probability: number | null;
}
export interface LotMember {
  /**
   * the member
   */
  stone: string;
  /**
   * whether a returned stone is confirmed as it
   */
  accounted: boolean;
  /**
   * which
   */
  by: string | null;
}
export interface MeasuredShare {
  /**
   * the share
   */
  share: number;
  /**
   * shares: 95%
   *
   * @minItems 2
   * @maxItems 2
   */
  interval: number[];
}
export interface OpenPlaces {
  /**
   * the share
   */
  share: number;
  /**
   * shares: 95%
   *
   * @minItems 2
   * @maxItems 2
   */
  interval: number[];
  /**
   * members that nothing accounts for
   */
  places: number;
}
export interface FalseAccept {
  /**
   * one-stone rate that the bar is labelled with
   */
  label: number;
  /**
   * on simulated lots like this one; null where there are none
   */
  measured: MeasuredShare | null;
  /**
   * of this very lot, by its look-alikes; null of checks made before it was known
   */
  own: MeasuredShare | null;
  /**
   * the same at the places that nothing accounts for; null where there are none
   */
  open_places: OpenPlaces | null;
}
export interface OwnBar {
  /**
   * out of the lot’s own scores: a tenth of its look-alikes lie above it
   */
  bar: number;
  /**
   * returned stones that it would confirm: far fewer than the bar that decides
   */
  confirmed: string[];
}
export interface LotCheck {
  /**
   * the same return of the same lot has the same one
   */
  check_id: string;
  /**
   * the lot’s
   */
  lot_id: string;
  /**
   * how the stones lay
   */
  session_type: 'shaken' | 'table-up' | 'culet-focus';
  /**
   * estimated from the scans where the caller does not say
   */
  session_type_source: 'declared' | 'estimated';
  /**
   * the whole check in one line; null of checks made before there was one
   */
  verdict: string | null;
  stones: ReturnedStone[];
  members: LotMember[];
  counts: LotCounts;
  /**
   * whether the lot is like those that the bars were set on; null where that is not known
   */
  fit: LotFit | null;
  false_accept: FalseAccept;
  /**
   * a second answer, which decides nothing; left out of checks made before there was one
   */
  own_bar?: OwnBar;
  /**
   * what is no fault and yet to be known: log it
   */
  warnings: string[];
  /**
   * what the answer says and does not: keep it with the result
   */
  scope: string;
  /**
   * version of GET /api/lotscan/bounds that the answer rests on
   */
  bounds_version: string;
  /**
   * digest of the lot model
   */
  model: string;
  /**
   * what to do where another lot model serves now
   */
  to_do: string | null;
  /**
   * who scanned
   */
  operator?: string;
  /**
   * with what
   */
  instrument?: string;
  /**
   * when it was first checked
   */
  checked_at: string;
}
export interface ReturnForm {
  /**
   * @minItems 1
   */
  files: string[];
  /**
   * how the stones lay
   */
  session_type?: 'shaken' | 'table-up' | 'culet-focus';
  /**
   * who scanned; stands in the report
   */
  operator?: string;
  /**
   * with what; stands in the report
   */
  instrument?: string;
}
export interface RehearsalWish {
  /**
   * share of the places to vacate
   */
  substitution?: number;
  /**
   * of the draws
   */
  seed?: number;
  /**
   * how many
   */
  draws?: number;
  /**
   * whose stones are offered: the model’s cohort, or lots of the same workspace
   */
  source?: 'cohort' | string[];
}
export interface Caught {
  /**
   * not confirmed
   */
  count: number;
  /**
   * of those offered
   */
  share: number;
  /**
   * shares: 95%
   *
   * @minItems 2
   * @maxItems 2
   */
  interval: number[];
}
export interface Tried {
  /**
   * whose stones were offered
   */
  substitutes: 'members' | 'cohort' | 'lots';
  caught: Caught;
  /**
   * share of single substitutes that some member would confirm
   */
  one_stone_false_accept: number;
}
export interface FalseMatch {
  /**
   * member
   */
  stone: string;
  /**
   * draws
   */
  times: number;
}
export interface Rehearsal {
  /**
   * the same wish of the same lot has the same one
   */
  rehearsal_id: string;
  /**
   * the lot’s
   */
  lot_id: string;
  /**
   * share
   */
  substitution: number;
  /**
   * how many
   */
  draws: number;
  /**
   * of the draws
   */
  seed: number;
  source: 'cohort' | string[];
  /**
   * places vacated a draw
   */
  vacated: number;
  /**
   * substitutes in all draws
   */
  offered: number;
  /**
   * the lowest of what was tried; null where no place was vacated, or the lot is not like those that the bars were set on
   */
  caught: Caught | null;
  /**
   * share of single substitutes that some member would confirm, the highest of what was tried
   */
  one_stone_false_accept: number;
  tried: Tried[];
  /**
   * whether the lot is like those that the bars were set on; null where that is not known
   */
  fit: LotFit | null;
  /**
   * members that substitutes were confirmed as most often
   */
  falsely_matched: FalseMatch[];
  invisible_swaps: StonePair[];
  /**
   * share caught of the cohort less that of the lots named, or as measured where none are; null where not known
   */
  cohort_flatters_by: number | null;
  /**
   * how to read it
   */
  notes: string[];
  /**
   * what the answer says and does not: keep it with the result
   */
  scope: string;
  /**
   * version of GET /api/lotscan/bounds that the answer rests on
   */
  bounds_version: string;
  /**
   * when it was first rehearsed
   */
  rehearsed_at: string;
}
export interface Problem {
  /**
   * what is wrong, and where it helps, what to do
   */
  detail: string;
  /**
   * which refusal this is, for programs; a code keeps its meaning
   */
  code:
    | 'unparseable'
    | 'axis_shape'
    | 'side_shape'
    | 'non_finite'
    | 'flat'
    | 'no_identity'
    | 'not_diamond'
    | 'noise_character'
    | 'reject_target'
    | 'invalid_json'
    | 'not_an_object'
    | 'asset'
    | 'stone_name'
    | 'stone_count'
    | 'stone_scans'
    | 'enrolment_files'
    | 'copied_scans'
    | 'scoring_full'
    | 'scoring_timed_out'
    | 'scoring_worker_lost'
    | 'scoring_unreachable'
    | 'scoring_other_model'
    | 'scoring_closed'
    | 'credential_api_key'
    | 'credential_operator'
    | 'credential_workspace'
    | 'operator_scope'
    | 'unreadable_multipart'
    | 'bad_request'
    | 'no_route'
    | 'no_threshold'
    | 'not_found'
    | 'wrong_method'
    | 'slow_request'
    | 'conflict'
    | 'too_large'
    | 'uri_too_long'
    | 'wrong_content_type'
    | 'compressed'
    | 'expectation'
    | 'unprocessable'
    | 'too_many'
    | 'headers_too_large'
    | 'fault'
    | 'busy'
    | 'bodies_full'
    | 'store_unavailable'
    | 'not_ready';
  /**
   * the side that is to blame, where it is one
   */
  side?: 'rough' | 'polish';
  /**
   * the file that is to blame, where it is one
   */
  file?: string;
  /**
   * as X-Request-Id
   */
  request_id: string;
}
export interface Label {
  /**
   * from a verify-match answer of the same key
   */
  claim_id: string;
  /**
   * match: the same stone
   */
  expected: 'match' | 'no_match';
  /**
   * your reference, echoed
   */
  stone_id?: string;
  /**
   * at most 280 characters
   */
  note?: string;
}
