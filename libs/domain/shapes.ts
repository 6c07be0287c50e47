/** Members and shapes that several events hold. */

import { limits } from '#config/limits';
import { DRIFT_MEASURES } from '#science/calibration/drift';
import { REJECT_TARGETS } from '#science/calibration/ladder';
import { ACTION_REASONS } from '#science/matching/action';
import {
  boolean,
  count,
  described,
  encoded,
  list,
  map,
  number,
  object,
  one,
  optional,
  orNull,
  pair,
  text,
} from './schemas.js';
import { isVector } from './vectors.js';

/** Lines of an event that holds bytes in base64, and characters of a line: it stays well below what one append takes. */
export const MAX_LINES = 512;
export const LINE_CHARACTERS = 1368;

/** `probing`: one polish against several claimed roughs by one key. `multi_pass`: several confirmed roughs for it. */
export const FINDINGS = ['probing', 'multi_pass'] as const;
export const VERDICTS = ['MATCH', 'NO_MATCH'] as const;
export const EXPECTED = ['match', 'no_match'] as const;
export const KEY_KINDS = ['production', 'test'] as const;

/** The outcome of a review: it says if a claim’s verdict held up; `taken_back` takes the note before it back. */
export const REVIEW_OUTCOMES = ['confirmed', 'wrong', 'inconclusive', 'taken_back'] as const;
/** Of a finding: what came of it. The others are of the time when a finding was said to hold up or not. */
export const FINDING_OUTCOMES = ['explained', 'client_asked', 'key_revoked', 'no_matter', ...REVIEW_OUTCOMES] as const;

/** Characters as people count them may take two code points. */
export const characters = (max: number) => text(2 * max);

export const anId = text(128, '^[\\w.:/+=-]{1,128}$');
export const aName = text(limits.nameCharacters, '^\\P{C}+$');
/** Of operators, by configuration. */
const anOperator = text(256);
export const aReason = characters(limits.reasonCharacters);
export const aDigest = text(64, '^[0-9a-f]{64}$');
export const aPlace = text(20, '^[0-9]{1,20}$');
/** ISO 8601 in UTC. Every value is a time to `Date.parse`, which takes February 29 of a common year as March 1. */
const DAY = '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|[12]\\d))';
export const aTime = text(40, `^\\d{4}-${DAY}T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?Z$`);
export const aRung = one<number>(...REJECT_TARGETS);
export const aShare = orNull(number(0, 1));
export const aScore = number();
/** 256 float32. */
export const aVector = encoded(1368, isVector);
export const aVerdict = one(...VERDICTS);
export const aSide = one('rough', 'polish');
export const aTransport = one('json', 'multipart');
export const references = list(characters(limits.referenceCharacters), 4096);

export const claimId = described(anId, 'the claim');
export const requestId = described(anId, 'the request, as in `X-Request-Id`');
export const latency = described(map(number(0)), 'milliseconds by stage');
export const at = described(aTime, 'when, ISO 8601');
export const operator = described(anOperator, "the operator's name");
export const reason = described(aReason, 'as the operator gave it');
export const population = described(aName, 'the population');
export const modelDigest = described(aDigest, 'digest of the model, 64 hex');
export const rung = described(aRung, 'the rung');

