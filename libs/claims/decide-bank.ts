import type { Decider, Decision } from '#domain/decider';
import { type BankEvent, type BankedSet, type BankState, evolveBank, nothingBanked } from './events-bank.js';

/** A replayed scan set: the same one twice writes one record, the first one's. */
const decideBank = (state: BankState, set: BankedSet): Decision<BankEvent, never> => ({
  events: state.status === 'banked' ? [] : [{ type: 'ScanSetBanked', version: 1, data: set }],
});

export const bankDecider: Decider<BankState, BankedSet, BankEvent, never> = {
  initial: nothingBanked,
  evolve: evolveBank,
  decide: decideBank,
};
