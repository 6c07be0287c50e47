/** Reads of the server, page by page. */
import type { ReadPosition } from '@eventstore/db-client';
import { type ReadAllOptions, type ReadStreamOptions, type RecordedEvent, UnreadableEvent } from '../port.js';
import type { Ask, WaitLimits } from './client.js';
import { cutOf, filterOf, isSystem, passed, passes, place, positionOf, type Reading, toRecorded } from './events.js';
import type { FailureType, NodeEvent, NodeRead } from './streams.js';

/**
 * Runs one call of a node, again while the server is away, until its time is over (default: its own, from now).
 * @throws StoreUnavailable, or what the server decided
 */
export type Run = <T>(ask: Ask<T>, waitLimits?: WaitLimits) => Promise<T>;

export const PAGE = 1_000;
/** The first page of a search for the head, which is mostly the last event; each further one is so much longer. */
const HEAD_PAGE = 16;
const HEAD_GROWTH = 4;

/** The events of what was read of a stream. @throws UnreadableEvent */
export const eventsOf = (rows: readonly NodeEvent[], how: Reading): RecordedEvent[] =>
  rows.flatMap((row) => toRecorded(row, how) ?? []);

/** So many events of a stream; those of other applications are skipped. @throws UnreadableEvent */
export async function readEvents(run: Run, stream: string, options: ReadStreamOptions, how: Reading) {
  const { direction = 'forwards', limit = Number.POSITIVE_INFINITY } = options;
  const events: RecordedEvent[] = [];
  for (let from = options.from; ; ) {
    const wanted = limit - events.length;
    const rows = await readPages(run, stream, { direction, limit: wanted, ...(from !== undefined && { from }) });
    events.push(...eventsOf(rows, how));
    const last = rows.at(-1)?.revision;
    if (events.length >= limit || rows.length < wanted || last === undefined) return events;
    if (direction === 'backwards' && last === 0n) return events;
    from = direction === 'forwards' ? last + 1n : last - 1n;
  }
}

/** @param waitLimits with all pages together; default: each has its own */
export async function readPages(run: Run, stream: string, options: ReadStreamOptions, waitLimits?: WaitLimits) {
  const { direction = 'forwards', limit = Number.POSITIVE_INFINITY } = options;
  const events: NodeEvent[] = [];
  for (let from = options.from; events.length < limit; ) {
    const maxCount = Math.min(limit - events.length, PAGE);
    const fromRevision = from ?? (direction === 'forwards' ? 'start' : ('end' as const));
    const read: NodeRead = { stream, direction, fromRevision, maxCount };
    const page = await run(({ streams }, waiting) => streams.read(read, waiting), waitLimits).catch(
      (error: { type?: FailureType }) => {
        if (error.type === 'stream-not-found' || error.type === 'stream-deleted') return [];
        throw error;
      },
    );
    events.push(...page);
    const last = page.at(-1)?.revision;
    if (page.length < maxCount || last === undefined || (direction === 'backwards' && last === 0n)) break;
    from = direction === 'forwards' ? last + 1n : last - 1n;
  }
  return events;
}

/** Of `$all`: long reads go page by page, each with a time of its own. */
export function readPage(
  run: Run,
  direction: 'forwards' | 'backwards',
  fromPosition: ReadPosition,
  maxCount: number,
): Promise<NodeEvent[]> {
  return run(({ streams }, waiting) => streams.read({ direction, fromPosition, maxCount }, waiting));
}

export async function readHead(run: Run): Promise<bigint> {
  let end: ReadPosition = 'end';
  // A server writes statistics and the like about itself, by the thousand where little else is written.
  for (let size = HEAD_PAGE; ; size = Math.min(size * HEAD_GROWTH, PAGE)) {
    const page = await readPage(run, 'backwards', end, size);
    const last = page.find((event) => !isSystem(event));
    if (last) return positionOf(last);
    if (page.length < size) return 0n;
    end = place(positionOf(page[page.length - 1]));
  }
}

/** The place of whatever was written last, the server's own events among it. */
async function readEnd(run: Run): Promise<bigint> {
  const [last] = await readPage(run, 'backwards', 'end', 1);
  return last ? positionOf(last) : 0n;
}

export async function* readAll(
  run: Run,
  options: ReadAllOptions,
  settled: () => Promise<Reading>,
): AsyncGenerator<RecordedEvent> {
  let { after = 0n, limit: left = Number.POSITIVE_INFINITY } = options;
  const wanted = filterOf(options);
  const how = await settled();
  const head = await (how.strict ? readEnd(run) : readHead(run));
  while (left > 0 && after < head) {
    const page = await readPage(run, 'forwards', place(after), PAGE);
    for (const row of page) {
      const position = positionOf(row);
      if (position > head) return;
      // The server's reading is inclusive of its position, the port's is not.
      const isNext = position > after;
      const cut = isNext ? cutOf(row) : undefined;
      after = position;
      if (cut && !how.seals.isDisowned(position)) {
        how.seals.remember(cut);
        if (how.strict && passes(options, cut.stream, cut.type))
          throw new UnreadableEvent({ ...cut, id: row.id, recordedAt: row.created }, cut.problem);
      }
      const event = isNext && wanted(row) ? passed(row, how) : undefined;
      if (!event) continue;
      yield event;
      if (--left <= 0) return;
    }
    if (page.length < PAGE) return;
  }
}
