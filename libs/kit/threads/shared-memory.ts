/** Memory that threads share, used again and again: what is made and moved again for each job presses on the collector. */

/** Sizes that are kept: of this many bytes, and twice and four times as many. */
const SMALLEST_BYTES = 64 * 1024;
const SIZES = 3;
/** Kept of all sizes together, while unused. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

export class SharedMemory {
  private readonly kept: SharedArrayBuffer[][] = Array.from({ length: SIZES }, () => []);
  private keptBytes = 0;
  private readonly lent = new WeakSet<ArrayBufferLike>();

  /** Zeros, to be given back when no thread can see them any more. Larger ones are memory of their own, to be moved. */
  take(bytes: number): Uint8Array {
    const size = sizeOf(bytes);
    if (size >= SIZES) return new Uint8Array(bytes);
    const buffer = this.kept[size].pop();
    if (buffer) this.keptBytes -= buffer.byteLength;
    const lent = buffer ?? new SharedArrayBuffer(SMALLEST_BYTES << size);
    this.lent.add(lent);
    return new Uint8Array(lent, 0, bytes);
  }

  /**
   * Wipes the memory taken and keeps it for the next one. Memory that is never given back is the collector's: memory that a
   * lost or hanging thread may still write must not be given back. Anything else, or twice the same, is left alone.
   */
  giveBack(taken: Uint8Array): void {
    const { buffer } = taken;
    if (!this.lent.delete(buffer)) return;
    taken.fill(0);
    if (this.keptBytes + buffer.byteLength > MAX_KEPT_BYTES) return;
    this.kept[sizeOf(buffer.byteLength)].push(buffer as SharedArrayBuffer);
    this.keptBytes += buffer.byteLength;
  }
}

/** 0 for the smallest one that holds so many bytes. */
const sizeOf = (bytes: number): number => Math.max(0, Math.ceil(Math.log2(bytes / SMALLEST_BYTES)));
