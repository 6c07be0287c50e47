/** Appends that wait for the writer. */
import { encodeAppend } from '../encode.js';
import { type Appended, AppendTooLarge, type ExpectedRevision, MAX_APPEND_BYTES, type StreamAppend } from '../port.js';
import type { AppendRequest } from './writer.js';

export interface Waiting {
  request: AppendRequest;
  expected: ExpectedRevision;
  bytes: number;
  resolve(appended: Appended): void;
  reject(error: Error): void;
}

/** @throws TypeError, RangeError, AppendTooLarge */
export function requestOf({ stream, events, expected }: StreamAppend): Pick<Waiting, 'request' | 'expected' | 'bytes'> {
  const { bytes, encoded } = encodeAppend(stream, events);
  if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(bytes);
  if (typeof expected === 'bigint' && expected < 0n) throw new RangeError(`expected revision ${expected}`);
  const internal = expected === 'no_stream' ? -1 : typeof expected === 'bigint' ? Number(expected) : expected;
  return { request: { stream, expected: internal, events: encoded }, expected, bytes };
}
