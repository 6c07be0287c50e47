/** Codes of the service in words, and what they and the figures mean: one table for all pages. */

import type { ClaimRow } from '#client';

/** Name of a code, and its meaning where the name does not say it. */
type Word = readonly [name: string, meaning?: string];

const WORDS: Record<string, Word | undefined> = {
  true: ['yes'],
  false: ['no'],
  // verdicts and labels
  MATCH: ['Match', 'The polish came out of the claimed rough, as the score is above the threshold.'],
  NO_MATCH: ['No match', 'The score does not exceed the threshold: the claim is not confirmed.'],
  match: ['match', 'Ground truth, as the client labelled it: the claim was true.'],
  no_match: ['no match', 'Ground truth, as the client labelled it: the claim was not true.'],
  none: ['without a label'],
  scored: ['scored'],
  unfinished: ['unfinished', 'Submitted, and no verdict was stored: the same claim sent again is taken up.'],
  // actions
  action: ['action', 'What the contract recommends to do with the answer.'],
  action_reasons: ['reasons to look', 'Why a person should look before the answer is followed.'],
  accept: ['accept', 'Confirmed under the conditions on which the threshold was measured.'],
  review: ['review', 'A person looks before the answer is followed: the claim says why.'],
  reject: ['reject', 'Not confirmed, and not likely to be true.'],
  // reviews
  confirmed: ['confirmed', 'Looked at: what the service said held up.'],
  wrong: ['wrong', 'Looked at: what the service said did not hold up.'],
  inconclusive: ['inconclusive', 'Looked at, and still open.'],
  taken_back: ['taken back', 'The note before it does not count: it waits again.'],
  explained: ['explained', 'There is an innocent reason, which the note gives.'],
  client_asked: ['client asked', 'The client was asked about it.'],
  key_revoked: ['key revoked', 'The key behind it was revoked.'],
  no_matter: ['no matter', 'It is as it was found, and of no consequence.'],
  open: ['open', 'Not reviewed since it last changed.'],
  reviewed: ['reviewed', 'Nothing came to it since an operator reviewed it.'],
  // findings
  probing: ['probing', 'Claims on one polish against two or more roughs.'],
  multi_pass: ['multi-pass', 'More than one confirmed rough for one polish.'],
  same_scans: ['same scans', 'The very same scans of the polish were claimed for several roughs.'],
  same_reference: ['same reference', 'The client named the polish alike for several roughs.'],
  likeness: [
    'likeness',
    'Polishes that measure alike were claimed for several roughs: a question, no proof that they are one.',
  ],
  // warnings of an answer
  uncalibrated_population: [
    'not calibrated',
    'The shipped threshold decided: the population has no approved one at this rung.',
  ],
  unvalidated_expected_genuine_accept: [
    'carried-over acceptance',
    'expected_genuine_accept comes from another population.',
  ],
  too_few_rough_scans: ['few rough scans', 'Fewer scans of the rough than the intake protocol asks for.'],
  duplicate_rough_scans: ['repeated rough scans', 'Scans of the rough that repeat another one byte for byte.'],
  multiple_stone_ids: ['several stone references', 'One side names more than one stone; all its scans were pooled.'],
  insufficient_coverage: ['short coverage', 'Scans do not cover the whole reference axis.'],
  off_manifold: ['off-manifold', 'Noise unlike that of directly acquired data.'],
  locally_polynomial: ['looks smoothed', 'Scans look smoothed by a short polynomial filter.'],
  replay_flag_ignored: [
    'replay flag ignored',
    'A replay was asked for without a right to it: the call counts as a claim.',
  ],
  experimental_rung: ['experimental rung', 'Rungs below 0.95 are for measurement, not for quotation.'],
  other: ['other'],
  // refusals
  unparseable: ['unreadable scans'],
  non_finite: ['values that are no numbers'],
  flat: ['flat scans', 'Scans of zero variance carry no identity.'],
  no_identity: ['scans without identity'],
  not_diamond: ['no diamond in the scans'],
  noise_character: ['processed scans', 'The noise is not that of directly acquired data: smoothed or resampled.'],
  refused_reject_target: ['no rung of the ladder', 'The reject_target that was asked for is none of the ladder’s.'],
  invalid_json: ['invalid JSON'],
  axis_shape: ['malformed axis'],
  side_shape: ['malformed side'],
  too_many: ['over the rate'],
  too_large: ['too large'],
  credential_api_key: ['unknown or revoked key'],
  credential_expired: ['expired key'],
  credential_paused: ['paused key'],
  credential_operator: ['unknown operator key'],
  scoring_full: ['busy: scoring full'],
  scoring_timed_out: ['busy: scoring took too long'],
  store_unavailable: ['event log away'],
  // measures
  fused_score: ['score', 'Mean of the encoders’ scores; compared with the threshold.'],
  threshold: ['threshold', 'The bar that the score is held to.'],
  p_match_5050: ['p(match)', 'Probability that the claim is true, were as many claims true as false.'],
  expected_genuine_accept: [
    'expected acceptance',
    'Estimated share of genuine claims that are confirmed at this threshold.',
  ],
  reject_target: ['rung', 'Share of wrong claims that the threshold is to reject.'],
  match_share: ['match share', 'Share of MATCH among verdicts; repeats left out.'],
  sharpness: ['sharpness', 'Spectral-detail gauge: how much fine structure the scans carry.'],
  detail_residual: ['detail residual', 'How far the noise departs from that of directly acquired data.'],
  locally_polynomial_gauge: ['locally polynomial', 'Near 1 where scans were smoothed by a short polynomial filter.'],
  rough_sharpness: ['sharpness of the rough'],
  polish_sharpness: ['sharpness of the polish'],
  rough_detail_residual: ['detail residual of the rough'],
  polish_detail_residual: ['detail residual of the polish'],
  shared_scans: ['shared scans', 'Scans of the rough that are scans of the polish too.'],
  repeats: ['sent again', 'Times that the same claim was sent again and got the stored answer.'],
  // parts of the service
  ok: ['ok'],
  degraded: ['degraded', 'Claims are served; something else stands still or is damaged.'],
  unavailable: ['unavailable', 'Claims are not served now.'],
  stopped: ['stopped'],
  running: ['running'],
  sound: ['sound'],
  damaged: ['damaged'],
  failed: ['failed'],
  dropping: ['dropping lines', 'The standard output does not take log lines.'],
  not_seen: ['not seen', 'No replica that answers operators has said anything for some seconds.'],
  event_log: ['event log'],
  log_check: ['log check', 'The look through the whole event log in the background.'],
  log_output: ['log output'],
  // lots
  retired: ['retired', 'Read as before, and no longer checked.'],
  shaken: ['shaken', 'The stones lay as they fell.'],
  'table-up': ['table up'],
  'culet-focus': ['culet in focus'],
  // drift
  drifting: ['drifting'],
  differs_from_shipped: [
    'differs from shipped',
    'Nothing is approved, and recent claims are not like those of the shipped asset.',
  ],
  steady: ['steady'],
  gathering: ['gathering', 'No window of claims is full yet.'],
  no_baseline: ['no baseline', 'The asset holds none, and nothing is approved.'],
  // keys and scopes
  production: ['production'],
  test: ['test', 'Test traffic is reported apart.'],
  active: ['active'],
  revoked: ['revoked'],
  operate: ['operate', 'Reads everything and decides.'],
  audit: ['audit', 'Reads everything and changes nothing.'],
  metrics: ['metrics', 'Reads the metrics alone.'],
  // calibration
  calibrated: ['calibrated', 'A threshold of the population’s own decides.'],
  uncalibrated: ['as shipped', 'The threshold that came with the model decides.'],
  ApprovalRequested: ['approval asked for, rung'],
  RungApproved: ['approved, rung'],
  RungWithdrawn: ['withdrawn, rung'],
  ScorerRequested: ['scorer asked for'],
  ScorerApproved: ['scorer approved'],
  ScorerWithdrawn: ['scorer withdrawn'],
  // events
  ClaimSubmitted: ['submitted'],
  ClaimScored: ['scored'],
  ClaimRepeated: ['sent again'],
  ClaimShadowScored: ['scored by the shadow model', 'Evidence for that model’s own ladder, and no answer.'],
  ClaimReviewed: ['reviewed'],
  ClaimLabelled: ['labelled'],
  LabelAmended: ['label changed'],
};

/** A code in words; one that the table does not know without its underscores. */
export const inWords = (code: string): string => WORDS[code]?.[0] ?? code.replaceAll('_', ' ');

/** The meaning of a code, where there is more to say than its name. */
export const meaningOf = (code: string): string | undefined => WORDS[code]?.[1];

/** The code of a reason why calls were refused: one of them is a member of the answer too, where it means another thing. */
export const refusal = (reason: string): string => (reason === 'reject_target' ? 'refused_reject_target' : reason);

/** Kinds of warnings, as filters name them. */
export const WARNINGS = [
  'uncalibrated_population',
  'unvalidated_expected_genuine_accept',
  'too_few_rough_scans',
  'duplicate_rough_scans',
  'multiple_stone_ids',
  'insufficient_coverage',
  'off_manifold',
  'locally_polynomial',
  'replay_flag_ignored',
  'experimental_rung',
  'other',
] as const satisfies readonly ClaimRow['warnings'][number][];
