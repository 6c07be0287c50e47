/** Makes the calibration asset of a model, which a service reads. */
import { createHash } from 'node:crypto';
import {
  type CalibrationAsset,
  type GaugeBands,
  type HeldOutCheck,
  percentiles,
  REVIEW_FROM,
  round,
  SCHEMA,
  type ScanBaseline,
  type ShippedRung,
  type StoneSource,
} from '#science/calibration/asset';
import { fitIsotonic, type Isotonic, probabilityAt } from '#science/calibration/isotonic';
import { REJECT_TARGETS, type RejectTarget } from '#science/calibration/ladder';
import { expectedCalibrationError, reliability } from '#science/calibration/reliability';
import { type Interval, shareAbove, wilson } from '#science/calibration/statistics';
import { type Bank, type CosineTable, CrossScores } from './cross-scores.js';
import { WORLDS_MET, type WorldEvidence, WorldScores, worldsSources } from './worlds.js';

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

const roundAll = (values: number[]): number[] => values.map(round);
const roundInterval = ([low, high]: Interval): Interval => [round(low), round(high)];

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
