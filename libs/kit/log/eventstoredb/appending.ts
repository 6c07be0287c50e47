/** Appends, each at an exact revision: its seal names it. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type EncodedEvent, encodeAppend } from '../encode.js';
import {
  type Appended,
  AppendTooLarge,
  MAX_APPEND_BYTES,
  StoreUnavailable,
  type StreamAppend,
  WrongExpectedRevision,
} from '../port.js';
import type { LogSeals } from '../seal.js';
import { type Ask, endOf, RETRY_AFTER_MS, type WaitLimits } from './client.js';
import { toMetadata } from './events.js';
import { type Run, readPages } from './reading.js';
import type { FailureType, NodeAppended, NodeEvent } from './streams.js';

/** Streams whose end is remembered, and appends at whatever revision. */
const MAX_REMEMBERED = 10_000;
/** Events behind which an append at whatever revision is looked for that may have been made before. */
const LOOK_BACK = 100n;

/** A conflict as the server says it: the revision of the last row, -1n where there is none. */
export class Conflict extends Error {
  constructor(readonly actual: bigint) {
    super('conflict');
  }
}

export class Appending {
  /** By stream: revision of its last row, -1n where there is none. */
  private readonly ends = new Map<string, bigint>();
  /** By the first event's id: an append at whatever revision is looked for here when it is sent again. */
  private readonly anywhere = new Map<string, Appended>();
  /** Appends at whatever revision, which wait for each other. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(
    private readonly call: Run,
    private readonly settled: () => Promise<{ seals: LogSeals }>,
    private readonly fromNow: () => WaitLimits,
  ) {}

  async append(given: StreamAppend): Promise<Appended> {
    const one = encoded(given);
    if (one.events.length === 0) return this.nothing(one);
    if (one.expected !== 'any' && one.expected !== 'stream_exists') return this.exact(one);
    const turn = this.turns.get(one.stream) ?? Promise.resolve();
    const mine = turn.then(() => this.wherever(one));
    const settled = mine.catch(() => {});
    this.turns.set(one.stream, settled);
    return mine.finally(() => {
      if (this.turns.get(one.stream) === settled) this.turns.delete(one.stream);
    });
  }

  /** A stream was read from a revision to its end. */
  seen(stream: string, from: bigint, last: bigint | undefined): void {
    if (last !== undefined || from === 0n) this.remember(stream, last ?? -1n);
  }

  private async exact(one: EncodedAppend): Promise<Appended> {
    const { stream, events, expected } = one;
    const waitLimits = this.fromNow();
    const after = expected === 'no_stream' ? -1n : (expected as bigint);
    try {
      return await this.send(one, after, waitLimits);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      const { actual } = error;
      if (actual >= 0n) await untilReadable(this.call, stream, actual, waitLimits);
      this.remember(stream, actual);
      // Just after an election an append that is sent again is refused because of itself.
      const stored = await readPages(this.call, stream, { from: after + 1n, limit: events.length }, waitLimits);
      const again = sameAs(events, stored);
      if (again) return again;
      throw new WrongExpectedRevision(stream, expected, actual < 0n ? 'no_stream' : actual);
    }
  }

  /** At whatever revision: after what this process knows, and after the server's end where that is another. */
  private async wherever(one: EncodedAppend): Promise<Appended> {
    const { stream, events, expected } = one;
    const made = this.anywhere.get(events[0].id);
    if (made) return made;
    const waitLimits = this.fromNow();
    if (expected === 'stream_exists' && (this.ends.get(stream) ?? -1n) < 0n) {
      const [last] = await readPages(this.call, stream, { direction: 'backwards', limit: 1 }, waitLimits);
      if (!last) throw new WrongExpectedRevision(stream, expected, 'no_stream');
      this.remember(stream, last.revision);
    }
    for (let after = this.ends.get(stream) ?? -1n; ; ) {
      try {
        const appended = await this.send(one, after, waitLimits);
        if (this.anywhere.size >= MAX_REMEMBERED) this.anywhere.clear();
        this.anywhere.set(events[0].id, appended);
        return appended;
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        const { actual } = error;
        if (actual >= 0n) await untilReadable(this.call, stream, actual, waitLimits);
        const from = actual - LOOK_BACK > after ? actual - LOOK_BACK : after + 1n;
        const stored = await readPages(this.call, stream, { from }, waitLimits);
        const first = stored.findIndex(({ id }) => id.toLowerCase() === events[0].id.toLowerCase());
        const again = first < 0 ? undefined : sameAs(events, stored.slice(first, first + events.length));
        if (again) return again;
        after = actual;
      }
    }
  }

