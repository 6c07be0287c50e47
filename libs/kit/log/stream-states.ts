/**
 * The last revision of each stream of a log, and a note, in 13 bytes and what a table leaves free. A Map ends at 2^24 entries, and
 * a log has a stream a claim. A name, which may be another one than a stream's, is known by 64 bits of its hash: among 10^8 two are
 * taken for one with a probability of 0.0003.
 */
import { randomBytes } from 'node:crypto';

export interface StreamState {
  /** -1 before the first event. */
  revision: number;
  /** 0 to 254, of the caller's own meaning. */
  note: number;
}

/** Share of the places that are taken at most. */
const MOST_TAKEN = 0.7;

export class StreamStates {
  size = 0;
  private readonly seeds = [randomBytes(4).readInt32LE(), randomBytes(4).readInt32LE()];
  private table = tableOf(1024);
  private low = 0;
  private high = 0;

  get(stream: string): StreamState | undefined {
    this.hash(stream);
    const at = this.place();
    const { revisions, notes } = this.table;
    return notes[at] === 0 ? undefined : { revision: revisions[at], note: notes[at] - 1 };
  }

  set(stream: string, { revision, note }: StreamState): void {
    if (this.size >= MOST_TAKEN * this.table.notes.length) this.grow();
    this.hash(stream);
    const at = this.place();
    if (this.table.notes[at] === 0) this.size++;
    this.put(at, revision, note + 1);
  }

  /** The place of the stream with the hash, or the free one where it belongs. */
  private place(): number {
    const { lows, highs, notes } = this.table;
    const mask = notes.length - 1;
    let at = this.low & mask;
    while (notes[at] !== 0 && !(lows[at] === this.low && highs[at] === this.high)) at = (at + 1) & mask;
    return at;
  }

  private put(at: number, revision: number, taken: number): void {
    const { lows, highs, revisions, notes } = this.table;
    [lows[at], highs[at], revisions[at], notes[at]] = [this.low, this.high, revision, taken];
  }

  private grow(): void {
    const { lows, highs, revisions, notes } = this.table;
    this.table = tableOf(2 * notes.length);
    for (const [at, taken] of notes.entries()) {
      if (taken === 0) continue;
      [this.low, this.high] = [lows[at], highs[at]];
      this.put(this.place(), revisions[at], taken);
    }
  }

  private hash(stream: string): void {
    let [a, b] = this.seeds;
    for (let i = 0; i < stream.length; i++) {
      const code = stream.charCodeAt(i);
      a = Math.imul(a ^ code, 0x9e3779b1);
      b = Math.imul(b ^ code, 0x5f356495);
    }
    a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
    b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
    [this.low, this.high] = [a | 0, b | 0];
  }
}

/** @param places a power of two */
const tableOf = (places: number) => ({
  lows: new Int32Array(places),
  highs: new Int32Array(places),
  revisions: new Int32Array(places),
  /** 0 where the place is free, else the note and 1. */
  notes: new Uint8Array(places),
});
