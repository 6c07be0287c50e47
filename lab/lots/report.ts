/** Measures a lot model on lots of every family, and writes pictures and tables of it. */
import { type LotModel, type MeasuredBounds, type MeasuredCell, type MeasuredRehearsal, SESSION_TYPES } from '#lots';
import type { ThreadPool } from '#threads';
import { placeParcel, SIZES } from './bars.js';
import type { MeleeFamily } from './families.js';
import { measureCell, measureRehearsal, SHARES } from './measure.js';
import { PARCEL_STONES } from './parcel.js';
import { LOT_SCANS } from './scans.js';
import { encode } from './train.js';

/** Families that a model is judged on; nothing was fitted or chosen on them. */
export const JUDGED = ['test', 'newest', 'second', 'third'] as const satisfies MeleeFamily[];
export type Judged = (typeof JUDGED)[number];

/** Number of parcels on which a family is judged, and of lots of each kind that are drawn out of one. */
export interface Extent {
  parcels: number;
  lots: number;
}
/** At least 300 lots per cell. Scans of the second and the third family take ten times as long. */
export const FULL_REPORT: Record<Judged, Extent> = {
  test: { parcels: 80, lots: 4 },
  newest: { parcels: 50, lots: 6 },
  second: { parcels: 30, lots: 10 },
  third: { parcels: 15, lots: 20 },
};
export const QUICK_REPORT: Record<Judged, Extent> = {
  test: { parcels: 3, lots: 4 },
  newest: { parcels: 2, lots: 6 },
  second: { parcels: 2, lots: 10 },
  third: { parcels: 2, lots: 10 },
};
export const REPORT_SEED = 7000;
/** At this share of substitutes goals are set and rehearsals made. */
export const QUOTED = 0.2;

const NOTE =
  'Measured by this implementation on simulated stones, whose difficulty is a choice; no real melee was seen. ' +
  'Not the specified bounds.';

/** Steps that `measureFamily` advances by: parcels, once a session type. */
export const stepsOfFamily = ({ parcels }: Extent): number => SESSION_TYPES.length * parcels;

/** Figures of nothing yet. */
export const nothingMeasured = (model: LotModel, seed: number): MeasuredBounds => ({
  simulated: true,
  note: NOTE,
  model: model.digest,
  seed,
  scans: LOT_SCANS,
  cells: [],
  rehearsal: [],
});

/** The figures with those of one family made again. Rehearsals are tried on the physics that the model was fitted on. */
export async function measureFamily(
  before: MeasuredBounds,
  model: LotModel,
  pool: ThreadPool,
  { family, seed, parcels, lots }: Extent & { family: Judged; seed: number },
  advance: (by: number) => void,
): Promise<MeasuredBounds> {
  const cells: MeasuredCell[] = [];
  const rehearsal: MeasuredRehearsal[] = [];
  for (const type of SESSION_TYPES) {
    const numbered = Array.from({ length: parcels }, (_, parcel) => ({ parcel, type }));
    const encoded = await encode(pool, { family, seed, parcels: numbered, stones: PARCEL_STONES }, model, advance);
    const placed = encoded.map((parcel) => placeParcel(model, parcel));
    for (const size of SIZES) {
      for (const substitution of SHARES) cells.push(measureCell(model, placed, { family, size, substitution, lots }));
      if (family === 'test') rehearsal.push(measureRehearsal(model, placed, { family, size, substitution: QUOTED }));
    }
  }
  const all = [...before.cells.filter((cell) => cell.family !== family), ...cells];
  return {
    ...before,
    cells: JUDGED.flatMap((one) => all.filter((cell) => cell.family === one)),
    rehearsal: family === 'test' ? rehearsal : before.rehearsal,
  };
}
