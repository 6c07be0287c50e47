/** A population's own thresholds out of its counted claims: docs/calibration-method.md is the definition. */
import { setImmediate } from 'node:timers/promises';
import type { ThreadPool } from '#compute';
import type { ClaimEvidence } from './evidence.js';
import { type NoEstimate, separateGenuine } from './genuine-accept.js';
import { CLAIMS_NEEDED, REJECT_TARGETS, type RejectTarget } from './ladder.js';
import { BINS, BINS_A_UNIT, type PairTask, SETTLE, type Settled } from './pair-scores.js';
import { type Interval, Z95 } from './statistics.js';
import { regroup, type SideOfSets, type Stones } from './stones.js';

/** What the counted claims say about one rung. */
export interface RungFigures {
  reject_target: RejectTarget;
  threshold: number;
  /** 95%, over stones, on a grid rounded outwards. */
  interval: Interval;
  /** Of the share of wrong claims above the threshold. */
  standard_error: number;
  wrong_per_1000: number;
  /** Wrong claims in 1,000 that the shipped threshold accepts on this population, to a tenth. */
  shipped_wrong_per_1000: number;
  expected_genuine_accept: number | null;
  expected_genuine_accept_error: number | null;
  /** Why it is null. */
  expected_genuine_accept_reason: NoEstimate | null;
}

/** What the first `claims` counted claims of a population give. */
export interface Measured {
  claims: number;
  /** Rough and polish stones. */
  roughs: number;
  polishes: number;
  /** Pairs of stones that stand for wrong claims. */
  pairs: number;
  evidence_digest: string;
  rungs: RungFigures[];
  /** Why there is no figure at all. */
  reason: 'no wrong pairs' | 'scores too concentrated' | null;
}

/** Stones found so far; a later measurement goes on from them. */
export interface KnownStones {
  rough?: Int32Array;
  polish?: Int32Array;
}

const PERCENTS = REJECT_TARGETS.filter((target) => CLAIMS_NEEDED[target] !== undefined).map((target) =>
  Math.round(target * 100),
);
/** Quantiles that expected_genuine_accept needs. */
const MARKS = [20, 80];
/** Pairs of nearly one score that can be settled in reasonable time and memory. */
const MOST_SETTLED = 4_000_000;
/** Bins around a fast quantile that hold the settled one. */
const REACH = 2;

/** Stones a rung needs on each side, so that a few stones sent often do not make a ladder. */
export const stonesNeeded = (claimsNeeded: number): number => Math.ceil(claimsNeeded / 2);

/** Whether the claims suffice for the rung; 0.91 and 0.90 never do. */
export function suffices(rung: RejectTarget, { claims, roughs, polishes }: Measured): boolean {
  const needed = CLAIMS_NEEDED[rung];
  return needed !== undefined && claims >= needed && Math.min(roughs, polishes) >= stonesNeeded(needed);
}

const threadModule = (name: string) => new URL(`./${name}.js`, import.meta.url);

/**
 * Measures a population by its first `claims` counted claims. The work is done on the pool's threads.
 * @param shipped the shipped threshold of a rung
 * @param known stones found before; what is found is put there
 */
