/** JSON schemas of what goes in and out, as OpenAPI 3.1 has them. */
import { REJECT_TARGETS } from '#calibration';
import { limits } from '#config';
import { MAX_NAME_CHARACTERS, MAX_REASON_CHARACTERS } from '#domain';
import { ERRORS } from '../http/problem.js';

export type Schema = { [key: string]: unknown };

export const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more });
export const number = (description: string, more: Schema = {}): Schema => ({ type: 'number', description, ...more });
export const whole = (description: string, more: Schema = {}): Schema => ({ type: 'integer', description, ...more });
export const flag = (description: string): Schema => ({ type: 'boolean', description });
export const list = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more });
export const time = (description: string): Schema => text(description, { format: 'date-time' });
const scores = (description: string): Schema => ({
  type: 'object',
  description,
  additionalProperties: { type: 'number' },
});
export const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema.type, 'null'] });
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** An object all of whose members are there, but for the optional ones. Answers may gain members. */
export const object = (properties: Record<string, Schema>, optional: string[] = [], more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  ...more,
});

export const verdict = { type: 'string', enum: ['MATCH', 'NO_MATCH'] };
export const expected = { type: 'string', enum: ['match', 'no_match'] };
export const rejectTarget = { type: 'number', enum: [...REJECT_TARGETS].reverse() };

const scores22 = {
  fused_score: number('mean cosine over the encoders; what is held against the threshold'),
  scorer: text('scoring rule', { const: 'raw' }),
  member_scores: scores('score by encoder; names and count may change'),
  member_cosines: scores('cosine by encoder'),
  threshold: number('bar applied to fused_score'),
  threshold_source: text('begins shipped-default or population-calibrated'),
  expected_genuine_accept: orNull(number('estimated share of honest claims confirmed here')),
  p_match_5050: number('probability that the claim is true, were as many true as false', { minimum: 0, maximum: 1 }),
};

const side = object({
  digest: text('first 16 hex digits of the scan set’s SHA-256', { pattern: '^[0-9a-f]{16}$' }),
  scans: whole('scans used'),
  duplicates: whole('of these, copies of another'),
  short_coverage: flag('whether an axis has a hole or stops short of the reference axis'),
  references: list(text('stone reference')),
  sharpness: number('spectral-detail gauge'),
  detail_residual: number('noise-character gauge, as told'),
  detail_residual_measured: orNull(number('the same as measured, where polynomial smoothing had it held')),
  locally_polynomial: number('smoothing gauge'),
});

