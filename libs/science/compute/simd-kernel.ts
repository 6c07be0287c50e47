import { type Activation, checkPerceptron, checkShape, type DenseLayer, type Perceptron } from './port.js';
import { allocate, instantiate, type KernelMemory, Scratch } from './wasm.js';

/** Exports of kernels/dense.ts; pointers and counts are 32-bit integers. */
interface DenseExports extends KernelMemory {
  packRows(source: number, rows: number, k: number, stride: number, target: number): void;
  packRowsTransposed(source: number, rows: number, k: number, target: number): void;
  packColumns(source: number, k: number, columns: number, target: number): void;
  packColumnsTransposed(source: number, k: number, columns: number, target: number): void;
  product(a: number, b: number, c: number, rows: number, k: number, columns: number, accumulate: number): void;
  addToUnit(c: number, other: number, rows: number, columns: number): void;
  finish(c: number, rows: number, columns: number, bias: number, withGelu: number): void;
}

/** A right operand [k x m] inside the memory of the kernel that packed it, until `release`. */
export interface PackedMatrix {
  readonly k: number;
  readonly m: number;
  release(): void;
}

/** A perceptron's layers, the same. */
export interface PackedPerceptron {
  readonly linear: PackedMatrix;
  readonly hidden: PackedMatrix;
  readonly output: PackedMatrix;
  release(): void;
}

/** Rows that travel into the kernel's memory at a time: at most so many, and values of a chunk of rows or results. */
const CHUNK_ROWS = 512;
const CHUNK_TABLE = 1 << 24;
/** Lines of k at a time; a multiple of the kernel's block of k, so that the order of summation stays as it is. */
const CHUNK_K = 2048;
const CHUNK_VALUES = 1 << 18;

const padRows = (rows: number) => rows + (rows & 1);
const padColumns = (columns: number) => (columns + 15) & ~15;

/**
 * Synchronous dense float32 kernel in 128-bit WebAssembly SIMD, for one thread.
 *
 * All matrices are row-major Float32Array. An output element is summed over k in blocks of 256, in sequence inside a
 * block and over the blocks, every multiplication and addition rounded to float32: its bits depend on its own row and
 * column alone, never on the batch, the position or the machine. Operands are copied into the kernel's own memory, which
 * grows to the largest need (1 GiB an operand, 4 GiB in all) and is reused.
 *
 * Every method takes an optional `out` to write into and returns it. Throws RangeError on arrays shorter than their
 * shape.
 */
export class SimdKernel {
  private readonly raw: Scratch;
  private readonly left: Scratch;
  private readonly right: Scratch;
  private readonly result: Scratch;
  private readonly straight: Scratch;

  private constructor(private readonly exports: DenseExports) {
    this.raw = new Scratch(exports);
    this.left = new Scratch(exports);
    this.right = new Scratch(exports);
    this.result = new Scratch(exports);
    this.straight = new Scratch(exports);
  }

  static create(): SimdKernel {
    return new SimdKernel(instantiate<DenseExports>('dense'));
  }

  /** Packs bT, given as b [m x k], for many products: [k x m]. */
  packTransposed(b: Float32Array, k: number, m: number): PackedMatrix {
    checkShape('right operand', b, m, k);
    const pointer = allocate(this.exports, k * padColumns(m) * 4);
    this.packRightTransposed(b, k, m, pointer);
    return new Packed(this.exports, pointer, k, m);
  }

  private packLayer(layer: DenseLayer): PackedMatrix {
    const { inputs, outputs, activation } = layer;
    const width = padColumns(outputs);
    const bias = allocate(this.exports, width * 4);
    this.view(bias, width).fill(0).set(layer.bias.subarray(0, outputs));
    const pointer = allocate(this.exports, inputs * width * 4);
    this.packRight(layer.weights, inputs, outputs, pointer);
    return new Packed(this.exports, pointer, inputs, outputs, bias, activation);
  }

