/** A log of many claims, written without a service. */
import { upcast } from '#catalogue/upcast';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { generateStreams } from '../test/streams.js';

const TOGETHER = 400;

/** @param vectors of banked sets, as `generateStreams` takes them */
export async function writeStreams(
  directory: string,
  claims: number,
  vectors?: Parameters<typeof generateStreams>[2],
): Promise<void> {
  const store = await openSqliteEventStore({ directory, upcast });
  let appends: Promise<unknown>[] = [];
  for (const { stream, revision, ...event } of generateStreams(claims, 1, vectors)) {
    appends.push(store.append(stream, [event], revision === 0 ? 'no_stream' : BigInt(revision - 1)));
    if (appends.length < TOGETHER) continue;
    await Promise.all(appends);
    appends = [];
  }
  await Promise.all(appends);
  await store.close();
}
