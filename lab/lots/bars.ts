/** Where the bars of a session type lie, on parcels that the encoder has not seen. */

import { type Bars, crowding, type Line, LOT_VECTOR, type LotModel, type Placed, place, scoreTable } from '#lots';
import { interpolatedQuantile } from '#numerics';
import { Random } from '#simulator';
import { drawLot } from './lot.js';
import { roughOf } from './parcel.js';
import type { EncodedParcel } from './scans.js';

/** Lot sizes that are fitted and published. */
export const SIZES = [10, 20, 40, 60] as const;
/** Lots of a size that are drawn out of one parcel. */
export const LOTS_A_PARCEL = 4;

/** A parcel's stones as they were enrolled and as they return, held against the cohort. */
export interface PlacedParcel extends Pick<EncodedParcel, 'parcel' | 'type'> {
  enrol: Placed;
  back: Placed;
}

export const placeParcel = (
  model: Pick<LotModel, 'between' | 'cohort'>,
  { parcel, type, enrol, back }: EncodedParcel,
): PlacedParcel => ({ parcel, type, enrol: place(model, enrol), back: place(model, back) });

/** Some stones of a parcel. */
export function pick({ vectors, cohort }: Placed, stones: readonly number[]): Placed {
  const picked = new Float32Array(stones.length * LOT_VECTOR);
  for (const [i, stone] of stones.entries())
    picked.set(vectors.subarray(stone * LOT_VECTOR, (stone + 1) * LOT_VECTOR), i * LOT_VECTOR);
  return { vectors: picked, cohort: Float64Array.from(stones, (stone) => cohort[stone]) };
}

/** Label of a one-stone false accept, and of a genuine member missed at the floor. */
const FALSE_ACCEPT = 0.1;
const GENUINE_MISSED = 0.02;

/**
 * @param parcels of one session type
 * @param name keeps these lots apart from others
 */
export function fitBars(model: Pick<LotModel, 'between'>, parcels: readonly PlacedParcel[], name: string): Bars {
  const levels = SIZES.map((size) => {
    const genuine: number[] = [];
    const foreign: number[] = [];
    for (const parcel of parcels) {
      for (let n = 0; n < LOTS_A_PARCEL; n++) {
        const random = new Random('bars', name, parcel.type, parcel.parcel, size, n);
        const { members } = drawLot({ size, substitution: 0, twins: false }, random);
        const roughs = new Set(members.map(roughOf));
        const enrolled = pick(parcel.enrol, members);
        const crowded = crowding(model, enrolled);
        const best = (stones: readonly number[]) => {
          const table = scoreTable(model, enrolled, crowded, pick(parcel.back, stones));
          return stones.map((_, row) => Math.max(...table.subarray(row * size, (row + 1) * size)));
        };
        const strangers = Array.from(parcel.back.cohort.keys()).filter((stone) => !roughs.has(roughOf(stone)));
        genuine.push(...best(members));
        foreign.push(...best(strangers));
      }
    }
    return { size, falseAccept: quantile(foreign, 1 - FALSE_ACCEPT), genuine: quantile(genuine, GENUINE_MISSED) };
  });
  const line = (of: 'falseAccept' | 'genuine') => lineThrough(levels.map((level) => [Math.log(level.size), level[of]]));
  return { falseAccept: line('falseAccept'), genuine: line('genuine') };
}

const quantile = (values: readonly number[], share: number) => interpolatedQuantile(Float64Array.from(values), share);

/** Least squares. */
function lineThrough(points: readonly (readonly [number, number])[]): Line {
  const mean = (k: 0 | 1) => points.reduce((sum, point) => sum + point[k], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const square = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  const slope = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0) / square;
  return { at: y - slope * x, slope };
}
