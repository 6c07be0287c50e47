import { hash } from 'node:crypto';
import { quantile } from '#science/numerics/quantile';
import { Refusal } from '#science/spectra/refusal';
import type { Isotonic } from './isotonic.js';
import { type LadderEntry, REJECT_TARGETS, type RejectTarget, rungName } from './ladder.js';
import type { Interval } from './statistics.js';

export const SCHEMA = 1;

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

/** Worlds of one population. */
export interface WorldsSource {
  population: string;
  seed: number;
  worlds: number;
  /** Of all its worlds together, without the refused ones. */
  stones: number;
  refused: number;
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

/** Six decimals: far below any interval, and a file that reads well. */
export const round = (value: number): number => Math.round(value * 1e6) / 1e6;
export function percentiles(sorted: ArrayLike<number>): Percentiles {
  return Array.from({ length: 101 }, (_, percent) => round(quantile(sorted, percent / 100)));
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
