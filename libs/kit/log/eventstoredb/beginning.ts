/** The beginning of a log on EventStoreDB: its name, which every seal covers, and what operators decided about it. */
import { randomUUID } from 'node:crypto';
import type { ReadPosition } from '@eventstore/db-client';
import { isOwnStream, streams } from '#domain/streams';
import type { LogBegun, LogSealed } from '#kit/log/events-sealed';
import { newEventId } from '../event-id.js';
import { LogSecretMissing, LogUnsealed, type NewEvent } from '../port.js';
import { decisionsIn, type LogSeals, sealedBy } from '../seal.js';
import { appendSealed, Conflict, encoded } from './appending.js';
import type { WaitLimits } from './client.js';
import { contentOf, isSystem, place, positionOf } from './events.js';
import { PAGE, type Run, readPage, readPages } from './reading.js';

export interface Beginning {
  /** Nothing is written: an empty log stays without a name. */
  readOnly?: boolean;
  /** What an operator takes who begins the seals of a log of a former release, or of a secret that is gone. */
  take?: (head: bigint) => LogSealed['data'];
}

/**
 * @returns false where the log is empty and stays so
 * @throws LogSecretMissing, LogUnsealed, StoreUnavailable
 */
export async function begin(
  call: Run,
  seals: LogSeals,
  { readOnly, take }: Beginning,
  waitLimits: () => WaitLimits,
): Promise<boolean> {
  for (;;) {
    // Asked before the story, in which a log that another replica begins meanwhile has its name.
    const head = await headOf(call);
    const story = await readPages(call, streams.log(), {});
    const names = story.flatMap(({ type, data }) => (type === 'LogBegun' ? [(data as LogBegun['data']).log] : []));
    for (const name of new Set(names.map(String))) {
      seals.begin(name);
      const own = story.filter((row) => {
        const { sealable, seal } = contentOf(row);
        return seals.faultOf(sealable, seal) === undefined;
      });
      if (own.length === 0) continue;
      seals.begin(name, decisionsIn(own.map(({ type, data }) => ({ type, data: data as object }))));
      return true;
    }
    const ids = [...new Set(story.flatMap((row) => sealedBy(contentOf(row).seal) ?? []))];
    if (!take) {
      if (names.length > 0) throw new LogSecretMissing(ids);
      if (head !== undefined) throw new LogUnsealed('the log on EventStoreDB');
      if (readOnly) return false;
    }
    const taken = take?.(head ?? 0n);
    const missing = ids.filter((id) => !taken?.secrets.includes(id));
    if (missing.length > 0) throw new LogSecretMissing(missing);
    const [log = randomUUID()] = names.map(String);
    const event = (type: string, data: Record<string, unknown>): NewEvent => ({
      id: newEventId(),
      type,
      version: 1,
      data,
    });
    const events = [
      ...(names.length > 0 ? [] : [event('LogBegun', { log })]),
      ...(taken ? [event('LogSealed', taken)] : []),
    ];
    const one = encoded({ stream: streams.log(), events, expected: 'any' });
    const after = story.at(-1)?.revision ?? -1n;
    await appendSealed(call, seals.begin(log), one, after, waitLimits()).catch((error) => {
      // Another replica was first.
      if (!(error instanceof Conflict)) throw error;
    });
  }
}

/** Place of the last row of the service's streams; undefined where there is none. */
async function headOf(call: Run): Promise<bigint | undefined> {
  for (let end: ReadPosition = 'end'; ; ) {
    const page = await readPage(call, 'backwards', end, PAGE);
    const own = page.find((one) => !isSystem(one) && isOwnStream(one.streamId));
    if (own || page.length < PAGE) return own && positionOf(own);
    end = place(positionOf(page[page.length - 1]));
  }
}
