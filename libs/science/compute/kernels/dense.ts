// Dense float32 kernel in 128-bit WebAssembly SIMD. Compiled by the build; driven by ../simd-kernel.ts.
//
// Every output element is summed over k in one order that depends on k alone: blocks of K_BLOCK, in sequence inside a
// block, block sums added in sequence. Multiplication and addition round separately (no fused or relaxed operation), so
// the bits are the same on every machine, in every batch and at every position.
//
// Both operands are packed: the left one into panels of ROWS rows, the right one into panels of COLUMNS columns, k-major
// inside a panel, padded with zeros. A tile of 2 x 16 sums needs 15 of x86-64's 16 registers; the inner loop is not
// unrolled because V8 then hoists all loads of the body and spills.

import { exponential } from './shared/exponential';

const ROWS: i32 = 2;
const COLUMNS: i32 = 16;
const K_BLOCK: i32 = 256;
const ROW_BLOCK: i32 = 128; // a packed block of 128 rows stays in the second-level cache

export function allocate(bytes: usize): usize {
  return heap.alloc(bytes);
}

export function release(pointer: usize): void {
  heap.free(pointer);
}

/** Left operand [rows x k], `stride` values a row, into row panels. */
export function packRows(source: usize, rows: i32, k: i32, stride: i32, target: usize): void {
  const line = <usize>stride << 2;
  for (let row = 0; row < rows; row += ROWS) {
    const a = source + <usize>row * line;
    const odd = row + 1 == rows;
    const b = odd ? a : a + line;
    let i = 0;
    for (; i + 4 <= k; i += 4) {
      const x = v128.load(a + (<usize>i << 2));
      const y = odd ? f32x4.splat(0) : v128.load(b + (<usize>i << 2));
      v128.store(target, v128.shuffle<f32>(x, y, 0, 4, 1, 5));
      v128.store(target, v128.shuffle<f32>(x, y, 2, 6, 3, 7), 16);
      target += 32;
    }
    for (; i < k; i++) {
      store<f32>(target, load<f32>(a + (<usize>i << 2)));
      store<f32>(target, odd ? 0 : load<f32>(b + (<usize>i << 2)), 4);
      target += 8;
    }
  }
}

/** Left operand given as its transpose [k x rows], into row panels: eight panels at a time, a cache line of each line. */
export function packRowsTransposed(source: usize, rows: i32, k: i32, target: usize): void {
  const stride = <usize>rows << 2;
  const panel = <usize>k << 3;
  const even = rows & ~1;
  for (let row = 0; row < even; row += 16) {
    const end = min(row + 16, even);
    for (let i = 0; i < k; i++) {
      let from = source + <usize>i * stride + (<usize>row << 2);
      let to = target + <usize>(row >> 1) * panel + (<usize>i << 3);
      for (let r = row; r < end; r += 2) {
        store<u64>(to, load<u64>(from));
        from += 8;
        to += panel;
      }
    }
  }
  if (even == rows) return;
  for (let i = 0; i < k; i++) {
    const to = target + <usize>(even >> 1) * panel + (<usize>i << 3);
    store<f32>(to, load<f32>(source + <usize>i * stride + (<usize>even << 2)));
    store<f32>(to, 0, 4);
  }
}

/** Right operand [k x columns], row-major, into column panels. */
export function packColumns(source: usize, k: i32, columns: i32, target: usize): void {
  const stride = <usize>columns << 2;
  for (let column = 0; column < columns; column += COLUMNS) {
    const width = min(COLUMNS, columns - column);
    for (let i = 0; i < k; i++) {
      const from = source + <usize>i * stride + (<usize>column << 2);
      if (width == COLUMNS) {
        v128.store(target, v128.load(from));
        v128.store(target, v128.load(from, 16), 16);
        v128.store(target, v128.load(from, 32), 32);
        v128.store(target, v128.load(from, 48), 48);
      } else {
        for (let j = 0; j < COLUMNS; j++) {
          store<f32>(target + (<usize>j << 2), j < width ? load<f32>(from + (<usize>j << 2)) : 0);
        }
      }
      target += COLUMNS << 2;
    }
  }
}

