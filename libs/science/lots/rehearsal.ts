/** Rehearses a substitution on one's own lot: substitutes are offered to vacated places, and counted. */
import { wilson, Z95 } from '#science/calibration/statistics';
import { decideLot, type Enrolment, twinsOf } from './check.js';
import type { LotModel, SessionType } from './model.js';
import { type Placed, scoreTable, stonesIn } from './score.js';

/** Uniform numbers in [0, 1); the same seed gives the same ones. */
export type Uniform = () => number;

export interface Rehearsal {
  draws: number;
  /** Substitutes offered a draw. */
  vacated: number;
  /** Substitutes not confirmed among those offered, and their share with a 95% interval over draws. */
  offered: number;
  caught: number;
  share: number;
  interval: [number, number];
  /** Share of single substitutes that some member would confirm were every place open. */
  oneStoneRate: number;
  /** Members most often matched falsely, most often first. */
  falselyMatched: { member: number; times: number }[];
  /** Pairs of members whose swap is invisible. */
  invisible: [number, number][];
}

/** The specified range of substitution. */
export const MAX_SUBSTITUTION = 0.4;
const SHOWN_MEMBERS = 5;

/**
 * Genuine members are not rehearsed: their enrolment scans were made in one session, so that they would flatter.
 * @param substitution share of places vacated, 0 to MAX_SUBSTITUTION
 * @param substitutes stones that are no members, placed with the centre of the members
 */
export function rehearse(
  model: LotModel,
  enrolment: Enrolment,
  substitutes: Placed,
  {
    session,
    substitution,
    draws,
    uniform,
  }: { session: SessionType; substitution: number; draws: number; uniform: Uniform },
): Rehearsal {
  const { placed, crowded } = enrolment;
  const members = stonesIn(placed.vectors);
  const others = stonesIn(substitutes.vectors);
  const table = scoreTable(model, placed, crowded, substitutes);
  const vacated = Math.min(others, Math.round(substitution * members));
  const draw = () => ({ places: sample(members, vacated, uniform), stones: sample(others, vacated, uniform) });
  return rehearsed(model, enrolment, table, session, vacated, Array.from({ length: draws }, draw));
}

/**
 * The same with the lot's own members: some leave, and others of the lot come in their places. Substitutes of like goods
 * share as much with the lot; a member is never compared with itself.
 */
export function rehearseMembers(
  model: LotModel,
  enrolment: Enrolment,
  { session, substitution, draws, uniform }: Parameters<typeof rehearse>[3],
): Rehearsal {
  const { placed, crowded } = enrolment;
  const members = stonesIn(placed.vectors);
  const table = scoreTable(model, placed, crowded, placed);
  for (let member = 0; member < members; member++) table[member * members + member] = Number.NEGATIVE_INFINITY;
  const vacated = Math.min(Math.floor(members / 2), Math.round(substitution * members));
  const draw = () => {
    const drawn = sample(members, 2 * vacated, uniform);
    return { places: drawn.slice(0, vacated), stones: drawn.slice(vacated) };
  };
  return rehearsed(model, enrolment, table, session, vacated, Array.from({ length: draws }, draw));
}

/** @param table scores of all substitutes, substitutes x members */
function rehearsed(
  model: LotModel,
  enrolment: Enrolment,
  table: Float64Array,
  session: SessionType,
  vacated: number,
  drawn: readonly { places: number[]; stones: number[] }[],
): Rehearsal {
  const members = enrolment.crowded.length;
  const draws = drawn.length;
  const times = new Int32Array(members);
  const shares: number[] = [];
  let caught = 0;
  for (const { places, stones } of vacated === 0 ? [] : drawn) {
    const offered = Float64Array.from({ length: vacated * vacated }, (_, i) => {
      return table[stones[Math.floor(i / vacated)] * members + places[i % vacated]];
    });
    // The lot's size stays what it is: only the vacated places are open.
    let here = 0;
    for (const member of decideOpen(model, offered, vacated, members, session)) {
      if (member === null) here++;
      else times[places[member]]++;
    }
    caught += here;
    shares.push(here / vacated);
  }
  const offered = draws * vacated;
  const mean = offered === 0 ? 0 : caught / offered;
  const error = Math.sqrt(shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / Math.max(1, draws - 1) / draws);
  const [low, high] = wilson(mean * draws, draws);
  return {
    draws,
    vacated,
    offered,
    caught,
    share: mean,
    // Draws that are all alike have no scatter: they still are no more than so many.
    interval: [Math.max(0, Math.min(low, mean - Z95 * error)), Math.min(1, Math.max(high, mean + Z95 * error))],
    oneStoneRate: decideEach(model, table, members, session) / (table.length / members),
    falselyMatched: [...times]
      .map((count, member) => ({ member, times: count }))
      .filter((one) => one.times > 0)
      .sort((a, b) => b.times - a.times || a.member - b.member)
      .slice(0, SHOWN_MEMBERS),
    invisible: twinsOf(model, enrolment, session),
  };
}

function decideOpen(model: LotModel, offered: Float64Array, open: number, size: number, session: SessionType) {
  // decideLot takes the bar of a lot as large as the table is wide; here the lot is larger than its open places.
  const padded = new Float64Array((offered.length / open) * size).fill(Number.NEGATIVE_INFINITY);
  for (let i = 0; i < offered.length; i++) padded[Math.floor(i / open) * size + (i % open)] = offered[i];
  return decideLot(model, padded, size, session).stones.map(({ member }) => member);
}

/** Number of substitutes that would be confirmed, each being the only one offered. */
function decideEach(model: LotModel, table: Float64Array, members: number, session: SessionType): number {
  let confirmed = 0;
  for (let row = 0; row < table.length / members; row++) {
    const alone = decideLot(model, table.slice(row * members, (row + 1) * members), members, session);
    if (alone.stones[0].member !== null) confirmed++;
  }
  return confirmed;
}

/** `count` different numbers below `among`. */
function sample(among: number, count: number, uniform: Uniform): number[] {
  const all = Array.from({ length: among }, (_, i) => i);
  for (let i = 0; i < count; i++) {
    const j = i + Math.floor(uniform() * (among - i));
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all.slice(0, count);
}
