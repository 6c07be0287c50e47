import type { Decider, Decision } from '#domain/decider';
import { isVector } from '#domain/vectors';
import { type BankEvent, type BankedSet, type BankState, evolveBank, nothingBanked } from './events-bank.js';

export type BankRefusal = 'no_vectors';

/** The same scan set twice writes one record: the first one's. */
function decideBank(state: BankState, set: BankedSet): Decision<BankEvent, BankRefusal> {
  const vectors = Object.values(set.vectors);
  if (vectors.length === 0 || !vectors.every(isVector)) return { refusal: 'no_vectors' };
  return { events: state.status === 'banked' ? [] : [{ type: 'ScanSetBanked', version: 1, data: set }] };
}

export const bankDecider: Decider<BankState, BankedSet, BankEvent, BankRefusal> = {
  initial: nothingBanked,
  evolve: evolveBank,
  decide: decideBank,
};
