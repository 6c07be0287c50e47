import { crc32 } from 'node:zlib';
import type { EncodedEvent } from '../encode.js';
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

/** A row without its position, which SQLite gives it, and without its checksum. */
export type Content = Omit<EncodedEvent, 'recordedAt'> & { stream: string; revision: number; recordedAt: number };

/** A checksum is a CRC-32; from this on it is one of the second form, which covers `recordedAt` too. */
const SECOND_FORM = 2 ** 32;

export const isFormerForm = (sum: number): boolean => sum < SECOND_FORM;

/** SQLite notices damaged pages, not a changed byte inside a text: this does. */
export function checksum({ recordedAt, ...content }: Content): number {
  return SECOND_FORM + crc32(`${recordedAt}\n${formerText(content)}`);
}

/** The text that a checksum of the first form covers. */
function formerText({ stream, revision, id, type, version, metadata, data }: Omit<Content, 'recordedAt'>): string {
  return `${stream}\n${revision}\n${id}\n${type}\n${version}\n${metadata ?? ''}\n${data}`;
}

/** @throws UnreadableEvent */
export function readRow(row: Row, upcast?: Upcast): RecordedEvent {
  const [position, stream, revision, id, type, version, recordedAt, sum, metadata, data] = row;
  const place = { stream, revision: BigInt(revision), position: BigInt(position), recordedAt: new Date(recordedAt) };
  const unreadable = (reason: string) => new UnreadableEvent({ id, type, ...place }, reason);
  if (position < 1) throw unreadable('its position is below 1, where the log writes none');
  const content = { stream, revision, id, type, version, metadata, data, recordedAt };
  if (sum !== (isFormerForm(sum) ? crc32(formerText(content)) : checksum(content))) {
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
