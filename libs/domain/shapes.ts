/** Members and shapes that several events hold. */
import { DRIFT_MEASURES, type DriftWindow, type MeasureDrift, REJECT_TARGETS } from '#calibration';
import { limits } from '#config';
import { MAX_NAME_CHARACTERS } from './api-key/decide.js';
import type { KeyFacts } from './api-key/events.js';
import { MAX_REASON_CHARACTERS } from './calibration/decide.js';
import type { ProposalFacts, ScorerProposal, ScorerRung } from './calibration/events.js';
import type { ClaimResult, Sent, SideFacts } from './claim/events.js';
import type { DriftBaseline } from './drift/events.js';
import { MAX_STONE_ID_CHARACTERS } from './label/decide.js';
import type { Label } from './label/events.js';
import { isVector } from './scan-set-bank/decide.js';
import {
  count,
  list,
  type Member,
  type Members,
  map,
  number,
  one,
  optional,
  orNull,
  pair,
  type Schema,
  shape,
  text,
  yesOrNo,
} from './schema.js';
import type { WorkspaceFacts } from './workspace/events.js';

/** Of a limit in characters, the UTF-16 code units that they may take. */
export const characters = (max: number) => text(2 * max);

export const anId = text(128, /^[\w.:/+=-]{1,128}$/);
export const aName = text(MAX_NAME_CHARACTERS, /^\P{C}+$/u);
/** Of operators, by configuration. */
const anOperator = text(256);
export const aReason = characters(MAX_REASON_CHARACTERS);
export const aDigest = text(64, /^[0-9a-f]{64}$/);
export const aPlace = text(20, /^[0-9]{1,20}$/);
export const aTime = text(40, /^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/);
export const aRung = one(...REJECT_TARGETS) as unknown as Schema<number>;
export const aShare = orNull(number(0, 1));
export const aScore = number();
/** 256 float32. */
export const aVector = text(1368, isVector);
export const aVerdict = one('MATCH', 'NO_MATCH');
export const aSide = one('rough', 'polish');
export const aTransport = one('json', 'multipart');
export const references = list(characters(MAX_STONE_ID_CHARACTERS), 4096);

export const claimId: Member<Schema<string>> = [anId, 'the claim'];
export const requestId: Member<Schema<string>> = [anId, 'the request, as in `X-Request-Id`'];
export const latency: Member<Schema<Record<string, number>>> = [map(number(0)), 'milliseconds by stage'];
export const at: Member<Schema<string>> = [aTime, 'when, ISO 8601'];
export const operator: Member<Schema<string>> = [anOperator, "the operator's name"];
export const reason: Member<Schema<string>> = [aReason, 'as the operator gave it'];
export const population: Member<Schema<string>> = [aName, 'the population'];
export const modelDigest: Member<Schema<string>> = [aDigest, 'digest of the model, 64 hex'];
export const rung: Member<Schema<number>> = [aRung, 'the rung'];

