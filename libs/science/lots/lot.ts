/** A lot as it is kept and answered: enrolled, checked, rehearsed. Pure; who calls it adds names, times and ids. */
import { wilson } from '#science/calibration/statistics';
import { BOUNDS_VERSION, LOT_SCOPE } from './bounds.js';
import { checkLot, type Enrolment, enrol, enrolmentOf, twinsOf } from './check.js';
import { namedClusters, namedStones, type Pair } from './clusters.js';
import { fitOf, type LotFit, offsetSays, ownFalseAccept } from './fit.js';
import type { MeasuredShare } from './measured.js';
import { LOT_VECTOR, type LotModel, type SessionType } from './model.js';
import { genuineAt, type Usual } from './reference-lots.js';
import { type OwnScorerFacts, type OwnScoring, scoredLot } from './scorer/scoring.js';
import { sessionTypeOf, unusualSession } from './session.js';

/** Stones whose scans were encoded. */
export interface EncodedLot {
  stones: readonly { stone: string; scans: number }[];
  /** Rows of LOT_VECTOR. */
  vectors: Float32Array;
  /** The look of the session (`lookOf`). */
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
  /** The comparison with the lots on which the bars were set; null if the model does not describe them. */
  fit: LotFit | null;
  warnings: string[];
}

/** Members as a check needs them. */
export interface Members {
  stones: readonly string[];
  enrolment: Enrolment;
  session_type: SessionType;
  twins: readonly Pair[];
}

/** The workspace's own scorer, where one decided: its facts, and the members that it cannot distinguish. */
export interface WorkspaceScored extends Pick<OwnScorerFacts, 'digest' | 'approved_at' | 'lots'> {
  twins: Pair[];
}

/** `scan_again`: not confirmed, and a scan may change that. */
export const OUTCOMES = ['confirmed', 'scan_again', 'not_confirmed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface CheckedLot {
  session_type: SessionType;
  session_type_source: 'declared' | 'estimated';
  /** One line that says it all; null of checks that were made before there was one. */
  verdict: string | null;
  stones: {
    stone: string;
    scans: number;
    outcome: Outcome;
    /** The reason to scan it again. */
    why: string | null;
    confirmed: boolean;
    member: string | null;
    score: number;
    bar: number;
    margin: number;
    /** That it is that member, or the nearest, a fifth of the lot being exchanged; null where it is not known. */
    probability: number | null;
  }[];
  members: { stone: string; accounted: boolean; by: string | null }[];
  counts: { returned: number; confirmed: number; not_confirmed: number; members_unaccounted: number };
  fit: LotFit | null;
  /** Null where the scorer that came with the model decided. */
  workspace_scorer: WorkspaceScored | null;
  false_accept: {
    label: number;
    /** On simulated lots; null where there are none like this one. */
    measured: MeasuredShare | null;
    /** Of the lot itself, every place being open. */
    own: MeasuredShare | null;
    /** Of the lot itself, at the places that nothing accounts for. */
    open_places: (MeasuredShare & { places: number }) | null;
  };
  /**
   * A bar out of the lot's own scores: a tenth of its look-alikes lie above it. It keeps its label on stones of any kind, confirms
   * far fewer, and decides nothing. Left out of checks that were made before there was one.
   */
  own_bar?: { bar: number; confirmed: string[] };
  warnings: string[];
  scope: string;
  bounds_version: string;
}

/** One-stone rates as they were measured before, of lots of a size and session type. */
export type KnownFalseAccept = Pick<CheckedLot['false_accept'], 'label' | 'measured'>;

const SESSION_WORDS = 'it decides the bar; say which it was with session_type';

