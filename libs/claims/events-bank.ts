import { type EventIn, event } from '#domain/catalogue-entry';
import { never } from '#domain/decider';
import { count, described, map, one } from '#domain/schemas';
import { aDigest, anId, aSide, at, aVector, modelDigest, population, references } from '#domain/shapes';
import { streams } from '#domain/streams';

/** Events of the bank of scan sets. */
export const bankEvents = {
  ScanSetBanked: event(
    1,
    {
      name: 'bank-{population}-{model digest}-{scan-set digest}',
      is: (stream, { population, model, digest }) => stream === streams.bank(population, model, digest),
    },
    'a scan set was encoded for the first time in its population by this model',
    {
      population,
      model: modelDigest,
      digest: described(aDigest, 'digest of the scan set, 64 hex'),
      side: described(aSide, 'the side it was first banked as'),
      scans: described(count, 'scans pooled'),
      references: described(references, 'stone references'),
      vectors: described(map(aVector, 1), 'by encoder: 256 float32, little-endian, base64'),
      by: described(one('claim', 'replay'), '`claim` or `replay`'),
      claim_id: described(anId, 'the claim or replay that brought it first'),
      at,
    },
  ),
};

export type ScanSetBanked = EventIn<typeof bankEvents, 'ScanSetBanked'>;
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