export const schemas: Record<string, Schema> = {
  Problem: object(
    {
      detail: text('what is wrong, and where it helps, what to do'),
      code: text('which refusal this is, for programs; a code keeps its meaning', { enum: Object.keys(ERRORS) }),
      side: { type: 'string', enum: ['rough', 'polish'], description: 'the side that is to blame, where it is one' },
      file: text('the file that is to blame, where it is one'),
      request_id: text('as X-Request-Id'),
    },
    ['side', 'file'],
  ),
  ScanSet: object(
    {
      wavenumbers: list(number('cm^-1'), {
        minItems: limits.minPoints,
        maxItems: limits.maxPoints,
        description: 'one axis for the side, ascending or descending, no value twice',
      }),
      spectra: list(list(number('absorbance')), {
        minItems: 1,
        maxItems: limits.jsonSpectra,
        description: 'each as long as wavenumbers; all values finite',
      }),
      stone_id: text('your reference; trimmed, 64 characters are kept'),
    },
    ['stone_id'],
  ),
  Claim: object({ rough: ref('ScanSet'), polish: ref('ScanSet'), reject_target: rejectTarget }, ['reject_target']),
  ClaimForm: object(
    {
      rough_files: list(text('.dpt, .csv, .txt, OPUS .0, or a .zip of these', { format: 'binary' }), { minItems: 1 }),
      polish_files: list(text('as rough_files', { format: 'binary' }), { minItems: 1 }),
      reject_target: rejectTarget,
    },
    ['reject_target'],
  ),
  Verification: object(
    {
      mode: text('always verify-match', { const: 'verify-match' }),
      verdict: { ...verdict, description: 'MATCH when fused_score exceeds threshold: decide on this' },
      ...scores22,
      reject_target: { ...rejectTarget, description: 'operating point used' },
      n_rough_scans: whole('scans used'),
      n_polish_scans: whole('scans used'),
      rough_sharpness: number('spectral-detail gauge'),
      polish_sharpness: number('spectral-detail gauge'),
      rough_detail_residual: number('departure from directly acquired noise'),
      polish_detail_residual: number('departure from directly acquired noise'),
      warnings: list(text('a problem that is not fatal: log it')),
      scope: text('what the calibration covers: keep it with the result'),
      claim_id: text('needed to label the claim later; the same claim sent again has the same one'),
      experimental: { const: true, description: 'on an experimental rung only' },
    },
    ['experimental'],
  ),
  Label: object(
    {
      claim_id: text('from a verify-match answer of the same key'),
      expected: { ...expected, description: 'match: the same stone' },
      stone_id: text('your reference, echoed'),
      note: text(`at most ${limits.noteCharacters} characters`, { maxLength: limits.noteCharacters }),
    },
    ['stone_id', 'note'],
  ),
  Labels: {
    oneOf: [
      list(ref('Label'), { maxItems: limits.labels }),
      object({ items: list(ref('Label'), { maxItems: limits.labels }) }),
    ],
  },
  LabelResults: object({
    results: list(
      object(
        {
          claim_id: orNull(text('as sent')),
          status: { type: 'string', enum: ['accepted', 'duplicate', 'amended', 'rejected'] },
          expected: { type: ['string', 'null'], enum: [...expected.enum, null] },
          verdict: { type: ['string', 'null'], enum: [...verdict.enum, null] },
          agrees: orNull(flag('whether the label agrees with the verdict')),
          reason: text('why it is rejected'),
          stone_id: text('as sent'),
        },
        ['reason', 'stone_id'],
      ),
      { description: 'one for each item, in order' },
    ),
    counts: object({
      accepted: whole('new labels'),
      duplicate: whole('labels already held'),
      amended: whole('labels changed; both versions are kept'),
      rejected: whole('unknown claims or malformed items'),
    }),
  }),
  NewKey: object(
    {
      name: text('one per machine or integration; unique for good', { maxLength: MAX_NAME_CHARACTERS }),
      population: text('whose ladder decides; the key’s own name unless told. A replacement names the old key’s'),
      kind: { type: 'string', enum: ['production', 'test'], description: 'test traffic is reported apart' },
    },
    ['population', 'kind'],
  ),
  CreatedKey: object({
    name: text('as given'),
    key: text('the full key, told this once'),
    note: text('reminder to store it'),
    population: text('whose ladder decides'),
    kind: text('production or test'),
  }),
  Key: object({
    name: text('unique'),
    prefix: text('what DELETE takes, whole or its beginning'),
    kind: text('production or test'),
    population: text('whose ladder decides'),
    status: { type: 'string', enum: ['active', 'revoked'] },
    created_at: time('when'),
    created_by: text('operator'),
    revoked_at: orNull(time('when')),
    revoked_by: orNull(text('operator')),
    last_used_at: orNull(time('of its latest claim, replay or refused claim')),
  }),
  RevokedKey: object({
    name: text('the key’s'),
    prefix: text('the key’s'),
    status: { const: 'revoked' },
    revoked_at: time('when it was first revoked'),
    revoked_by: text('operator'),
  }),
  ClaimRecord: object(
    {
      claim_id: text('the claim'),
      status: { type: 'string', enum: ['scored', 'unfinished'] },
      submitted_at: time('when'),
      scored_at: time('when'),
      request_id: text('of the request that made it'),
      key: object({ name: text('the key’s'), prefix: text('the key’s'), kind: text('production or test') }),
      population: text('whose ladder decided'),
      transport: { type: 'string', enum: ['json', 'multipart'] },
      reject_target: rejectTarget,
      model: text('digest of the model'),
      engine: text('compute engine'),
      rough: side,
      polish: side,
      verdict: { type: ['string', 'null'], enum: [...verdict.enum, null] },
      ...scores22,
      warnings: list(text('as told')),
      latency_ms: scores('milliseconds by stage'),
      repeats: whole('times it was sent again'),
      label: { type: ['object', 'null'], description: 'ground truth as it holds now' },
      review: {
        ...object({ note: text('the operator’s'), operator: text('who'), at: time('when') }),
        type: ['object', 'null'],
        description: 'the latest note of an operator',
      },
      shared_scans: orNull(whole('scans of the rough that are scans of the polish too')),
      findings: list({ type: 'string', enum: ['probing', 'multi_pass'] }),
      history: list({ type: 'object' }, { description: 'every event of the claim; of one claim only' }),
    },
    ['scored_at', 'engine', ...Object.keys(scores22), 'warnings', 'latency_ms', 'history'],
  ),
};

