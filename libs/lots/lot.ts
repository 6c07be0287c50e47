/** A lot as it is kept and answered: enrolled, checked, rehearsed. Pure; who calls it adds names, times and ids. */
import { BOUNDS_VERSION, LOT_SCOPE } from './bounds.js';
import { checkLot, type Enrolment, enrol, enrolmentOf, twinsOf } from './check.js';
import type { MeasuredRehearsal } from './measured.js';
import { LOT_VECTOR, type LotModel, type SessionType } from './model.js';
import { type Rehearsal, rehearse } from './rehearsal.js';
import { cohortPlaced, type Placed, place, stonesIn } from './score.js';
import { sessionTypeOf } from './session.js';

export interface Pair {
  a: string;
  b: string;
}

/** Stones whose scans were encoded. */
export interface EncodedLot {
  stones: readonly { stone: string; scans: number }[];
  /** Rows of LOT_VECTOR. */
  vectors: Float32Array;
  /** What the session looks like (`lookOf`). */
  look: readonly number[];
  /** Of the files. */
  warnings: readonly string[];
}

export interface EnrolledLot {
  session_type: SessionType;
  session_type_source: 'declared' | 'estimated';
  /** Of each stone, its likeness to the cohort and its largest to another member. */
  placing: { cohort: number; crowding: number }[];
  twins: Pair[];
  warnings: string[];
}

/** Members as a check needs them. */
export interface Members {
  stones: readonly string[];
  enrolment: Enrolment;
  session_type: SessionType;
  twins: readonly Pair[];
}

export interface CheckedLot {
  session_type: SessionType;
  session_type_source: 'declared' | 'estimated';
  stones: {
    stone: string;
    scans: number;
    confirmed: boolean;
    member: string | null;
    score: number;
    bar: number;
    margin: number;
  }[];
  members: { stone: string; accounted: boolean; by: string | null }[];
  counts: { returned: number; confirmed: number; not_confirmed: number; members_unaccounted: number };
  false_accept: { label: number; measured: { share: number; interval: [number, number] } | null };
  warnings: string[];
  scope: string;
  bounds_version: string;
}

export interface RehearsedLot {
  substitution: number;
  draws: number;
  seed: number;
  source: 'cohort' | string[];
  vacated: number;
  offered: number;
  caught: { count: number; share: number; interval: [number, number] };
  one_stone_false_accept: number;
  falsely_matched: { stone: string; times: number }[];
  invisible_swaps: Pair[];
  /** Share caught of the cohort's stones less that of the caller's own, where both were tried. */
  cohort_flatters_by: number | null;
  notes: string[];
  scope: string;
  bounds_version: string;
}

const SESSION_WORDS = 'it decides the bar; say which it was with session_type';

function sessionOf(model: LotModel, look: readonly number[], declared: SessionType | undefined) {
  const seems = sessionTypeOf(model.looks, look);
  const source = declared === undefined ? ('estimated' as const) : ('declared' as const);
  const warnings =
    declared === undefined
      ? [`Session type estimated: the scans look like ${seems}; ${SESSION_WORDS}`]
      : declared === seems
        ? []
        : [`Session type doubted: declared ${declared}, the scans look like ${seems}`];
  return { session_type: declared ?? seems, session_type_source: source, warnings };
}

export function enrolLot(
  model: LotModel,
  { stones, vectors, look, warnings }: EncodedLot,
  declared: SessionType | undefined,
): EnrolledLot {
  const session = sessionOf(model, look, declared);
  const enrolment = enrol(model, vectors);
  const twins = pairsOf(stones, twinsOf(model, enrolment, session.session_type));
  return {
    ...session,
    placing: stones.map((_, i) => ({ cohort: enrolment.placed.cohort[i], crowding: enrolment.crowded[i] })),
    twins,
    warnings: [
      ...warnings,
      ...session.warnings,
      ...(twins.length > 0
        ? [`Look-alikes: ${list(twins)} are too alike to be distinguished; a swap is invisible`]
        : []),
    ],
  };
}

/** Members out of what was kept of an enrolment. */
export function membersOf(
  kept: readonly { stone: string; vector: Float32Array; cohort: number; crowding: number }[],
  { session_type, twins }: Pick<Members, 'session_type' | 'twins'>,
): Members {
  const enrolment = enrolmentOf(
    rowsOf(kept),
    Float64Array.from(kept, ({ cohort }) => cohort),
    Float64Array.from(kept, ({ crowding }) => crowding),
  );
  return { stones: kept.map(({ stone }) => stone), enrolment, session_type, twins };
}

/** Vectors as rows of LOT_VECTOR. */
export function rowsOf(kept: readonly { vector: Float32Array }[]): Float32Array {
  const vectors = new Float32Array(kept.length * LOT_VECTOR);
  for (const [i, { vector }] of kept.entries()) vectors.set(vector, i * LOT_VECTOR);
  return vectors;
}