const key: Members<KeyFacts> = {
  id: [text(16, /^[0-9a-f]{16}$/), 'public id, 16 hex: head of the SHA-256 of the name'],
  name: [aName, 'as the operator named it'],
  kind: [one('production', 'test'), '`production` or `test`'],
  population: [aName, 'whose ladder decides'],
};
const workspace: Members<WorkspaceFacts> = {
  id: [text(16, /^[0-9a-f]{16}$/), 'public id, 16 hex: head of the SHA-256 of the name'],
  name: [aName, 'as the operator named it'],
};
const side: Members<SideFacts> = {
  digest: [aDigest, 'SHA-256 of the parsed numbers, 64 hex'],
  scans: [count, 'scans used'],
  duplicates: [count, 'of these, exact copies of another'],
  short_coverage: [yesOrNo, 'whether an axis has a hole or stops short of the reference axis'],
  references: [references, 'stone references from file names or `stone_id`'],
  sharpness: [number(), 'spectral-detail gauge'],
  detail_residual: [
    number(),
    'noise-character gauge as answered: held at -0.45 where the smoothing is recognised as polynomial',
  ],
  detail_residual_measured: [orNull(number()), 'the same as measured; null where not known'],
  locally_polynomial: [number(), 'smoothing gauge'],
};
const sent: Members<Sent> = {
  transport: [aTransport, '`json` or `multipart`'],
  rough: [references, 'stone references of the rough'],
  polish: [references, 'stone references of the polish'],
};
const result: Members<ClaimResult> = {
  mode: [one('verify-match'), '`verify-match`'],
  verdict: [aVerdict, '`MATCH` or `NO_MATCH`'],
  fused_score: [aScore, 'the thresholded score; by a population’s own scorer it may be negative'],
  scorer: [one('raw', 'population'), '`raw`, or `population`: [the population’s own](scorer.md)'],
  member_scores: [map(aScore), 'by encoder, of the scorer'],
  member_cosines: [map(aScore), 'by encoder, whatever the scorer'],
  threshold: [aScore, 'the bar applied'],
  threshold_source: [text(512), 'where it comes from'],
  reject_target: rung,
  expected_genuine_accept: [aShare, 'estimate or null'],
  p_match_5050: [number(0, 1), 'calibrated probability'],
  n_rough_scans: [count, 'scans used'],
  n_polish_scans: [count, 'scans used'],
  rough_sharpness: [number(), 'gauge'],
  polish_sharpness: [number(), 'gauge'],
  rough_detail_residual: [number(), 'gauge'],
  polish_detail_residual: [number(), 'gauge'],
  warnings: [list(text(4096), 64), 'as answered'],
  scope: [text(16_384), 'calibration scope'],
  claim_id: claimId,
  experimental: [optional(one(true)), 'true on an experimental rung'],
};
const proposal: Members<ProposalFacts> = {
  digest: [aDigest, 'the proposal’s, 64 hex, as the operator saw it'],
  evidence_digest: [aDigest, 'over the counted claims and their vectors, 64 hex'],
  method: [text(64), 'version of docs/calibration-method.md'],
  model: modelDigest,
  position: [aPlace, 'place in the log of the last claim behind it'],
  decisions: [count, 'approvals and withdrawals of the population before it'],
  claims: [count, 'counted claims behind it'],
  roughs: [count, 'rough stones'],
  polishes: [count, 'polish stones'],
  pairs: [count, 'pairs of stones that stand for wrong claims'],
  threshold: [aScore, 'the bar'],
  interval: [pair(aScore), 'its 95% interval over stones'],
  wrong_per_1000: [number(0, 1000), 'wrong claims in 1,000 that it accepts'],
  expected_genuine_accept: [aShare, 'estimate or null'],
  expected_genuine_accept_error: [orNull(number(0)), 'its standard error, or null'],
  expected_genuine_accept_reason: [orNull(text(512)), 'why the estimate is null'],
};
const scorerRung: Members<ScorerRung> = {
  reject_target: rung,
  confirmed_raw: [aShare, 'share of genuine claims confirmed with raw scores, or null'],
  confirmed_mapped: [aShare, 'the same under the scorer, or null'],
  wrong_raw: [aShare, 'share of wrong claims accepted at the threshold that came with the model, or null'],
  wrong_mapped: [aShare, 'the same under the scorer, or null'],
};
const scorerProposal: Members<ScorerProposal> = {
  digest: [aDigest, 'the proposal’s, 64 hex, as the operator saw it'],
  scorer: [aDigest, 'SHA-256 of the scorer’s bytes, 64 hex'],
  evidence_digest: proposal.evidence_digest,
  method: [text(64), 'name and version of the method'],
  model: modelDigest,
  position: proposal.position,
  decisions: [count, 'approvals and withdrawals of the population before it'],
  claims: [count, 'counted claims behind it'],
  groups: [count, 'groups of claims on distinct stones'],
  trimmed: [count, 'claims left out of the fit'],
  curve: [one('own', 'shipped'), '`own`, or `shipped`: the probability curve that came with the model'],
  rungs: [
    list(shape<ScorerRung>(scorerRung), 16),
    'what it brings, rung by rung, cross-fitted ([scorer rung](#scorer-rung))',
  ],
};
const baseline: Members<DriftBaseline> = {
  source: [one('approved', 'shipped'), '`approved`: the claims behind an approval, or `shipped`: the shipped asset'],
  model: modelDigest,
  reject_target: [orNull(aRung), 'the rung approved; null for a scorer, or the shipped asset'],
  approved_at: [orNull(aTime), 'when, or null'],
  claims: [count, 'claims that it is made of'],
  position: [aPlace, 'place in the log after which windows begin'],
};
const measure: Members<MeasureDrift> = {
  measure: [one(...DRIFT_MEASURES), '`fused_score`, or a gauge with its side'],
  statistic: [number(), 'Anderson-Darling statistic of window against baseline'],
  drifted: [yesOrNo, 'whether it exceeds the limit'],
  baseline_median: [number(), 'median of the baseline'],
  window_median: [number(), 'median of the window'],
  shift: [
    orNull(number()),
    'from median to median, in standard deviations of the baseline; null where that does not vary',
  ],
};
const window: Members<DriftWindow> = {
  from: [count, 'place in the log of its first claim'],
  to: [count, 'the same of its last'],
  until: [aTime, 'when that was made, ISO 8601'],
  claims: [count, 'claims in it'],
  measures: [list(shape<MeasureDrift>(measure), 64), 'a list, one for each measure ([measure](#measure))'],
};
const label: Members<Label> = {
  expected: [one('match', 'no_match'), '`match` or `no_match`'],
  stone_id: [optional(characters(MAX_STONE_ID_CHARACTERS)), "the caller's reference"],
  note: [optional(characters(limits.noteCharacters)), "the caller's note"],
  request_id: requestId,
  at,
};

/** By the name under which docs/events.md shows them. */
export const shapes = {
  ...{ key, workspace, side, sent, result, proposal, 'scorer proposal': scorerProposal, 'scorer rung': scorerRung },
  ...{ baseline, window, measure, label },
};

export const aKey = shape<KeyFacts>(key);
export const aWorkspace = shape<WorkspaceFacts>(workspace);
export const sideFacts = shape<SideFacts>(side);
export const aSent = shape<Sent>(sent);
export const aResult = shape<ClaimResult>(result);
export const aProposal = shape<ProposalFacts>(proposal);
export const aScorerProposal = shape<ScorerProposal>(scorerProposal);
export const aBaseline = shape<DriftBaseline>(baseline);
export const aWindow = shape<DriftWindow>(window);
export const aLabel = shape<Label>(label);
