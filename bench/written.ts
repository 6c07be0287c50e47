/** A log of many claims, written without a service. */
import { upcast } from '#catalogue/upcast';
import { credentialId, formatCredential } from '#keys/decide';
import { shownPrefix } from '#keys/events';
import type { NewEvent } from '#kit/log/port';
import { sha256Hex } from '#kit/log/secrets';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { generateStreams } from '../test/streams.js';
import type { Encoded } from './encoded.js';

/** Appends that are made while as many are written. */
const TOGETHER = 400;
/** Of every key of such a log. */
const SECRET = 'bench'.padEnd(43, '0');
const SECRET_SHA256 = sha256Hex(SECRET);

/** The credential of one of its production keys. */
export const credentialOf = (name: string): string =>
  formatCredential(shownPrefix({ id: credentialId(sha256Hex, name), kind: 'production' }), SECRET);

/** @param encoded vectors of banked sets; of random numbers, by a model that there is not, where it is left out */
export async function writeStreams(directory: string, claims: number, encoded?: Encoded): Promise<void> {
  const store = await openSqliteEventStore({ directory, upcast });
  let appends: Promise<unknown>[] = [];
  let written: Promise<unknown> = Promise.resolve();
  let run: { stream: string; revision: number; events: NewEvent[] } | undefined;
  const append = async () => {
    if (!run) return;
    const { stream, revision, events } = run;
    appends.push(store.append(stream, events, revision === 0 ? 'no_stream' : BigInt(revision - 1)));
    if (appends.length < TOGETHER) return;
    await written;
    written = Promise.all(appends);
    appends = [];
  };
  for (const { stream, revision, ...event } of generateStreams(claims, 1, encoded?.vectors, encoded?.model)) {
    if (event.type === 'KeyCreated') event.data = { ...event.data, secret_sha256: SECRET_SHA256 };
    if (run?.stream === stream) run.events.push(event);
    else {
      await append();
      run = { stream, revision, events: [event] };
    }
  }
  await append();
  await Promise.all([written, ...appends]);
  await store.close();
}