/** Right operand given as its transpose [columns x k], into column panels. */
export function packColumnsTransposed(source: usize, k: i32, columns: i32, target: usize): void {
  const stride = <usize>k << 2;
  for (let column = 0; column < columns; column += COLUMNS) {
    for (let j = 0; j < COLUMNS; j += 4) {
      const first = column + j;
      const a = source + <usize>first * stride;
      let to = target + (<usize>j << 2);
      let i = 0;
      if (first + 4 <= columns) {
        for (; i + 4 <= k; i += 4) {
          const at = a + (<usize>i << 2);
          const r0 = v128.load(at);
          const r1 = v128.load(at + stride);
          const r2 = v128.load(at + 2 * stride);
          const r3 = v128.load(at + 3 * stride);
          const low01 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5);
          const high01 = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7);
          const low23 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5);
          const high23 = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
          v128.store(to, v128.shuffle<f64>(low01, low23, 0, 2));
          v128.store(to, v128.shuffle<f64>(low01, low23, 1, 3), COLUMNS * 4);
          v128.store(to, v128.shuffle<f64>(high01, high23, 0, 2), COLUMNS * 8);
          v128.store(to, v128.shuffle<f64>(high01, high23, 1, 3), COLUMNS * 12);
          to += COLUMNS << 4;
        }
      }
      for (; i < k; i++) {
        for (let c = 0; c < 4; c++) {
          const value: f32 = first + c < columns ? load<f32>(a + <usize>c * stride + (<usize>i << 2)) : 0;
          store<f32>(to + (<usize>c << 2), value);
        }
        to += COLUMNS << 2;
      }
    }
    target += (<usize>k << 2) * COLUMNS;
  }
}

/** One 2 x 16 tile of c over one block of k. `fresh`: c holds nothing yet. */
function tile(a: usize, b: usize, k: i32, c: usize, stride: usize, fresh: bool): void {
  let c00 = f32x4.splat(0);
  let c01 = f32x4.splat(0);
  let c02 = f32x4.splat(0);
  let c03 = f32x4.splat(0);
  let c10 = f32x4.splat(0);
  let c11 = f32x4.splat(0);
  let c12 = f32x4.splat(0);
  let c13 = f32x4.splat(0);
  do {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const b2 = v128.load(b, 32);
    const b3 = v128.load(b, 48);
    const a0 = v128.load32_splat(a);
    c00 = f32x4.add(c00, f32x4.mul(a0, b0));
    c01 = f32x4.add(c01, f32x4.mul(a0, b1));
    c02 = f32x4.add(c02, f32x4.mul(a0, b2));
    c03 = f32x4.add(c03, f32x4.mul(a0, b3));
    const a1 = v128.load32_splat(a, 4);
    c10 = f32x4.add(c10, f32x4.mul(a1, b0));
    c11 = f32x4.add(c11, f32x4.mul(a1, b1));
    c12 = f32x4.add(c12, f32x4.mul(a1, b2));
    c13 = f32x4.add(c13, f32x4.mul(a1, b3));
    a += 8;
    b += 64;
  } while (--k);
  const d = c + stride;
  if (!fresh) {
    c00 = f32x4.add(v128.load(c), c00);
    c01 = f32x4.add(v128.load(c, 16), c01);
    c02 = f32x4.add(v128.load(c, 32), c02);
    c03 = f32x4.add(v128.load(c, 48), c03);
    c10 = f32x4.add(v128.load(d), c10);
    c11 = f32x4.add(v128.load(d, 16), c11);
    c12 = f32x4.add(v128.load(d, 32), c12);
    c13 = f32x4.add(v128.load(d, 48), c13);
  }
  v128.store(c, c00);
  v128.store(c, c01, 16);
  v128.store(c, c02, 32);
  v128.store(c, c03, 48);
  v128.store(d, c10);
  v128.store(d, c11, 16);
  v128.store(d, c12, 32);
  v128.store(d, c13, 48);
}