const key = {
  id: described(text(16, '^[0-9a-f]{16}$'), 'public id, 16 hex: head of the SHA-256 of the name'),
  name: described(aName, 'as the operator named it'),
  kind: described(one(...KEY_KINDS), '`production` or `test`'),
  population: described(aName, 'whose ladder decides'),
};
const workspace = {
  id: described(text(16, '^[0-9a-f]{16}$'), 'public id, 16 hex: head of the SHA-256 of the name'),
  name: described(aName, 'as the operator named it'),
};
const side = {
  digest: described(aDigest, 'SHA-256 of the parsed numbers, 64 hex'),
  scans: described(count, 'scans used'),
  duplicates: described(count, 'of these, exact copies of another'),
  short_coverage: described(boolean, 'whether an axis has a hole or stops short of the reference axis'),
  references: described(references, 'stone references from file names or `stone_id`'),
  sharpness: described(number(), 'spectral-detail gauge'),
  detail_residual: described(
    number(),
    'noise-character gauge as answered: held at -0.45 where the smoothing is recognised as polynomial',
  ),
  detail_residual_measured: described(orNull(number()), 'the same as measured; null where not known'),
  locally_polynomial: described(number(), 'smoothing gauge'),
};
const sent = {
  transport: described(aTransport, '`json` or `multipart`'),
  rough: described(references, 'stone references of the rough'),
  polish: described(references, 'stone references of the polish'),
};
const answered = {
  mode: described(one('verify-match'), '`verify-match`'),
  verdict: described(aVerdict, '`MATCH` or `NO_MATCH`'),
  fused_score: described(aScore, 'the thresholded score; by a population’s own scorer it may be negative'),
  scorer: described(
    one('raw', 'population'),
    '`raw`, or `population`: [the population’s own](../operate/calibration.md#a-populations-own-scorer)',
  ),
  member_scores: described(map(aScore), 'by encoder, of the scorer'),
  member_cosines: described(map(aScore), 'by encoder, whatever the scorer'),
  threshold: described(aScore, 'the bar applied'),
  threshold_source: described(text(512), 'source of the threshold'),
  reject_target: rung,
  expected_genuine_accept: described(aShare, 'estimate or null'),
  p_match_5050: described(number(0, 1), 'calibrated probability'),
  n_rough_scans: described(count, 'scans used'),
  n_polish_scans: described(count, 'scans used'),
  rough_sharpness: described(number(), 'gauge'),
  polish_sharpness: described(number(), 'gauge'),
  rough_detail_residual: described(number(), 'gauge'),
  polish_detail_residual: described(number(), 'gauge'),
  warnings: described(list(text(4096), 64), 'as answered'),
  scope: described(text(16_384), 'calibration scope'),
  claim_id: claimId,
  experimental: described(optional(one(true)), 'true on an experimental rung'),
};
const proposal = {
  digest: described(aDigest, 'the proposal’s, 64 hex, as the operator saw it'),
  evidence_digest: described(aDigest, 'over the counted claims and their vectors, 64 hex'),
  method: described(text(64), 'version of docs/concepts/calibration-method.md'),
  model: modelDigest,
  position: described(aPlace, 'place in the log of the last claim behind it'),
  decisions: described(count, 'approvals and withdrawals of the population before it'),
  claims: described(count, 'counted claims behind it'),
  roughs: described(count, 'rough stones'),
  polishes: described(count, 'polish stones'),
  pairs: described(count, 'pairs of stones that stand for wrong claims'),
  threshold: described(aScore, 'the bar'),
  interval: described(pair(aScore), 'its 95% interval over stones'),
  wrong_per_1000: described(number(0, 1000), 'wrong claims in 1,000 that it accepts'),
  expected_genuine_accept: described(aShare, 'estimate or null'),
  expected_genuine_accept_error: described(orNull(number(0)), 'its standard error, or null'),
  expected_genuine_accept_reason: described(orNull(text(512)), 'why the estimate is null'),
};
const scorerRung = {
  reject_target: rung,
  confirmed_raw: described(aShare, 'share of genuine claims confirmed with raw scores, or null'),
  confirmed_mapped: described(aShare, 'the same under the scorer, or null'),
  wrong_raw: described(aShare, 'share of wrong claims accepted at the threshold that came with the model, or null'),
  wrong_mapped: described(aShare, 'the same under the scorer, or null'),
};
const scorerProposal = {
  digest: described(aDigest, 'the proposal’s, 64 hex, as the operator saw it'),
  scorer: described(aDigest, 'SHA-256 of the scorer’s bytes, 64 hex'),
  evidence_digest: proposal.evidence_digest,
  method: described(text(64), 'name and version of the method'),
  model: modelDigest,
  position: proposal.position,
  decisions: described(count, 'approvals and withdrawals of the population before it'),
  claims: described(count, 'counted claims behind it'),
  groups: described(count, 'groups of claims on distinct stones'),
  trimmed: described(count, 'claims left out of the fit'),
  curve: described(one('own', 'shipped'), '`own`, or `shipped`: the probability curve that came with the model'),
  rungs: described(
    list(object(scorerRung), 16),
    'what it brings, rung by rung, cross-fitted ([scorer rung](#scorer-rung))',
  ),
};
const baseline = {
  source: described(
    one('approved', 'shipped'),
    '`approved`: the claims behind an approval, or `shipped`: the shipped asset',
  ),
  model: modelDigest,
  reject_target: described(orNull(aRung), 'the rung approved; null for a scorer, or the shipped asset'),
  approved_at: described(orNull(aTime), 'when, or null'),
  claims: described(count, 'claims that it is made of'),
  position: described(aPlace, 'place in the log after which windows begin'),
};
const measure = {
  measure: described(one(...DRIFT_MEASURES), '`fused_score`, or a gauge with its side'),
  statistic: described(number(), 'Anderson-Darling statistic of window against baseline'),
  drifted: described(boolean, 'whether it exceeds the limit'),
  baseline_median: described(number(), 'median of the baseline'),
  window_median: described(number(), 'median of the window'),
  shift: described(
    orNull(number()),
    'from median to median, in standard deviations of the baseline; null where that does not vary',
  ),
};
const window = {
  from: described(count, 'place in the log of its first claim'),
  to: described(count, 'the same of its last'),
  until: described(aTime, 'when that was made, ISO 8601'),
  claims: described(count, 'claims in it'),
  measures: described(list(object(measure), 64), 'a list, one for each measure ([measure](#measure))'),
};
const label = {
  expected: described(one(...EXPECTED), '`match` or `no_match`'),
  stone_id: described(optional(characters(limits.referenceCharacters)), "the caller's reference"),
  note: described(optional(characters(limits.noteCharacters)), "the caller's note"),
  request_id: requestId,
  at,
};

