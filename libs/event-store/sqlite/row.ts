import { crc32 } from 'node:zlib';
import { lifted, type RecordedEvent, UnreadableEvent, type Upcast } from '../port.js';

/** The columns of a stored event, in the order of `Row`. */
export const ROW = 'position, stream, revision, id, type, version, recorded_at, checksum, metadata, data';
export type Row = [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  version: number,
  recordedAt: number,
  checksum: number,
  metadata: string | null,
  data: string,
];

/** SQLite notices damaged pages, not a changed byte inside a text: this does. */
export function checksum(
  stream: string,
  revision: number,
  id: string,
  type: string,
  version: number,
  metadata: string | null,
  data: string,
): number {
  return crc32(`${stream}\n${revision}\n${id}\n${type}\n${version}\n${metadata ?? ''}\n${data}`);
}

/** @throws UnreadableEvent */
export function readRow(row: Row, upcast?: Upcast): RecordedEvent {
  const [position, stream, revision, id, type, version, recordedAt, sum, metadata, data] = row;
  const place = { stream, revision: BigInt(revision), position: BigInt(position), recordedAt: new Date(recordedAt) };
  const unreadable = (reason: string) => new UnreadableEvent({ id, type, ...place }, reason);
  if (sum !== checksum(stream, revision, id, type, version, metadata, data)) {
    throw unreadable('its bytes are not those that were written');
  }
  let event: RecordedEvent;
  try {
    event = { id, type, version, data: JSON.parse(data), ...place };
    if (metadata !== null) event.metadata = JSON.parse(metadata);
  } catch (error) {
    throw unreadable((error as Error).message);
  }
  return liftedEvent(event, upcast);
}

/** @throws UnreadableEvent */
export function liftedEvent(event: RecordedEvent, upcast?: Upcast): RecordedEvent {
  try {
    const versioned = lifted(event, upcast);
    return versioned === event ? event : { ...event, ...versioned };
  } catch (error) {
    throw new UnreadableEvent(event, (error as Error).message);
  }
}
