import type { EventOf } from '../catalogue.js';
import { never } from '../decider.js';

export type ScanSetBanked = EventOf<'ScanSetBanked'>;
/** A scan set's vectors as one model made them: what is kept instead of spectra. */
export type BankedSet = ScanSetBanked['data'];
export type BankEvent = ScanSetBanked;

export type BankState = { status: 'absent' } | { status: 'banked'; set: BankedSet };

export const nothingBanked: BankState = { status: 'absent' };

export function evolveBank(state: BankState, event: BankEvent): BankState {
  switch (event.type) {
    case 'ScanSetBanked':
      return state.status === 'absent' ? { status: 'banked', set: event.data } : state;
    default:
      return never(event.type);
  }
}