function sessionOf(model: LotModel, look: readonly number[], declared: SessionType | undefined) {
  if (declared === undefined) {
    const seems = sessionTypeOf(model.looks, look);
    const warnings = [`Session type estimated: the scans look like ${seems}; ${SESSION_WORDS}`];
    return { session_type: seems, session_type_source: 'estimated' as const, warnings };
  }
  const doubt = unusualSession(model.looks, look, declared);
  const warnings = doubt ? [`Session type doubted: declared ${declared}, the scans look like ${doubt}`] : [];
  return { session_type: declared, session_type_source: 'declared' as const, warnings };
}

export function enrolLot(
  model: LotModel,
  { stones, vectors, look, warnings }: EncodedLot,
  declared: SessionType | undefined,
  usual: Usual | null = null,
): EnrolledLot {
  const session = sessionOf(model, look, declared);
  const enrolment = enrol(model, vectors);
  const twins = pairsOf(stones, twinsOf(model, enrolment, session.session_type));
  const fit = enrolledFit(usual, enrolment, session.session_type, twins);
  return {
    ...session,
    placing: stones.map((_, i) => ({ cohort: enrolment.placed.cohort[i], crowding: enrolment.crowded[i] })),
    twins,
    fit,
    warnings: [
      ...unfit(fit),
      ...warnings,
      ...session.warnings,
      ...(twins.length > 0
        ? [`Look-alikes: too alike to be distinguished, a swap is invisible: ${namedClusters(twins)}`]
        : []),
    ],
  };
}

/** The parts of a lot that follow from another session type than that of its enrolment. */
export function correctLot(
  model: LotModel,
  { stones, enrolment }: Members,
  session: SessionType,
  usual: Usual | null,
): Pick<EnrolledLot, 'twins' | 'fit'> {
  const twins = pairsOf(
    stones.map((stone) => ({ stone })),
    twinsOf(model, enrolment, session),
  );
  return { twins, fit: enrolledFit(usual, enrolment, session, twins) };
}

const unfit = (fit: LotFit | null): string[] => (fit && !fit.usual ? [fit.says] : []);

/** An enrolment's fit, whenever it is asked for. */
export function enrolledFit(
  usual: Usual | null,
  { centre, crowded }: Enrolment,
  session: SessionType,
  twins: readonly Pair[],
): LotFit | null {
  const [alike, size] = [twinned(twins).size, crowded.length];
  return fitOf(usual, { session, size, centre, share: alike / size });
}

/** Members that have a look-alike in the lot. */
export const twinned = (twins: readonly Pair[]): Set<string> => new Set(twins.flatMap(({ a, b }) => [a, b]));

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

/** A stone that is not confirmed and yet this likely genuine is worth another scan. */
const AGAIN_FROM = 0.1;
/** Returning stones from which a lot is judged: of fewer the enrolment alone says what it is like. */
const ENOUGH = 10;

/**
 * @param falseAccepts one-stone rates of lots of this size, by session type: the label, and what was measured
 * @param usual what is usual of lots; null where the model does not say
 * @param scoring the workspace's own scorer, where one decides
 */
