/** A returning session's part in every stone alike: estimated from pairs, and taken off before stones are scored. */
import { upperMedian } from '#science/numerics/quantile';
import { assign } from './assignment.js';
import { LOT_STONES } from './bounds.js';
import { LOT_VECTOR, type LotModel } from './model.js';
import { type Placed, type Stones, scoreTable } from './score.js';

const ROUNDS = 4;
/** Best pairs that are believed: up to two fifths of a lot may be exchanged. */
const BELIEVED = 0.6;
/** Of fewer stones it would take off what distinguishes them: one stone alone would become its nearest member. */
export const OFFSET_FROM = LOT_STONES.min;

/**
 * The vector that is taken off returning stones: the members' centre and, where the model says so, the session's offset.
 * For it all of them are paired with members, one to one; the offset is the median of return less member over the best
 * pairs, four times over.
 * @param returned rows of `back` that came back
 */
export function returnedCentre(
  model: Pick<LotModel, 'between' | 'sessionOffset'>,
  { centre, placed, crowded }: { centre: Float64Array; placed: Placed; crowded: Float64Array },
  back: Stones,
  returned: readonly number[],
): Float64Array {
  if (model.sessionOffset === 'kept' || returned.length < OFFSET_FROM) return centre;
  const members = crowded.length;
  const taken = centre.slice();
  for (let round = 0; round < ROUNDS; round++) {
    const stones = back.place(returned, taken);
    const table = scoreTable(model, placed, crowded, stones);
    const lowest = table.reduce((least, score) => Math.min(least, score), Number.POSITIVE_INFINITY);
    const paired = assign(
      table.map((score) => score - lowest + 1),
      returned.length,
      members,
    );
    const pairs = Array.from(paired, (member, row) => ({ member, row }))
      .filter(({ member }) => member >= 0)
      .sort((a, b) => table[b.row * members + b.member] - table[a.row * members + a.member] || a.row - b.row);
    const best = pairs.slice(0, Math.ceil(BELIEVED * pairs.length));
    for (let j = 0; j < LOT_VECTOR; j++)
      taken[j] += upperMedian(
        best.map(({ member, row }) => stones.vectors[row * LOT_VECTOR + j] - placed.vectors[member * LOT_VECTOR + j]),
      );
  }
  return taken;
}
