/** Appends that wait for the writer, and their events as readers will get them. */
import { encodeAppend } from '../encode.js';
import {
  type Appended,
  AppendTooLarge,
  type ExpectedRevision,
  MAX_APPEND_BYTES,
  type NewEvent,
  type RecordedEvent,
  type StreamAppend,
} from '../port.js';
import { throughJson } from './recent.js';
import type { AppendRequest } from './writer.js';

export interface Waiting {
  request: AppendRequest;
  /** The next one is stored only with it. */
  first?: boolean;
  expected: ExpectedRevision;
  bytes: number;
  /** The events as a reader will get them, where subscriptions wait for them. */
  copies?: Copy[];
  resolve(appended: Appended): void;
  reject(error: Error): void;
}

type Copy = Pick<NewEvent, 'data' | 'metadata'>;

/** @throws TypeError, RangeError, AppendTooLarge */
export function requestOf({ stream, events, expected }: StreamAppend): Pick<Waiting, 'request' | 'expected' | 'bytes'> {
  const { bytes, encoded } = encodeAppend(stream, events);
  if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(bytes);
  if (typeof expected === 'bigint' && expected < 0n) throw new RangeError(`expected revision ${expected}`);
  const internal = expected === 'no_stream' ? -1 : typeof expected === 'bigint' ? Number(expected) : expected;
  return { request: { stream, expected: internal, events: encoded }, expected, bytes };
}

/**
 * The events of an append as they were stored; the outcome gives the last one's place.
 * @param at time of the append, in Unix milliseconds
 */
export const recorded = (
  { stream, events }: AppendRequest,
  copies: Copy[],
  { revision, position }: { revision: number; position: number },
  at: number,
): RecordedEvent[] =>
  events.map(({ id, type, version, recordedAt = at }, i) => ({
    ...{ id, type, version, stream, ...copies[i] },
    revision: BigInt(revision - events.length + 1 + i),
    position: BigInt(position - events.length + 1 + i),
    recordedAt: new Date(recordedAt),
  }));

export const copyOf = ({ data, metadata }: NewEvent): Copy => throughJson({ data, metadata });
