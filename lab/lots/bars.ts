/** Where the bars of a session type lie, on parcels that the encoder has not seen. */

import {
  type Bars,
  centreOf,
  crowding,
  decideAt,
  type Enrolment,
  FALSE_ACCEPT_LABEL,
  GENUINE_PROMISE,
  type Line,
  LOT_VECTOR,
  type LotModel,
  returnedCentre,
  Stones,
  scoreTable,
  stonesIn,
} from '#lots';
import { interpolatedQuantile } from '#numerics';
import { Random } from '#simulator';
import { drawLot } from './lot.js';
import { roughOf } from './parcel.js';
import type { EncodedParcel } from './scans.js';

/** Lot sizes that are fitted and published. */
export const SIZES = [10, 20, 40, 60] as const;
/** Lots of a size that are drawn out of one parcel. */
const LOTS_A_PARCEL = 4;

/** A parcel's stones as they were enrolled and as they return. */
export interface PlacedParcel extends Pick<EncodedParcel, 'parcel' | 'type'> {
  /** Vectors of the enrolment and of the return. */
  vectors: Float32Array;
  returned: Float32Array;
  enrol: Stones;
  back: Stones;
}

export const placeParcel = (
  model: Pick<LotModel, 'between' | 'cohort'>,
  { parcel, type, enrol, back }: EncodedParcel,
): PlacedParcel => ({
  parcel,
  type,
  vectors: enrol,
  returned: back,
  enrol: new Stones(model, enrol),
  back: new Stones(model, back),
});

/** Some of a parcel's stones as the members of a lot. */
export function enrolOf(
  model: Pick<LotModel, 'between'>,
  { vectors, enrol }: PlacedParcel,
  members: readonly number[],
): Enrolment {
  const rows = new Float32Array(members.length * LOT_VECTOR);
  for (const [i, stone] of members.entries())
    rows.set(vectors.subarray(stone * LOT_VECTOR, (stone + 1) * LOT_VECTOR), i * LOT_VECTOR);
  const centre = centreOf(rows);
  const placed = enrol.place(members, centre);
  return { centre, placed, crowded: crowding(model, placed) };
}

/** One point above the promise to members: parcels differ from those that the bars are set on. */
const GENUINE_AIM = GENUINE_PROMISE + 0.01;
/** Share of the members that is exchanged where the promise holds. */
const PROMISED_AT = 0.2;

/**
 * The label's bar: 90% of the best scores of single strangers lie at or below it, every place being open. The promise's bar:
 * the highest at which lots with a fifth of their stones exchanged still have 97.2% of their members confirmed.
 * @param parcels of one session type
 * @param name keeps these lots apart from others
 */
export function fitBars(
  model: Pick<LotModel, 'between' | 'sessionOffset'>,
  parcels: readonly PlacedParcel[],
  name: string,
): Bars {
  const levels = SIZES.map((size) => {
    const strangers: number[] = [];
    const lots: { table: Float64Array; genuine: Uint8Array }[] = [];
    for (const parcel of parcels) {
      for (let n = 0; n < LOTS_A_PARCEL; n++) {
        const random = new Random('bars', name, parcel.type, parcel.parcel, size, n);
        const { members, returned } = drawLot({ size, substitution: PROMISED_AT, twins: false }, random);
        const roughs = new Set(members.map(roughOf));
        const enrolment = enrolOf(model, parcel, members);
        const stones = returned.map(({ stone }) => stone);
        const centre = returnedCentre(model, enrolment, parcel.back, stones);
        const tableOf = (some: readonly number[]) =>
          scoreTable(model, enrolment.placed, enrolment.crowded, parcel.back.place(some, centre));
        const others = Array.from({ length: stonesIn(parcel.vectors) }, (_, stone) => stone).filter(
          (stone) => !roughs.has(roughOf(stone)),
        );
        const alone = tableOf(others);
        for (const row of others.keys()) strangers.push(Math.max(...alone.subarray(row * size, (row + 1) * size)));
        const genuine = Uint8Array.from(returned, ({ member }) => Number(member !== null));
        lots.push({ table: tableOf(stones), genuine });
      }
    }
    const falseAccept = quantile(strangers, 1 - FALSE_ACCEPT_LABEL);
    return { size, falseAccept, genuine: highestBar(lots, size, falseAccept) };
  });
  const line = (of: 'falseAccept' | 'genuine') => lineThrough(levels.map((level) => [Math.log(level.size), level[of]]));
  return { falseAccept: line('falseAccept'), genuine: line('genuine') };
}

const quantile = (values: readonly number[], share: number) => interpolatedQuantile(Float64Array.from(values), share);

/** By halving, near the label's bar: members are only lost as the bar rises. */
function highestBar(
  lots: readonly { table: Float64Array; genuine: Uint8Array }[],
  size: number,
  label: number,
): number {
  const all = lots.reduce((sum, { genuine }) => sum + genuine.reduce((a, b) => a + b, 0), 0);
  const confirmed = (bar: number) =>
    lots.reduce((sum, { table, genuine }) => {
      const { stones } = decideAt(table, size, bar);
      return sum + stones.filter(({ member }, place) => genuine[place] === 1 && member !== null).length;
    }, 0) / all;
  let [low, high] = [label - 8, label + 4];
  while (high - low > 0.05) {
    const middle = (low + high) / 2;
    if (confirmed(middle) >= GENUINE_AIM) low = middle;
    else high = middle;
  }
  return low;
}

/** Least squares. */
function lineThrough(points: readonly (readonly [number, number])[]): Line {
  const mean = (k: 0 | 1) => points.reduce((sum, point) => sum + point[k], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const square = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  const slope = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0) / square;
  return { at: settled(y - slope * x), slope: settled(slope) };
}

/** Six decimals: the same on every machine, whatever the last bits of its logarithms. */
export const settled = (value: number): number => Math.round(value * 1e6) / 1e6;
