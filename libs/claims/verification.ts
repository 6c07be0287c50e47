/** The verdict as it is answered, and as the holder of its key reads it later. */
import { type Static, type TSchema, Type } from 'typebox';
import { one, optional, orNull } from '#domain/schemas';
import { EXPECTED, REVIEW_OUTCOMES } from '#domain/shapes';
import {
  action,
  actionReasons,
  integer,
  number,
  rung,
  scores,
  sharedScans,
  string,
  texts,
  time,
  unused,
  verdict,
  warningKinds,
} from '#kit/views/shapes';
import type { adviceOf } from '#science/matching/action';
import type { ClaimResult } from './events.js';

const references = (description: string) => Type.Array(string('your reference'), { description });
const stoneIds = Type.Object(
  {
    rough: references('of the rough; none where neither its files’ names nor a stone_id say one'),
    polish: references('of the polish'),
  },
  { $id: 'StoneIds', description: 'the stone references of this call, as they were understood and are stored' },
);

export const verification = Type.Object(
  {
    ...scores.properties,
    mode: Type.Literal('verify-match', { description: 'always verify-match' }),
    verdict: Type.With(verdict, { description: 'MATCH when fused_score exceeds threshold: decide on this' }),
    reject_target: Type.With(rung, { description: 'operating point used' }),
    n_rough_scans: integer('scans used'),
    n_polish_scans: integer('scans used'),
    rough_sharpness: number('spectral-detail gauge'),
    polish_sharpness: number('spectral-detail gauge'),
    rough_detail_residual: number('departure from directly acquired noise'),
    polish_detail_residual: number('departure from directly acquired noise'),
    warnings: texts('problems that are not fatal: log them'),
    warning_kinds: warningKinds,
    shared_scans: sharedScans,
    action,
    action_reasons: actionReasons,
    scope: string(
      'coverage of the calibration in a sentence with its version, in full at GET /api/v1: keep it with the result',
    ),
    claim_id: string('needed to label the claim later; the same claim sent again has the same one'),
    stone_ids: stoneIds,
    receipt: optional(
      string(
        'the verdict as a compact JWS (EdDSA): keep it, it is verified offline with receipt_keys of GET /api/v1; a replay has none',
      ),
    ),
    unused,
    experimental: optional(Type.Literal(true, { description: 'on an experimental rung only' })),
  } satisfies Record<
    keyof ClaimResult | keyof ReturnType<typeof adviceOf> | 'stone_ids' | 'receipt' | 'unused',
    TSchema
  >,
  { $id: 'Verification' },
);
export type Verification = Static<typeof verification>;

/** An operator's note is not the caller's to read. */
const review = Type.Object(
  {
    outcome: orNull(
      Type.With(one(...REVIEW_OUTCOMES), { description: 'whether the verdict held up; null where that was not said' }),
    ),
    at: time(),
  },
  { $id: 'ReviewOutcome' },
);

const label = Type.Object({ expected: one(...EXPECTED), at: time('when it was given') }, { $id: 'OwnLabel' });

export const ownClaim = Type.Object(
  {
    claim_id: string('the claim'),
    status: one('scored', 'unfinished'),
    submitted_at: time(),
    reject_target: rung,
    answer: orNull(verification),
    label: orNull(Type.With(label, { description: 'the label that holds now' })),
    review: orNull(Type.With(review, { description: 'what the latest review by an operator came to' })),
  },
  { $id: 'OwnClaim' },
);
export type OwnClaim = Static<typeof ownClaim>;
