/** A population's own thresholds out of its counted claims: docs/concepts/calibration-method.md is the definition. */
import { setImmediate } from 'node:timers/promises';
import type { ThreadPool } from '#kit/threads/pool';
import type { ClaimEvidence } from './evidence.js';
import { type NoEstimate, separateGenuine } from './genuine-accept.js';
import { CLAIMS_NEEDED, REJECT_TARGETS, type RejectTarget } from './ladder.js';
import type { LeftOut, StoneTables } from './pair-scores.js';
import { LEVELS, type PairTable, PERCENTS, pairQuantiles } from './pairs.js';
import { each, type ScoreHistograms, scoreHistograms } from './score-histograms.js';
import type { Interval } from './statistics.js';
import { regroup, type SideOfSets, type Stones } from './stones.js';

/** One rung's figures from the counted claims. */
export interface RungFigures {
  reject_target: RejectTarget;
  threshold: number;
  /** 95%, over stones, on a grid rounded outwards. */
  interval: Interval;
  /** Standard error of the share of wrong claims above the threshold. */
  standard_error: number;
  wrong_per_1000: number;
  /** Wrong claims in 1,000 that the shipped threshold accepts on this population, to a tenth. */
  shipped_wrong_per_1000: number;
  expected_genuine_accept: number | null;
  expected_genuine_accept_error: number | null;
  /** The reason if the estimate is null. */
  expected_genuine_accept_reason: NoEstimate | null;
}

/** The measurement of a population by its first `claims` counted claims. */
export interface Measured {
  claims: number;
  /** Rough and polish stones. */
  roughs: number;
  polishes: number;
  /** Pairs of stones that stand for wrong claims. */
  pairs: number;
  evidence_digest: string;
  rungs: RungFigures[];
  /** Present if there are figures. A pair within 1/32768 of an edge may stand in the bin beside its own. */
  histograms?: ScoreHistograms;
  /** The reason if there is no figure at all. */
  reason: 'no wrong pairs' | 'scores too concentrated' | null;
}

/** Results from which a later measurement of the same evidence goes on. */
export interface Known {
  /** Stones by set. */
  rough?: Int32Array;
  polish?: Int32Array;
  pairs?: PairTable;
}

/** Stones a rung needs on each side, so that a few stones sent often do not make a ladder. */
export const stonesNeeded = (claimsNeeded: number): number => Math.ceil(claimsNeeded / 2);

/** True if the claims suffice for the rung; 0.91 and 0.90 never settle. */
export function suffices(rung: RejectTarget, { claims, roughs, polishes }: Measured): boolean {
  const needed = CLAIMS_NEEDED[rung];
  return needed !== undefined && claims >= needed && Math.min(roughs, polishes) >= stonesNeeded(needed);
}

/**
 * Measures a population by its first `claims` counted claims. The work is done on the pool's threads.
 * @param shipped the shipped threshold of a rung
 * @param known results of earlier measurements; new ones are put there
 */
export async function measurePopulation(
  evidence: ClaimEvidence,
  claims: number,
  pool: ThreadPool,
  shipped: (rung: RejectTarget) => number,
  known: Known = {},
): Promise<Measured> {
  const evidence_digest = evidence.digest(claims);
  const { rough, polish, leftOut } = await stonesOfEvidence(evidence, claims, pool, known);
  const pairs = polish.first.length * rough.first.length - leftOut.columns.length;
  const measured = { claims, roughs: rough.first.length, polishes: polish.first.length, pairs, evidence_digest };
  if (pairs === 0) return { ...measured, rungs: [], reason: 'no wrong pairs' };

  const stones: StoneTables = {
    width: evidence.width,
    encoders: evidence.encoders.length,
    polish: evidence.polish.vectors,
    polishStones: Int32Array.from(polish.first),
    rough: evidence.rough.vectors,
    roughStones: Int32Array.from(rough.first),
  };
  const found = await pairQuantiles(stones, leftOut, pairs, pool, known);
  if (!found) return { ...measured, rungs: [], reason: 'scores too concentrated' };
  const { thresholds, bins, marks } = found;
  const [t20, t80] = marks;
  // Others get a turn: with 10,000 claims the rest takes some 20 ms.
  await setImmediate();

  const units = new Units(polish, rough, evidence, claims, leftOut);
  units.add(found.rows, found.columns);
  found.settled.forEach((p, q, score) => {
    let level = 0;
    while (level < thresholds.length && score > thresholds[level]) level++;
    units.addPair(p, q, level);
  });
  const scores = Float64Array.from(evidence.scores.slice(0, claims)).sort();
  const figures = PERCENTS.map((percent, i): RungFigures => {
    const reject_target = REJECT_TARGETS.find((target) => Math.round(target * 100) === percent)!;
    const threshold = thresholds[i];
    const { above, standardError } = units.above(i, pairs);
    const accept = separateGenuine(scores, { t20, t80 }, threshold, percent / 100);
    return {
      reject_target,
      threshold,
      interval: bins.interval(percent / 100, standardError, pairs),
      standard_error: standardError,
      wrong_per_1000: 1000 * (above / pairs),
      shipped_wrong_per_1000: Math.round((10_000 * bins.above(shipped(reject_target))) / pairs) / 10,
      expected_genuine_accept: accept.estimate,
      expected_genuine_accept_error: accept.estimate === null ? null : accept.standard_error,
      expected_genuine_accept_reason: accept.reason ?? null,
    };
  });
  const histograms = scoreHistograms(each(scores), (visit) => bins.eachPair(visit));
  return { ...measured, rungs: figures, histograms, reason: null };
}

