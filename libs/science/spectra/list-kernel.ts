import { instantiate } from '#science/compute/wasm';

/** Exports of kernels/numbers.ts of `libs/science/compute`. */
interface ListExports {
  memory: { readonly buffer: ArrayBuffer };
  text(): number;
  textBytes(): number;
  values(): number;
  most(): number;
  end(): number;
  read(from: number, until: number, bytes: number): number;
}

/** Bytes: more than any element that the kernel reads, and than it reads behind the text in its memory. */
const ELEMENT_BYTES = 64;
/** Elements read without the kernel after one that it does not read: others of the list are likely of its kind. */
const LEFT_ALONE = 16;

/** Reads the common elements of number lists in WebAssembly, many at a time; a body goes there in pieces, each once. */
export class ListKernel {
  private readonly exports = instantiate<ListExports>('numbers');
  private readonly text: Uint8Array;
  private readonly values: Float64Array;
  private readonly room: number;
  /** The bytes in the kernel's memory, and their range. */
  private held: Uint8Array | undefined;
  private from = 0;
  private to = 0;
  private alone = 0;
  private found = 0;
  /** The most elements read since the last `forget`. */
  private most = 0;
  /** The place behind the last element read. */
  end = 0;

  constructor() {
    const { memory, text, textBytes, values, most } = this.exports;
    this.room = textBytes();
    this.text = new Uint8Array(memory.buffer, text(), this.room + ELEMENT_BYTES);
    this.values = new Float64Array(memory.buffer, values(), most());
  }

  /**
   * Reads elements of a list from `start` on, as far as they are plain and begin before `until`; the list's bracket is read
   * with the last one.
   * @returns how many; none where the caller must read the next one
   */
  read(bytes: Uint8Array, start: number, until: number): number {
    if (this.alone > 0) {
      this.alone--;
      return 0;
    }
    const beyond = start + ELEMENT_BYTES > this.to && this.to < bytes.length;
    if (this.held !== bytes || start < this.from || beyond) this.hold(bytes, start);
    const last = this.to === bytes.length;
    const length = this.to - this.from + (last ? ELEMENT_BYTES : 0);
    this.found = this.exports.read(start - this.from, until - this.from, length);
    this.end = this.from + this.exports.end();
    if (this.found > this.most) this.most = this.found;
    if (this.found === 0) this.alone = LEFT_ALONE;
    return this.found;
  }

  /** The elements read last, as far as there is room. */
  copy(out: Float64Array, at: number): void {
    const count = Math.min(this.found, out.length - at);
    if (count > 0) out.set(this.values.subarray(0, count), at);
  }

  /** Nothing of a body stays behind. */
  forget(): void {
    // Not the last piece alone: those before may have been longer.
    this.text.fill(0);
    this.values.fill(0, 0, this.most);
    this.most = 0;
    this.held = undefined;
    this.from = this.to = 0;
  }

  private hold(bytes: Uint8Array, start: number): void {
    const length = Math.min(this.room, bytes.length - start);
    this.text.set(bytes.subarray(start, start + length));
    this.text.fill(0, length, length + ELEMENT_BYTES);
    this.held = bytes;
    this.from = start;
    this.to = start + length;
    this.alone = 0;
  }
}
