import { type Happened, never } from '../decider.js';

/** A scan set's vectors as one model made them: what is kept instead of spectra. */
export interface BankedSet {
  population: string;
  model: string;
  /** Full digest of the scan set. */
  digest: string;
  /** The side it was first banked as. */
  side: 'rough' | 'polish';
  scans: number;
  references: string[];
  /** By encoder: 256 float32, little-endian, base64. */
  vectors: Record<string, string>;
  by: 'claim' | 'replay';
  claim_id: string;
  at: string;
}

export type ScanSetBanked = Happened<'ScanSetBanked', 1, BankedSet>;
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