  /** The server accepts an append of no events and creates nothing, whatever was expected. */
  private async nothing({ stream, expected }: StreamAppend): Promise<Appended> {
    const options = { direction: 'backwards', limit: 1 } as const;
    const [last] = await readPages(this.call, stream, options);
    const actual = last ? last.revision : 'no_stream';
    const holds = expected === 'any' || (expected === 'stream_exists' ? last !== undefined : expected === actual);
    if (!holds) throw new WrongExpectedRevision(stream, expected, actual);
    return { revision: last?.revision ?? -1n, position: last?.position?.commit ?? 0n };
  }

  private async send(one: EncodedAppend, after: bigint, waitLimits: WaitLimits): Promise<Appended> {
    const appended = await appendSealed(this.call, (await this.settled()).seals, one, after, waitLimits);
    this.remember(one.stream, appended.revision);
    return appended;
  }

  private remember(stream: string, revision: bigint): void {
    if (this.ends.size >= MAX_REMEMBERED) this.ends.clear();
    this.ends.set(stream, revision);
  }
}

/** One append after exactly that revision. @throws Conflict, StoreUnavailable */
export async function appendSealed(
  call: Run,
  seals: LogSeals,
  { stream, events, encoded, bytes }: EncodedAppend,
  after: bigint,
  waitLimits: WaitLimits,
): Promise<Appended> {
  const now = new Date();
  const sealed = encoded.map(({ id, type, version, data: text, metadata }, i) => {
    const event = events[i];
    const recordedAt = event.recordedAt ?? now;
    const place = { stream, revision: after + 1n + BigInt(i), recordedAt: recordedAt.getTime() };
    const seal = seals.seal({ ...place, id, type, version, data: text, metadata });
    return { id: event.id, type, text, metadata: toMetadata(event, recordedAt, seal) };
  });
  // An append whose answer was lost is sent again unchanged: the server knows the ids and answers the first one. A
  // follower would pass it on, and wait 5 s for a leader that is no more.
  const ask: Ask<NodeAppended> = (node) => node.streams.append({ stream, after, events: sealed });
  const { revision, position } = await call(ask, waitLimits).catch(
    (error: { type?: FailureType; actualVersion?: bigint | 'no_stream' }) => {
      if (error.type === 'maximum-append-size-exceeded') throw new AppendTooLarge(bytes);
      if (error.type !== 'wrong-expected-version' || error.actualVersion === undefined) throw error;
      throw new Conflict(error.actualVersion === 'no_stream' ? -1n : error.actualVersion);
    },
  );
  // A stream that another writer deleted goes on where it ended: what was sent has seals for other revisions, and is damage.
  if (revision !== after + BigInt(events.length))
    throw new StoreUnavailable(`another hand deleted stream ${stream}: mvs events verify names it`);
  return { revision, position };
}

interface EncodedAppend extends StreamAppend {
  encoded: EncodedEvent[];
  bytes: number;
}

/** @throws TypeError, AppendTooLarge */
export function encoded(one: StreamAppend): EncodedAppend {
  const { bytes, encoded } = encodeAppend(one.stream, one.events);
  if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(bytes);
  return { ...one, encoded, bytes };
}

/** The place of an append that was made before, if these are its events. */
function sameAs(events: StreamAppend['events'], stored: readonly NodeEvent[]): Appended | undefined {
  const last = stored.at(-1);
  const same =
    last &&
    stored.length === events.length &&
    stored.every(({ id }, i) => id.toLowerCase() === events[i].id.toLowerCase());
  return same ? { revision: last.revision, position: last.position?.commit ?? 0n } : undefined;
}

/**
 * A conflict may be with an event that cannot be read yet, as after an election. The loser of the race is answered once it
 * can, so that the winner's event is there to be found.
 */
async function untilReadable(run: Run, stream: string, revision: bigint, waitLimits: WaitLimits): Promise<void> {
  for (;;) {
    const [last] = await readPages(run, stream, { direction: 'backwards', limit: 1 }, waitLimits);
    if (last && last.revision >= revision) return;
    if (Date.now() + RETRY_AFTER_MS >= endOf(waitLimits))
      throw new StoreUnavailable('EventStoreDB does not show yet what was written to this stream');
    await sleep(RETRY_AFTER_MS);
  }
}