/** Requests a second that one key may be given. */
export const MAX_RATE = 1_000_000;

const keyLife = {
  expires_at: described(orNull(aTime), 'from then on it is refused; null: it does not end by itself'),
  rate: described(orNull(number(1, MAX_RATE)), 'requests a second; null: `MVS_MAX_RATE`'),
  contact: described(orNull(characters(limits.noteCharacters)), 'whom to ask about it'),
  paused: described(boolean, 'true: it is refused until it is resumed'),
  reads_population: described(boolean, 'true: it also reads claims that other keys of its population made'),
};

/** By the name under which docs/reference/events.md shows them. */
export const shapes = {
  ...{
    key,
    'key life': keyLife,
    workspace,
    side,
    sent,
    result: answered,
    proposal,
    'scorer proposal': scorerProposal,
    'scorer rung': scorerRung,
  },
  ...{ baseline, window, measure, label },
};

export const aKey = object(key);
export const aKeyLife = object(keyLife);
export const aWorkspace = object(workspace);
export const sideFacts = object(side);
export const aSent = object(sent);
export const aResult = object(answered);
export const aProposal = object(proposal);
export const aScorerProposal = object(scorerProposal);
export const aBaseline = object(baseline);
export const aWindow = object(window);
export const aLabel = object(label);

/** Why a person should look at an answer. */
export const actionReasons = described(
  orNull(list(one(...ACTION_REASONS), 16)),
  'why a person should look before the answer is followed, by code; null before version 2: the contract’s recommended pattern',
);

/** The compute engine and the answer, as several events of a claim have them. */
export const engine = described(text(64), 'compute engine');
export const result = described(aResult, 'the answer ([result](#result))');

/** Members of a claim as it was submitted or replayed. */
export const submission = {
  claim_id: claimId,
  request_id: requestId,
  key: described(aKey, 'the key that made it ([key](#key))'),
  transport: described(aTransport, '`json` or `multipart`'),
  reject_target: rung,
  model: modelDigest,
  ladder_revision: described(
    text(96),
    'what the population’s ladder was decided by; behind `@` the digest of its own scorer, where one decided',
  ),
  ladder_digest: described(
    orNull(aDigest),
    'digest of the calibration asset that came with the model, 64 hex; null before version 2',
  ),
  rough: described(sideFacts, 'the claimed rough ([side](#side))'),
  polish: described(sideFacts, 'the polish ([side](#side))'),
  shared_scans: described(
    orNull(count),
    'scans of the rough that are scans of the polish too, but for rounding, resampling, a factor or a constant; null where not known',
  ),
  at,
};

/** An operator's words about a claim or a finding. */
const note = described(aReason, "the operator's note");
const signed = { operator, request_id: requestId, at };
export const reviewed = {
  note,
  outcome: described(
    orNull(one(...REVIEW_OUTCOMES)),
    '`confirmed`, `wrong` or `inconclusive`; `taken_back`: it waits again; null where the operator did not say',
  ),
  ...signed,
};
export const findingReviewed = {
  note,
  outcome: described(
    orNull(one(...FINDING_OUTCOMES)),
    '`explained`, `client_asked`, `key_revoked`, `no_matter`, or one of a claim; `taken_back`: it is open again; null where the operator did not say',
  ),
  ...signed,
};
