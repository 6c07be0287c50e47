/** Sets the bars of a session type, on parcels that the encoder has not seen. */

import { FALSE_ACCEPT_LABEL, GENUINE_PROMISE } from '#science/lots/bounds';
import { decideAt, type Enrolment } from '#science/lots/check';
import { type Bars, type Line, LOT_VECTOR, type LotModel } from '#science/lots/model';
import { returnedCentre } from '#science/lots/offset';
import { centreOf, crowding, Stones, scoreTable } from '#science/lots/score';
import { interpolatedQuantile } from '#science/numerics/quantile';
import { Random } from '../simulator/index.js';
import { drawLot, roughsFor, strangersTo } from './lot.js';
import { SIMULATED_STOCK, type Stock } from './parcel.js';
import type { EncodedParcel } from './scans.js';

/** Lot sizes that are fitted and published. */
export const SIZES = [10, 20, 40, 60] as const;
/** Lots of a size that are drawn out of one parcel. */
const LOTS_A_PARCEL = 4;

/** A parcel's stones as they were enrolled and as they return. */
export interface PlacedParcel extends Pick<EncodedParcel, 'parcel' | 'type'> {
  stock: Stock;
  /** The parts of the model that encoded its stones and score them. */
  by: Pick<LotModel, 'between' | 'sessionOffset'>;
  /** Vectors of the enrolment and of the return. */
  vectors: Float32Array;
  returned: Float32Array;
  /** Vectors of the enrolment as the finished model gives them; others where the parcel was scored without having been seen. */
  kept: Float32Array;
  enrol: Stones;
  back: Stones;
}

export const placeParcel = (
  model: Pick<LotModel, 'between' | 'cohort' | 'sessionOffset'>,
  { parcel, type, enrol, back, stock = SIMULATED_STOCK }: EncodedParcel,
): PlacedParcel => ({
  parcel,
  type,
  stock,
  by: model,
  vectors: enrol,
  returned: back,
  kept: enrol,
  enrol: new Stones(model, enrol),
  back: new Stones(model, back),
});

/** Some of a parcel's stones as the members of a lot. */
export function enrolOf({ by, vectors, enrol }: PlacedParcel, members: readonly number[]): Enrolment {
  const centre = centreOf(rowsOfStones(vectors, members));
  const placed = enrol.place(members, centre);
  return { centre, placed, crowded: crowding(by, placed) };
}

/** Parcels of which a size needs as many: of fewer a bar would hang on one of them. */
export const MIN_PARCELS = 6;
export const largeEnough = (parcels: readonly PlacedParcel[], size: number): PlacedParcel[] =>
  parcels.filter(({ stock }) => stock.roughs >= roughsFor(size));
/** Lot sizes that parcels can give: the smallest always, others where enough of the parcels are large enough. */
export const sizesOf = (parcels: readonly PlacedParcel[]): number[] =>
  SIZES.filter((size, i) => i === 0 || largeEnough(parcels, size).length >= Math.min(MIN_PARCELS, parcels.length));

export function rowsOfStones(vectors: Float32Array, stones: readonly number[]): Float32Array {
  const rows = new Float32Array(stones.length * LOT_VECTOR);
  for (const [i, stone] of stones.entries())
    rows.set(vectors.subarray(stone * LOT_VECTOR, (stone + 1) * LOT_VECTOR), i * LOT_VECTOR);
  return rows;
}

/** One point above the promise to members: parcels differ from those that the bars are set on. */
const GENUINE_AIM = GENUINE_PROMISE + 0.01;
/** Share of the members that is exchanged where the promise holds. */
const PROMISED_AT = 0.2;

/**
 * The label's bar: 90% of the best scores of single strangers lie at or below it, every place being open. The promise's bar:
 * the highest at which lots with a fifth of their stones exchanged still have 97.2% of their members confirmed.
 * Sizes of which too few parcels can give a lot are left out; with one size alone the lines keep the slopes of others.
 * @param parcels of one session type
 * @param name keeps these lots apart from others
 * @param otherwise bars whose slopes are taken over
 */
export function fitBars(parcels: readonly PlacedParcel[], name: string, otherwise?: Bars): Bars {
  const levels = sizesOf(parcels).map((size) => {
    const strangers: number[] = [];
    const lots: { table: Float64Array; genuine: Uint8Array }[] = [];
    for (const parcel of largeEnough(parcels, size)) {
      const { by: model, stock } = parcel;
      for (let n = 0; n < LOTS_A_PARCEL; n++) {
        const random = new Random('bars', name, parcel.type, parcel.parcel, size, n);
        const { members, returned } = drawLot({ size, substitution: PROMISED_AT, twins: false }, random, stock);
        const enrolment = enrolOf(parcel, members);
        const stones = returned.map(({ stone }) => stone);
        const centre = returnedCentre(model, enrolment, parcel.back, stones);
        const tableOf = (some: readonly number[]) =>
          scoreTable(model, enrolment.placed, enrolment.crowded, parcel.back.place(some, centre));
        const others = strangersTo(members, stock);
        const alone = tableOf(others);
        for (const row of others.keys()) strangers.push(Math.max(...alone.subarray(row * size, (row + 1) * size)));
        const genuine = Uint8Array.from(returned, ({ member }) => Number(member !== null));
        lots.push({ table: tableOf(stones), genuine });
      }
    }
    const falseAccept = quantile(strangers, 1 - FALSE_ACCEPT_LABEL);
    return { size, falseAccept, genuine: highestBar(lots, size, falseAccept) };
  });
  const line = (of: 'falseAccept' | 'genuine') =>
    lineThrough(
      levels.map((level) => [Math.log(level.size), level[of]]),
      otherwise?.[of].slope,
    );
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

/** Least squares. @param known slope, of one point alone */
function lineThrough(points: readonly (readonly [number, number])[], known = 0): Line {
  const mean = (k: 0 | 1) => points.reduce((sum, point) => sum + point[k], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const square = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  const slope =
    points.length > 1 ? points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0) / square : known;
  return { at: settled(y - slope * x), slope: settled(slope) };
}

/** Six decimals: the same on every machine, whatever the last bits of its logarithms. */
export const settled = (value: number): number => Math.round(value * 1e6) / 1e6;
