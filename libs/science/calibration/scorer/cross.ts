/** Scores each pair of a scorer's own bank as if the bank held nothing of its stones. Runs on threads. */

import { SimdKernel } from '#science/compute/simd-kernel';
import { quantile } from '#science/numerics/quantile';
import { scoreOf, VECTOR_LENGTH } from '../evidence.js';
import { fitIsotonic, type Isotonic } from '../isotonic.js';
import { REJECT_TARGETS, type RejectTarget } from '../ladder.js';
import { expectedCalibrationError, reliability } from '../reliability.js';
import { shareAbove } from '../statistics.js';
import type { ClaimBank } from './bank.js';
import { firstClaims, rowOfBank } from './bank.js';
import { readScorer } from './bytes.js';
import { ScorerCore, type ScorerParts } from './core.js';
import type { ScorerMap } from './map.js';
import { PackedMap } from './mapped.js';
import { FOLDS, foldBit, TRIM_QUANTILE } from './method.js';

/** Scores of groups by their first claims: each one's own pair, and all pairs of two. */
export interface CrossFitted {
  groups: number;
  /** By group. */
  own: Float64Array;
  /** polish of a group by rough of another, groups x groups; the own ones are no part of it. */
  table: Float32Array;
}

/** Ascending. */
const wrongOf = (
  { groups, table }: CrossFitted,
  keep: (p: number, q: number) => boolean = () => true,
): Float32Array => {
  const wrong = new Float32Array(groups * groups);
  let count = 0;
  for (let p = 0; p < groups; p++)
    for (let q = 0; q < groups; q++) if (p !== q && keep(p, q)) wrong[count++] = table[p * groups + q];
  return wrong.subarray(0, count).sort();
};

function representatives({ bank, groups }: ScorerParts) {
  const first = firstClaims(groups);
  const width = bank.encoders * VECTOR_LENGTH;
  const rows = (side: 'rough' | 'polish') => {
    const table = new Float32Array(first.length * width);
    for (const [group, claim] of first.entries()) table.set(rowOfBank(bank, side, claim), group * width);
    return table;
  };
  return { first, width, rough: rows('rough'), polish: rows('polish') };
}

const crossOf = (groups: number, table: Float32Array): CrossFitted => ({
  groups,
  own: Float64Array.from({ length: groups }, (_, group) => table[group * (groups + 1)]),
  table,
});

/** The claims that do not look wrong under a map: those above the 90% quantile of the cross scores, unnormalised. */
export function plausibleClaims(bank: ClaimBank, groups: Int32Array, map: ScorerMap): Uint8Array {
  const under = new PackedMap(SimdKernel.create(), map);
  const rough = under.apply('rough', bank.rough, bank.claims);
  const polish = under.apply('polish', bank.polish, bank.claims);
  const sums = under.kernel.productRightTransposed(polish, rough, bank.claims, under.width, bank.claims);
  const first = firstClaims(groups);
  const wrong = new Float32Array(first.length * (first.length - 1));
  let count = 0;
  for (const p of first) for (const q of first) if (p !== q) wrong[count++] = sums[p * bank.claims + q];
  const least = quantile(wrong.sort(), TRIM_QUANTILE);
  return Uint8Array.from({ length: bank.claims }, (_, claim) => Number(sums[claim * (bank.claims + 1)] > least));
}

export interface RungComparison {
  reject_target: RejectTarget;
  /** Shares of the bank's claims above the threshold that its own wrong pairs give. */
  confirmed_raw: number;
  confirmed_mapped: number;
  /** Shares of its wrong pairs above the shipped threshold, and above the carried one of the scorer. */
  wrong_raw: number;
  wrong_mapped: number;
}

export interface KeyFigures {
  key: string;
  groups: number;
  /** At 0.98, thresholds as above. */
  confirmed_raw: number;
  confirmed_mapped: number;
}

export interface CrossFigures {
  rungs: RungComparison[];
  /** Shares of each half of the claims above the 0.98 threshold of a map of the other half alone. */
  stability: { first: number; second: number };
  laboratories: KeyFigures[];
  curve: Isotonic;
  /** Calibration error of a curve of three quarters of the groups on the last one, over the quarters. */
  ece: number;
}