export function checkReturn(
  model: LotModel,
  members: Members,
  returned: EncodedLot,
  declared: SessionType | undefined,
  falseAccepts: Record<SessionType, KnownFalseAccept>,
  usual: Usual | null = null,
  scoring: OwnScoring | null = null,
): CheckedLot {
  const { session_type, session_type_source, warnings } = sessionOf(model, returned.look, declared);
  const own = scoring && scoredLot(model, scoring, session_type);
  const by = own ?? { model, enrolment: members.enrolment, map: (vectors: Float32Array) => vectors };
  const check = checkLot(by.model, by.enrolment, by.map(returned.vectors), session_type);
  const twins = own ? pairsOf(namesOf(members), own.twins) : members.twins;
  const alike = twinned(twins);
  const [size, count] = [members.stones.length, returned.stones.length];
  // The usual measures are of the shipped scorer: another one's look-alikes and offsets are not comparable with them.
  const shares = [twinned(members.twins).size / size, ...(!own && count >= ENOUGH ? [check.seconds / count] : [])];
  const { centre } = members.enrolment;
  const fit = fitOf(usual, { session: session_type, size, centre, share: Math.max(...shares) });
  const away = own ? null : offsetSays(usual, { session: session_type, stones: count, offset: check.offset });
  const trusted = !own && fit?.usual === true && away === null;
  const stones = check.stones.map(({ member, nearest, score, bar, margin }, i) => {
    const probability = own ? null : usual && genuineAt(usual, session_type, margin);
    const again = probability !== null && member === null && probability >= AGAIN_FROM;
    return {
      stone: returned.stones[i].stone,
      scans: returned.stones[i].scans,
      outcome: member !== null ? ('confirmed' as const) : again ? ('scan_again' as const) : ('not_confirmed' as const),
      why: again
        ? margin > 0
          ? `another stone resembles ${members.stones[nearest]} more`
          : 'just below the bar'
        : null,
      confirmed: member !== null,
      member: member === null ? null : members.stones[member],
      score,
      bar,
      margin,
      probability: trusted ? probability : null,
    };
  });
  const confirmed = stones.filter((one) => one.confirmed).length;
  const counts = {
    returned: count,
    confirmed,
    not_confirmed: count - confirmed,
    members_unaccounted: size - confirmed,
  };
  const alone = ownFalseAccept([alike.size, size], [check.seconds, count]);
  const { places, taken, of } = check.open;
  const open = places === 0 ? null : { places, share: taken / of, interval: wilson(taken, of) };
  const { label, measured } = scoring
    ? { label: scoring.facts.one_stone_false_accept, measured: null }
    : falseAccepts[session_type];
  return {
    session_type,
    session_type_source,
    verdict: verdictOf(stones, counts, !own && fit?.usual === false ? UNLIKE : away),
    stones,
    members: members.stones.map((stone, i) => {
      const row = check.accounted[i];
      return { stone, accounted: row !== null, by: row === null ? null : returned.stones[row].stone };
    }),
    counts,
    fit,
    workspace_scorer: scoring && scoredBy(scoring.facts, twins),
    false_accept: {
      label,
      measured: fit?.usual === false || away !== null ? null : measured,
      own: alone,
      open_places: open,
    },
    own_bar: {
      bar: check.own.bar,
      confirmed: stones.flatMap(({ stone }, i) => (check.own.confirmed[i] ? [stone] : [])),
    },
    warnings: [
      ...(scoring ? [scoringSays(scoring.facts)] : unfit(fit)),
      ...(away === null ? [] : [`Unusual return: ${away}, or the instrument was changed`]),
      ...returned.warnings,
      ...warnings,
      ...warningsOf({ ...members, twins }, stones, { session_type, open, floorBinds: check.floorBinds }),
    ],
    scope: LOT_SCOPE,
    bounds_version: BOUNDS_VERSION,
  };
}

function warningsOf(
  members: Members,
  stones: CheckedLot['stones'],
  {
    session_type,
    open,
    floorBinds,
  }: {
    session_type: SessionType;
    open: CheckedLot['false_accept']['open_places'];
    floorBinds: boolean;
  },
): string[] {
  const alike = twinned(members.twins);
  const others = stones.length - members.stones.length;
  const unsure = stones.flatMap(({ stone, member }) => (member !== null && alike.has(member) ? [stone] : []));
  const second = stones.flatMap((one) => (!one.confirmed && one.margin > 0 ? [one.stone] : []));
  return [
    ...(session_type === members.session_type
      ? []
      : [`Session types differ: enrolled ${members.session_type}, returned ${session_type}; such a check is untried`]),
    ...(others > 0 ? [`More stones than members: ${others} of them cannot be confirmed, whatever they are`] : []),
    ...(others < 0 && open
      ? [
          `Partial return: ${stones.length} stones for ${members.stones.length} members. Where places stay open, that each ` +
            `member is confirmed once protects little: about ${percent(open.share)} of foreign stones would be confirmed as one ` +
            `of the ${open.places} open places (${open.interval.map(percent).join(' to ')})`,
        ]
      : []),
    ...(unsure.length > 0
      ? [`Look-alikes: confirmed as members that have a look-alike in the lot: ${namedStones(unsure)}`]
      : []),
    ...(second.length > 0
      ? [
          `One member, one stone: above the bar too, for a member that another stone resembles more: ${namedStones(second)}`,
        ]
      : []),
    ...(floorBinds
      ? [
          'One-stone false accepts exceed their label: for a lot of this size and session type the promise to genuine ' +
            'members sets the bar',
        ]
      : []),
  ];
}

