/** A lot model of a trader's own parcels: they join the simulated ones in the encoder and the cohort, and set the bars. */

import type { ThreadPool } from '#kit/threads/pool';
import { encodeStone } from '#science/lots/encoder';
import type { MeasuredCell } from '#science/lots/measured';
import { LOT_VECTOR, type LotModel, lotModelOf, SESSION_TYPES, type SessionType } from '#science/lots/model';
import { centreOf, lessCentre } from '#science/lots/score';
import { shippedLotModel } from '#science/lots/shipped';
import { joined } from '#science/numerics/joined';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { Random } from '../simulator/index.js';
import { fitBars, type PlacedParcel, placeParcel, rowsOfStones, sizesOf } from './bars.js';
import { addMoments, fitEncoder, type Moments, momentsOf, noMoments } from './fit.js';
import { shuffled } from './lot.js';
import { measureCell } from './measure.js';
import { type OwnParcel, type PreprocessedParcels, preprocessParcels } from './own-parcels.js';
import { stockOf } from './parcel.js';
import { type SeenLots, seenLots, usualOf } from './reference-lots.js';
import { type EncodedParcel, type PreprocessedStones, projected } from './scans.js';
import {
  barParcels,
  cohortRows,
  type LotEncoder,
  type LotPlanOfTraining,
  lookOfSessions,
  simulatedMoments,
  type TrainedLots,
} from './train.js';

/** Parts that parcels are split into: the stones of one are scored with an encoder and a cohort of the others. */
const FOLDS = 3;
/** Weight of own parcels in the encoder's covariances, the rest being simulated. */
const OWN_SHARE = 0.5;
/** Own stones of the cohort, at most: as many as simulated ones. */
const OWN_COHORT = 2700;
/** Substitution at which models are compared, and lots that are drawn out of a parcel. */
const COMPARED = { substitution: 0.2, lots: 4 };

/** Figures of a model of own parcels and of the shipped one on those parcels, at a session type and size. */
export interface Compared {
  shipped: MeasuredCell;
  own: MeasuredCell;
}

export interface TrainedOnOwn extends TrainedLots {
  /** Session types whose bars are of own parcels; those of others are of simulated ones. */
  types: SessionType[];
  compared: Compared[];
}

type Advance = (by: number) => void;
type Parts = LotEncoder & Pick<LotModel, 'cohort' | 'sessionOffset'>;

/**
 * Own parcels are scored by cross-fitting: no stone by an encoder that was fitted on its parcel, or with a cohort that holds it. The
 * finished model's encoder and cohort have all of them.
 * @param own parcels; their spectra are zeroed
 * @param given encoder of another model, taken as it is
 */
export async function trainOnOwn(
  plan: LotPlanOfTraining,
  own: readonly OwnParcel[],
  pool: ThreadPool,
  advance: Advance,
  given?: LotEncoder,
): Promise<TrainedOnOwn> {
  const { name } = plan;
  const shipped = shippedLotModel();
  const before = own.map((parcel) => placeParcel(shipped, encodedBy(shipped, parcel)));
  const simulated = given ? undefined : await simulatedMoments(plan, pool, advance);
  const preprocessing = (given ?? (simulated as { preprocessing: LotModel['preprocessing'] })).preprocessing;
  const apart = await cohortRows(preprocessing, plan, pool, advance);
  const folds = foldsOf(own, plan).map((parcels) => preprocessParcels(preprocessing, parcels));
  const moments = simulated && folds.map((fold) => momentsOf([fold]));
  const without = (held?: number): Parts => {
    const others = folds.filter((_, k) => k !== held);
    const encoder = simulated
      ? {
          preprocessing,
          ...fitEncoder(
            together(
              simulated.moments,
              (moments ?? []).filter((_, k) => k !== held),
            ),
          ),
        }
      : (given as LotEncoder);
    const mine = joined(others.map((rows) => cohortOf(encoder, rows)));
    const cohort = joined([...apart.map((rows) => cohortOf(encoder, rows)), evenly(mine, OWN_COHORT)]);
    return { ...encoder, cohort, sessionOffset: 'removed' };
  };
  const last = without();
  const placed = folds.flatMap((fold, k) => placeFold(without(k), last, fold));
  const bars = {} as LotModel['bars'];
  const looks = {} as LotModel['looks'];
  const seen: { own: SeenLots[]; simulated: SeenLots[] } = { own: [], simulated: [] };
  const types: SessionType[] = [];
  for (const type of SESSION_TYPES) {
    const mine = placed.filter((parcel) => parcel.type === type);
    if (mine.length > 0) {
      types.push(type);
      bars[type] = fitBars(mine, name, shipped.bars[type]);
      looks[type] = lookOfSessions(folds.flatMap((fold) => fold.looks[type]));
      seen.own.push(seenLots({ name, bars }, type, mine));
    } else {
      const { placed: others, looked } = await barParcels(last, plan, type, pool, advance);
      bars[type] = fitBars(others, name);
      looks[type] = lookOfSessions(looked);
      seen.simulated.push(seenLots({ name, bars }, type, others));
    }
  }
  const model = lotModelOf({ name, ...last, bars, looks });
  const compared = types.flatMap((type) => {
    const of = (parcels: readonly PlacedParcel[]) => parcels.filter((parcel) => parcel.type === type);
    return sizesOf(of(placed)).map((size) => {
      const cell = { family: 'own', size, ...COMPARED };
      return { shipped: measureCell(shipped, of(before), cell), own: measureCell(model, of(placed), cell) };
    });
  });
  return { model, usual: usualOf(model, seen.simulated, seen.own), types, compared };
}

