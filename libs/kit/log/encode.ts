import type { NewEvent } from './port.js';
import { metadataText } from './seal.js';

export interface EncodedEvent {
  id: string;
  type: string;
  version: number;
  data: string;
  metadata: string | null;
  /** Unix milliseconds, where the event was recorded before. */
  recordedAt?: number;
}

/** Bytes of a stored event besides its own text: identity, version, time, seal, framing. */
const EVENT_OVERHEAD_BYTES = 256;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be in a name
const UNSAFE_NAME = /[\u0000-\u001f\u007f]|\p{Surrogate}/u;

/** Serialises once and measures. @throws TypeError where a name or an id is malformed or the data cannot be JSON. */
export function encodeAppend(stream: string, events: readonly NewEvent[]): { bytes: number; encoded: EncodedEvent[] } {
  checkName('stream', stream);
  let bytes = 0;
  const encoded = events.map(({ id, type, version, data, metadata, recordedAt }) => {
    checkName('event type', type);
    if (!UUID.test(id)) throw new TypeError(`event id ${JSON.stringify(id)} is not a UUID`);
    if (!Number.isSafeInteger(version) || version < 1) throw new TypeError(`event version ${version} of ${type}`);
    const text = JSON.stringify(data);
    const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
    if (!isObject || text === undefined) throw new TypeError(`data of ${type}`);
    if (metadata !== undefined && 'seal' in metadata) throw new TypeError(`metadata of ${type} with a seal`);
    const kept = metadataText(metadata);
    bytes += eventBytes(type, text, kept);
    const known = recordedAt?.getTime();
    if (Number.isNaN(known)) throw new TypeError(`time of ${type}`);
    return { id: id.toLowerCase(), type, version, data: text, metadata: kept, recordedAt: known };
  });
  return { bytes, encoded };
}

/**
 * Splits events into as few appends as the limit allows, in their order. One event alone may still be too large.
 */
export function splitIntoAppends<E extends NewEvent>(events: readonly E[], maxBytes: number): E[][] {
  const groups: E[][] = [];
  let room = 0;
  for (const event of events) {
    const bytes = eventBytes(event.type, JSON.stringify(event.data), metadataText(event.metadata));
    if (groups.length === 0 || bytes > room) {
      groups.push([]);
      room = maxBytes;
    }
    groups[groups.length - 1].push(event);
    room -= bytes;
  }
  return groups;
}

function eventBytes(type: string, data: string, metadata: string | null): number {
  return (
    Buffer.byteLength(data) + (metadata ? Buffer.byteLength(metadata) : 0) + type.length * 2 + EVENT_OVERHEAD_BYTES
  );
}

function checkName(what: string, name: string): void {
  if (typeof name !== 'string' || name === '' || name.length > 2048 || UNSAFE_NAME.test(name)) {
    throw new TypeError(`${what} name ${JSON.stringify(String(name).slice(0, 80))} is not usable`);
  }
}
