/** What a workspace's history gives: a scorer with what it would bring, or the reason why there is none. */
import { type CheckedStone, checkLot, enrol } from '../check.js';
import { type LotModel, type SessionType } from '../model.js';
import { OFFSET_FROM } from '../offset.js';
import { rehearseMembers } from '../rehearsal.js';
import { uniformOf } from '../rehearsed.js';
import { stonesIn } from '../score.js';
import { distinct } from './distinct.js';
import { FOLDS, fitLotScorer, type HistoryLot } from './fit.js';
import { type LotScorer, lotEvidenceDigest, mapped, ScoringModels } from './scorer.js';

/** Lots with a check that a scorer needs, that are better, and that are taken at most, the newest; returned stones of such a check. */
export const SCORER_LOTS = { least: 5, better: 10, most: 40, returned: OFFSET_FROM } as const;

/** A lot of the history as it was last checked. */
export interface CheckedHistory extends HistoryLot {
  check_id: string;
  session_type: SessionType;
  /** Names of the returned stones. */
  stones: readonly string[];
}

/** Under the scorer that serves today and under the proposed one. */
export interface Both {
  shipped: number;
  workspace: number;
}

export interface LotScorerFigures {
  /** Lots that it rests on, their members and what came back. */
  lots: number;
  members: number;
  returned: number;
  /** Lots left out, because their stones are those of another one. */
  copies: number;
  /** Returned stones that are confirmed, each judged by a scorer whose map, variances and cohort never saw its lot; its bar and the
   * choice of pairs are of all lots. */
  confirmed: Both;
  /** Share of substitutes caught, a fifth of each lot being exchanged for others of its own members. */
  caught: Both;
  /** Share of single substitutes that some member would confirm. */
  one_stone_false_accept: Both;
}

/** A check that would have been decided otherwise. */
export interface RedecidedCheck {
  lot_id: string;
  check_id: string;
  returned: number;
  confirmed: Both;
  /** Returned stones that the proposed scorer alone would have confirmed, and that today's alone did. */
  newly_confirmed: string[];
  no_longer_confirmed: string[];
}

export interface ProposedLotScorer {
  scorer: LotScorer;
  figures: LotScorerFigures;
  checks: RedecidedCheck[];
  /** The lots that it rests on, in the order of the fit. */
  rests_on: { lot_id: string; check_id: string }[];
  /** Digest of their vectors. */
  evidence_digest: string;
}

/** Rehearsed on each lot. */
const REHEARSED = { substitution: 0.2, draws: 100, seed: 1 };
/** A smaller share of confirmed stones than this says that most of what came back belongs to no lot. */
const LEAST_CONFIRMED = 0.6;
/** Share caught by which a scorer has to be better than the one that serves. */
const LEAST_GAIN = 0.05;

/** @param checked oldest first; checks of too few stones are skipped, and the newest lots are taken */
export function proposeLotScorer(
  model: LotModel,
  checked: readonly CheckedHistory[],
): ProposedLotScorer | { reason: string } {
  const history = checked.filter(({ stones }) => stones.length >= SCORER_LOTS.returned).slice(-SCORER_LOTS.most);
  const few = (lots: number, more = '') => ({
    reason: `a scorer needs ${SCORER_LOTS.least} lots of different stones that are marked and were checked with ${SCORER_LOTS.returned} stones or more, and with ${SCORER_LOTS.better} more members are confirmed: there ${lots === 1 ? 'is 1' : `are ${lots}`}${more}`,
  });
  if (history.length < SCORER_LOTS.least) return few(history.length);
  const first = fitLotScorer(model, history);
  const kept = distinct(first.scorer, history);
  const copies = history.length - kept.length;
  if (kept.length < SCORER_LOTS.least)
    return few(kept.length, `, and ${copies} more of stones that stand in another lot`);
  const { scorer, without } = copies === 0 ? first : fitLotScorer(model, kept);
  const models = without.map((one) => ({ scorer: one, models: new ScoringModels(model, one) }));
  const judged = kept.map((lot, i) => judgedLot(model, models[i % FOLDS], lot));
  const figures = figuresOf(kept, judged, copies);
  const { confirmed, returned, caught } = figures;
  if (confirmed.workspace < LEAST_CONFIRMED * returned)
    return {
      reason: `a scorer of these returns confirms ${percent(confirmed.workspace / returned)} of the returned stones: most of what came back seems to belong to no lot, and pairs of strangers teach nothing`,
    };
  if (caught.workspace < caught.shipped + LEAST_GAIN)
    return {
      reason: `today’s scorer is better or as good: rehearsed on the workspace’s lots it catches ${percent(caught.shipped)} of substitutes, one of its own ${percent(caught.workspace)}`,
    };
  return {
    scorer,
    figures,
    checks: judged.map(({ check }) => check).filter(changed),
    rests_on: kept.map(({ lot_id, check_id }) => ({ lot_id, check_id })),
    evidence_digest: lotEvidenceDigest(model.digest, kept),
  };
}

