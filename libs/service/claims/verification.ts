/** The verdict as it is answered. */
import { type Static, type TSchema, Type } from 'typebox';
import { type ClaimResult, optional } from '#domain';
import { integer, number, rung, scores, string, texts, verdict } from '#views';

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
    scope: string('coverage of the calibration: keep it with the result'),
    claim_id: string('needed to label the claim later; the same claim sent again has the same one'),
    experimental: optional(Type.Literal(true, { description: 'on an experimental rung only' })),
  } satisfies Record<keyof ClaimResult, TSchema>,
  { $id: 'Verification' },
);
export type Verification = Static<typeof verification>;
