/**
 * All pairs of a population's stones, each scored once as claims arrive. The two passes of the method's page (section 9)
 * are one here, over the new pairs alone, as long as the quantiles lie about where they were expected.
 */
import type { ThreadPool } from '#kit/threads/pool';
import { CLAIMS_NEEDED, REJECT_TARGETS } from './ladder.js';
import {
  BINS,
  BINS_A_UNIT,
  type LeftOut,
  NEAR,
  type PairCounts,
  type PairTask,
  type Range,
  type Settled,
  type StoneTables,
} from './pair-scores.js';
import { type Interval, Z95 } from './statistics.js';

/** Rungs that have their own thresholds, ascending. */
export const PERCENTS = REJECT_TARGETS.filter((target) => CLAIMS_NEEDED[target] !== undefined).map((target) =>
  Math.round(target * 100),
);
/** A pair exceeds 0 to all of the thresholds. */
export const LEVELS = PERCENTS.length + 1;
/** Quantiles that expected_genuine_accept needs. */
const MARKS = [20, 80];
const QUANTILES = MARKS.length + PERCENTS.length;
/** Bins around a fast quantile that hold the settled one. */
const REACH = 2;
/** Pairs of nearly one score that can be settled in reasonable time and memory. */
const MAX_SETTLED = 4_000_000;
/** Pairs kept around the quantiles, 12 bytes each. */
const MAX_NEAR = 8_000_000;
/** A task is worth a thread's while. */
const TASK_PAIRS = 1_000_000;
/** From so many pairs on, the quantiles are first guessed from every third stone of each side. */
const MANY_PAIRS = 4_000_000;
const THINNING = 3;

const scores = new URL('./pair-scores.js', import.meta.url);

/** ceil(percent x pairs / 100) in whole numbers. */
const rankOf = (percent: number, pairs: number): number => Math.floor((percent * pairs + 99) / 100);

/** Pairs of stones, counted by where they lie among zones of bins. Stones can be added. */
export class PairTable {
  private polishes = 0;
  private roughs = 0;
  readonly counts = new Float64Array(BINS);
  /** Stones x levels: how many of a stone's pairs outside the NEAR zones exceed so many thresholds. */
  rows = new Uint32Array();
  columns = new Uint32Array();
  /** Polish stone, rough stone and bin of each pair inside. */
  readonly near: Int32Array[] = [];
  private readonly room = new Int32Array(new SharedArrayBuffer(4)).fill(MAX_NEAR);

  constructor(readonly zones: Uint8Array) {}

  /** True if these are the first of the stones. */
  begins({ polishStones, roughStones }: StoneTables): boolean {
    return this.polishes <= polishStones.length && this.roughs <= roughStones.length;
  }

  /** True if for thresholds in `zones` all pairs near them are kept, and all others are counted under the right level. */
  covers(zones: Uint8Array): boolean {
    return this.complete && this.zones.every((zone, bin) => zone === NEAR || zone === zones[bin]);
  }

  /** There was room for all pairs in NEAR zones. */
  get complete(): boolean {
    return this.room[0] >= 0;
  }

  /** Scores the pairs that came with new stones. */
  async add(stones: StoneTables, pool: ThreadPool): Promise<void> {
    const [polishes, roughs] = [stones.polishStones.length, stones.roughStones.length];
    const regions: [Range, Range][] = [
      [
        [this.polishes, polishes],
        [0, roughs],
      ],
      [
        [0, this.polishes],
        [this.roughs, roughs],
      ],
    ];
    const tasks = regions.flatMap(([rows, columns]) =>
      split(rows, columns, 2 * pool.size).map(
        (part): PairTask => ({ ...stones, rows: part, columns, zones: this.zones, levels: LEVELS, room: this.room }),
      ),
    );
    const parts = await Promise.all(tasks.map((task) => pool.run<PairCounts>(scores, 'countPairs', [task])));
    this.rows = enlarged(this.rows, polishes * LEVELS);
    this.columns = enlarged(this.columns, roughs * LEVELS);
    for (const [i, { counts, rows, columns, near }] of parts.entries()) {
      for (let bin = 0; bin < BINS; bin++) this.counts[bin] += counts[bin];
      addTo(this.rows, rows, tasks[i].rows[0] * LEVELS);
      addTo(this.columns, columns, tasks[i].columns[0] * LEVELS);
      if (near.length > 0) this.near.push(near);
    }
    [this.polishes, this.roughs] = [polishes, roughs];
  }
}

