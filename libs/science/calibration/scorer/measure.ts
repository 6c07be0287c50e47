/** A population's own thresholds under its scorer: no pair is scored by the bank's scans of its own stones. */

import type { ThreadPool } from '#kit/threads/pool';
import { quantile } from '#science/numerics/quantile';
import { type ClaimEvidence, type SideEvidence, VECTOR_LENGTH } from '../evidence.js';
import { separateGenuine } from '../genuine-accept.js';
import { CLAIMS_NEEDED, REJECT_TARGETS, type RejectTarget } from '../ladder.js';
import { type Known, type Measured, type RungFigures, stonesOfEvidence } from '../proposal.js';
import { each, type ScoreHistograms, scoreHistograms } from '../score-histograms.js';
import { shareAbove, Z95 } from '../statistics.js';
import { readScorer } from './bytes.js';
import { ScorerCore } from './core.js';
import type { PopulationScorer } from './scorer.js';

/** The newest stones of a side, and the newest claims, that thresholds are measured on. */
export const MEASURED = 1600;

/** The job of a measuring thread. */
interface UnderScorer {
  bytes: Uint8Array;
  /** Rows of encoders x 256: stones by their first sets, then the two sides of the claims. */
  polish: Float32Array;
  rough: Float32Array;
  claimRough: Float32Array;
  claimPolish: Float32Array;
  /** Pairs p x roughs + q that are or may be of one stone. */
  leftOut: Float64Array;
  /** By polish stone and by rough stone: the unit that it belongs to. */
  polishUnit: Int32Array;
  roughUnit: Int32Array;
  rungs: { reject_target: RejectTarget; shipped: number }[];
}

/**
 * The counterpart of `measurePopulation` under a scorer, on the newest stones and claims among the first `claims` counted
 * ones. Thresholds are quantiles of the scores of wrong pairs; `shipped_wrong_per_1000` is by the scorer's carried-over
 * ladder.
 */
export async function measureUnderScorer(
  evidence: ClaimEvidence,
  claims: number,
  scorer: PopulationScorer,
  pool: ThreadPool,
  known: Known = {},
): Promise<Measured> {
  const { rough, polish, leftOut } = await stonesOfEvidence(evidence, claims, pool, known);
  const [fromP, fromQ] = [polish, rough].map(({ first }) => Math.max(first.length - MEASURED, 0));
  const [polishes, roughs] = [polish.first.slice(fromP), rough.first.slice(fromQ)];
  const out: number[] = [];
  for (let p = fromP; p < polish.first.length; p++)
    for (let i = leftOut.offsets[p]; i < leftOut.offsets[p + 1]; i++)
      if (leftOut.columns[i] >= fromQ) out.push((p - fromP) * roughs.length + leftOut.columns[i] - fromQ);
  const pairs = polishes.length * roughs.length - out.length;
  const measured = {
    claims,
    roughs: rough.first.length,
    polishes: polish.first.length,
    pairs,
    evidence_digest: evidence.digest(claims),
  };
  if (pairs === 0) return { ...measured, rungs: [], reason: 'no wrong pairs' };
  const rows = (side: SideEvidence, sets: readonly number[]) => {
    const table = new Float32Array(new SharedArrayBuffer(sets.length * evidence.width * 4));
    for (const [i, set] of sets.entries()) table.set(side.vector(set), i * evidence.width);
    return table;
  };
  const newest = (side: SideEvidence) =>
    side.appearances.slice(Math.max(claims - MEASURED, 0), claims).map(({ set }) => set);
  // A polish stone belongs to the rough stone that it was first claimed to come from.
  const unitOf = new Int32Array(polish.first.length).fill(-1);
  for (let claim = 0; claim < claims; claim++) {
    const p = polish.stoneOf[evidence.polish.appearances[claim].set];
    if (unitOf[p] < 0) unitOf[p] = rough.stoneOf[evidence.rough.appearances[claim].set];
  }
  const task: UnderScorer = {
    bytes: scorer.bytes,
    polish: rows(evidence.polish, polishes),
    rough: rows(evidence.rough, roughs),
    claimRough: rows(evidence.rough, newest(evidence.rough)),
    claimPolish: rows(evidence.polish, newest(evidence.polish)),
    leftOut: Float64Array.from(out),
    polishUnit: unitOf.slice(fromP),
    roughUnit: Int32Array.from(roughs, (_, q) => q + fromQ),
    rungs: REJECT_TARGETS.filter((rung) => CLAIMS_NEEDED[rung] !== undefined).map((reject_target) => ({
      reject_target,
      shipped: scorer.entry(reject_target).threshold,
    })),
  };
  const found = await pool.run<FoundUnder>(new URL('./measure.js', import.meta.url), 'rungsUnder', [task]);
  return { ...measured, ...found, reason: null };
}

