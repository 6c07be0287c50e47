/** How right answers are about their own lot: marked or not, its false accepts, its rehearsal. */

import { checkLot, twinsOf } from '#science/lots/check';
import { ownFalseAccept } from '#science/lots/fit';
import { enrolledFit, pairsOf, twinned } from '#science/lots/lot';
import type { MeasuredAnswers } from '#science/lots/measured';
import type { LotModel } from '#science/lots/model';
import { returnedCentre } from '#science/lots/offset';
import type { Usual } from '#science/lots/reference-lots';
import { cohortSubstitutes, rehearseLot } from '#science/lots/rehearsed';
import { barOf, type Placed, scoreTable } from '#science/lots/score';
import { Random } from '../simulator/index.js';
import { enrolOf, type PlacedParcel, rowsOfStones } from './bars.js';
import { drawLot, strangersTo } from './lot.js';

/** Lots of a size that are drawn out of one parcel. */
const LOTS_A_PARCEL = 2;
const SUBSTITUTION = 0.2;
const DRAWS = 50;

/** One lot: what its answers say, and what is true. */
export interface Answered {
  size: number;
  /** Said to be unlike the lots on which the bars were set. */
  marked: boolean;
  falseAccept: { true: number; said: number; within: boolean };
  /** Substitutes, those not confirmed, and the share that a rehearsal promises; null where it promises none. */
  substitutes: number;
  caught: number;
  rehearsed: number | null;
}

/** @param parcels of one session type */
export function answersOf(
  model: LotModel,
  usual: Usual,
  parcels: readonly PlacedParcel[],
  { family, size }: { family: string; size: number },
): Answered[] {
  const cohort = cohortSubstitutes(model);
  return parcels.flatMap((parcel) =>
    Array.from({ length: LOTS_A_PARCEL }, (_, n) => {
      const random = new Random('answered lot', family, parcel.parcel, parcel.type, size, n);
      return answerOf(model, usual, parcel, { size, random, cohort });
    }),
  );
}

function answerOf(
  model: LotModel,
  usual: Usual,
  parcel: PlacedParcel,
  { size, random, cohort }: { size: number; random: Random; cohort: Placed },
): Answered {
  const { type } = parcel;
  const { members, returned } = drawLot({ size, substitution: SUBSTITUTION, twins: false }, random, parcel.stock);
  const enrolment = enrolOf(parcel, members);
  const stones = members.map((stone) => `${stone}`);
  const twins = pairsOf(
    stones.map((stone) => ({ stone })),
    twinsOf(model, enrolment, type),
  );
  const back = returned.map(({ stone }) => stone);
  const check = checkLot(model, enrolment, rowsOfStones(parcel.returned, back), type);
  const said = ownFalseAccept([twinned(twins).size, size], [check.seconds, back.length]);

  const strangers = strangersTo(members, parcel.stock);
  const alone = parcel.back.place(strangers, returnedCentre(model, enrolment, parcel.back, back));
  const table = scoreTable(model, enrolment.placed, enrolment.crowded, alone);
  const { bar } = barOf(model.bars[type], size);
  const accepted = strangers.filter((_, row) => Math.max(...table.subarray(row * size, (row + 1) * size)) > bar);
  const truth = accepted.length / strangers.length;

  const wish = { substitution: SUBSTITUTION, seed: random.below(2 ** 31), draws: DRAWS, source: 'cohort' as const };
  const { caught } = rehearseLot(model, { stones, enrolment, session_type: type, twins }, wish, cohort, { usual });
  const foreign = check.stones.filter((_, place) => returned[place].member === null);
  return {
    size,
    marked: enrolledFit(usual, enrolment, type, twins)?.usual === false,
    falseAccept: { true: truth, said: said.share, within: said.interval[0] <= truth && truth <= said.interval[1] },
    substitutes: foreign.length,
    caught: foreign.filter(({ member }) => member === null).length,
    rehearsed: caught?.share ?? null,
  };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Lots of a family and a size, all session types together. */
export function sumOfAnswers(family: string, lots: readonly Answered[]): MeasuredAnswers {
  const rehearsed = lots.flatMap((lot) => (lot.rehearsed === null ? [] : [lot.rehearsed]));
  return {
    family,
    lot_size: lots[0].size,
    lots: lots.length,
    marked: lots.filter(({ marked }) => marked).length,
    false_accept: mean(lots.map(({ falseAccept }) => falseAccept.true)),
    own: mean(lots.map(({ falseAccept }) => falseAccept.said)),
    own_within: lots.filter(({ falseAccept }) => falseAccept.within).length,
    caught: mean(lots.map(({ caught, substitutes }) => caught / substitutes)),
    rehearsed: rehearsed.length > 0 ? mean(rehearsed) : null,
  };
}
