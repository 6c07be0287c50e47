import { createHash, hash } from 'node:crypto';
import { quantile } from '#science/numerics/quantile';
import { Refusal } from '#science/spectra/refusal';
import type { Bank, CosineTable } from './cross-scores.js';
import { CrossScores } from './cross-scores.js';
import { fitIsotonic, type Isotonic, probabilityAt } from './isotonic.js';
import { type LadderEntry, REJECT_TARGETS, type RejectTarget, rungName } from './ladder.js';
import { expectedCalibrationError, reliability } from './reliability.js';
import { type Interval, shareAbove, wilson } from './statistics.js';
import { WORLDS_MET, type WorldEvidence, WorldScores, type WorldsSource, worldsSources } from './worlds.js';

const SCHEMA = 1;

/** The asset's file, beside the model's. */
export const CALIBRATION_FILE = 'calibration.json';

/** The origin of an asset's stones: enough to make them again. */
export interface StoneSource {
  population: string;
  seed: number;
  first_stone: number;
  stones: number;
  /** Stones refused by the input checks; they count nowhere below. */
  refused: number;
}

/** One rung of the shipped ladder, with the counts behind it. */
export interface ShippedRung {
  reject_target: RejectTarget;
  threshold: number;
  threshold_interval: Interval;
  /** Share of the worlds' genuine claims; in assets of one population the label-free estimate, with its standard error. */
  expected_genuine_accept: number | null;
  expected_genuine_accept_error?: number | null;
  claims: number;
  claims_confirmed: number;
  genuine_confirmed: number;
  genuine_confirmed_interval: Interval;
  wrong_pairs: number;
  wrong_pairs_accepted: number;
  /** Share of wrong claims accepted in a tenth of the worlds, or more; missing where one population set the ladder. */
  wrong_accepted_in_worst_tenth?: number;
}

/** Percentiles 0 to 100 in steps of one: 101 numbers. */
export type Percentiles = number[];

/** Gauges of one side of the calibration stones. */
export interface GaugeBands {
  sharpness: Percentiles;
  detail_residual: Percentiles;
  locally_polynomial: Percentiles;
}

/** Measures of genuine claims with so many scans per side. */
export interface ScanBaseline {
  scans: { rough: number; polish: number };
  claims: number;
  fused_score: Percentiles;
  rough_sharpness: Percentiles;
  polish_sharpness: Percentiles;
  rough_detail_residual: Percentiles;
  polish_detail_residual: Percentiles;
}

/** The ladder tried on stones that had no part in making it. */
export interface HeldOutCheck {
  source: StoneSource;
  expected_calibration_error: number;
  rungs: {
    reject_target: RejectTarget;
    wrong_accepted: number;
    wrong_accepted_interval: Interval;
    genuine_confirmed: number;
    genuine_confirmed_interval: Interval;
    /** p_match_5050 at the threshold; missing in assets made before. */
    p_at_threshold?: number;
    /** Genuine claims that the rung misses, and those of them whose p lies in the review band. */
    genuine_missed?: number;
    missed_in_review?: number;
  }[];
}

/** A NO_MATCH with this p_match_5050 or more goes to a person (the contract's recommended decision pattern). */
export const REVIEW_FROM = 0.6;

/** The shipped calibration: ladder, probability curve and baselines of one population for one model. */
export interface CalibrationAsset {
  schema: typeof SCHEMA;
  scope: string;
  /** Stones of the home population: gauges, baselines, and the ladder of assets without a ladder_source. */
  source: StoneSource;
  model_digest: string;
  bank_digest: string;
  /** Worlds that the ladder is fitted on; missing in assets made before, whose ladders are fitted on the stones of `source`. */
  ladder_source?: WorldsSource[];
  rungs: ShippedRung[];
  p_match_5050: Isotonic;
  /** Worlds that the curve is fitted on; missing in assets made before: their curve is fitted on the stones of the ladder. */
  curve_source?: WorldsSource[];
  gauge_bands: { rough: GaugeBands; polish: GaugeBands };
  /** Score distributions to hold later claims against. */
  baseline: { genuine: Percentiles; wrong: Percentiles };
  /** The drift watch's measures of claims by number of scans, fewer scans first; none in assets made before. */
  by_scans?: ScanBaseline[];
  check: HeldOutCheck;
}

/**
 * The scope in one sentence with its version, for answers: the whole text stands once, on GET /api/v1. The version is the head
 * of the text's SHA-256.
 */
