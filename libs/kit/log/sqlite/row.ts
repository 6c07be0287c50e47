import { NO_EVENT, type RecordedEvent, UnreadableEvent, type Upcast, upcasted } from '../port.js';
import { type LogSeals, type Sealable, sealedBy } from '../seal.js';
import { unpacked } from './packed.js';

/** The columns of a stored event, in the order of `Row`. */
export const COLUMNS = 'position, stream, revision, id, type, version, recorded_at, metadata, data, before, seal';
export type Row = [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  version: number,
  recordedAt: number,
  metadata: string | null,
  /** As `packed` gives them. */
  data: string | Uint8Array,
  /** Seal of the event before it in the log. */
  before: string,
  seal: string,
];

/** How rows become events. */
export interface Reading {
  seals: LogSeals;
  upcast?: Upcast;
  /** Damaged rows stop every reading, and disowned ones are given as `NoEvent`: for one that looks through the log. */
  strict?: boolean;
}

/** The JSON text of an event's data. */
export const dataOf = (row: Row): string => unpacked(row[8]);

export function sealableOf(row: Row): Sealable {
  const [, stream, revision, id, type, version, recordedAt, metadata, , before] = row;
  return { stream, revision, id, type, version, recordedAt, metadata, data: dataOf(row), before };
}

/** Why a row is damage; undefined where it is an event. */
export const faultIn = (row: Row, seals: LogSeals): string | undefined => seals.faultOf(sealableOf(row), row[10]);

/** @throws UnreadableEvent */
export function readRow(row: Row, { seals, upcast }: Reading): RecordedEvent {
  const [at, stream, revision, id, type, version, recordedAt, metadata, , , seal] = row;
  const position = BigInt(at);
  // Another hand may have put anything into any column.
  const place = { stream: String(stream), revision: Number.isInteger(revision) ? BigInt(revision) : -1n, position };
  const time = new Date(Number(recordedAt) || 0);
  if (seals.isDisowned(position))
    return { id: String(id), type: NO_EVENT, version: 1, data: {}, ...place, recordedAt: time };
  const problem = faultIn(row, seals);
  if (problem !== undefined) {
    seals.remember({ ...place, type: String(type), problem });
    throw new UnreadableEvent({ id: String(id), type: String(type), ...place, recordedAt: time }, problem);
  }
  const read: RecordedEvent = {
    id,
    type,
    version,
    data: JSON.parse(dataOf(row)),
    ...place,
    recordedAt: time,
    sealedBy: sealedBy(seal),
  };
  if (metadata !== null) read.metadata = JSON.parse(metadata);
  return upcastEvent(read, upcast);
}

/** The events among rows in the order of the log, or its strict reading. @throws UnreadableEvent */
export function* eventsIn(rows: Iterable<Row>, reading: Reading): Generator<RecordedEvent> {
  for (const row of rows) {
    if (reading.strict) {
      yield readRow(row, reading);
      continue;
    }
    if (reading.seals.isDisowned(BigInt(row[0]))) continue;
    try {
      yield readRow(row, reading);
    } catch (error) {
      if (faultIn(row, reading.seals) === undefined) throw error;
    }
  }
}

/** @throws UnreadableEvent */
function upcastEvent(event: RecordedEvent, upcast?: Upcast): RecordedEvent {
  try {
    const versioned = upcasted(event, upcast);
    return versioned === event ? event : { ...event, ...versioned };
  } catch (error) {
    throw new UnreadableEvent(event, (error as Error).message);
  }
}
