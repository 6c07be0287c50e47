import { instantiate, type KernelMemory, Scratch } from './wasm.js';

/** Exports of kernels/products.ts. */
interface ProductsExports extends KernelMemory {
  pack(source: number, rows: number, width: number, target: number): void;
  products(left: number, rows: number, packed: number, columns: number, width: number, out: number): void;
}

class ProductsKernel {
  private readonly exports = instantiate<ProductsExports>('products');
  private readonly left = new Scratch(this.exports);
  private readonly right = new Scratch(this.exports);
  private readonly packed = new Scratch(this.exports);
  private readonly out = new Scratch(this.exports);

  /** @returns left rows x right rows, padded to `columns`; a view that stands until the next call */
  of(left: Float64Array, right: Float32Array, width: number): { table: Float64Array; columns: number } {
    const [rows, columns] = [padded(left.length / width), padded(right.length / width)];
    const [l, r] = [this.left.bytes(8 * rows * width), this.right.floats(right.length)];
    const [p, out] = [this.packed.bytes(8 * columns * width), this.out.bytes(8 * rows * columns)];
    const { buffer } = this.exports.memory;
    new Float64Array(buffer, l, left.length).set(left);
    new Float32Array(buffer, r, right.length).set(right);
    this.exports.pack(r, right.length / width, width, p);
    this.exports.products(l, rows, p, columns, width, out);
    return { table: new Float64Array(buffer, out, (left.length / width) * columns), columns };
  }
}

const padded = (count: number): number => (count + 3) & ~3;

let kernel: ProductsKernel | undefined;

/**
 * Products of every row of one table with every row of another, each summed in float64 in the order of its numbers: the same
 * bits as a plain loop gives.
 * @param left rows of `width`, in float64
 * @param out left rows x right rows
 */
export function productsOfRows(
  left: Float64Array,
  right: Float32Array,
  width: number,
  out: Float32Array | Float64Array,
): void {
  if (left.length === 0 || right.length === 0) return;
  // To pack the right rows for so few takes longer than to multiply them.
  if (left.length < 4 * width) {
    few(left, right, width, out);
    return;
  }
  kernel ??= new ProductsKernel();
  const { table, columns } = kernel.of(left, right, width);
  const count = right.length / width;
  for (let at = 0, from = 0; at < out.length; at += count, from += columns)
    out.set(table.subarray(from, from + count), at);
}

function few(left: Float64Array, right: Float32Array, width: number, out: Float32Array | Float64Array): void {
  const columns = right.length / width;
  for (let row = 0; row * width < left.length; row++) {
    const [l, at] = [row * width, row * columns];
    let column = 0;
    for (; column + 4 <= columns; column += 4) {
      const first = column * width;
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      for (let j = 0; j < width; j++) {
        const value = left[l + j];
        a += value * right[first + j];
        b += value * right[first + width + j];
        c += value * right[first + 2 * width + j];
        d += value * right[first + 3 * width + j];
      }
      out[at + column] = a;
      out[at + column + 1] = b;
      out[at + column + 2] = c;
      out[at + column + 3] = d;
    }
    for (; column < columns; column++) {
      let sum = 0;
      for (let j = 0; j < width; j++) sum += left[l + j] * right[column * width + j];
      out[at + column] = sum;
    }
  }
}
