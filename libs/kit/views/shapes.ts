/** Shapes that answers of several folders share. */
import { type TSchema, Type } from 'typebox';
import { one, optional, orNull } from '#domain/schemas';
import { FINDING_OUTCOMES, KEY_KINDS, REVIEW_OUTCOMES, VERDICTS } from '#domain/shapes';
import { RUNGS } from '#science/calibration/ladder';
import { ACTION_REASONS, ACTIONS } from '#science/matching/action';
import { WARNING_KINDS } from '#science/matching/warnings';

export const string = (description: string) => Type.String({ description });
export const time = (description = 'when') => Type.String({ format: 'date-time', description });
export const integer = (description: string) => Type.Integer({ description });
export const number = (description: string) => Type.Number({ description });
export const sha256 = (description: string) => Type.String({ description, pattern: '^[0-9a-f]{64}$' });
export const flag = (description: string) => Type.Boolean({ description });
export const texts = (description: string) => Type.Array(Type.String(), { description });
/** An object whose members are its writer's: more may come. */
export const anyObject = <T extends object = object>(description?: string) =>
  Type.Unsafe<T>({ type: 'object', additionalProperties: true, ...(description !== undefined && { description }) });
/** Numbers by name. */
export const numbers = (description: string) =>
  Type.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: { type: 'number' }, description });
/** Whole numbers by name. */
export const counts = (description: string) =>
  Type.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: { type: 'integer' }, description });
export const rung = one<number>(...RUNGS);
export const verdict = one(...VERDICTS);
export const references = texts('stone references');
export const sharedScans = integer(
  'scans of the rough that are scans of the polish too, but for rounding, resampling, a factor or a constant',
);
export const action = Type.With(one(...ACTIONS), {
  description:
    'recommended next step: review where there are action_reasons; else accept a MATCH and reject a NO_MATCH',
});
/** Of an answer to scans. */
export const unused = optional(
  Type.Array(
    Type.Object({ file: string('a file in a zip, or a field of the form'), reason: string('why it was not used') }),
    {
      description:
        'what was sent and not used; left out where there is none: companions of macOS and read-me files are not told',
    },
  ),
);

export const actionReasons = Type.Array(
  Type.Object(
    {
      code: Type.With(one(...ACTION_REASONS), { description: 'stable code of the reason' }),
      text: string('the same in words'),
    },
    { $id: 'ActionReason' },
  ),
  { description: 'why a person should look before the answer is followed; empty where none need' },
);
export const warningKinds = Type.Array(one(...WARNING_KINDS), {
  description: 'stable code of each of the warnings, in their order',
});

/** The first of two approvals. */
export const awaitedApproval = Type.Object(
  {
    digest: string('the proposal'),
    requested_by: string('operator'),
    at: time(),
    reason: string('as the operator gave it'),
  },
  { $id: 'AwaitedApproval' },
);

/** An approval of a scorer, with what it rests on. */
export const approvalMembers = <Evidence extends TSchema>(evidence: Evidence) => ({
  approved_by: string('operator'),
  requested_by: orNull(string('the first of two operators, where two are needed')),
  approved_at: time(),
  reason: string('as the operator gave it'),
  evidence: Type.With(evidence, { description: 'what the approval rests on' }),
});
export const approvalEnd = Type.Object(
  { how: one('superseded', 'withdrawn'), by: string('operator'), at: time() },
  { $id: 'ScorerEnd' },
);

/** The scores of a claim, as the verdict shows them, and the ledger. */
export const scores = Type.Object({
  fused_score: number('mean of member_scores, compared with the threshold; negative too, by a population’s own scorer'),
  scorer: Type.With(one('raw', 'population'), {
    description: 'scoring rule: population where the population’s own is approved',
  }),
  member_scores: numbers('score by encoder; names and count may change'),
  member_cosines: numbers('raw cosine by encoder, whatever the scorer'),
  threshold: number('bar applied to fused_score'),
  threshold_source: string('begins shipped-default or population-calibrated'),
  expected_genuine_accept: orNull(number('estimated share of genuine claims confirmed here')),
  p_match_5050: Type.Number({
    ...{ minimum: 0, maximum: 1 },
    description: 'probability that the claim is true, were as many true as false',
  }),
});

/** Limits of a gauge (`GAUGE_BANDS`). */
export const gaugeBand = Type.Object(
  {
    gauge: one('sharpness', 'detail_residual', 'locally_polynomial'),
    refused_below: orNull(Type.Number({ description: 'a side below it is refused' })),
    low: orNull(
      Type.Number({ description: 'a side below it is warned about; of sharpness, its machine in the hygiene checks' }),
    ),
    high: orNull(Type.Number({ description: 'the same above it' })),
  },
  { $id: 'GaugeBand' },
);

/** A key as records of claims name it. */
export const shownKey = Type.Object(
  {
    name: string('name of the key'),
    prefix: string('prefix of the key'),
    kind: Type.With(one(...KEY_KINDS), { description: 'production or test' }),
  },
  { $id: 'ShownKey' },
);

/** Other operators at an item that is looked at now. */
export const lookedAtBy = optional(
  texts('other operators who asked this replica for it within the last 45 seconds; where it is asked for alone'),
);

const noteOf = <O extends string>($id: string, outcomes: readonly O[], description: string) =>
  Type.Object(
    {
      note: string('note of the operator'),
      outcome: orNull(
        Type.With(one(...outcomes), { description: `${description}; null where the operator did not say` }),
      ),
      operator: string('operator who wrote it'),
      at: time(),
    },
    { $id },
  );
export const reviewNote = noteOf(
  'ReviewNote',
  REVIEW_OUTCOMES,
  'whether the verdict held up; taken_back: the note before does not count',
);
export const findingNote = noteOf(
  'FindingNote',
  FINDING_OUTCOMES,
  'what came of the finding; taken_back: the note before does not count',
);