export const driftStatus = {
  type: 'string',
  enum: ['drifting', 'steady', 'gathering', 'no_baseline'],
  description: 'gathering: no window is full yet; no_baseline: the asset holds none and nothing is approved',
};
export const driftSource = {
  type: 'string',
  enum: ['approved', 'shipped'],
  description: 'claims behind the newest approval; until there is one, the shipped asset',
};

const proposal = {
  digest: text('what an approval names: over the evidence, the rung and the decisions before it', {
    pattern: '^[0-9a-f]{64}$',
  }),
  evidence_digest: text('over the counted claims and their vectors', { pattern: '^[0-9a-f]{64}$' }),
  method: text('version of the method'),
  model: text('digest of the model'),
  position: text('place in the log of the last claim behind it'),
  decisions: whole('approvals and withdrawals of the population before it'),
  claims: whole('counted claims'),
  roughs: whole('rough stones'),
  polishes: whole('polish stones'),
  pairs: whole('pairs of stones that stand for wrong claims'),
  threshold: number('the rung’s quantile of their scores'),
  interval: list(number('score'), { minItems: 2, maxItems: 2, description: '95%, over stones' }),
  wrong_per_1000: number('wrong claims in 1,000 that it accepts'),
  expected_genuine_accept: orNull(number('estimated share of honest claims confirmed')),
  expected_genuine_accept_error: orNull(number('its standard error')),
  expected_genuine_accept_reason: orNull(text('why it is null')),
};
const asApproved = {
  reject_target: rejectTarget,
  state: { type: 'string', enum: ['uncalibrated', 'calibrated'] },
  threshold: number('what decides'),
  threshold_source: text('begins shipped-default or population-calibrated'),
  expected_genuine_accept: orNull(number('as answers carry it')),
  approved_by: orNull(text('operator')),
  requested_by: orNull(text('the first of two operators, where two are needed')),
  approved_at: orNull(time('when')),
  reason: orNull(text('as the operator gave it')),
  evidence: { ...orNull(object(proposal)), description: 'what the approval rests on' },
};
const rung = {
  ...asApproved,
  claims_held: whole('counted claims of the population under the model'),
  claims_needed: orNull(whole('what the rung needs; null: it never settles')),
  awaiting_second_operator: orNull(
    object({
      digest: text('the proposal'),
      requested_by: text('operator'),
      at: time('when'),
      reason: text('as the operator gave it'),
    }),
  ),
  proposal: orNull(
    object({
      ...proposal,
      shipped_wrong_per_1000: orNull(number('wrong claims in 1,000 that the shipped threshold accepts here')),
    }),
  ),
  no_proposal: orNull(text('why there is none')),
  drift: orNull(
    object({
      alarm: flag('recent claims differ from the baseline, or the approved threshold no longer fits'),
      threshold_outside_interval: flag('the approved threshold lies outside the interval of the newest proposal'),
      interval_now: orNull(list(number('score'))),
      claims_since: orNull(whole('claims counted since the approval')),
      status: orNull(driftStatus),
      baseline: orNull(driftSource),
      measures: list(text('measure that differs')),
    }),
  ),
};
const digest = text('digest of a model', { pattern: '^[0-9a-fA-F]{64}$' });
const ofPopulation = { population: text('the population'), model: text('digest of the model whose ladder it is') };
const reason = text('at most 2,000 characters', { minLength: 1, maxLength: MAX_REASON_CHARACTERS });
const changes = object({
  total: whole('claims'),
  labelled_match: whole('of these, labelled match'),
  labelled_no_match: whole('labelled no_match'),
  unlabelled: whole('not labelled'),
  claims: list(
    object({
      claim_id: text('the claim'),
      fused_score: number('its score'),
      at: time('when it was scored'),
      label: orNull(text('match or no_match')),
      before: verdict,
      after: verdict,
    }),
    { maxItems: 1000 },
  ),
});

