/** Decides which stones of a returning lot are confirmed as members. */
import { interpolatedQuantile } from '#science/numerics/quantile';
import { assign } from './assignment.js';
import { FALSE_ACCEPT_LABEL } from './bounds.js';
import type { LotModel, SessionType } from './model.js';
import { returnedCentre } from './offset.js';
import {
  apart,
  barOf,
  centreOf,
  crowding,
  lessCentre,
  type Placed,
  place,
  Stones,
  scoreTable,
  stonesIn,
} from './score.js';

/** Members as they were enrolled. */
export interface Enrolment {
  /** The part that all members share. */
  centre: Float64Array;
  placed: Placed;
  /** For each member its largest ratio to another one. */
  crowded: Float64Array;
}

export interface CheckedStone {
  /** The member it is confirmed as, or null: not confirmed, which is neither "foreign" nor "absent". */
  member: number | null;
  /** The member that it is confirmed as, else the one that it resembles most. */
  nearest: number;
  /** Its score against that one. Above the bar and yet not confirmed: another stone resembles it more. */
  score: number;
  bar: number;
  /** score - bar. */
  margin: number;
}

export interface Decided {
  stones: CheckedStone[];
  /** For each member the returning stone that accounts for it, or null. */
  accounted: (number | null)[];
  /** The promise to genuine members set the bar: one-stone false accepts exceed their label. */
  floorBinds: boolean;
}

export interface LotCheck extends Decided {
  /** Length of what was taken off all returning stones, the session's offset. */
  offset: number;
  /** Returning stones above the bar for a second member too. */
  seconds: number;
  /** Stones above the bar for a member that nothing accounts for, other than the nearest, and out of how many. */
  open: { places: number; taken: number; of: number };
  /** A bar out of the lot's own scores, which decides nothing, and the returning stones that it would confirm. */
  own: { bar: number; confirmed: boolean[] };
}

/** @param vectors members, rows of LOT_VECTOR */
export function enrol(model: LotModel, vectors: Float32Array): Enrolment {
  const centre = centreOf(vectors);
  const placed = place(model, vectors, centre);
  return { centre, placed, crowded: crowding(model, placed) };
}

/** An enrolment out of what was kept of it: the members' vectors, their likeness to the cohort and their crowding. */
export function enrolmentOf(vectors: Float32Array, cohort: Float64Array, crowded: Float64Array): Enrolment {
  const centre = centreOf(vectors);
  return { centre, placed: { vectors: lessCentre(vectors, centre), cohort }, crowded };
}

/** Pairs of members too alike to be distinguished: a swap between them is invisible. */
export function twinsOf(
  model: Pick<LotModel, 'between' | 'bars'>,
  { placed, crowded }: Enrolment,
  session: SessionType,
): [number, number][] {
  const size = stonesIn(placed.vectors);
  const { bar } = barOf(model.bars[session], size);
  const table = scoreTable(model, placed, crowded, placed);
  const pairs: [number, number][] = [];
  for (let a = 0; a < size; a++) {
    for (let b = a + 1; b < size; b++) if (Math.max(table[a * size + b], table[b * size + a]) > bar) pairs.push([a, b]);
  }
  return pairs;
}

/** @param returned vectors of the returning stones, rows of LOT_VECTOR; there may be more of them than members */
export function checkLot(
  model: LotModel,
  enrolment: Enrolment,
  returned: Float32Array,
  session: SessionType,
): LotCheck {
  const { placed, crowded } = enrolment;
  const all = Array.from({ length: stonesIn(returned) }, (_, stone) => stone);
  const stones = new Stones(model, returned);
  const centre = returnedCentre(model, enrolment, stones, all);
  const table = scoreTable(model, placed, crowded, stones.place(all, centre));
  const size = stonesIn(placed.vectors);
  const decided = decideLot(model, table, size, session);
  const { bar } = barOf(model.bars[session], size);
  const rows = decided.stones.map((_, row) => table.subarray(row * size, (row + 1) * size));
  const open = (member: number) => decided.accounted[member] === null;
  const taken = (scores: Float64Array, own: number) =>
    scores.some((score, member) => member !== own && open(member) && score > bar);
  const among = scoreTable(model, placed, crowded, placed);
  const ownBar = interpolatedQuantile(
    Float64Array.from([...rows.map((scores) => secondOf(scores)), ...bestOthers(among, size)]),
    1 - FALSE_ACCEPT_LABEL,
  );
  const kept = decided.accounted.flatMap((row, member) => (row === null ? [] : [member]));
  return {
    ...decided,
    offset: apart(centre, enrolment.centre),
    seconds: rows.filter((scores) => scores.filter((score) => score > bar).length > 1).length,
    open: {
      places: size - kept.length,
      taken:
        rows.filter((scores, row) => taken(scores, decided.stones[row].nearest)).length +
        kept.filter((member) => taken(among.subarray(member * size, (member + 1) * size), member)).length,
      of: rows.length + kept.length,
    },
    own: { bar: ownBar, confirmed: decideAt(table, size, ownBar).stones.map(({ member }) => member !== null) },
  };
}

const secondOf = (scores: Float64Array): number => scores.toSorted().at(-2) as number;

/** For each member its best score against another one. @param among members x members */
const bestOthers = (among: Float64Array, size: number): number[] =>
  Array.from({ length: size }, (_, m) =>
    among
      .subarray(m * size, (m + 1) * size)
      .reduce((best, score, k) => (k === m ? best : Math.max(best, score)), -Infinity),
  );

/** @param table scores, returned x members */
export function decideLot(
  { bars }: Pick<LotModel, 'bars'>,
  table: Float64Array,
  members: number,
  session: SessionType,
): Decided {
  const { bar, floorBinds } = barOf(bars[session], members);
  return { ...decideAt(table, members, bar), floorBinds };
}

/** The decision at a bar. @param table scores, returned x members */
export function decideAt(table: Float64Array, members: number, bar: number): Omit<Decided, 'floorBinds'> {
  const rows = table.length / members;
  const assigned = assign(
    table.map((score) => score - bar),
    rows,
    members,
  );
  const accounted = new Array<number | null>(members).fill(null);
  const stones = Array.from(assigned, (member, row): CheckedStone => {
    if (member >= 0) accounted[member] = row;
    const scores = table.subarray(row * members, (row + 1) * members);
    const nearest = member >= 0 ? member : scores.indexOf(Math.max(...scores));
    const score = scores[nearest];
    return { member: member >= 0 ? member : null, nearest, score, bar, margin: score - bar };
  });
  return { stones, accounted };
}