interface FoundUnder {
  rungs: RungFigures[];
  histograms: ScoreHistograms;
}

/** Runs on a thread. */
export function rungsUnder(task: UnderScorer): FoundUnder {
  const { header, parts } = readScorer(task.bytes);
  const core = new ScorerCore(parts);
  const table = core.table(task.rough, task.polish);
  for (const at of task.leftOut) table[at] = Number.NaN;
  // The sort puts NaN last.
  const wrong = table
    .slice()
    .sort()
    .subarray(0, table.length - task.leftOut.length);
  const width = header.encoders.length * VECTOR_LENGTH;
  const both = new Float32Array(2 * width);
  const scores = Float64Array.from({ length: task.claimRough.length / width }, (_, i) => {
    for (const [at, side] of [task.claimRough, task.claimPolish].entries())
      both.set(side.subarray(i * width, (i + 1) * width), at * width);
    return core.score(both).fused;
  }).sort();
  const marks = { t20: quantile(wrong, 0.2), t80: quantile(wrong, 0.8) };
  const rungs = task.rungs.map(({ reject_target, shipped }): RungFigures => {
    const threshold = quantile(wrong, reject_target);
    const { share, standardError } = aboveOf(table, task, threshold);
    const at = (shift: number) =>
      quantile(wrong, Math.min(Math.max(reject_target + shift * Z95 * standardError, 0), 1));
    const accept = separateGenuine(scores, marks, threshold, reject_target);
    return {
      reject_target,
      threshold,
      interval: [at(-1), at(1)],
      standard_error: standardError,
      wrong_per_1000: 1000 * share,
      shipped_wrong_per_1000: Math.round(10_000 * shareAbove(wrong, shipped)) / 10,
      expected_genuine_accept: accept.estimate,
      expected_genuine_accept_error: accept.estimate === null ? null : accept.standard_error,
      expected_genuine_accept_reason: accept.reason ?? null,
    };
  });
  return { rungs, histograms: scoreHistograms(each(scores), each(wrong)) };
}

/** Share of the wrong pairs above a threshold, with the standard error of a U-statistic over stones. */
function aboveOf(table: Float32Array, { polishUnit, roughUnit }: UnderScorer, threshold: number) {
  const units = Math.max(...polishUnit, ...roughUnit) + 1;
  const [touching, above] = [new Float64Array(units), new Float64Array(units)];
  let pairs = 0;
  let all = 0;
  for (let p = 0, at = 0; p < polishUnit.length; p++)
    for (let q = 0; q < roughUnit.length; q++, at++) {
      if (Number.isNaN(table[at])) continue;
      const one = table[at] > threshold ? 1 : 0;
      for (const unit of [polishUnit[p], roughUnit[q]]) {
        touching[unit]++;
        above[unit] += one;
      }
      pairs++;
      all += one;
    }
  const share = all / pairs;
  let squares = 0;
  for (let unit = 0; unit < units; unit++) squares += (above[unit] - share * touching[unit]) ** 2;
  return { share, standardError: Math.sqrt(squares) / pairs };
}
