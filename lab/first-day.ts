/** What holds on stones that nobody has calibrated, and with a scorer of a population's first claims. */
import { ThreadPool } from '#kit/threads/pool';
import { REVIEW_FROM, shippedEntry } from '#science/calibration/asset';
import { ClaimEvidence, type CountedClaim } from '#science/calibration/evidence';
import { type Isotonic, probabilityAt } from '#science/calibration/isotonic';
import { DEFAULT_REJECT_TARGET, rungName } from '#science/calibration/ladder';
import { expectedCalibrationError, reliability } from '#science/calibration/reliability';
import { fitScorer } from '#science/calibration/scorer/fit';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import { type Interval, shareAbove, wilson } from '#science/calibration/statistics';
import { type Action, type ActionReason, actionOf, actionReasons } from '#science/matching/action';
import type { ModelFolder } from '#science/matching/folder';
import { judge, type ScoredSide } from '#science/matching/verdict';
import { type Bank, type CosineTable, CrossScores } from './cross-scores.js';

export interface Measured {
  stones: number;
  /** By the threshold that came with the model, for the scorer where there is one. */
  wrong_accepted: { share: number; interval: Interval };
  confirmed: { share: number; interval: Interval };
  /** Genuine claims that it does not confirm, with a probability in the review band; of all genuine ones. */
  in_review: number;
  /** Wrong claims that any rung accepts, in times of what it says; the worst one. */
  worst_rung: number;
  /** By a threshold of the population's own wrong claims. */
  confirmed_by_own: number;
  mean_wrong_score: number;
  calibration_error: number;
}

export type Ladder = { rungs: readonly { reject_target: number; threshold: number }[]; curve: Isotonic };

export function measured(
  { genuine, wrong }: Pick<CrossScores, 'genuine' | 'wrong'>,
  { rungs, curve }: Ladder,
  confirmed_by_own: number,
  interval: (threshold: number) => Interval,
): Measured {
  const threshold = rungs.find(({ reject_target }) => reject_target === DEFAULT_REJECT_TARGET)?.threshold ?? Number.NaN;
  const confirmed = Math.round(shareAbove(genuine, threshold) * genuine.length);
  const missed = genuine.filter((score) => score <= threshold);
  const ratio = (rung: Ladder['rungs'][number]) => shareAbove(wrong, rung.threshold) / (1 - rung.reject_target);
  return {
    stones: genuine.length,
    wrong_accepted: { share: shareAbove(wrong, threshold), interval: interval(threshold) },
    confirmed: { share: confirmed / genuine.length, interval: wilson(confirmed, genuine.length) },
    in_review: missed.filter((score) => probabilityAt(curve, score) >= REVIEW_FROM).length / genuine.length,
    worst_rung: Math.max(...rungs.map(ratio)),
    confirmed_by_own,
    mean_wrong_score: wrong.reduce((sum, score) => sum + score, 0) / wrong.length,
    calibration_error: expectedCalibrationError(reliability(curve, genuine, wrong)),
  };
}

/**
 * A scorer of the first claims of a bank, and what it does on the others.
 * @returns the reason where there is none
 */
export async function scorerOfFirst(
  bank: Bank,
  claims: number,
  { model, scorerLadders }: Pick<ModelFolder, 'model' | 'scorerLadders'>,
  population: string,
  cosines: CosineTable,
  pool: ThreadPool,
): Promise<Measured | { reason: string }> {
  if (!scorerLadders) return { reason: `${model.name} comes without ladders for scorers` };
  const all = Array.from(bank.stones.keys());
  const about = { population, model: model.digest, encoders: model.encoders.map(({ name }) => name) };
  const evidence = claimsOf(bank, all.slice(0, claims), about);
  const fitted = await fitScorer(
    evidence,
    claims,
    () => '',
    scorerLadders,
    pool,
    () => 0,
  );
  if ('reason' in fitted) return fitted;
  const { header } = fitted.scorer;
  const scores = await scoredFrom(fitted.scorer, bank, claims, cosines);
  const own = scores.confirmed(scores.threshold(DEFAULT_REJECT_TARGET).threshold).share;
  const ladder = { rungs: header.ladder.rungs, curve: header.curve };
  return measured(scores, ladder, own, (threshold) => scores.wrongAccepted(threshold).interval);
}

const row = (bank: Bank, side: 'rough' | 'polish', stone: number): Float32Array => {
  const width = bank.encoders[0].width;
  const all = new Float32Array(bank.encoders.length * width);
  for (const [e, encoder] of bank.encoders.entries())
    all.set(encoder[side].subarray(stone * width, (stone + 1) * width), e * width);
  return all;
};

/** Stones as a population's counted claims, in this order. */
export function claimsOf(
  bank: Bank,
  stones: readonly number[],
  about: { population: string; model: string; encoders: readonly string[] },
): ClaimEvidence {
  const evidence = new ClaimEvidence(about.population, about.model, about.encoders);
  for (const stone of stones) evidence.add(claimOf(bank, stone));
  return evidence;
}

export function claimOf(bank: Bank, stone: number): CountedClaim {
  const { reference = String(stone), roughDigest, polishDigest } = bank.stones[stone];
  return {
    claimId: reference,
    rough: { digest: roughDigest, references: [] },
    polish: { digest: polishDigest, references: [] },
    roughVectors: row(bank, 'rough', stone),
    polishVectors: row(bank, 'polish', stone),
  };
}