export const scoredBy = ({ digest, approved_at, lots }: OwnScorerFacts, twins: readonly Pair[]): WorkspaceScored => ({
  digest,
  approved_at,
  lots,
  twins: [...twins],
});

/** The sentence that stands wherever a workspace's own scorer decided. */
export const scoringSays = ({ approved_at, lots, caught, one_stone_false_accept }: OwnScorerFacts): string =>
  `Workspace’s own scorer: it decided, was fitted on ${lots} of the workspace’s lots and approved on ${approved_at.slice(0, 10)}. ` +
  `Rehearsed on them it caught ${percent(caught)} of substitutes, and confirmed ${percent(one_stone_false_accept)} of foreign ` +
  'stones put in alone; the published figures do not hold for such lots';

const namesOf = ({ stones }: Pick<Members, 'stones'>) => stones.map((stone) => ({ stone }));

const percent = (share: number): string => `${Math.round(100 * share)}%`;

const UNLIKE = 'the lot is unlike those that the bars were set on';

/** The whole check in one line. @param doubt a reason to rely on nothing of it */
function verdictOf(stones: CheckedLot['stones'], counts: CheckedLot['counts'], doubt: string | null): string {
  const { returned, confirmed, members_unaccounted } = counts;
  const again = stones.filter(({ outcome }) => outcome === 'scan_again').length;
  const open = returned - confirmed;
  const parts = [
    confirmed === returned ? `All ${returned} returned stones are confirmed` : `${confirmed} of ${returned} confirmed`,
    ...(open > 0 ? [`${open} not confirmed${again > 0 ? ` (${ofThese(again, open)} to be scanned again)` : ''}`] : []),
    ...(members_unaccounted > open ? [`${members_unaccounted} members did not come back`] : []),
  ];
  const line = `${parts.join(', ')}.`;
  return doubt === null ? line : `Not to be relied on: ${doubt}. ${line}`;
}

const ofThese = (some: number, all: number): string =>
  some === all ? (all === 1 ? 'it is' : 'all of them') : `${some} of them`;

/** The one-stone false accepts: of 100 foreign stones put in one by one, how many are confirmed by mistake. */
export function falseAcceptRates({
  label,
  measured,
  own,
  open_places,
}: CheckedLot['false_accept']): [string, string][] {
  const about = ({ share, interval: [low, high] }: MeasuredShare) =>
    `${Math.round(100 * share)} of 100 (${Math.round(100 * low)} to ${Math.round(100 * high)})`;
  const places = open_places?.places === 1 ? 'its open place' : `its ${open_places?.places} open places`;
  return [
    ['allowed', `${Math.round(100 * label)} of 100`],
    ['similar simulated lots', measured === null ? 'not measured on lots like this one' : about(measured)],
    ...(own === null ? [] : [['this lot', about(own)] satisfies [string, string]]),
    ...(open_places === null ? [] : [[places, about(open_places)] satisfies [string, string]]),
  ];
}

export const pairsOf = (stones: readonly { stone: string }[], pairs: readonly (readonly [number, number])[]): Pair[] =>
  pairs.map(([a, b]) => ({ a: stones[a].stone, b: stones[b].stone }));