/** The stones of both sides by the first `claims` claims, and the pairs of them that stand for no wrong claim. */
export async function stonesOfEvidence(
  evidence: ClaimEvidence,
  claims: number,
  pool: ThreadPool,
  known: Known = {},
): Promise<{ rough: Stones; polish: Stones; leftOut: LeftOut }> {
  const [rough, polish] = await Promise.all(
    (['rough', 'polish'] as const).map(async (name) => {
      const { vectors, appearances } = evidence[name];
      const taken = appearances.slice(0, claims);
      const side: SideOfSets = {
        vectors,
        width: evidence.width,
        encoders: evidence.encoders.length,
        appearances: taken,
        known: known[name],
      };
      const stoneOf = await pool.run<Int32Array>(new URL('./stones.js', import.meta.url), 'stonesOf', [side]);
      if (stoneOf.length > (known[name]?.length ?? 0)) known[name] = stoneOf;
      return regroup(taken, stoneOf);
    }),
  );
  return { rough, polish, leftOut: pairsLeftOut(evidence, claims, polish, rough) };
}

/** Pairs that are or may be one stone: claimed together, or with a reference or a digest in common. */
function pairsLeftOut(evidence: ClaimEvidence, claims: number, polish: Stones, rough: Stones): LeftOut {
  const width = rough.first.length;
  const keys = new Set<number>();
  const leave = (p: number, q: number) => keys.add(p * width + q);
  for (let claim = 0; claim < claims; claim++) {
    const { polish: a, rough: b } = evidence;
    leave(polish.stoneOf[a.appearances[claim].set], rough.stoneOf[b.appearances[claim].set]);
  }
  for (const [base, p] of polish.holders) {
    const q = rough.holders.get(base);
    if (q !== undefined) leave(p, q);
  }
  const sets = new Map(evidence.rough.digests().map((digest, set) => [digest, set]));
  for (const [set, digest] of evidence.polish.digests().slice(0, polish.stoneOf.length).entries()) {
    const other = sets.get(digest);
    if (other !== undefined && other < rough.stoneOf.length) leave(polish.stoneOf[set], rough.stoneOf[other]);
  }
  const sorted = Float64Array.from(keys).sort();
  const offsets = new Int32Array(polish.first.length + 1);
  for (const key of sorted) offsets[Math.floor(key / width) + 1]++;
  for (let p = 0; p < polish.first.length; p++) offsets[p + 1] += offsets[p];
  return { offsets, columns: Int32Array.from(sorted, (key) => key % width) };
}

/** Pairs by the stones that they touch, from which the U-statistic's error is made. A unit is a rough stone. */
class Units {
  private readonly unitOf: Int32Array;
  private readonly touching: Float64Array;
  private readonly byLevel: Float64Array;

  constructor(polish: Stones, rough: Stones, evidence: ClaimEvidence, claims: number, { offsets, columns }: LeftOut) {
    const [polishes, roughs] = [polish.first.length, rough.first.length];
    this.unitOf = new Int32Array(polishes).fill(-1);
    for (let claim = 0; claim < claims; claim++) {
      const p = polish.stoneOf[evidence.polish.appearances[claim].set];
      if (this.unitOf[p] < 0) this.unitOf[p] = rough.stoneOf[evidence.rough.appearances[claim].set];
    }
    this.touching = new Float64Array(roughs).fill(polishes);
    for (const q of columns) this.touching[q]--;
    for (let p = 0; p < polishes; p++) this.touching[this.unitOf[p]] += roughs - (offsets[p + 1] - offsets[p]);
    this.byLevel = new Float64Array(roughs * LEVELS);
  }

  add(rows: Uint32Array, columns: Uint32Array): void {
    for (let i = 0; i < rows.length; i++) {
      const unit = this.unitOf[Math.floor(i / LEVELS)];
      this.byLevel[unit * LEVELS + (i % LEVELS)] += rows[i];
    }
    for (let i = 0; i < columns.length; i++) this.byLevel[i] += columns[i];
  }

  addPair(p: number, q: number, level: number): void {
    this.byLevel[this.unitOf[p] * LEVELS + level]++;
    this.byLevel[q * LEVELS + level]++;
  }

  /** Pairs above the threshold of rung i, and the standard error of their share. */
  above(rung: number, pairs: number): { above: number; standardError: number } {
    const byUnit = new Float64Array(this.touching.length);
    let twice = 0;
    for (let unit = 0; unit < byUnit.length; unit++) {
      for (let level = rung + 1; level < LEVELS; level++) byUnit[unit] += this.byLevel[unit * LEVELS + level];
      twice += byUnit[unit];
    }
    const above = twice / 2;
    const share = above / pairs;
    let squares = 0;
    for (let unit = 0; unit < byUnit.length; unit++) {
      const influence = byUnit[unit] - share * this.touching[unit];
      squares += influence * influence;
    }
    return { above, standardError: Math.sqrt(squares) / pairs };
  }
}