/** Parcels of a session type are dealt to the parts in turn, in an order that the seed gives. */
function foldsOf(own: readonly OwnParcel[], { seed }: LotPlanOfTraining): OwnParcel[][] {
  const folds = Array.from({ length: FOLDS }, (): OwnParcel[] => []);
  for (const type of SESSION_TYPES) {
    const mine = own.filter((parcel) => parcel.type === type);
    for (const [i, parcel] of shuffled(mine, new Random('own folds', seed, type)).entries())
      folds[i % FOLDS].push(parcel);
  }
  return folds;
}

function together(simulated: Moments, own: readonly Moments[]): { moments: Moments; weight: number }[] {
  const all = noMoments(simulated.inputs);
  for (const one of own) addMoments(all, one);
  return [
    { moments: simulated, weight: 1 - OWN_SHARE },
    { moments: all, weight: OWN_SHARE },
  ];
}

/** So many rows of LOT_VECTOR, taken evenly; all where there are fewer. */
function evenly(rows: Float32Array, count: number): Float32Array {
  const all = rows.length / LOT_VECTOR;
  if (all <= count) return rows;
  return rowsOfStones(
    rows,
    Array.from({ length: count }, (_, i) => Math.floor((i * all) / count)),
  );
}

/** Stones of the enrolment, each less the mean of its own parcel. */
function cohortOf(encoder: LotEncoder, { parcels, enrol }: PreprocessedStones): Float32Array {
  const vectors = projected(encoder, enrol);
  let first = 0;
  return joined(
    parcels.map((stones) => {
      const rows = vectors.subarray(first * LOT_VECTOR, (first + stones) * LOT_VECTOR);
      first += stones;
      return lessCentre(rows, centreOf(rows));
    }),
  );
}

function placeFold(
  by: Parts,
  last: LotEncoder,
  { parcels, types, numbers, enrol, back }: PreprocessedParcels,
): PlacedParcel[] {
  const [enrolled, returned, kept] = [projected(by, enrol), projected(by, back), projected(last, enrol)];
  let first = 0;
  return parcels.map((stones, i) => {
    const [from, to] = [first * LOT_VECTOR, (first + stones) * LOT_VECTOR];
    first += stones;
    const [type, stock] = [types[i], stockOf(stones)];
    const encoded = { enrol: enrolled.subarray(from, to), back: returned.subarray(from, to) };
    const parcel = { parcel: numbers[i], type, stock, looks: [], ...encoded };
    return { ...placeParcel(by, parcel), kept: kept.subarray(from, to) };
  });
}

function encodedBy(model: LotModel, { number, type, enrol, back }: OwnParcel): EncodedParcel {
  const encoded = (visit: readonly Float32Array[]) =>
    joined(visit.map((spectra) => encodeStone(model, spectra, spectra.length / REFERENCE_POINTS)));
  return { parcel: number, type, stock: stockOf(enrol.length), looks: [], enrol: encoded(enrol), back: encoded(back) };
}
