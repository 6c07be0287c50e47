/** A rehearsal as it is kept and answered: with the lot's own members and with stones of others, the lower figure given. */
import { BOUNDS_VERSION, LOT_SCOPE } from './bounds.js';
import type { Pair } from './clusters.js';
import type { LotFit } from './fit.js';
import { enrolledFit, type Members, pairsOf, scoredBy, scoringSays, type WorkspaceScored } from './lot.js';
import type { MeasuredRehearsal } from './measured.js';
import type { LotModel } from './model.js';
import type { Usual } from './reference-lots.js';
import { type Rehearsal, rehearse, rehearseMembers } from './rehearsal.js';
import { cohortPlaced, type Placed, place, stonesIn } from './score.js';
import { type OwnScoring, scoredLot } from './scorer/scoring.js';

export interface Caught {
  count: number;
  share: number;
  interval: [number, number];
}

/** The source of the stones offered: the lot's own members, the model's cohort, or other lots. */
export const SUBSTITUTES = ['members', 'cohort', 'lots'] as const;

export interface RehearsedLot {
  substitution: number;
  draws: number;
  seed: number;
  source: 'cohort' | string[];
  vacated: number;
  offered: number;
  /** The lowest of what was tried; null where nothing was exchanged, or the lot is not usual. */
  caught: Caught | null;
  /** The highest of what was tried. */
  one_stone_false_accept: number;
  tried: { substitutes: (typeof SUBSTITUTES)[number]; caught: Caught; one_stone_false_accept: number }[];
  fit: LotFit | null;
  /** Null where the scorer that came with the model was rehearsed. */
  workspace_scorer: WorkspaceScored | null;
  falsely_matched: { stone: string; times: number }[];
  invisible_swaps: Pair[];
  /** Share caught of the cohort's stones less that of the caller's own, where both were tried. */
  cohort_flatters_by: number | null;
  notes: string[];
  scope: string;
  bounds_version: string;
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
 * @param scoring the workspace's own scorer, where one decides
 */
export function rehearseLot(
  model: LotModel,
  { stones, enrolment, session_type, twins }: Members,
  { substitution, seed, draws, source }: RehearsalWish,
  cohort: Placed,
  {
    own,
    measured: known,
    usual = null,
    scoring = null,
  }: { own?: Float32Array; measured?: MeasuredRehearsal; usual?: Usual | null; scoring?: OwnScoring | null } = {},
): RehearsedLot {
  const scored = scoring && scoredLot(model, scoring, session_type);
  const by = scored ?? { model, enrolment, map: (vectors: Float32Array) => vectors };
  const strangers = scored ? cohortSubstitutes(scored.model) : cohort;
  // What the cohort flatters by was measured with the model's own.
  const measured = scored ? undefined : known;
  const draw = () => ({ session: session_type, substitution, draws, uniform: uniformOf(seed) });
  const run = (substitutes: Placed): Rehearsal => rehearse(by.model, by.enrolment, substitutes, draw());
  const foreign = run(own ? place(by.model, by.map(own), by.enrolment.centre) : strangers);
  const members = rehearseMembers(by.model, by.enrolment, draw());
  const flatters = own ? run(strangers).share - foreign.share : (measured?.flatters_by.share ?? null);
  const few = own !== undefined && stonesIn(own) < Math.round(substitution * stones.length);
  const fit = enrolledFit(usual, enrolment, session_type, twins);
  const blind = !scored && fit?.usual === false;
  const invisible = pairsOf(
    stones.map((stone) => ({ stone })),
    foreign.invisible,
  );
  const lowest = members.share < foreign.share ? members : foreign;
  return {
    substitution,
    draws,
    seed,
    source,
    vacated: lowest.vacated,
    offered: lowest.offered,
    caught: blind || lowest.offered === 0 ? null : caughtIn(lowest),
    one_stone_false_accept: Math.max(members.oneStoneRate, foreign.oneStoneRate),
    tried: (
      [
        [own ? 'lots' : 'cohort', foreign],
        ['members', members],
      ] as const
    ).map(([substitutes, rehearsed]) => ({
      substitutes,
      caught: caughtIn(rehearsed),
      one_stone_false_accept: rehearsed.oneStoneRate,
    })),
    fit,
    workspace_scorer: scoring && scoredBy(scoring.facts, invisible),
    falsely_matched: lowest.falselyMatched.map(({ member, times }) => ({ stone: stones[member], times })),
    invisible_swaps: invisible,
    cohort_flatters_by: flatters,
    notes: [
      ...(scoring ? [`${scoringSays(scoring.facts)}.`] : fit && !fit.usual ? [fit.says] : []),
      ...(blind ? ['No share of an exchange is promised to be caught in such a lot.'] : []),
      ...(lowest.offered === 0 ? ['No place was vacated: there is nothing to be caught.'] : []),
      'Genuine members are not rehearsed: the share of them that is confirmed is in GET /api/lotscan/bounds.',
      'The lot’s own members were offered too, each to the places of others; the lower figure is given.',
      source === 'cohort'
        ? scoring
          ? 'Substitutes were stones of the lots that the scorer was fitted on. Name lots of like goods as source to see it for these.'
          : `Substitutes were the model’s cohort, which are easier to distinguish than stones of the same parcel${quoted(measured)}. Name lots of like goods as source to see it for this lot.`
        : 'cohort_flatters_by is the share caught of the cohort less that of the lots named.',
      ...(few ? ['The lots named hold fewer stones than the substitution asks for: fewer places were vacated.'] : []),
    ],
    scope: LOT_SCOPE,
    bounds_version: BOUNDS_VERSION,
  };
}

const caughtIn = ({ caught: count, share, interval }: Rehearsal): Caught => ({ count, share, interval });

function quoted(measured: MeasuredRehearsal | undefined): string {
  if (!measured) return '';
  const { lot_size, session_type, lots, flatters_by } = measured;
  const [share, low, high] = [flatters_by.share, ...flatters_by.interval].map((one) => (100 * one).toFixed(1));
  return `: cohort_flatters_by is the mean of ${lots} simulated lots of ${lot_size}, ${session_type}, ${share} points (${low} to ${high})`;
}

/** Uniform numbers in [0, 1) from a seed (mulberry32). */
export function uniformOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
