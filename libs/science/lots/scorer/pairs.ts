/** Pairs of a lot's members and returning stones that are believed, without labels. */
import { upperMedian } from '#science/numerics/quantile';
import { assign } from '../assignment.js';
import { enrol } from '../check.js';
import type { LotModel } from '../model.js';
import { returnedCentre } from '../offset.js';
import { Stones, scoreTable, stonesIn } from '../score.js';

export interface BelievedPair {
  member: number;
  returned: number;
}

export interface Pair extends BelievedPair {
  /** The pair's score less the best other one of its member or its returning stone. */
  margin: number;
}

/** All of a return paired with members one to one, at the largest total score. @param members rows of LOT_VECTOR */
export function pairsOfReturn(model: LotModel, members: Float32Array, returned: Float32Array): Pair[] {
  const enrolment = enrol(model, members);
  const stones = new Stones(model, returned);
  const [rows, columns] = [stonesIn(returned), stonesIn(members)];
  const all = Array.from({ length: rows }, (_, row) => row);
  const placed = stones.place(all, returnedCentre(model, enrolment, stones, all));
  const table = scoreTable(model, enrolment.placed, enrolment.crowded, placed);
  const lowest = table.reduce((least, score) => Math.min(least, score), Number.POSITIVE_INFINITY);
  const assigned = assign(
    table.map((score) => score - lowest + 1),
    rows,
    columns,
  );
  return all.flatMap((row) => {
    const member = assigned[row];
    if (member < 0) return [];
    let other = Number.NEGATIVE_INFINITY;
    for (let m = 0; m < columns; m++) if (m !== member) other = Math.max(other, table[row * columns + m]);
    for (let v = 0; v < rows; v++) if (v !== row) other = Math.max(other, table[v * columns + member]);
    return [{ member, returned: row, margin: table[row * columns + member] - other }];
  });
}

/** Of each lot the pairs in the upper half of all lots' margins, none below 0. */
export function believed(lots: readonly (readonly Pair[])[]): BelievedPair[][] {
  const margins = lots.flatMap((pairs) => pairs.map(({ margin }) => margin));
  const least = margins.length > 0 ? Math.max(0, upperMedian(margins)) : 0;
  return lots.map((pairs) => pairs.filter(({ margin }) => margin >= least));
}
