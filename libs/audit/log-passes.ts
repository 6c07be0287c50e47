/** The check of a running service's log: the walk of `mvs events verify`, but for events that stop the views. */
import { recordedFault } from '#catalogue/admission';
import { type LogCheckStep, type LogPass, paced, pause } from '#kit/log/check';
import { placeOf, positionOf, readCheckedPlace, writeCheckedPlace } from '#kit/log/checked-place';
import { type RecordedEvent, StoreUnavailable, type Upcast } from '#kit/log/port';
import type { SealedReader } from '#kit/log/seal';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { type WalkStep, walk } from './log-walk.js';

/** A server that is away is asked again after (ms). */
const SERVER_PAUSE_MS = 1000;
/** A server that is silent for so long (ms) is asked again, and the service can stop meanwhile. */
const SERVER_ANSWERS_WITHIN_MS = 5000;
/** The place where a check goes on after a start is noted this often (ms). */
const NOTED_EVERY_MS = 10_000;

export interface CheckedLog {
  secrets: readonly string[];
  /** Where the place is noted; folder of a SQLite log. */
  directory: string;
  /** Of an EventStoreDB; '' or left out with SQLite. */
  connectionString?: string;
}

/** @param how as the service itself reads it, or strictly */
export async function openReader(
  { secrets, directory, connectionString }: CheckedLog,
  how: { upcast?: Upcast; strict?: boolean },
): Promise<SealedReader> {
  if (!connectionString) return openSqliteEventReader({ directory, secrets, ...how });
  const { openEventStoreDB } = await import('#kit/log/eventstoredb/store');
  return openEventStoreDB({ connectionString, secrets, ...how, answerWithinMs: SERVER_ANSWERS_WITHIN_MS });
}

/** For `LogCheck`. */
export const logPass = (of: CheckedLog): LogPass => ({
  module: new URL('./log-passes.js', import.meta.url),
  exportName: 'checkLog',
  of,
});

/**
 * Run by the log check's thread: from the noted place to the log's end, then from its beginning to that place. The place that is
 * noted is never behind damage, which the next start so comes upon first.
 */
export async function checkLog(log: CheckedLog, stop: Int32Array, told: (step: LogCheckStep) => void): Promise<void> {
  const { directory } = log;
  const opened = await openReader(log, { strict: true });
  const isServer = Boolean(log.connectionString);
  const reader = isServer ? lasting(opened, stop) : opened;
  const goOn = paced(stop);
  // An event that no view takes is told by health until an operator lets it pass, and not for ever here too.
  const passes = (event: RecordedEvent) => recordedFault(event) !== undefined;
  try {
    const head = await reader.head();
    let noted = readCheckedPlace(directory);
    const from = (await positionOf(reader, noted)) ?? 0n;
    const report = (done: bigint, { damage, rows }: Pick<WalkStep, 'damage' | 'rows'>) =>
      told({
        ...{ checked: Number(done), head: Number(head), damage, rows },
        ...{ resumedAt: Number(from), wholeAt: noted.whole_at },
      });
    let sound = true;
    let notedAt = performance.now();
    const beginning = { upTo: from > 0n ? from : head };
    for (const places of from > 0n ? [{ after: from, upTo: head }, beginning] : [beginning]) {
      const isLast = places === beginning;
      const before = isLast && from > 0n ? head - from : 0n;
      const start = isLast ? 0n : from;
      let reached = start;
      const how = { passes, ...places, ...(!isServer && { directory, faults: isLast }) };
      for await (const step of walk(reader, how)) {
        report(before + step.checked - start, step);
        sound &&= step.damage.length === 0 && step.rows.length === 0;
        if (sound && step.last) noted = { ...noted, event: placeOf(step.last) };
        const going = goOn(Number(step.checked - reached) / Math.max(1, Number(head)));
        reached = step.checked;
        if (going && performance.now() - notedAt < NOTED_EVERY_MS) continue;
        writeCheckedPlace(directory, noted);
        notedAt = performance.now();
        if (!going) return;
      }
    }
    noted = { ...noted, ...(sound && { event: null }), whole_at: new Date().toISOString() };
    writeCheckedPlace(directory, noted);
    report(head, { damage: [], rows: [] });
  } finally {
    await opened.close();
  }
}

/** A server's log, read on from where it was when the server is back. */
function lasting(reader: SealedReader, stop: Int32Array): SealedReader {
  const again = (error: unknown) => {
    if (!(error instanceof StoreUnavailable) || !pause(stop, SERVER_PAUSE_MS)) throw error;
  };
  const answered = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        again(error);
      }
    }
  };
  return {
    ...reader,
    head: () => answered(() => reader.head()),
    readStream: (stream, options) => answered(() => reader.readStream(stream, options)),
    async *readAll(options = {}) {
      for (let { after } = options; ; ) {
        try {
          for await (const event of reader.readAll({ ...options, after })) {
            after = event.position;
            yield event;
          }
          return;
        } catch (error) {
          again(error);
        }
      }
    },
  };
}