/** @param falseAccepts one-stone rates of lots of this size: the label, and what was measured */
export function checkReturn(
  model: LotModel,
  members: Members,
  returned: EncodedLot,
  declared: SessionType | undefined,
  falseAccepts: Record<SessionType, CheckedLot['false_accept']>,
): CheckedLot {
  const { session_type, session_type_source, warnings } = sessionOf(model, returned.look, declared);
  const { stones, accounted, floorBinds } = checkLot(model, members.enrolment, returned.vectors, session_type);
  const twinned = new Set(members.twins.flatMap(({ a, b }) => [a, b]));
  const answered = stones.map(({ member, score, bar, margin }, i) => ({
    stone: returned.stones[i].stone,
    scans: returned.stones[i].scans,
    confirmed: member !== null,
    member: member === null ? null : members.stones[member],
    score,
    bar,
    margin,
  }));
  const unsure = answered.flatMap(({ stone, member }) => (member !== null && twinned.has(member) ? [stone] : []));
  const second = answered.flatMap((one) => (!one.confirmed && one.margin > 0 ? [one.stone] : []));
  const confirmed = answered.filter((one) => one.confirmed).length;
  const others = returned.stones.length - members.stones.length;
  return {
    session_type,
    session_type_source,
    stones: answered,
    members: members.stones.map((stone, i) => {
      const row = accounted[i];
      return { stone, accounted: row !== null, by: row === null ? null : returned.stones[row].stone };
    }),
    counts: {
      returned: answered.length,
      confirmed,
      not_confirmed: answered.length - confirmed,
      members_unaccounted: members.stones.length - confirmed,
    },
    false_accept: falseAccepts[session_type],
    warnings: [
      ...returned.warnings,
      ...warnings,
      ...(session_type === members.session_type
        ? []
        : [
            `Session types differ: enrolled ${members.session_type}, returned ${session_type}; such a check is untried`,
          ]),
      ...(others > 0 ? [`More stones than members: ${others} of them cannot be confirmed, whatever they are`] : []),
      ...(unsure.length > 0
        ? [`Look-alikes: confirmed as members that have a look-alike in the lot: ${unsure.join(', ')}`]
        : []),
      ...(second.length > 0
        ? [
            `One member, one stone: above the bar too, for a member that another stone resembles more: ${second.join(', ')}`,
          ]
        : []),
      ...(floorBinds
        ? [
            'One-stone false accepts exceed their label: for a lot of this size and session type the promise to genuine ' +
              'members sets the bar',
          ]
        : []),
    ],
    scope: LOT_SCOPE,
    bounds_version: BOUNDS_VERSION,
  };
}

/** Cohort stones that a rehearsal offers. */
const OFFERED = 300;

/** Some of the cohort's stones, as a rehearsal offers them. */
export const cohortSubstitutes = (model: LotModel): Placed => cohortPlaced(model, OFFERED);

/** Lots that a rehearsal may take its substitutes from. */
export const MAX_SOURCES = 20;

export interface RehearsalWish {
  substitution: number;
  seed: number;
  draws: number;
  /** Lot ids, or the model's cohort. */
  source: 'cohort' | string[];
}

/**
 * @param own stones of the lots that the wish names, rows of LOT_VECTOR
 * @param measured by how much the cohort flatters lots like this one, where that was measured
 */
export function rehearseLot(
  model: LotModel,
  { stones, enrolment, session_type }: Members,
  { substitution, seed, draws, source }: RehearsalWish,
  cohort: Placed,
  own?: Float32Array,
  measured?: MeasuredRehearsal,
): RehearsedLot {
  const run = (substitutes: Placed): Rehearsal =>
    rehearse(model, enrolment, substitutes, { session: session_type, substitution, draws, uniform: uniformOf(seed) });
  const rehearsed = run(own ? place(model, own, enrolment.centre) : cohort);
  const flatters = own ? run(cohort).share - rehearsed.share : (measured?.flatters_by.share ?? null);
  const few = own !== undefined && stonesIn(own) < Math.round(substitution * stones.length);
  return {
    substitution,
    draws,
    seed,
    source,
    vacated: rehearsed.vacated,
    offered: rehearsed.offered,
    caught: { count: rehearsed.caught, share: rehearsed.share, interval: rehearsed.interval },
    one_stone_false_accept: rehearsed.oneStoneRate,
    falsely_matched: rehearsed.falselyMatched.map(({ member, times }) => ({ stone: stones[member], times })),
    invisible_swaps: pairsOf(
      stones.map((stone) => ({ stone })),
      rehearsed.invisible,
    ),
    cohort_flatters_by: flatters,
    notes: [
      'Genuine members are not rehearsed: the share of them that is confirmed is in GET /api/lotscan/bounds.',
      source === 'cohort'
        ? `Substitutes were the model’s cohort, which are easier to distinguish than stones of the same parcel${quoted(measured)}. Name lots of like goods as source to see it for this lot.`
        : 'cohort_flatters_by is the share caught of the cohort less that of the lots named.',
      ...(few ? ['The lots named hold fewer stones than the substitution asks for: fewer places were vacated.'] : []),
    ],
    scope: LOT_SCOPE,
    bounds_version: BOUNDS_VERSION,
  };
}

function quoted(measured: MeasuredRehearsal | undefined): string {
  if (!measured) return '';
  const { lot_size, session_type, lots, flatters_by } = measured;
  const [share, low, high] = [flatters_by.share, ...flatters_by.interval].map((one) => (100 * one).toFixed(1));
  return `: cohort_flatters_by is the mean of ${lots} simulated lots of ${lot_size}, ${session_type}, ${share} points (${low} to ${high})`;
}

const pairsOf = (stones: readonly { stone: string }[], pairs: readonly (readonly [number, number])[]): Pair[] =>
  pairs.map(([a, b]) => ({ a: stones[a].stone, b: stones[b].stone }));
const list = (pairs: readonly Pair[]): string => pairs.map(({ a, b }) => `${a} and ${b}`).join('; ');

/** Uniform numbers in [0, 1) from a seed (mulberry32). */
function uniformOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