/** Rows of stones, encoder after encoder. */
export function rowsOf(bank: Bank, side: 'rough' | 'polish', stones: readonly number[]): Float32Array {
  const width = bank.encoders.length * bank.encoders[0].width;
  const all = new Float32Array(stones.length * width);
  for (const [i, stone] of stones.entries()) all.set(row(bank, side, stone), i * width);
  return all;
}

/** The stones of a bank from one place on, as a scorer scores them that was made of those before. */
export function scoredFrom(
  { core }: Pick<PopulationScorer, 'core'>,
  { stones, encoders }: Bank,
  from: number,
  cosines: CosineTable,
): Promise<CrossScores> {
  const rest = {
    stones: stones.slice(from),
    encoders: encoders.map(({ rough, polish, width }) => ({
      ...{ rough: rough.subarray(from * width), polish: polish.subarray(from * width), width },
    })),
  };
  const places = Array.from(rest.stones.keys());
  return CrossScores.of(rest, cosines, core.table(rowsOf(rest, 'rough', places), rowsOf(rest, 'polish', places)));
}

/** Pairs from whose first ones a scorer is made, which decides on the others. */
const FIRST_PAIRS = [10, 30, 100];

/** What holds of the pairs uncalibrated, and of the later ones with a scorer of the first. */
export interface Day {
  /** Pairs that the scorer is made of. */
  after: number;
  /** Null where there is none. */
  measured: Measured | null;
  reason: string | null;
}

export async function firstDays(
  bank: Bank,
  scores: CrossScores,
  folder: ModelFolder,
  cosines: CosineTable,
): Promise<Day[]> {
  if (scores.wrong.length === 0) return [];
  const { rungs, p_match_5050: curve } = folder.asset;
  const own = scores.confirmed(scores.threshold(DEFAULT_REJECT_TARGET).threshold).share;
  const raw = measured(scores, { rungs, curve }, own, (threshold) => scores.wrongAccepted(threshold).interval);
  const days: Day[] = [{ after: 0, measured: raw, reason: null }];
  const pool = new ThreadPool();
  try {
    for (const after of FIRST_PAIRS.filter((pairs) => pairs + 2 <= bank.stones.length)) {
      const made = await scorerOfFirst(bank, after, folder, 'pairs', cosines, pool);
      days.push(
        'reason' in made ? { after, measured: null, reason: made.reason } : { after, measured: made, reason: null },
      );
    }
  } finally {
    await pool.close();
  }
  return days;
}

/** Pairs by what to do with them uncalibrated, and by the reasons for a person to look at them. */
export interface Actions {
  actions: Record<Action, number>;
  reasons: Partial<Record<ActionReason, number>>;
}

export function actionsOf(
  pairs: { rough: ScoredSide; polish: ScoredSide; sharedScans: number }[],
  { model, asset }: ModelFolder,
): Actions {
  const entry = shippedEntry(asset, DEFAULT_REJECT_TARGET);
  const found: Actions = { actions: { accept: 0, review: 0, reject: 0 }, reasons: {} };
  for (const { rough, polish, sharedScans } of pairs) {
    const result = judge({ rough, polish, entry, asset, model });
    const reasons = actionReasons({ result, entry, rough, polish, sharedScans });
    found.actions[actionOf(result.verdict, reasons)]++;
    for (const reason of reasons) found.reasons[reason] = (found.reasons[reason] ?? 0) + 1;
  }
  return found;
}

/** Both as lines. */
export function daysText(days: Day[], actions: Actions | undefined): string[] {
  const rung = rungName(DEFAULT_REJECT_TARGET);
  const line = ({ after, measured, reason }: Day) => {
    const name = (after === 0 ? 'uncalibrated' : `scorer of the first ${after}`).padEnd(26);
    if (!measured) return `${name}none: ${reason}`;
    const { stones, wrong_accepted, confirmed, in_review, confirmed_by_own, calibration_error } = measured;
    return [
      name +
        String(stones).padEnd(8) +
        percent(wrong_accepted, stones ** 2).padEnd(26) +
        percent(confirmed, stones).padEnd(26),
      `${(100 * in_review).toFixed(1)}%`.padEnd(12) + `${(100 * confirmed_by_own).toFixed(1)}%`.padEnd(26),
      calibration_error.toFixed(3),
    ].join('');
  };
  const lines: string[] = [];
  if (days.length > 0)
    lines.push(
      '',
      `${`at ${rung}, carried over`.padEnd(26)}${'judged'.padEnd(8)}${'wrong accepted'.padEnd(26)}${'genuine confirmed'.padEnd(26)}` +
        `${'p >= 0.60'.padEnd(12)}${'confirmed, own threshold'.padEnd(26)}error of p`,
      ...days.map(line),
    );
  if (actions) {
    const { reasons } = actions;
    const counted = (counts: Record<string, number>) =>
      Object.entries(counts)
        .map(([name, count]) => `${name} ${count}`)
        .join(', ');
    lines.push('', `action on the pairs at ${rung}, uncalibrated: ${counted(actions.actions)}`);
    if (Object.keys(reasons).length > 0) lines.push(`reasons for review: ${counted(reasons)}`);
  }
  return [...lines, ''];
}

/** Decimals of a percentage that single ones among so many can move. */
export const decimals = (of: number): number => Math.min(2, Math.max(0, Math.ceil(Math.log10(of)) - 2));

/** @param of how many a share is */
export function percent({ share, interval }: { share: number; interval: Interval }, of: number): string {
  const [at, low, high] = [share, ...interval].map((one) => (100 * one).toFixed(decimals(of)));
  return `${at}% (${low} to ${high})`;
}
