/** Events that this process appended and its subscriptions have not handed over yet, so that they need not read the file. */
import type { EventFilter, RecordedEvent } from '../port.js';

/** Most bytes of text; the oldest events go first and are read from the file. */
const MAX_BYTES = 8 * 1024 * 1024;

/** A subscription that has handed over everything up to the position. */
export interface Follower {
  position: number;
}

/** As appended, before any upcast; positions have no gap. */
export class RecentEvents {
  readonly #followers = new Set<Follower>();
  #events: { event: RecordedEvent; bytes: number }[] = [];
  #bytes = 0;
  /** Position of the last event, kept when the events are gone; -1 where unknown. */
  #end = -1;

  constructor(private readonly maxBytes = MAX_BYTES) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** True if any follower needs the events. */
  get wanted(): boolean {
    return this.#followers.size > 0;
  }

  follow(follower: Follower): void {
    this.#followers.add(follower);
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower);
    if (!this.wanted) this.clear();
  }

  /** @param events that were stored next to each other @param bytes of their text */
  add(events: readonly RecordedEvent[], bytes: number): void {
    if (events.length === 0 || !this.wanted) return;
    const first = Number(events[0].position);
    if (first !== this.#end + 1) this.clear();
    for (const event of events) this.#events.push({ event, bytes: bytes / events.length });
    this.#bytes += bytes;
    this.#end = first + events.length - 1;
    let many = 0;
    for (let over = this.#bytes - this.maxBytes; over > 0; many++) over -= this.#events[many].bytes;
    this.#forget(many);
  }

  /** An event that is not here was stored, or may have been. */
  clear(): void {
    this.#events = [];
    this.#bytes = 0;
    this.#end = -1;
  }

  /**
   * The next events after a follower's position, at most so many; undefined where only the file can tell. Events that
   * every follower here has handed over are forgotten.
   */
  after({ position }: Follower, limit: number): Found | undefined {
    const before = this.#end - this.#events.length;
    if (this.#end < 0 || position < before || position > this.#end) return undefined;
    const found = this.#events.slice(position - before, position - before + limit);
    const scannedTo = position + found.length;
    const atEnd = scannedTo === this.#end;
    let handedOver = position;
    for (const other of this.#followers)
      if (other.position >= before && other.position < handedOver) handedOver = other.position;
    this.#forget(handedOver - before);
    return { events: found.map(({ event }) => event), scannedTo, atEnd };
  }

  #forget(many: number): void {
    if (many === 0) return;
    for (const { bytes } of this.#events.splice(0, many)) this.#bytes -= bytes;
  }
}

interface Found {
  events: RecordedEvent[];
  scannedTo: number;
  /** No later event was stored. */
  atEnd: boolean;
}

export const passes = ({ streamPrefixes, types }: EventFilter, { stream, type }: RecordedEvent): boolean =>
  (!streamPrefixes || streamPrefixes.some((prefix) => stream.startsWith(prefix))) && (!types || types.includes(type));

/** The value as its JSON would give it back, without the text in between. */
export function throughJson<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  // JSON knows no -0.
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== 'object') return undefined;
  if (Array.isArray(value)) {
    const items = new Array(value.length);
    for (let i = 0; i < value.length; i++) items[i] = copy(value[i]) ?? null;
    return items;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype || 'toJSON' in value) return JSON.parse(JSON.stringify(value));
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    if (name === '__proto__') return JSON.parse(JSON.stringify(value));
    const member = copy((value as Record<string, unknown>)[name]);
    if (member !== undefined) members[name] = member;
  }
  return members;
}