/**
 * @param bytes of a scorer
 * @param keys by claim of the bank
 * @param shipped raw thresholds by rung
 */
export function crossFigures(bytes: Uint8Array, keys: readonly string[], shipped: readonly number[]): CrossFigures {
  const { header, parts } = readScorer(bytes);
  const core = new ScorerCore(parts);
  const { first, width, rough, polish } = representatives(parts);
  const n = first.length;
  const mapped = crossOf(n, core.table(rough, polish));
  const raw = crossOf(n, new Float32Array(n * n));
  for (let p = 0; p < n; p++)
    for (let q = 0; q < n; q++)
      raw.table[p * n + q] = scoreOf(
        polish.subarray(p * width, (p + 1) * width),
        rough.subarray(q * width, (q + 1) * width),
        header.encoders.length,
      );
  for (let group = 0; group < n; group++) raw.own[group] = raw.table[group * (n + 1)];
  const [wrongMapped, wrongRaw] = [wrongOf(mapped), wrongOf(raw)];
  const rungs = REJECT_TARGETS.map(
    (reject_target, i): RungComparison => ({
      reject_target,
      confirmed_raw: above(raw.own, quantile(wrongRaw, reject_target)),
      confirmed_mapped: above(mapped.own, quantile(wrongMapped, reject_target)),
      wrong_raw: shareAbove(wrongRaw, shipped[i]),
      wrong_mapped: shareAbove(wrongMapped, header.ladder.rungs[i].threshold),
    }),
  );
  const halves = [0, 1].map((half) => {
    const bits = ((1 << (FOLDS / 2)) - 1) << ((half * FOLDS) / 2);
    const members = [...first.keys()].filter((group) => (foldBit(group) & bits) !== 0);
    const rows = (table: Float32Array) => {
      const out = new Float32Array(members.length * width);
      for (const [i, group] of members.entries())
        out.set(table.subarray(group * width, (group + 1) * width), i * width);
      return out;
    };
    const cross = crossOf(members.length, core.table(rows(rough), rows(polish), bits));
    return above(cross.own, quantile(wrongOf(cross), 0.98));
  });
  const keyOfGroup = first.map((claim) => keys[claim]);
  const laboratories = [...new Set(keyOfGroup)].map((key): KeyFigures => {
    const of = (own: Float64Array) => own.filter((_, group) => keyOfGroup[group] === key);
    return {
      key,
      groups: keyOfGroup.filter((one) => one === key).length,
      confirmed_raw: above(of(raw.own), quantile(wrongRaw, 0.98)),
      confirmed_mapped: above(of(mapped.own), quantile(wrongMapped, 0.98)),
    };
  });
  return {
    rungs,
    stability: { first: halves[0], second: halves[1] },
    laboratories,
    curve: rounded(fitIsotonic(mapped.own.slice().sort(), wrongMapped)),
    ece: crossFittedError(mapped),
  };
}

function crossFittedError(cross: CrossFitted): number {
  let sum = 0;
  for (let fold = 0; fold < FOLDS; fold++) {
    const inside = (group: number) => group % FOLDS === fold;
    const own = (keep: boolean) => cross.own.filter((_, group) => inside(group) === keep).sort();
    const curve = fitIsotonic(
      own(false),
      wrongOf(cross, (p, q) => !inside(p) && !inside(q)),
    );
    const bins = reliability(
      curve,
      own(true),
      wrongOf(cross, (p, q) => inside(p) && inside(q)),
    );
    sum += expectedCalibrationError(bins) / FOLDS;
  }
  return sum;
}

const above = (own: Float64Array, threshold: number): number =>
  own.reduce((count, score) => count + (score > threshold ? 1 : 0), 0) / own.length;

/** Six decimals, as everything shipped has them. */
export function rounded({ scores, probabilities }: Isotonic): Isotonic {
  const round = (value: number) => Math.round(value * 1e6) / 1e6;
  return { scores: scores.map(round), probabilities: probabilities.map(round) };
}
