/**
 * The latest scan sets of a key, or of the production keys of a population, by side and model, with their sketches in
 * the memory of a WebAssembly kernel. A window is a ring of 1,024 sets, 524 KiB with vectors of two encoders; at most
 * 128 are kept (80 MiB), others are read from the tables again when they are needed.
 */
import { instantiate } from '#compute';
import { cosineOf, NEAR, type Sketch, squareOf } from './nearness.js';

const SETS = NEAR.copy.latest;
const KEPT = 128;
const SIGNATURE_BYTES = 8;
/** The kernel reads a signature and, from here on, a row. */
const QUERY_ROW = 16;

/** Exports of kernels/nearness.ts of `libs/compute`. */
interface Kernel {
  memory: { readonly buffer: ArrayBuffer };
  take(bytes: number): number;
  give(pointer: number): void;
  found(): number;
  scan(window: number, query: number, length: number, rows: number, latest: number, slack: number): number;
}

export interface Bar {
  cosine: number;
  latest: number;
  slack: number;
}

export class NearWindows {
  private readonly windows = new Map<string, NearWindow>();
  private kernel?: Kernel;

  /** @param load adds what a window holds that is not in memory, oldest first */
  of(name: string, load: (window: NearWindow) => void): NearWindow {
    let window = this.windows.get(name);
    if (!window) {
      this.kernel ??= instantiate<Kernel>('nearness');
      window = new NearWindow(this.kernel);
      load(window);
    }
    this.windows.delete(name);
    this.windows.set(name, window);
    if (this.windows.size > KEPT) {
      const [oldest, given] = this.windows.entries().next().value as [string, NearWindow];
      this.windows.delete(oldest);
      given.release();
    }
    return window;
  }

  has(name: string): boolean {
    return this.windows.has(name);
  }

  get memoryBytes(): number {
    return this.kernel?.memory.buffer.byteLength ?? 0;
  }

  /** A stone has turned out to be another. */
  rename(from: number, into: number): void {
    for (const window of this.windows.values()) window.rename(from, into);
  }
}

export class NearWindow {
  private readonly stones = new Float64Array(SETS);
  /** Sum of squares of each row. */
  private readonly squares = new Float64Array(SETS);
  private rows = 0;
  /** Values of a row, and the bytes that it takes in the kernel; all sets of one model have as many. */
  private values = 0;
  private length = 0;
  private window = 0;
  private query = 0;

  constructor(private readonly kernel: Kernel) {}

  add(stone: number, sketch: Sketch): void {
    if (this.length === 0) this.open(sketch.values.length);
    const at = this.rows++ % SETS;
    this.stones[at] = stone;
    // A row of another length is like none.
    const fits = sketch.values.length === this.values;
    this.squares[at] = fits ? squareOf(sketch.values) : 0;
    this.write(this.window + at * SIGNATURE_BYTES, sketch);
    const row = this.window + SETS * SIGNATURE_BYTES + at * this.length;
    this.bytes(row, this.values).set(fits ? sketch.values : new Int8Array(this.values));
  }

  /** Stones of the sets that are near, latest first; one may come several times. */
  near(sketch: Sketch, { cosine, latest, slack }: Bar): number[] {
    if (this.rows === 0 || sketch.values.length !== this.values) return [];
    this.write(this.query, sketch);
    this.bytes(this.query + QUERY_ROW, this.values).set(sketch.values);
    const max = Math.min(this.rows, latest, SETS);
    const count = this.kernel.scan(this.window, this.query, this.length, this.rows, max, slack);
    if (count === 0) return [];
    const found = new Int32Array(this.kernel.memory.buffer, this.kernel.found(), 2 * count);
    const square = squareOf(sketch.values);
    const near: number[] = [];
    for (let i = 0; i < found.length; i += 2) {
      const at = found[i];
      if (cosineOf(found[i + 1], square, this.squares[at]) >= cosine) near.push(this.stones[at]);
    }
    return near;
  }

  rename(from: number, into: number): void {
    for (let at = 0; at < Math.min(this.rows, SETS); at++) if (this.stones[at] === from) this.stones[at] = into;
  }

  release(): void {
    if (this.length === 0) return;
    this.kernel.give(this.window);
    this.kernel.give(this.query);
  }

  private open(values: number): void {
    this.values = values;
    this.length = Math.ceil(values / 16) * 16;
    this.window = this.kernel.take(SETS * (SIGNATURE_BYTES + this.length));
    this.query = this.kernel.take(QUERY_ROW + this.length);
    // Padding of a row counts nothing.
    this.bytes(this.query, QUERY_ROW + this.length).fill(0);
    if (this.length !== values) this.bytes(this.window, SETS * (SIGNATURE_BYTES + this.length)).fill(0);
  }

  private write(at: number, { low, high }: Sketch): void {
    const signature = new Int32Array(this.kernel.memory.buffer, at, 2);
    signature[0] = low;
    signature[1] = high;
  }

  /** The memory moves when it grows. */
  private bytes(at: number, length: number): Int8Array {
    return new Int8Array(this.kernel.memory.buffer, at, length);
  }
}
