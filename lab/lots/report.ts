/** Measures a lot model on lots of every family, and writes pictures and tables of it. */

import type { ThreadPool } from '#kit/threads/pool';
import type { MeasuredBounds, MeasuredCell, MeasuredRehearsal } from '#science/lots/measured';
import { type LotModel, SESSION_TYPES } from '#science/lots/model';
import type { Usual } from '#science/lots/reference-lots';
import { type Answered, answersOf, sumOfAnswers } from './answers.js';
import { placeParcel, SIZES } from './bars.js';
import type { MeleeFamily } from './families.js';
import { measureCell, measureRehearsal, SHARES } from './measure.js';
import { PARCEL_STONES } from './parcel.js';
import { LOT_SCANS } from './scans.js';
import { encode } from './train.js';

/** Families that a model is judged on; nothing was fitted or chosen on them. */
export const JUDGED = ['test', 'newest', 'second', 'third'] as const satisfies MeleeFamily[];
export type Judged = (typeof JUDGED)[number];

/** The parts of a report: accuracy in cells, and how right answers are about their own lot. */
export const LOT_PARTS = ['cells', 'answers'] as const;
export type LotPart = (typeof LOT_PARTS)[number];

/** Number of parcels on which a family is judged, of lots of each kind that are drawn out of one, and of parcels with answers. */
export interface Extent {
  parcels: number;
  lots: number;
  answers: number;
}
/** At least 300 lots per cell. Scans of the second and the third family take ten times as long. */
export const FULL_REPORT: Record<Judged, Extent> = {
  test: { parcels: 80, lots: 4, answers: 20 },
  newest: { parcels: 50, lots: 6, answers: 20 },
  second: { parcels: 30, lots: 10, answers: 9 },
  third: { parcels: 15, lots: 20, answers: 9 },
};
export const QUICK_REPORT: Record<Judged, Extent> = {
  test: { parcels: 3, lots: 4, answers: 1 },
  newest: { parcels: 2, lots: 6, answers: 1 },
  second: { parcels: 2, lots: 10, answers: 1 },
  third: { parcels: 2, lots: 10, answers: 1 },
};
export const REPORT_SEED = 7000;
/** At this share of substitutes goals are set and rehearsals made. */
export const QUOTED = 0.2;

const NOTE =
  'Measured by this implementation on simulated stones, whose difficulty is a choice; no real melee was seen. ' +
  'Not the specified bounds.';

/** Steps that `measureFamily` advances by: parcels, once a session type. */
export const stepsOfFamily = (extent: Extent, parts: readonly LotPart[]): number =>
  SESSION_TYPES.length * parcelsOf(extent, parts);

const parcelsOf = ({ parcels, answers }: Extent, parts: readonly LotPart[]): number =>
  parts.includes('cells') ? parcels : answers;

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

/** The figures with some of one family made again. Rehearsals are tried on the physics that the model was fitted on. */
export async function measureFamily(
  before: MeasuredBounds,
  { model, usual }: { model: LotModel; usual: Usual | null },
  pool: ThreadPool,
  { family, seed, parts, ...extent }: Extent & { family: Judged; seed: number; parts: readonly LotPart[] },
  advance: (by: number) => void,
): Promise<MeasuredBounds> {
  const cells: MeasuredCell[] = [];
  const rehearsal: MeasuredRehearsal[] = [];
  const answered = new Map<number, Answered[]>(SIZES.map((size) => [size, []]));
  for (const type of SESSION_TYPES) {
    const numbered = Array.from({ length: parcelsOf(extent, parts) }, (_, parcel) => ({ parcel, type }));
    const encoded = await encode(pool, { family, seed, parcels: numbered, stones: PARCEL_STONES }, model, advance);
    const placed = encoded.map((parcel) => placeParcel(model, parcel));
    for (const size of SIZES) {
      if (parts.includes('cells')) {
        const { lots } = extent;
        for (const substitution of SHARES) cells.push(measureCell(model, placed, { family, size, substitution, lots }));
        if (family === 'test') rehearsal.push(measureRehearsal(model, placed, { family, size, substitution: QUOTED }));
      }
      if (usual && parts.includes('answers'))
        answered.get(size)!.push(...answersOf(model, usual, placed.slice(0, extent.answers), { family, size }));
    }
  }
  const answers = [...answered.values()].flatMap((lots) => (lots.length > 0 ? [sumOfAnswers(family, lots)] : []));
  return {
    ...before,
    cells: inOrder(before.cells, family, cells),
    rehearsal: rehearsal.length > 0 ? rehearsal : before.rehearsal,
    answers: inOrder(before.answers ?? [], family, answers),
  };
}

/** By family, those of one replaced where there are new ones. */
function inOrder<T extends { family: string }>(before: readonly T[], family: Judged, made: readonly T[]): T[] {
  const all = made.length > 0 ? [...before.filter((one) => one.family !== family), ...made] : before;
  return JUDGED.flatMap((judged) => all.filter((one) => one.family === judged));
}