export async function measurePopulation(
  evidence: ClaimEvidence,
  claims: number,
  pool: ThreadPool,
  shipped: (rung: RejectTarget) => number,
  known: KnownStones = {},
): Promise<Measured> {
  const evidence_digest = evidence.digest(claims);
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
      const stoneOf = await pool.run<Int32Array>(threadModule('stones'), 'stonesOf', [side]);
      if (stoneOf.length > (known[name]?.length ?? 0)) known[name] = stoneOf;
      return regroup(taken, stoneOf);
    }),
  );
  const leftOut = pairsLeftOut(evidence, claims, polish, rough);
  const pairs = polish.first.length * rough.first.length - leftOut.columns.length;
  const measured = { claims, roughs: rough.first.length, polishes: polish.first.length, pairs, evidence_digest };
  if (pairs === 0) return { ...measured, rungs: [], reason: 'no wrong pairs' };

  const tasks = tasksOf(evidence, polish, rough, leftOut, evidence_digest, pool.size);
  const counts = new Float64Array(BINS);
  const parts = await Promise.all(
    tasks.map((task) => pool.run<Uint32Array>(threadModule('pair-scores'), 'countPairs', [task])),
  );
  for (const part of parts) for (let bin = 1; bin < BINS; bin++) counts[bin] += part[bin];
  const bins = new Bins(counts);

  const marks = MARKS.map((percent) => bins.quantile(rankOf(percent, pairs)));
  const rungs = PERCENTS.map((percent) => bins.quantile(rankOf(percent, pairs)));
  const zones = zonesOf(rungs, marks);
  let settling = 0;
  for (let bin = 0; bin < BINS; bin++) if (zones[bin] === SETTLE) settling += counts[bin];
  if (settling > MOST_SETTLED) return { ...measured, rungs: [], reason: 'scores too concentrated' };

  const levels = PERCENTS.length + 1;
  const settled = await Promise.all(
    tasks.map((task) => pool.run<Settled>(threadModule('pair-scores'), 'settlePairs', [task, zones, levels])),
  );
  const near = new NearPairs(settled);
  const exact = (percent: number, bin: number) => near.nth(bin, rankOf(percent, pairs) - bins.below(bin - REACH));
  const [t20, t80] = MARKS.map((percent, i) => exact(percent, marks[i]));
  const thresholds = PERCENTS.map((percent, i) => exact(percent, rungs[i]));
  // Others get a turn: with 10,000 claims what follows takes some 20 ms.
  await setImmediate();

  const units = new Units(polish, rough, evidence, claims, leftOut);
  for (const [i, { rows, columns }] of settled.entries()) units.add(tasks[i].from, rows, columns, levels);
  near.forEach((p, q, score) => {
    let level = 0;
    while (level < thresholds.length && score > thresholds[level]) level++;
    units.addPair(p, q, level, levels);
  });
  const scores = Float64Array.from(evidence.scores.slice(0, claims)).sort();
  const figures = PERCENTS.map((percent, i): RungFigures => {
    const reject_target = REJECT_TARGETS.find((target) => Math.round(target * 100) === percent)!;
    const threshold = thresholds[i];
    const { above, standardError } = units.above(i, pairs, levels);
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
  return { ...measured, rungs: figures, reason: null };
}

/** ceil(percent x pairs / 100) in whole numbers. */
const rankOf = (percent: number, pairs: number): number => Math.floor((percent * pairs + 99) / 100);

/** The pairs' fast scores, counted. */
class Bins {
  /** Pairs below each bin. */
  private readonly cumulative: Float64Array;

  constructor(counts: Float64Array) {
    this.cumulative = new Float64Array(BINS + 1);
    for (let bin = 0; bin < BINS; bin++) this.cumulative[bin + 1] = this.cumulative[bin] + counts[bin];
  }

  below(bin: number): number {
    return this.cumulative[Math.max(bin, 0)];
  }

  /** Bin of the k-th smallest. */
  quantile(k: number): number {
    let low = 0;
    let high = BINS - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.cumulative[middle + 1] >= k) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** About how many pairs exceed a threshold. */
  above(threshold: number): number {
    const bin = Math.min(Math.max(Math.floor((threshold + 2) * BINS_A_UNIT), 0), BINS - 1);
    return this.cumulative[BINS] - this.cumulative[bin + 1];
  }

  interval(share: number, standardError: number, pairs: number): Interval {
    const bin = (at: number) => this.quantile(Math.min(Math.max(Math.ceil(at * pairs), 1), pairs));
    const low = bin(share - Z95 * standardError);
    const high = bin(share + Z95 * standardError);
    return [low / BINS_A_UNIT - 2 - 1 / BINS_A_UNIT, (high + 1) / BINS_A_UNIT - 2 + 1 / BINS_A_UNIT];
  }
}

/** What the second pass does with each bin. @param rungs ascending bins of the thresholds */
function zonesOf(rungs: number[], marks: number[]): Uint8Array {
  const zones = new Uint8Array(BINS);
  for (let bin = 0, level = 0; bin < BINS; bin++) {
    while (level < rungs.length && rungs[level] + REACH < bin) level++;
    zones[bin] = level;
  }
  for (const bin of [...rungs, ...marks]) zones.fill(SETTLE, Math.max(bin - REACH, 1), bin + REACH + 1);
  return zones;
}

interface LeftOut {
  offsets: Int32Array;
  columns: Int32Array;
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

/** Two tasks a thread, so that a slow one does not hold the others up for long. */
function tasksOf(
  evidence: ClaimEvidence,
  polish: Stones,
  rough: Stones,
  leftOut: LeftOut,
  name: string,
  threads: number,
): PairTask[] {
  const stones = polish.first.length;
  const count = Math.min(2 * threads, stones);
  const edge = (i: number) => Math.floor((i * stones) / count);
  return Array.from({ length: count }, (_, i) => ({
    name,
    width: evidence.width,
    encoders: evidence.encoders.length,
    polish: evidence.polish.vectors,
    polishStones: Int32Array.from(polish.first),
    rough: evidence.rough.vectors,
    roughStones: Int32Array.from(rough.first),
    from: edge(i),
    to: edge(i + 1),
    ...leftOut,
  }));
}

/** The pairs near a quantile, with their float64 scores. */
class NearPairs {
  constructor(private readonly settled: Settled[]) {}

  forEach(visit: (p: number, q: number, score: number, bin: number) => void): void {
    for (const { pairs, scores } of this.settled)
      for (let i = 0; i < scores.length; i++) visit(pairs[3 * i], pairs[3 * i + 1], scores[i], pairs[3 * i + 2]);
  }

  /** The n-th smallest score of those within reach of a bin. */
  nth(bin: number, n: number): number {
    const scores: number[] = [];
    this.forEach((_p, _q, score, at) => {
      if (Math.abs(at - bin) <= REACH) scores.push(score);
    });
    const score = Float64Array.from(scores).sort()[n - 1];
    if (score === undefined) throw new RangeError('a quantile lies outside its bins');
    return score;
  }
}

/** Pairs by the stones that they touch: what the U-statistic's error is made of. A unit is a rough stone. */
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
    this.byLevel = new Float64Array(roughs * (PERCENTS.length + 1));
  }

  add(from: number, rows: Uint32Array, columns: Uint32Array, levels: number): void {
    for (let i = 0; i < rows.length; i++) {
      const unit = this.unitOf[from + Math.floor(i / levels)];
      this.byLevel[unit * levels + (i % levels)] += rows[i];
    }
    for (let i = 0; i < columns.length; i++) this.byLevel[i] += columns[i];
  }

  addPair(p: number, q: number, level: number, levels: number): void {
    this.byLevel[this.unitOf[p] * levels + level]++;
    this.byLevel[q * levels + level]++;
  }

  /** Pairs above the threshold of rung i, and the standard error of their share. */
  above(rung: number, pairs: number, levels: number): { above: number; standardError: number } {
    const byUnit = new Float64Array(this.touching.length);
    let twice = 0;
    for (let unit = 0; unit < byUnit.length; unit++) {
      for (let level = rung + 1; level < levels; level++) byUnit[unit] += this.byLevel[unit * levels + level];
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
