import { streams } from '#domain/streams';
import type { EventReader } from '#kit/log/port';
import { readState } from '#kit/log/stored-events';
import { claimDecider } from './decide.js';
import type { ClaimState } from './events.js';

/** A claim's submission and verdict are the first events of its stream; repeats come after. */
const FIRST_EVENTS = 2;

/** A claim of a key with its verdict, however often it was repeated. @throws StoreUnavailable */
export async function storedClaim(
  store: Pick<EventReader, 'readStream'>,
  keyId: string,
  claimId: string,
): Promise<ClaimState> {
  const { state } = await readState(store, streams.claim(keyId, claimId), claimDecider, { limit: FIRST_EVENTS });
  return state;
}