export function scopeInShort(scope: string): string {
  const [sentence] = scope.split(/[.](?: |$)/);
  return `${sentence}; scope ${scopeVersion(scope)}, in full at GET /api/v1.`;
}

export const scopeVersion = (scope: string): string => hash('sha256', scope, 'hex').slice(0, 8);

/** Gauges of one side, one array entry a stone. */
export type GaugeSamples = { [gauge in keyof GaugeBands]: number[] };

/** Stones of one population, measured: an asset is made from them. */
export interface Evidence {
  source: StoneSource;
  bank: Bank;
  gauges: { rough: GaugeSamples; polish: GaugeSamples };
}

const SCOPE =
  'Calibrated on simulated stones of many worlds (deposits, instruments and laboratories) that the model was not trained on. ' +
  'Thresholds and probabilities are carried over from them until an operator approves a ladder of your own. On other stones, ' +
  'real ones included, it errs more often in both directions: set your own thresholds; better, train your own model. Accuracy ' +
  'figures describe random wrong claims, not chosen ones. NO_MATCH does not prove that the polish came from none of your roughs. ' +
  'p_match_5050 assumes as many true as false claims.';

/** Six decimals: far below any interval, and a file that reads well. */
const round = (value: number): number => Math.round(value * 1e6) / 1e6;
const roundAll = (values: number[]): number[] => values.map(round);
const roundInterval = ([low, high]: Interval): Interval => [round(low), round(high)];

export function percentiles(sorted: ArrayLike<number>): Percentiles {
  return Array.from({ length: 101 }, (_, percent) => round(quantile(sorted, percent / 100)));
}

function bands(samples: GaugeSamples): GaugeBands {
  const of = (values: number[]) => percentiles(Float64Array.from(values).sort());
  return {
    sharpness: of(samples.sharpness),
    detail_residual: of(samples.detail_residual),
    locally_polynomial: of(samples.locally_polynomial),
  };
}

/** SHA-256 over the stones' digests and vectors in their order: the identity of a bank. */
export function bankDigest(bank: Bank): string {
  const hash = createHash('sha256');
  for (const stone of bank.stones)
    hash.update(`${stone.reference ?? ''}\n${stone.roughDigest}\n${stone.polishDigest}\n`);
  for (const { rough, polish } of bank.encoders)
    for (const side of [rough, polish]) hash.update(new Uint8Array(side.buffer, side.byteOffset, side.byteLength));
  return hash.digest('hex');
}

/**
 * Makes the asset from the evidence, and tries it on stones held out from it. The same evidence and the same kernel
 * give the same asset.
 * @param evidence of the home population: baselines and gauges
 * @param worlds evidence of the ladder and the probability curve, every world weighing alike
 */
export async function makeAsset(
  modelDigest: string,
  {
    evidence,
    heldOut,
    byScans,
    worlds,
  }: { evidence: Evidence; heldOut: Evidence; byScans: ScanBaseline[]; worlds: readonly WorldEvidence[] },
  cosines: CosineTable,
): Promise<CalibrationAsset> {
  const home = await CrossScores.of(evidence.bank, cosines);
  const scores = await WorldScores.of(
    worlds.map(({ bank }) => bank),
    cosines,
  );
  const rungs = REJECT_TARGETS.map((target) => rungOf(target, scores));
  const curve = fitIsotonic(scores.genuine, scores.wrong);
  const p_match_5050 = { scores: roundAll(curve.scores), probabilities: roundAll(curve.probabilities) };
  const sources = worldsSources(worlds);
  return {
    schema: SCHEMA,
    scope: SCOPE,
    source: evidence.source,
    model_digest: modelDigest,
    bank_digest: bankDigest(evidence.bank),
    ladder_source: sources,
    rungs,
    p_match_5050,
    curve_source: sources,
    gauge_bands: { rough: bands(evidence.gauges.rough), polish: bands(evidence.gauges.polish) },
    baseline: { genuine: percentiles(home.genuine), wrong: percentiles(home.wrong) },
    by_scans: byScans,
    check: await check(rungs, p_match_5050, heldOut, cosines),
  };
}

