/** The checks of a running service's log: those of `mvs events verify`, but for events that stop the views. */
import { recordedFault } from '#catalogue/admission';
import { isOwnStream, streams } from '#domain/streams';
import { type LogCheckStep, type LogPass, paced, pause } from '#kit/log/check';
import type { LogDamage } from '#kit/log/damage';
import { type RecordedEvent, StoreUnavailable, UnreadableEvent } from '#kit/log/port';
import { readThrough } from '#kit/log/read-through';
import type { SealedReader, Unsealed } from '#kit/log/seal';
import type { CheckedLog } from '#kit/log/sqlite/check';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { LogWalk } from './log-walk.js';

/** Rows between two pauses. */
const AT_ONCE = 256;
/** A server that is slow is no work of this process: longest pause (ms). One that is away is asked again after as long. */
const SERVER_PAUSE_MS = 1000;
/** A server that is silent for so long (ms) is asked again, and the service can stop meanwhile. */
const SERVER_ANSWERS_WITHIN_MS = 5000;

type Report = (step: Partial<LogCheckStep>) => void;
type Read = RecordedEvent | UnreadableEvent;

/** For `LogCheck`: what the bytes of a SQLite log do not show. */
export const eventsPass = (of: Pick<CheckedLog, 'directory' | 'secrets'>): LogPass => ({
  module: new URL('./log-passes.js', import.meta.url),
  exportName: 'checkEvents',
  of,
});

/** Run by the log check's thread. */
export async function checkEvents(
  log: Pick<CheckedLog, 'directory' | 'secrets'>,
  stop: Int32Array,
  report: Report,
): Promise<void> {
  const reader = openSqliteEventReader({ ...log, rows: true });
  const goOn = paced(stop);
  try {
    for await (const { damage } of piecesOf(reader)) {
      if (damage.length > 0) report({ damage });
      if (!goOn()) return;
    }
  } finally {
    await reader.close();
  }
}

export interface CheckedServer {
  connectionString: string;
  secrets: readonly string[];
}

/** For `LogCheck`: all of an EventStoreDB. */
export const serverPass = (of: CheckedServer): LogPass => ({
  module: new URL('./log-passes.js', import.meta.url),
  exportName: 'checkServer',
  of,
});

/** Run by the log check's thread. */
export async function checkServer(server: CheckedServer, stop: Int32Array, report: Report): Promise<void> {
  const { openEventStoreDB } = await import('#kit/log/eventstoredb/store');
  let unsealed: Unsealed[] = [];
  const opened = openEventStoreDB({
    ...{ ...server, rows: true, answerWithinMs: SERVER_ANSWERS_WITHIN_MS },
    onUnsealed: (found) => void unsealed.push(found),
  });
  const reader = lasting(opened, stop);
  const goOn = paced(stop, SERVER_PAUSE_MS);
  try {
    const passed = await letPass(reader);
    for await (const { checked, head, damage, unreadable } of piecesOf(reader)) {
      const broken = unreadable.filter((event) => isOwnStream(event.stream) && !passed.has(placeOf(event)));
      const found = unsealed;
      unsealed = [];
      report({
        ...{ checked: Number(checked), head: Number(head), unsealed: found },
        damage: [...damage, ...broken.map(damageOf)],
      });
      if (!goOn()) return;
    }
  } finally {
    await opened.close();
  }
}

const placeOf = ({ position, stream }: { position: bigint | string; stream: string }) => `${position} ${stream}`;

const damageOf = ({ position, stream, revision, type, reason }: UnreadableEvent): LogDamage => ({
  ...{ position: String(position), stream, revision: Number(revision), type, problem: reason },
});

/** Places of events that an operator has let pass. */
async function letPass(reader: SealedReader): Promise<Set<string>> {
  const places = new Set<string>();
  for await (const read of readThrough(reader, { streamPrefixes: [streams.views()] }))
    if (!(read instanceof UnreadableEvent) && read.unsealed === undefined) places.add(placeOf(read.data as never));
  return places;
}

interface Piece {
  checked: bigint;
  head: bigint;
  damage: LogDamage[];
  unreadable: UnreadableEvent[];
}

/** A log up to where it ended when this began. @throws LogSecretMissing */
async function* piecesOf(reader: SealedReader): AsyncGenerator<Piece> {
  // Approvals from here on rest on claims that are not counted.
  const head = await reader.head();
  const walk = await LogWalk.of(reader);
  let piece: Piece = { checked: 0n, head, damage: [], unreadable: [] };
  let rows = 0;
  for await (const read of readThrough(reader)) {
    if (read.position > head) break;
    piece.checked = read.position;
    piece.damage.push(
      ...walk.take(read).filter(({ position }) => !(BigInt(position) === read.position && stops(read))),
    );
    if (read instanceof UnreadableEvent) piece.unreadable.push(read);
    if (++rows % AT_ONCE !== 0) continue;
    yield piece;
    piece = { ...piece, damage: [], unreadable: [] };
  }
  yield { ...piece, checked: head, damage: [...piece.damage, ...walk.end()] };
}

/** True of an event that no view takes: health says so until an operator lets it pass, and not for ever here too. */
const stops = (read: Read): boolean => !(read instanceof UnreadableEvent) && recordedFault(read) !== undefined;

/** A server's log, read on from where it was when the server is back. */
function lasting(reader: SealedReader, stop: Int32Array): SealedReader {
  const again = (error: unknown) => {
    if (!(error instanceof StoreUnavailable) || !pause(stop, SERVER_PAUSE_MS)) throw error;
  };
  return {
    ...reader,
    async head() {
      for (;;) {
        try {
          return await reader.head();
        } catch (error) {
          again(error);
        }
      }
    },
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