/** Parts of the rows, so that a slow task does not hold the others up for long. */
function split([from, to]: Range, columns: Range, max: number): Range[] {
  const pairs = (to - from) * (columns[1] - columns[0]);
  const count = Math.min(Math.ceil(pairs / TASK_PAIRS), max, to - from);
  const edge = (i: number) => from + Math.floor((i * (to - from)) / count);
  return Array.from({ length: count }, (_, i) => [edge(i), edge(i + 1)]);
}

function enlarged(values: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(values);
  return larger;
}

function addTo(sums: Uint32Array, values: Uint32Array, from: number): void {
  for (let i = 0; i < values.length; i++) sums[from + i] += values[i];
}

/** The quantiles of all pairs but those left out, exact, and where the pairs lie among them. */
export interface PairQuantiles {
  /** The 20% and the 80% quantile. */
  marks: [t20: number, t80: number];
  /** By PERCENTS. */
  thresholds: number[];
  bins: Bins;
  /** Stones x levels, without the settled pairs. */
  rows: Uint32Array;
  columns: Uint32Array;
  settled: NearPairs;
}

/**
 * @param pairs how many are not left out
 * @param known a table of some first stones; the table of these is put there
 * @returns nothing where too many pairs score the same
 */
export async function pairQuantiles(
  stones: StoneTables,
  leftOut: LeftOut,
  pairs: number,
  pool: ThreadPool,
  known: { pairs?: PairTable },
): Promise<PairQuantiles | undefined> {
  const before = known.pairs;
  const usable = before?.begins(stones) ? before : undefined;
  // Another measurement at the same time starts from nothing.
  if (usable) known.pairs = undefined;
  const out = listed(leftOut);
  const outBins = await pool.run<Int32Array>(scores, 'binsOf', [stones, out]);
  const spread = { stones: Math.min(stones.polishStones.length, stones.roughStones.length), pairs };
  let table = usable ?? new PairTable(await expectedZones(stones, spread, pool));
  let bins: Bins;
  let zones: Uint8Array;
  let at: number[];
  for (let pass = 1; ; pass++) {
    await table.add(stones, pool);
    bins = new Bins(table.counts, outBins);
    at = [...MARKS, ...PERCENTS].map((percent) => bins.quantile(rankOf(percent, pairs)));
    zones = zonesOf(at.map((bin) => [bin - REACH, bin + REACH]));
    if (bins.within(zones) > MAX_SETTLED) return undefined;
    if (table.covers(zones)) break;
    // Wider than the quantiles need, so that claims to come find them there; unless that was too much to keep.
    table = new PairTable(pass === 1 && table.complete ? zonesOf(bins.around(spread)) : zones);
  }
  if (usable || !before) known.pairs = table;

  const groups = Array.from({ length: pool.size }, (_, i) => table.near.filter((_, j) => j % pool.size === i));
  const settled = await Promise.all(
    groups.map((near) => pool.run<Settled>(scores, 'settlePairs', [stones, near, leftOut, zones, LEVELS])),
  );
  const rows = table.rows.slice();
  const columns = table.columns.slice();
  for (const part of settled) {
    addTo(rows, part.rows, 0);
    addTo(columns, part.columns, 0);
  }
  for (const [i, bin] of outBins.entries()) {
    const zone = table.zones[bin];
    if (zone === NEAR || zone === 0) continue;
    rows[out[2 * i] * LEVELS + zone]--;
    columns[out[2 * i + 1] * LEVELS + zone]--;
  }
  const near = new NearPairs(settled);
  const [t20, t80, ...thresholds] = [...MARKS, ...PERCENTS].map((percent, i) =>
    near.nth(at[i], rankOf(percent, pairs) - bins.below(at[i] - REACH)),
  );
  return { marks: [t20, t80], thresholds, bins, rows, columns, settled: near };
}

