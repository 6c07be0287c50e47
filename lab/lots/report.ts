/** Measures a lot model on lots of every family, and tells of it in pictures and words. */
import { type LotModel, type MeasuredBounds, type MeasuredCell, type MeasuredRehearsal, SESSION_TYPES } from '#lots';
import type { ThreadPool } from '#threads';
import { placeParcel, SIZES } from './bars.js';
import type { MeleeFamily } from './families.js';
import { measureCell, measureRehearsal, SHARES } from './measure.js';
import { PARCEL_STONES } from './parcel.js';
import { LOT_SCANS } from './scans.js';
import { encode } from './train.js';

/** Families that a model is judged on; nothing was fitted or chosen on them. */
export const JUDGED = ['test', 'newest', 'second'] as const satisfies MeleeFamily[];
export type Judged = (typeof JUDGED)[number];

/** Parcels of a family; four lots a cell are drawn out of each. */
export const FULL_REPORT: Record<Judged, number> = { test: 80, newest: 75, second: 75 };
export const QUICK_REPORT: Record<Judged, number> = { test: 3, newest: 2, second: 2 };
export const REPORT_SEED = 7000;
/** At this share of substitutes goals are set and rehearsals made. */
export const QUOTED = 0.2;

const NOTE =
  'Measured by this implementation on simulated stones, whose difficulty is a choice; no real melee was seen. ' +
  'Not the bounds of the specification.';

/** Steps that `measureLots` advances by: parcels, once a session type. */
export const stepsOfReport = (parcels: Record<Judged, number>): number =>
  SESSION_TYPES.length * JUDGED.reduce((sum, family) => sum + parcels[family], 0);

export async function measureLots(
  model: LotModel,
  pool: ThreadPool,
  { seed, parcels }: { seed: number; parcels: Record<Judged, number> },
  advance: (by: number) => void,
): Promise<MeasuredBounds> {
  const cells: MeasuredCell[] = [];
  const rehearsal: MeasuredRehearsal[] = [];
  for (const family of JUDGED) {
    for (const type of SESSION_TYPES) {
      const numbered = Array.from({ length: parcels[family] }, (_, parcel) => ({ parcel, type }));
      const encoded = await encode(pool, { family, seed, parcels: numbered, stones: PARCEL_STONES }, model, advance);
      const placed = encoded.map((parcel) => placeParcel(model, parcel));
      for (const size of SIZES) {
        for (const substitution of SHARES) cells.push(measureCell(model, placed, { family, size, substitution }));
        if (family === 'test') rehearsal.push(measureRehearsal(model, placed, { family, size, substitution: QUOTED }));
      }
    }
  }
  return { simulated: true, note: NOTE, model: model.digest, seed, scans: LOT_SCANS, cells, rehearsal };
}