function rungOf(target: RejectTarget, scores: WorldScores): ShippedRung {
  const { genuine, wrong } = scores;
  const { threshold: exact, interval } = scores.threshold(target);
  // Rounded upwards: the label is a promise about wrong claims.
  const threshold = Math.ceil(exact * 1e6) / 1e6;
  const confirmed = Math.round(shareAbove(genuine, threshold) * genuine.length);
  const share = round(confirmed / genuine.length);
  const shares = scores.accepted(threshold);
  return {
    reject_target: target,
    threshold,
    threshold_interval: [round(interval[0]), Math.max(round(interval[1]), threshold)],
    expected_genuine_accept: share,
    claims: genuine.length,
    claims_confirmed: confirmed,
    genuine_confirmed: share,
    genuine_confirmed_interval: roundInterval(wilson(confirmed, genuine.length)),
    wrong_pairs: wrong.length,
    wrong_pairs_accepted: Math.round(shareAbove(wrong, threshold) * wrong.length),
    wrong_accepted_in_worst_tenth: round(shares[Math.ceil(WORLDS_MET * shares.length) - 1]),
  };
}

async function check(
  rungs: ShippedRung[],
  curve: Isotonic,
  heldOut: Evidence,
  cosines: CosineTable,
): Promise<HeldOutCheck> {
  const scores = await CrossScores.of(heldOut.bank, cosines);
  return {
    source: heldOut.source,
    expected_calibration_error: round(expectedCalibrationError(reliability(curve, scores.genuine, scores.wrong))),
    rungs: rungs.map(({ reject_target, threshold }) => {
      const wrong = scores.wrongAccepted(threshold);
      const genuine = scores.confirmed(threshold);
      const missed = Array.from(scores.genuine).filter((score) => score <= threshold);
      return {
        reject_target,
        wrong_accepted: round(wrong.share),
        wrong_accepted_interval: roundInterval(wrong.interval),
        genuine_confirmed: round(genuine.share),
        genuine_confirmed_interval: roundInterval(genuine.interval),
        p_at_threshold: probabilityAt(curve, threshold),
        genuine_missed: missed.length,
        missed_in_review: missed.filter((score) => probabilityAt(curve, score) >= REVIEW_FROM).length,
      };
    }),
  };
}

/** Reads an asset made for the model with this digest. Throws a Refusal of kind `asset` for any other content. */
export function loadAsset(text: string, modelDigest: string): CalibrationAsset {
  const refuse = (why: string): never => {
    throw new Refusal('asset', { reason: `the calibration asset ${why}`, fix: 'contact the operator, do not retry' });
  };
  let asset: CalibrationAsset;
  try {
    asset = JSON.parse(text);
  } catch {
    return refuse('is not valid JSON');
  }
  if (asset?.schema !== SCHEMA) return refuse(`is not of schema ${SCHEMA}`);
  if (asset.model_digest !== modelDigest)
    return refuse(`was made for model ${short(asset.model_digest)}, not for the loaded model ${short(modelDigest)}`);
  const numbers = (values: unknown): values is number[] => Array.isArray(values) && values.every(Number.isFinite);
  const complete =
    REJECT_TARGETS.every((target, i) => {
      const rung = asset.rungs?.[i];
      return rung?.reject_target === target && Number.isFinite(rung.threshold);
    }) &&
    numbers(asset.p_match_5050?.scores) &&
    numbers(asset.p_match_5050.probabilities) &&
    asset.p_match_5050.scores.length > 0 &&
    asset.p_match_5050.scores.length === asset.p_match_5050.probabilities.length &&
    typeof asset.scope === 'string';
  if (!complete) return refuse('is incomplete');
  const { rungs, p_match_5050: curve } = asset;
  if (rungs.some(({ threshold }, i) => i > 0 && threshold < rungs[i - 1].threshold))
    return refuse('has a ladder that does not fall along its rungs: a threshold is above that of a stricter rung');
  const rises = (values: number[]) => values.every((value, i) => i === 0 || value >= values[i - 1]);
  if (!rises(curve.scores) || !rises(curve.probabilities)) return refuse('has a probability curve that falls');
  return asset;
}

const short = (digest: unknown): string => String(digest).slice(0, 16);

/** The shipped entry of a rung: the carried-over threshold and estimate. */
export function shippedEntry(asset: CalibrationAsset, target: RejectTarget): LadderEntry {
  const rung = asset.rungs.find((one) => one.reject_target === target);
  if (!rung) throw new RangeError(`no rung ${rungName(target)}`);
  const worlds = asset.ladder_source?.reduce((sum, one) => sum + one.worlds, 0);
  const origin = worlds ? `${worlds} worlds held out of training` : `${asset.source.population} population`;
  return {
    reject_target: target,
    threshold: rung.threshold,
    threshold_source: `shipped-default: ${origin} (simulated), ${rung.claims} claims`,
    expected_genuine_accept: rung.expected_genuine_accept,
    upper: rung.threshold_interval?.[1],
  };
}