/** c = a . b, or c += a . b, of packed operands; c is row-major, `rows` and `columns` are padded counts. */
export function product(a: usize, b: usize, c: usize, rows: i32, k: i32, columns: i32, accumulate: bool): void {
  const stride = <usize>columns << 2;
  const line = <usize>k << 2;
  for (let top = 0; top < rows; top += ROW_BLOCK) {
    const bottom = min(top + ROW_BLOCK, rows);
    for (let start = 0; start < k; start += K_BLOCK) {
      const count = min(K_BLOCK, k - start);
      const fresh = start == 0 && !accumulate;
      for (let column = 0; column < columns; column += COLUMNS) {
        const panel = b + <usize>column * line + (<usize>start << 2) * COLUMNS;
        for (let row = top; row < bottom; row += ROWS) {
          const rowPanel = a + <usize>row * line + (<usize>start << 2) * ROWS;
          tile(rowPanel, panel, count, c + <usize>row * stride + (<usize>column << 2), stride, fresh);
        }
      }
    }
  }
}

/** Adds the bias to every row, then applies GELU where asked. */
export function finish(c: usize, rows: i32, columns: i32, bias: usize, withGelu: bool): void {
  const end = <usize>columns << 2;
  for (let row = 0; row < rows; row++) {
    for (let j: usize = 0; j < end; j += 16) {
      const x = f32x4.add(v128.load(c + j), v128.load(bias + j));
      v128.store(c + j, withGelu ? geluOf(x) : x);
    }
    c += end;
  }
}

/** Rows of c plus those of `other`, scaled to length one; squares are summed in float64, in order. Noughts stay. */
export function addToUnit(c: usize, other: usize, rows: i32, columns: i32): void {
  const line = <usize>columns << 2;
  for (let row = 0; row < rows; row += 2) {
    // Two rows side by side, the last odd one beside itself.
    const beside = row + 1 < rows ? line : 0;
    let squares = f64x2.splat(0);
    for (let j: usize = 0; j < line; j += 4) {
      const a = load<f32>(c + j) + load<f32>(other + j);
      const b = load<f32>(c + beside + j) + load<f32>(other + beside + j);
      const pair = f64x2.replace_lane(f64x2.splat(<f64>a), 1, <f64>b);
      squares = f64x2.add(squares, f64x2.mul(pair, pair));
    }
    scaleSum(c, other, line, f64x2.extract_lane(squares, 0));
    if (beside) scaleSum(c + line, other + line, line, f64x2.extract_lane(squares, 1));
    c += line << 1;
    other += line << 1;
  }
}

function scaleSum(c: usize, other: usize, line: usize, square: f64): void {
  const scale = f64x2.splat(square == 0 ? 1 : 1 / sqrt(square));
  for (let j: usize = 0; j < line; j += 16) {
    const sum = f32x4.add(v128.load(c + j), v128.load(other + j));
    const low = f64x2.mul(f64x2.promote_low_f32x4(sum), scale);
    const high = f64x2.mul(f64x2.promote_low_f32x4(v128.shuffle<f32>(sum, sum, 2, 3, 2, 3)), scale);
    v128.store(c + j, v128.shuffle<f32>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 1, 4, 5));
  }
}

const ROOT: f32 = 0.7978845608; // sqrt(2 / pi)
const CUBIC: f32 = 0.044715;

/** Half of 1 + tanh(u), written as a logistic function of 2u. */
// @ts-ignore: decorator
@inline
function gate(x: v128): v128 {
  const square = f32x4.mul(x, x);
  const inner = f32x4.add(f32x4.splat(1), f32x4.mul(f32x4.splat(CUBIC), square));
  const t = f32x4.mul(f32x4.mul(f32x4.splat(-2 * ROOT), x), inner);
  const clamped = f32x4.pmin(f32x4.pmax(t, f32x4.splat(-87)), f32x4.splat(87));
  return f32x4.div(f32x4.splat(1), f32x4.add(f32x4.splat(1), exponential(clamped)));
}

/** GELU in its tanh form: x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2. Below -10 the gate is 0 to float32. */
// @ts-ignore: decorator
@inline
function geluOf(x: v128): v128 {
  const y = f32x4.mul(f32x4.pmax(x, f32x4.splat(-10)), gate(x));
  // Nought in place of less than 1e-30: its products are no normal numbers, which cost a processor a hundred times a product, and are
  // lost in any sum of others.
  return v128.andnot(y, f32x4.lt(f32x4.abs(y), f32x4.splat(1e-30)));
}
