/** Usual measures of lots of the parcels on which the bars were set. */
import { fitIsotonic, type Isotonic } from '#science/calibration/isotonic';
import { decideLot, twinsOf } from '#science/lots/check';
import { LOT_VECTOR, type LotModel, type SessionType } from '#science/lots/model';
import { returnedCentre } from '#science/lots/offset';
import type { Usual } from '#science/lots/reference-lots';
import { apart, centreOf, scoreTable, stonesIn } from '#science/lots/score';
import { Random } from '../simulator/index.js';
import { enrolOf, largeEnough, type PlacedParcel, rowsOfStones, settled, sizesOf } from './bars.js';
import { drawLot } from './lot.js';

/** Lots of a size that are drawn out of one parcel, and the share of each that is exchanged. */
const LOTS_A_PARCEL = 4;
const SUBSTITUTION = 0.2;
/** The usual range ends a quarter above the largest that was seen: of other parcels some lie further out. */
const BEYOND = 1.25;
/** Part of the least difference that two scans of one stone had: what is below it is a copy. */
const COPIED = 0.4;
/** Knots of a curve that is stored. */
const KNOTS = 24;

/** Measures of lots of one session type. */
export interface SeenLots {
  type: SessionType;
  /** Mean vectors of the parcels. */
  middles: Float64Array[];
  sizes: { size: number; centres: Float64Array[]; lookAlikes: number; offset: number }[];
  /** Margins of returning stones: at their own member's place and all others. */
  margins: { genuine: number[]; foreign: number[] };
  /** Least squared distance between two visits to one stone, a number. */
  nearest: number;
}

/** @param parcels of one session type */
export function seenLots(
  { name, bars }: Pick<LotModel, 'name' | 'bars'>,
  type: SessionType,
  parcels: readonly PlacedParcel[],
): SeenLots {
  const margins: SeenLots['margins'] = { genuine: [], foreign: [] };
  const sizes = sizesOf(parcels).map((size) => {
    const centres: Float64Array[] = [];
    let [lookAlikes, offset] = [0, 0];
    for (const parcel of largeEnough(parcels, size)) {
      const model = { ...parcel.by, bars };
      for (let n = 0; n < LOTS_A_PARCEL; n++) {
        const random = new Random('usual', name, type, parcel.parcel, size, n);
        const { members, returned } = drawLot({ size, substitution: SUBSTITUTION, twins: false }, random, parcel.stock);
        const enrolment = enrolOf(parcel, members);
        const { placed, crowded } = enrolment;
        centres.push(centreOf(rowsOfStones(parcel.kept, members)));
        lookAlikes = Math.max(lookAlikes, new Set(twinsOf(model, enrolment, type).flat()).size / size);
        const came = returned.map(({ stone }) => stone);
        const centre = returnedCentre(model, enrolment, parcel.back, came);
        offset = Math.max(offset, apart(centre, enrolment.centre));
        const back = parcel.back.place(came, centre);
        const { stones } = decideLot(model, scoreTable(model, placed, crowded, back), size, type);
        for (const [place, { margin, nearest }] of stones.entries()) {
          const own = returned[place].member;
          margins[own !== null && own === nearest ? 'genuine' : 'foreign'].push(margin);
        }
      }
    }
    return { size, centres, lookAlikes, offset };
  });
  const visits = parcels.flatMap(({ vectors, returned }) =>
    Array.from(
      { length: stonesIn(vectors) },
      (_, stone) => apart(rowOf(vectors, stone), rowOf(returned, stone)) ** 2 / LOT_VECTOR,
    ),
  );
  const nearest = visits.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
  return { type, middles: parcels.map(({ kept }) => centreOf(kept)), sizes, margins, nearest };
}

/**
 * @param simulated one of each session type whose bars are of simulated parcels
 * @param own the same of those whose bars are of own parcels; together they are all session types
 */
export function usualOf(model: LotModel, simulated: readonly SeenLots[], own: readonly SeenLots[] = []): Usual {
  const seen = [...simulated, ...own];
  const basis = simulated.length > 0 ? simulated : own;
  return {
    simulated: simulated.length > 0,
    model: model.digest,
    parcels: Math.round(basis.reduce((sum, { middles }) => sum + middles.length, 0) / basis.length),
    lots: LOTS_A_PARCEL,
    ...whereabouts(basis),
    cells: seen.flatMap(({ type, sizes }) =>
      sizes.map(({ size, lookAlikes, offset }) => ({
        session_type: type,
        lot_size: size,
        look_alikes_to: settled(Math.min(1, BEYOND * lookAlikes)),
        ...(offset > 0 && { offset_to: settled(BEYOND * offset) }),
      })),
    ),
    rescan_from: settled(COPIED * Math.min(...seen.map(({ nearest }) => nearest))),
    genuine: Object.fromEntries(
      seen.map(({ type, margins }) => [type, curveOf(margins.genuine, margins.foreign)]),
    ) as Usual['genuine'],
    ...(own.length > 0 && { own: { session_types: own.map(({ type }) => type), ...whereabouts(own) } }),
  };
}

/** The middle of parcels, and how far from it their lots usually lie. */
function whereabouts(seen: readonly SeenLots[]): Pick<Usual, 'centre' | 'distance_to'> {
  const middles = seen.flatMap((one) => one.middles);
  const centre = new Float64Array(LOT_VECTOR);
  for (const middle of middles) for (let j = 0; j < LOT_VECTOR; j++) centre[j] += middle[j] / middles.length;
  const furthest = Math.max(
    ...seen.flatMap(({ sizes }) => sizes.flatMap(({ centres }) => centres.map((one) => apart(one, centre)))),
  );
  return { centre: Array.from(centre, settled), distance_to: settled(BEYOND * furthest) };
}

const rowOf = (vectors: Float32Array, stone: number) => vectors.subarray(stone * LOT_VECTOR, (stone + 1) * LOT_VECTOR);

/** That a stone with a margin is genuine, in lots as they were drawn: the curve at 50:50, brought to their mix. */
function curveOf(genuine: number[], foreign: number[]): Isotonic {
  const ascending = (values: number[]) => Float64Array.from(values).sort();
  const { scores, probabilities } = fitIsotonic(ascending(genuine), ascending(foreign));
  const odds = genuine.length / foreign.length;
  const every = Math.ceil(scores.length / KNOTS);
  const kept = scores.map((_, i) => i).filter((i) => i % every === 0 || i === scores.length - 1);
  return {
    scores: kept.map((i) => settled(scores[i])),
    probabilities: kept.map((i) => {
      const p = probabilities[i];
      return settled((odds * p) / (odds * p + 1 - p));
    }),
  };
}