  packPerceptron(perceptron: Perceptron): PackedPerceptron {
    checkPerceptron(perceptron);
    const layers = {
      linear: this.packLayer(perceptron.linear),
      hidden: this.packLayer(perceptron.hidden),
      output: this.packLayer(perceptron.output),
    };
    const release = () => {
      for (const layer of Object.values(layers)) layer.release();
    };
    return { ...layers, release };
  }

  /** a . b : [n x k] . [k x m] -> [n x m] */
  product(a: Float32Array, b: Float32Array | PackedMatrix, n: number, k: number, m: number, out?: Float32Array) {
    if (!ArrayBuffer.isView(b)) return this.rowsTimes(a, this.own(b, k, m).pointer, n, k, m, out);
    checkShape('right operand', b, k, m);
    const right = this.right.floats(k * padColumns(m));
    this.packRight(b, k, m, right);
    return this.rowsTimes(a, right, n, k, m, out);
  }

  /** a . bT : a [n x k], b [m x k] -> [n x m] (input gradients, tables of inner products) */
  productRightTransposed(a: Float32Array, b: Float32Array, n: number, k: number, m: number, out?: Float32Array) {
    checkShape('right operand', b, m, k);
    const right = this.right.floats(k * padColumns(m));
    this.packRightTransposed(b, k, m, right);
    return this.rowsTimes(a, right, n, k, m, out);
  }

  /** aT . b : a [k x n], b [k x m] -> [n x m] (weight gradients) */
  productLeftTransposed(
    a: Float32Array,
    b: Float32Array,
    k: number,
    n: number,
    m: number,
    out: Float32Array = new Float32Array(n * m),
  ): Float32Array {
    checkShape('left operand', a, k, n);
    checkShape('right operand', b, k, m);
    checkShape('result', out, n, m);
    const width = padColumns(m);
    const result = this.result.floats(padRows(n) * width);
    if (k === 0) out.fill(0, 0, n * m);
    for (let start = 0; start < k; start += CHUNK_K) {
      const lines = Math.min(CHUNK_K, k - start);
      const left = this.left.floats(padRows(n) * lines);
      const rawA = this.copyIn(a.subarray(start * n, (start + lines) * n));
      this.exports.packRowsTransposed(rawA, n, lines, left);
      const right = this.right.floats(lines * width);
      const rawB = this.copyIn(b.subarray(start * m, (start + lines) * m));
      this.exports.packColumns(rawB, lines, m, right);
      this.exports.product(left, right, result, padRows(n), lines, width, Number(start > 0));
    }
    if (k > 0) this.copyOut(result, n, m, out, 0);
    return out;
  }

  /**
   * unit(batch . linear + gelu(batch . hidden) . output), biases and activations as the layers have them; a row's
   * length is summed in float64, in order. batch [rows x inputs] -> [rows x outputs]
   */
  perceptron(batch: Float32Array, rows: number, packed: PackedPerceptron): Float32Array {
    const [linear, hidden, output] = [packed.linear, packed.hidden, packed.output].map((layer) =>
      this.own(layer, layer.k, layer.m),
    );
    checkShape('left operand', batch, rows, linear.k);
    const out = new Float32Array(rows * output.m);
    for (let row = 0; row < rows; row += CHUNK_ROWS) {
      const count = Math.min(CHUNK_ROWS, rows - row);
      const padded = padRows(count);
      const inputs = this.packLeft(
        this.copyIn(batch.subarray(row * linear.k, (row + count) * linear.k)),
        count,
        linear.k,
      );
      const straight = this.straight.floats(padded * padColumns(linear.m));
      this.apply(linear, inputs, count, straight);
      const bent = this.raw.floats(padded * padColumns(hidden.m));
      this.apply(hidden, inputs, count, bent);
      const sums = this.result.floats(padded * padColumns(output.m));
      this.apply(output, this.packLeft(bent, count, hidden.m, padColumns(hidden.m)), count, sums);
      this.exports.addToUnit(sums, straight, count, padColumns(output.m));
      this.copyOut(sums, count, output.m, out, row * output.m);
    }
    return out;
  }

