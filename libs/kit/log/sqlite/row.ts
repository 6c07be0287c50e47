import { crc32 } from 'node:zlib';
import { type RecordedEvent, UnreadableEvent, type Upcast, upcasted } from '../port.js';
import { type LogSeals, type Sealable, withoutSeal } from '../seal.js';

/** Places beyond it the service never gives: a number of JavaScript does not tell them apart. */
export const LAST_PLACE = Number.MAX_SAFE_INTEGER;

const CONTENT = 'stream, revision, id, type, version, recorded_at, checksum, metadata, data';
/** The columns of a stored event, in the order of `Row`. */
export const COLUMNS = `position, ${CONTENT}`;
/** The same as they are read: a place that no number tells is text. */
export const ROW = `iif(position BETWEEN -${LAST_PLACE} AND ${LAST_PLACE}, position, CAST(position AS TEXT)), ${CONTENT}`;
export type Row = [
  position: number | string,
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

/** A checksum is a CRC-32; from this on it is one of the second form, which covers `recordedAt` too. */
const SECOND_FORM = 2 ** 32;

export const isFormerForm = (sum: number): boolean => sum < SECOND_FORM;

/** SQLite notices damaged pages, not a changed byte inside a text: this does. */
export function checksum({ recordedAt, ...content }: Sealable): number {
  return SECOND_FORM + crc32(`${recordedAt}\n${formerText(content)}`);
}

/** The text that a checksum of the first form covers. */
function formerText({ stream, revision, id, type, version, metadata, data }: Omit<Sealable, 'recordedAt'>): string {
  return `${stream}\n${revision}\n${id}\n${type}\n${version}\n${metadata ?? ''}\n${data}`;
}

/** How rows become events. */
export interface Reading {
  /** Left out: rows are taken as they stand. */
  seals?: LogSeals;
  /** True if another row of the log has this one's id. */
  isCopy?(row: Row): boolean;
  upcast?: Upcast;
  /** Rows that are no events are given too, marked; and each with its seal. */
  rows?: boolean;
}

interface Judged {
  event: Sealable;
  seal?: string;
  /** The bytes are those that were written. */
  whole: boolean;
  /** Why it is no event. */
  problem?: string;
}

/** A row's own text, with the metadata less the seal. */
export function contentOf(row: Row): { event: Sealable; seal?: string } {
  const [, stream, revision, id, type, version, recordedAt, , metadata, data] = row;
  const { seal, ...bare } = withoutSeal(metadata);
  return { event: { stream, revision, id, type, version, recordedAt, data, ...bare }, seal };
}

/** The one place where it is decided whether a row is an event. */
export function judgeRow(row: Row, { seals, isCopy }: Pick<Reading, 'seals' | 'isCopy'>): Judged {
  const [position, , , , , , , sum, metadata] = row;
  const { event, seal } = contentOf(row);
  const content = { ...event, metadata };
  const whole = sum === (isFormerForm(sum) ? crc32(formerText(content)) : checksum(content));
  const problem = seals?.faultOf(BigInt(position), event, seal);
  // A row of the service's that is not as it was written is damage, and stops its readers: it held something.
  if (problem !== undefined && (whole || !seals?.names(seal) || isCopy?.(row))) return { event, seal, whole, problem };
  return { event, seal, whole };
}

/** @returns undefined where the row is no event @throws UnreadableEvent */
export function readRow(row: Row, reading: Reading): RecordedEvent | undefined {
  const { seals, upcast, rows } = reading;
  const [position, stream, revision, id, type, version, recordedAt] = row;
  const { event, seal, whole, problem } = judgeRow(row, reading);
  if (problem !== undefined) {
    // Another hand may have put anything into any column.
    const at = { stream: String(stream), type: String(type), position: BigInt(position), revision: wholeOf(revision) };
    seals?.remember({ ...at, problem });
    if (!rows) return undefined;
    const named = { id: String(id), version: Number(version), recordedAt: new Date(Number(recordedAt) || 0) };
    return { ...named, ...shownText(event), ...at, unsealed: problem, ...(seal !== undefined && { seal }) };
  }
  const place = { stream, revision: BigInt(revision), position: BigInt(position), recordedAt: new Date(recordedAt) };
  const unreadable = (reason: string) => new UnreadableEvent({ id, type, ...place }, reason);
  if (Number(position) < 1) throw unreadable('its position is below 1, where the log writes none');
  if (!whole) throw unreadable('its bytes are not those that were written');
  let read: RecordedEvent;
  try {
    read = { id, type, version, data: JSON.parse(event.data), ...place };
    if (event.metadata !== null) read.metadata = JSON.parse(event.metadata);
  } catch (error) {
    throw unreadable((error as Error).message);
  }
  if (rows && seal !== undefined) read.seal = seal;
  return upcastEvent(read, upcast);
}

const wholeOf = (revision: unknown): bigint => (Number.isInteger(revision) ? BigInt(revision as number) : -1n);

/** What another writer wrote, as far as it is JSON. */
function shownText({ data, metadata }: Sealable): Pick<RecordedEvent, 'data' | 'metadata'> {
  const parsed = (text: string) => {
    try {
      const value = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    } catch {}
    return { text: String(text) };
  };
  return { data: parsed(data), ...(metadata !== null && { metadata: parsed(metadata) }) };
}

/** @throws UnreadableEvent */
export function upcastEvent(event: RecordedEvent, upcast?: Upcast): RecordedEvent {
  try {
    const versioned = upcasted(event, upcast);
    return versioned === event ? event : { ...event, ...versioned };
  } catch (error) {
    throw new UnreadableEvent(event, (error as Error).message);
  }
}
