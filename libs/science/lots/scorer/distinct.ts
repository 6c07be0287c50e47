/** Which lots of a history are of different stones. */
import { productsOfRows } from '#science/compute/products';
import { LOT_VECTOR } from '../model.js';
import { centreOf, lessCentre, stonesIn } from '../score.js';
import { type CohortLot, type LotScorer, mapped } from './scorer.js';

/** Share of the smaller lot's stones that have their own second scan in the other: of other stones a quarter seems so. */
const SAME = 0.6;

/** Of two lots of the same stones the later one stays. */
export function distinct<Lot extends CohortLot>(scorer: LotScorer, history: readonly Lot[]): Lot[] {
  const placed = history.map(({ members }) => {
    const rows = mapped(scorer.map, members);
    const vectors = lessCentre(rows, centreOf(rows));
    const among = squaresBetween(vectors, vectors);
    for (let stone = 0, size = stonesIn(vectors); stone < size; stone++)
      among[stone * (size + 1)] = Number.POSITIVE_INFINITY;
    return { vectors, own: nearest(among, stonesIn(vectors)).map(({ squares }) => squares) };
  });
  return history.filter((_lot, i) => !placed.some((later, k) => k > i && sameStones(placed[i], later)));
}

/** A lot under the map, and of each of its stones the squared distance to the nearest other one. */
interface PlacedLot {
  vectors: Float32Array;
  own: number[];
}

/** Stones of two lots that are nearest to each other, and nearer than to any of their own lot. */
function sameStones(a: PlacedLot, b: PlacedLot): boolean {
  const there = nearest(squaresBetween(a.vectors, b.vectors), b.own.length);
  const back = nearest(squaresBetween(b.vectors, a.vectors), a.own.length);
  const both = there.filter(
    ({ at, squares }, stone) => back[at].at === stone && squares < Math.min(a.own[stone], b.own[at]),
  );
  return both.length > SAME * Math.min(a.own.length, b.own.length);
}

/** Of each row its least value, and where. */
function nearest(table: Float64Array, columns: number): { at: number; squares: number }[] {
  return Array.from({ length: table.length / columns }, (_, row) => {
    let at = 0;
    for (let k = 1; k < columns; k++) if (table[row * columns + k] < table[row * columns + at]) at = k;
    return { at, squares: table[row * columns + at] };
  });
}

/** Squared distances of the rows of one table to those of another. */
function squaresBetween(a: Float32Array, b: Float32Array): Float64Array {
  const [ofA, ofB] = [squaresOf(a), squaresOf(b)];
  const table = new Float64Array(ofA.length * ofB.length);
  productsOfRows(Float64Array.from(a), b, LOT_VECTOR, table);
  for (let i = 0, at = 0; i < ofA.length; i++)
    for (let k = 0; k < ofB.length; k++, at++) table[at] = ofA[i] + ofB[k] - 2 * table[at];
  return table;
}

function squaresOf(rows: Float32Array): Float64Array {
  const squares = new Float64Array(stonesIn(rows));
  for (let at = 0; at < rows.length; at++) squares[Math.floor(at / LOT_VECTOR)] += rows[at] ** 2;
  return squares;
}
