/** Lots whose truth is known: those that workspaces hold, and those that judge their scorers. */
import { checkLot, enrol } from '#science/lots/check';
import type { LotModel } from '#science/lots/model';
import { stonesIn } from '#science/lots/score';
import type { CheckedHistory } from '#science/lots/scorer/propose';
import { type LotScorer, mapped, ScoringModels } from '#science/lots/scorer/scorer';
import { Random } from '../simulator/index.js';
import { rowsOfStones } from './bars.js';
import { drawLot } from './lot.js';
import type { Count } from './measure.js';
import { stockOf } from './parcel.js';
import type { EncodedParcel } from './scans.js';

export const EXCHANGED = 0.2;

export interface KnownLot extends CheckedHistory {
  /** Of each returned stone its member, or null for a substitute. */
  truth: (number | null)[];
}

/** @param substitution share of the stones that are exchanged for others of the parcel */
export function drawn(
  parcel: EncodedParcel,
  size: number,
  substitution: number,
  ...purpose: (string | number)[]
): KnownLot {
  const random = new Random('scored lot', parcel.parcel, size, ...purpose);
  const { members, returned } = drawLot({ size, substitution, twins: false }, random, stockOf(stonesIn(parcel.enrol)));
  return {
    lot_id: `parcel ${parcel.parcel}`,
    check_id: `parcel ${parcel.parcel} ${purpose.join(' ')}`,
    session_type: parcel.type,
    stones: returned.map((_, place) => `${place}`),
    members: rowsOfStones(parcel.enrol, members),
    returned: rowsOfStones(
      parcel.back,
      returned.map(({ stone }) => stone),
    ),
    truth: returned.map(({ member }) => member),
  };
}

/** The lot with stones of another parcel in place of its own. */
export const foreign = (lot: KnownLot, other: EncodedParcel): KnownLot => ({
  ...lot,
  returned: drawn(other, lot.stones.length, 0, 'foreign').returned,
  truth: lot.truth.map(() => null),
});

/** A trader's parcels: those whose lots a workspace holds, and those that judge. */
export interface Trader {
  trader: number;
  held: EncodedParcel[];
  judges: EncodedParcel[];
  more?: {
    /** The first held parcels and those that judge, table-up. */
    tableUp: EncodedParcel[];
    judgesTableUp: EncodedParcel[];
    /** The first held parcels at two later visits. */
    later: EncodedParcel[];
    /** Of another family. */
    others: EncodedParcel[];
  };
}

const HELD_SIZES = [20, 30];
export const LARGEST_HELD = Math.max(...HELD_SIZES);

/** The lots that a workspace holds, one of a parcel. */
export const heldLots = (parcels: readonly EncodedParcel[]): KnownLot[] =>
  parcels.map((parcel, i) => drawn(parcel, HELD_SIZES[i % HELD_SIZES.length], EXCHANGED, 'held'));

/** Of each returned stone the member that it is confirmed as, or null. */
export type Judge = (lot: KnownLot) => (number | null)[];

export const judgeBy =
  (by: LotModel, map?: Float32Array): Judge =>
  ({ members, returned, session_type }) => {
    const under = (vectors: Float32Array) => (map ? mapped(map, vectors) : vectors);
    return checkLot(by, enrol(by, under(members)), under(returned), session_type).stones.map(({ member }) => member);
  };

/** By a workspace's scorer, as for a lot that it was not fitted on. */
export const judgeOf = (model: LotModel, scorer: LotScorer): Judge =>
  judgeBy(new ScoringModels(model, scorer).of(''), scorer.map);

export interface Tally {
  genuine: Count;
  /** Members confirmed as themselves. */
  right: Count;
  caught: Count;
}

export function tallyOf(lots: readonly KnownLot[], judge: Judge): Tally {
  const none = (): Count => ({ hits: 0, of: 0 });
  const tally: Tally = { genuine: none(), right: none(), caught: none() };
  const add = (count: Count, hit: boolean) => {
    count.of++;
    if (hit) count.hits++;
  };
  for (const lot of lots) {
    for (const [i, member] of judge(lot).entries()) {
      const is = lot.truth[i];
      if (is === null) add(tally.caught, member === null);
      else {
        add(tally.genuine, member !== null);
        add(tally.right, member === is);
      }
    }
  }
  return tally;
}

/** Lots of a size that judge, and how many are drawn out of a parcel. */
export const JUDGED = { 20: 6, 40: 4 } as const;
export type JudgedSize = keyof typeof JUDGED;

export const judging = (parcel: EncodedParcel, size: JudgedSize): KnownLot[] =>
  Array.from({ length: JUDGED[size] }, (_, n) => drawn(parcel, size, EXCHANGED, 'judged', n));
