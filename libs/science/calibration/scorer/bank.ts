/** The claims that a scorer is made of, and which of them may be of one stone. */
import { SimdKernel } from '#science/compute/simd-kernel';
import { type ClaimEvidence, type SideEvidence, scoreOf, VECTOR_LENGTH } from '../evidence.js';
import { FAST_ERROR } from '../pair-scores.js';
import { BANK_CLAIMS, neighbourBy, type ScorerMethod } from './method.js';

/** Unit vectors of claims: claims x encoders x 256 a side, in memory that threads share. */
export interface ClaimBank {
  claims: number;
  encoders: number;
  rough: Float32Array;
  polish: Float32Array;
}

export const SIDES = ['rough', 'polish'] as const;
export type BankSide = (typeof SIDES)[number];

/** The newest of the first `claims` counted claims, at most BANK_CLAIMS, in their order. */
export function bankOfEvidence(evidence: ClaimEvidence, claims: number): ClaimBank {
  const count = Math.min(claims, BANK_CLAIMS);
  const of = (side: SideEvidence) => {
    const rows = new Float32Array(new SharedArrayBuffer(count * evidence.width * 4));
    for (let i = 0; i < count; i++) rows.set(side.vector(side.appearances[claims - count + i].set), i * evidence.width);
    return rows;
  };
  return { claims: count, encoders: evidence.encoders.length, rough: of(evidence.rough), polish: of(evidence.polish) };
}

/** A claim's vectors of a side, encoder after encoder. */
export const rowOfBank = (bank: ClaimBank, side: BankSide, claim: number): Float32Array => {
  const width = bank.encoders * VECTOR_LENGTH;
  return bank[side].subarray(claim * width, (claim + 1) * width);
};

let kernel: SimdKernel | undefined;

/**
 * Groups of claims: a claim joins the earliest group whose first claim has a neighbour of it on either side, or begins a
 * group. Runs on a thread.
 * @returns the group of each claim
 */
export function groupsOf(bank: ClaimBank, method: ScorerMethod): Int32Array {
  kernel ??= SimdKernel.create();
  const least = neighbourBy(method);
  const { claims, encoders } = bank;
  const width = encoders * VECTOR_LENGTH;
  const tables = SIDES.map((side) => kernel!.productRightTransposed(bank[side], bank[side], claims, width, claims));
  const first: number[] = [];
  const near = (claim: number, other: number) =>
    SIDES.some(
      (side, i) =>
        tables[i][claim * claims + other] / encoders > least - FAST_ERROR &&
        scoreOf(rowOfBank(bank, side, claim), rowOfBank(bank, side, other), encoders) >= least,
    );
  return Int32Array.from({ length: claims }, (_, claim) => {
    const group = first.findIndex((other) => near(claim, other));
    return group >= 0 ? group : first.push(claim) - 1;
  });
}

/** The first claim of each group: it stands for it. */
export function firstClaims(groups: Int32Array): number[] {
  const first: number[] = [];
  groups.forEach((group, claim) => {
    if (group === first.length) first.push(claim);
  });
  return first;
}