const percent = (share: number): string => `${Math.round(100 * share)}%`;
const changed = ({ newly_confirmed, no_longer_confirmed }: RedecidedCheck): boolean =>
  newly_confirmed.length + no_longer_confirmed.length > 0;

interface JudgedLot {
  check: RedecidedCheck;
  caught: Both;
  offered: Both;
  alone: Both;
}

function judgedLot(
  model: LotModel,
  { scorer, models }: { scorer: LotScorer; models: ScoringModels },
  lot: CheckedHistory,
): JudgedLot {
  const { lot_id, check_id, session_type: session, stones } = lot;
  const judge = (by: LotModel, members: Float32Array, returned: Float32Array) => {
    const enrolment = enrol(by, members);
    const { seed, ...wish } = REHEARSED;
    return {
      stones: checkLot(by, enrolment, returned, session).stones,
      rehearsal: rehearseMembers(by, enrolment, { ...wish, session, uniform: uniformOf(seed) }),
    };
  };
  const shipped = judge(model, lot.members, lot.returned);
  const own = judge(models.of(lot_id), mapped(scorer.map, lot.members), mapped(scorer.map, lot.returned));
  const both = (of: (one: typeof own) => number): Both => ({ shipped: of(shipped), workspace: of(own) });
  const only = (these: readonly CheckedStone[], those: readonly CheckedStone[]) =>
    stones.filter((_, i) => these[i].member !== null && those[i].member === null);
  return {
    check: {
      lot_id,
      check_id,
      returned: stones.length,
      confirmed: both((one) => one.stones.filter(({ member }) => member !== null).length),
      newly_confirmed: only(own.stones, shipped.stones),
      no_longer_confirmed: only(shipped.stones, own.stones),
    },
    caught: both(({ rehearsal }) => rehearsal.caught),
    offered: both(({ rehearsal }) => rehearsal.offered),
    alone: both(({ rehearsal }) => rehearsal.oneStoneRate * stonesIn(lot.members)),
  };
}

function figuresOf(lots: readonly CheckedHistory[], judged: readonly JudgedLot[], copies: number): LotScorerFigures {
  const sum = (of: (one: JudgedLot) => Both): Both => ({
    shipped: judged.reduce((total, one) => total + of(one).shipped, 0),
    workspace: judged.reduce((total, one) => total + of(one).workspace, 0),
  });
  const share = (hits: Both, all: Both): Both => ({
    shipped: hits.shipped / Math.max(1, all.shipped),
    workspace: hits.workspace / Math.max(1, all.workspace),
  });
  const members = lots.reduce((total, lot) => total + stonesIn(lot.members), 0);
  return {
    lots: lots.length,
    members,
    returned: lots.reduce((total, { stones }) => total + stones.length, 0),
    copies,
    confirmed: sum(({ check }) => check.confirmed),
    caught: share(
      sum((one) => one.caught),
      sum((one) => one.offered),
    ),
    one_stone_false_accept: share(
      sum((one) => one.alone),
      { shipped: members, workspace: members },
    ),
  };
}