  /** a [n x k] times a packed right operand, a chunk of rows at a time. */
  private rowsTimes(
    a: Float32Array,
    right: number,
    n: number,
    k: number,
    m: number,
    out: Float32Array = new Float32Array(n * m),
  ): Float32Array {
    checkShape('left operand', a, n, k);
    checkShape('result', out, n, m);
    const width = padColumns(m);
    const chunk = Math.max(2, Math.min(CHUNK_ROWS, Math.floor(CHUNK_TABLE / Math.max(k, width))));
    for (let row = 0; row < n; row += chunk) {
      const rows = Math.min(chunk, n - row);
      const left = this.packLeft(this.copyIn(a.subarray(row * k, (row + rows) * k)), rows, k);
      const result = this.result.floats(padRows(rows) * width);
      this.exports.product(left, right, result, padRows(rows), k, width, 0);
      this.copyOut(result, rows, m, out, row * m);
    }
    return out;
  }

  /** Left operand [rows x k], `stride` values a row, into row panels. */
  private packLeft(source: number, rows: number, k: number, stride = k): number {
    const left = this.left.floats(padRows(rows) * k);
    this.exports.packRows(source, rows, k, stride, left);
    return left;
  }

  /** A layer of a packed left operand into `result`. */
  private apply({ k, m, pointer, bias, activation }: Packed, left: number, rows: number, result: number): void {
    const width = padColumns(m);
    this.exports.product(left, pointer, result, padRows(rows), k, width, 0);
    this.exports.finish(result, rows, width, bias, Number(activation === 'gelu'));
  }

  /** Right operand [k x m] into column panels at `target`. */
  private packRight(b: Float32Array, k: number, m: number, target: number): void {
    this.exports.packColumns(this.copyIn(b.subarray(0, k * m)), k, m, target);
  }

  /** Right operand given as its transpose [m x k] into column panels at `target`. */
  private packRightTransposed(b: Float32Array, k: number, m: number, target: number): void {
    const step = Math.max(16, Math.floor(CHUNK_VALUES / k) & ~15);
    for (let column = 0; column < m; column += step) {
      const columns = Math.min(step, m - column);
      const raw = this.copyIn(b.subarray(column * k, (column + columns) * k));
      this.exports.packColumnsTransposed(raw, k, columns, target + column * k * 4);
    }
  }

  private own(packed: PackedMatrix, k: number, m: number): Packed {
    if (!(packed instanceof Packed) || packed.exports !== this.exports) throw new TypeError('packed by another kernel');
    if (packed.pointer === 0) throw new TypeError('packed operand was released');
    if (packed.k !== k || packed.m !== m) {
      throw new RangeError(`packed operand is ${packed.k} x ${packed.m}, not ${k} x ${m}`);
    }
    return packed;
  }

  private view(pointer: number, count: number): Float32Array {
    return new Float32Array(this.exports.memory.buffer, pointer, count);
  }

  private copyIn(values: Float32Array): number {
    const pointer = this.raw.floats((values.length + 3) & ~3);
    this.view(pointer, values.length).set(values);
    return pointer;
  }

  private copyOut(source: number, rows: number, columns: number, out: Float32Array, offset: number): void {
    const width = padColumns(columns);
    const view = this.view(source, rows * width);
    if (width === columns) out.set(view, offset);
    else {
      for (let row = 0; row < rows; row++) {
        out.set(view.subarray(row * width, row * width + columns), offset + row * columns);
      }
    }
  }
}

class Packed implements PackedMatrix {
  constructor(
    readonly exports: DenseExports,
    public pointer: number,
    readonly k: number,
    readonly m: number,
    readonly bias = 0,
    readonly activation: Activation = 'identity',
  ) {}

  release(): void {
    if (this.pointer === 0) return;
    this.exports.release(this.pointer);
    if (this.bias !== 0) this.exports.release(this.bias);
    this.pointer = 0;
  }
}