Object.assign(schemas, {
  Calibration: object(
    {
      ...ofPopulation,
      detail: text('where something keeps its ladder from deciding'),
      models_not_installed: list(text('digest of a model that approvals name')),
      rungs: list(object(rung)),
    },
    ['detail', 'models_not_installed'],
  ),
  CalibratedRung: object({ ...ofPopulation, ...rung }),
  CalibrationHistory: object(
    {
      ...ofPopulation,
      detail: text('where the model that was live then is not installed: its rungs cannot be told'),
      as_of: time('the moment it speaks of'),
      rungs: list(object(asApproved), { description: 'what was live then, under the model that was' }),
      items: list({ type: 'object' }, { description: 'decisions of all models up to then, oldest first' }),
      chain_root: text('hash over the decisions told here; a later audit bundle continues it'),
      audit_root: orNull(text('root digest of the audit bundle as it is now; null with as_of')),
    },
    ['detail'],
  ),
  DryRun: object({
    ...ofPopulation,
    reject_target: rejectTarget,
    claims: whole('counted claims'),
    threshold: number('what decides now'),
    threshold_source: text('where it comes from'),
    tried_threshold: number('what was tried'),
    proposal_digest: orNull(text('the proposal, where its threshold was tried')),
    to_match: changes,
    to_no_match: changes,
  }),
  Approval: object({
    reason,
    proposal_digest: text('digest of the proposal that the operator saw', { pattern: '^[0-9a-fA-F]{64}$' }),
  }),
  Withdrawal: object({ reason, model: { ...digest, description: 'the live one unless told' } }, ['model']),
  Trial: object(
    {
      threshold: number('instead of the proposal’s', { minimum: -1, maximum: 1 }),
      model: { ...digest, description: 'the live one unless told' },
    },
    ['threshold', 'model'],
  ),
  Models: object({
    live: text('digest of the model that decides'),
    switched: orNull(
      object({
        from: digest,
        to: digest,
        populations_falling_back: list(text('population')),
        operator: text('who'),
        reason: text('as the operator gave it'),
        request_id: text('the request'),
        at: time('when'),
      }),
    ),
    installed: list(
      object({
        model: digest,
        name: text('as its file has it'),
        live: flag('whether it decides; the other one scores beside'),
        scope: text('of its calibration asset'),
        populations_falling_back: list(
          object({ population: text('the population'), rungs: list(text('rung as 0.98')) }),
          { description: 'approved under the live model and not under this one' },
        ),
      }),
    ),
    workers: list(object({ id: text('worker'), engine: text('compute engine'), models: list(digest) })),
    shadow_claims: {
      type: 'object',
      description: 'answered claims since this process began: scored beside, or why not',
      additionalProperties: { type: 'integer' },
    },
  }),
  ModelSwitch: object(
    {
      model: digest,
      reason,
      accept_uncalibrated: flag('populations may fall back to the shipped default'),
    },
    ['accept_uncalibrated'],
  ),
});

export const keyShown = object({
  name: text('the key’s'),
  prefix: text('the key’s'),
  kind: text('production or test'),
});

export const page = (item: string): Schema =>
  object({ items: list(ref(item)), next_cursor: orNull(text('for the next page; null on the last')) });
