/** Shapes that answers of several rooms share. */
import { type Static, Type } from 'typebox';
import { REJECT_TARGETS } from '#calibration';
import { KEY_KINDS, one, orNull, REVIEW_OUTCOMES, VERDICTS } from '#domain';

export const said = (description: string) => Type.String({ description });
export const time = (description = 'when') => Type.String({ format: 'date-time', description });
export const integer = (description: string) => Type.Integer({ description });
export const number = (description: string) => Type.Number({ description });
export const sha256 = (description: string) => Type.String({ description, pattern: '^[0-9a-f]{64}$' });
/** Whole numbers by name. */
export const counts = (description: string) =>
  Type.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: { type: 'integer' }, description });
export const rung = one<number>(...[...REJECT_TARGETS].reverse());
export const verdict = one(...VERDICTS);
export const references = Type.Array(Type.String(), { description: 'stone references' });

/** Limits of a gauge (`GAUGE_BANDS`). */
export const gaugeBand = Type.Object(
  {
    gauge: one('sharpness', 'detail_residual', 'locally_polynomial'),
    refused_below: orNull(Type.Number({ description: 'a side below it is refused' })),
    low: orNull(
      Type.Number({
        description: 'a side below it is warned about; of sharpness, its machine in the hygiene checks',
      }),
    ),
    high: orNull(Type.Number({ description: 'the same above it' })),
  },
  { $id: 'GaugeBand' },
);

/** A key as records of claims name it. */
export const shownKey = Type.Object(
  {
    name: said('name of the key'),
    prefix: said('prefix of the key'),
    kind: Type.With(one(...KEY_KINDS), { description: 'production or test' }),
  },
  { $id: 'ShownKey' },
);

export const reviewNote = Type.Object(
  {
    note: said('note of the operator'),
    outcome: orNull(
      Type.With(one(...REVIEW_OUTCOMES), {
        description: 'whether the verdict, or the finding, held up; null where the operator did not say',
      }),
    ),
    operator: said('operator who wrote it'),
    at: time(),
  },
  { $id: 'ReviewNote' },
);
export type ReviewNote = Static<typeof reviewNote>;
