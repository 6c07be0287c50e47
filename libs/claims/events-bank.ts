import { type EventIn, event } from '#domain/catalogue-entry';
import { never } from '#domain/decider';
import { count, described, map, one } from '#domain/schemas';
import { aDigest, anId, aSide, at, aVector, modelDigest, population, references } from '#domain/shapes';
import { endsWithPart, streamPrefixes, streams } from '#domain/streams';

/** Events of the bank of scan sets. */
export const bankEvents = {
  ScanSetBanked: event(
    1,
    {
      name: 'claim-{key id}-{claim id} or bank-{population}-{model digest}-{scan-set digest}',
      is: (stream, { population, model, digest, by, claim_id }) =>
        stream === streams.bank(population, model, digest) ||
        (by === 'claim' && stream.startsWith(streamPrefixes.claims) && endsWithPart(stream, claim_id)),
    },
    'a scan set was encoded by this model: in the stream of its claim before the score, of a replay and before in a stream of its own. Where a population has a set several times, the first one counts',
    {
      population,
      model: modelDigest,
      digest: described(aDigest, 'digest of the scan set, 64 hex'),
      side: described(aSide, 'its side'),
      scans: described(count, 'scans pooled'),
      references: described(references, 'stone references'),
      vectors: described(map(aVector, 1), 'by encoder: 256 float32, little-endian, base64'),
      by: described(one('claim', 'replay'), '`claim` or `replay`'),
      claim_id: described(anId, 'the claim or replay that brought it'),
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
