import { setImmediate } from 'node:timers/promises';
import { streams } from '#domain/streams';
import { type EventReader, isNoEvent, type RecordedEvent } from '#kit/log/port';
import { READS_A_TURN } from '#labels/labels';
import type { Ledger } from './queries-ledger.js';
import type { ClaimRecord } from './queries-shapes.js';

/** The ledger, here or on another thread. */
interface Asked {
  claim(id: string): ReturnType<Ledger['claim']> | Promise<ReturnType<Ledger['claim']>>;
  placesOf(id: string): ReturnType<Ledger['placesOf']> | Promise<ReturnType<Ledger['placesOf']>>;
}

/** A claim with everything that was logged of it but its vectors, in order; undefined where there is none. */
export async function claimWithHistory(
  ledger: Asked,
  log: EventReader,
  claimId: string,
): Promise<ClaimRecord | undefined> {
  const record = await ledger.claim(claimId);
  const places = await ledger.placesOf(claimId);
  if (!record || !places) return undefined;
  const { keyId } = places;
  const own = await log.readStream(streams.claim(keyId, claimId));
  const labels: RecordedEvent[] = [];
  for (const revision of places.labels) {
    labels.push(...(await log.readStream(streams.labels(keyId), { from: BigInt(revision), limit: 1 })));
    if (labels.length % READS_A_TURN === 0) await setImmediate();
  }
  const reviews = record.review === null ? [] : await log.readStream(streams.review(claimId));
  const history = [...own, ...reviews, ...labels.filter(({ data }) => data.claim_id === claimId)]
    .filter((event) => !isNoEvent(event) && event.type !== 'ScanSetBanked')
    .sort((a, b) => (a.position < b.position ? -1 : 1));
  return { ...record, history: history.map(shownEvent) };
}

/** An event as an operator sees it. Digests are shown by their first 16 digits. */
function shownEvent({ type, version, position, recordedAt, data }: RecordedEvent) {
  const shortened = Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const { digest } = (value ?? {}) as { digest?: unknown };
      return [name, typeof digest === 'string' ? { ...(value as object), digest: digest.slice(0, 16) } : value];
    }),
  );
  return { type, version, position: String(position), recorded_at: recordedAt.toISOString(), data: shortened };
}