/** Polish stone and rough stone of each pair left out. */
function listed({ offsets, columns }: LeftOut): Int32Array {
  const pairs = new Int32Array(2 * columns.length);
  for (let p = 0; p + 1 < offsets.length; p++)
    for (let i = offsets[p]; i < offsets[p + 1]; i++) pairs.set([p, columns[i]], 2 * i);
  return pairs;
}

interface Spread {
  stones: number;
  pairs: number;
}

/** The zones in which the quantiles can be expected. Few pairs give no expectation, as they are soon counted. */
async function expectedZones(stones: StoneTables, { pairs, ...spread }: Spread, pool: ThreadPool): Promise<Uint8Array> {
  const table = new PairTable(new Uint8Array(BINS));
  if (pairs < MANY_PAIRS) return table.zones;
  const every = (values: Int32Array, first: number) => values.filter((_, i) => i % THINNING === first);
  const polishStones = every(stones.polishStones, 0);
  const roughStones = every(stones.roughStones, 1);
  await table.add({ ...stones, polishStones, roughStones }, pool);
  return zonesOf(new Bins(table.counts).around({ stones: Math.floor(spread.stones / THINNING), pairs }));
}

/**
 * The level of each bin's pairs.
 * @param near first and last bin around the marks, then around the rungs in their order
 */
function zonesOf(near: Range[]): Uint8Array {
  const rungs = near.slice(MARKS.length);
  const zones = new Uint8Array(BINS);
  for (let bin = 0, level = 0; bin < BINS; bin++) {
    while (level < rungs.length && rungs[level][1] < bin) level++;
    zones[bin] = level;
  }
  for (const [low, high] of near) zones.fill(NEAR, Math.max(low, 0), high + 1);
  return zones;
}

/** The pairs' fast scores, counted. */
export class Bins {
  /** Pairs below each bin. */
  private readonly cumulative: Float64Array;

  /** @param leftOut bins of pairs that are among the counted and should not be */
  constructor(counts: Float64Array, leftOut: Int32Array = new Int32Array()) {
    const staying = counts.slice();
    for (const bin of leftOut) staying[bin]--;
    this.cumulative = new Float64Array(BINS + 1);
    for (let bin = 0; bin < BINS; bin++) this.cumulative[bin + 1] = this.cumulative[bin] + staying[bin];
  }

  /** Pairs with the lower edges of their bins. */
  eachPair(visit: (score: number, count: number) => void): void {
    for (let bin = 0; bin < BINS; bin++) {
      const count = this.cumulative[bin + 1] - this.cumulative[bin];
      if (count > 0) visit(bin / BINS_A_UNIT - 2, count);
    }
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

  /**
   * Bins of some shares below and above each quantile: as far as unseen stones may move it, within the number that can be
   * kept.
   */
  around({ stones, pairs }: Spread): Range[] {
    const total = this.cumulative[BINS];
    const max = MAX_NEAR / (4 * QUANTILES * pairs);
    return [...MARKS, ...PERCENTS].map((percent) => {
      const share = percent / 100;
      const spread = Math.min(0.6 * Math.sqrt((share * (1 - share)) / stones), max);
      return [
        this.quantile(Math.max((share - spread) * total, 1)) - REACH,
        this.quantile(Math.min((share + spread) * total, total)) + REACH,
      ];
    });
  }

  /** Pairs in NEAR zones. */
  within(zones: Uint8Array): number {
    let pairs = 0;
    for (let bin = 0; bin < BINS; bin++)
      if (zones[bin] === NEAR) pairs += this.cumulative[bin + 1] - this.cumulative[bin];
    return pairs;
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

/** The pairs near a quantile, with their float64 scores. */
export class NearPairs {
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
