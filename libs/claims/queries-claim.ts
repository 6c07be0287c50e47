import { streams } from '#domain/streams';
import type { EventReader } from '#kit/log/port';
import { readState } from '#kit/log/stored-events';
import { claimDecider } from './decide.js';
import type { ClaimState } from './events.js';

/** A claim's submission, vectors and verdict, which repeats follow; rows that were disowned may stand between them. */
const FIRST_EVENTS = 4;

/** A claim of a key with its verdict, however often it was repeated. @throws StoreUnavailable */
export async function storedClaim(
  store: Pick<EventReader, 'readStream'>,
  keyId: string,
  claimId: string,
): Promise<ClaimState> {
  const stream = streams.claim(keyId, claimId);
  const seen = await readState(store, stream, claimDecider, { limit: FIRST_EVENTS });
  if (seen.state.status === 'scored' || seen.revision < FIRST_EVENTS - 1) return seen.state;
  return (await readState(store, stream, claimDecider, { seen })).state;
}
