/** Schemas of what operators review. */
import {
  expected,
  flag,
  keyShown,
  list,
  number,
  object,
  orNull,
  rejectTarget,
  type Schema,
  text,
  time,
  verdict,
  whole,
} from './schemas.js';

const setShown = object({ digest: text('first 16 hex digits'), references: list(text('stone reference')) });

export const reviewSchemas: Record<string, Schema> = {
  Finding: object({
    id: text('the finding'),
    kind: { type: 'string', enum: ['probing', 'multi_pass'] },
    status: { type: 'string', enum: ['open', 'reviewed'] },
    key: keyShown,
    population: text('the key’s'),
    breach: orNull(text('the operating rule, where a production key broke it by probing a panel of roughs')),
    polish: object({ digests: list(text('first 16 hex digits')), references: list(text('stone reference')) }),
    roughs: whole('roughs claimed, or confirmed, for the polish'),
    claims_total: whole('claims behind it'),
    claims: list(
      object({
        claim_id: text('the claim'),
        submitted_at: time('when'),
        reject_target: rejectTarget,
        verdict,
        fused_score: number('score'),
        label: { type: ['string', 'null'], enum: [...expected.enum, null] },
        rough: setShown,
        polish: setShown,
      }),
      { description: 'latest first' },
    ),
    opened_at: time('when'),
    last_claim_at: time('when'),
    review: {
      ...object({ note: text('the operator’s'), operator: text('who'), at: time('when') }),
      type: ['object', 'null'],
    },
  }),
  Review: object({ note: text('what was found', { minLength: 1, maxLength: 2000 }) }),
  View: object(
    {
      name: text('the view'),
      version: whole('of its fold'),
      position: text('everything up to here is in it'),
      caughtUp: flag('whether it has reached the log’s end since the start'),
      rebuilding: object({ servedPosition: text('how far the old file goes, which answers meanwhile') }),
      failure: text('why it has stopped'),
    },
    ['rebuilding', 'failure'],
  ),
  Skip: object({
    position: text('where a view has stopped, as its failure says', { pattern: '^[0-9]{1,19}$' }),
    reason: text('why it may be passed over', { minLength: 1, maxLength: 2000 }),
  }),
  Skipped: object({
    position: text('as given'),
    stream: text('the event’s'),
    type: text('the event’s'),
    reason: text('as given'),
    operator: text('who'),
    at: time('when'),
  }),
};
