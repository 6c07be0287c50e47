// Products of rows in float64, in 128-bit WebAssembly SIMD. Compiled by the build; driven by ../products.ts.
//
// Every product is summed in the order of its numbers, multiplication and addition rounding separately: the bits of a plain
// loop. Four rows stand beside four others, because a sum waits for each of its additions.

const SIDE: i32 = 4;

export function allocate(bytes: usize): usize {
  return heap.alloc(bytes);
}

export function release(pointer: usize): void {
  heap.free(pointer);
}

/** Rows of float32, four by four, into panels of float64 with the numbers of four rows side by side; padded with zeros. */
export function pack(source: usize, rows: i32, width: i32, target: usize): void {
  const line = <usize>width << 2;
  for (let row = 0; row < rows; row += SIDE) {
    const from = source + <usize>row * line;
    const count = min(SIDE, rows - row);
    for (let j = 0; j < width; j++) {
      for (let k = 0; k < SIDE; k++) {
        const value: f64 = k < count ? <f64>load<f32>(from + <usize>k * line + (<usize>j << 2)) : 0;
        store<f64>(target + (<usize>k << 3), value);
      }
      target += SIDE << 3;
    }
  }
}

/** Left rows of float64 with packed ones; `rows` and `columns` are multiples of four. */
export function products(left: usize, rows: i32, packed: usize, columns: i32, width: i32, out: usize): void {
  const line = <usize>width << 3;
  const stride = <usize>columns << 3;
  for (let column = 0; column < columns; column += SIDE) {
    const panel = packed + <usize>column * line;
    for (let row = 0; row < rows; row += SIDE)
      tile(left + <usize>row * line, line, panel, width, out + <usize>row * stride + (<usize>column << 3), stride);
  }
}

function tile(left: usize, line: usize, panel: usize, width: i32, out: usize, stride: usize): void {
  let a0 = f64x2.splat(0);
  let a1 = f64x2.splat(0);
  let b0 = f64x2.splat(0);
  let b1 = f64x2.splat(0);
  let c0 = f64x2.splat(0);
  let c1 = f64x2.splat(0);
  let d0 = f64x2.splat(0);
  let d1 = f64x2.splat(0);
  const second = left + line;
  const third = second + line;
  const fourth = third + line;
  const end = <usize>width << 3;
  for (let j: usize = 0; j < end; j += 8) {
    const x = v128.load(panel);
    const y = v128.load(panel, 16);
    const a = v128.load64_splat(left + j);
    a0 = f64x2.add(a0, f64x2.mul(a, x));
    a1 = f64x2.add(a1, f64x2.mul(a, y));
    const b = v128.load64_splat(second + j);
    b0 = f64x2.add(b0, f64x2.mul(b, x));
    b1 = f64x2.add(b1, f64x2.mul(b, y));
    const c = v128.load64_splat(third + j);
    c0 = f64x2.add(c0, f64x2.mul(c, x));
    c1 = f64x2.add(c1, f64x2.mul(c, y));
    const d = v128.load64_splat(fourth + j);
    d0 = f64x2.add(d0, f64x2.mul(d, x));
    d1 = f64x2.add(d1, f64x2.mul(d, y));
    panel += 32;
  }
  v128.store(out, a0);
  v128.store(out, a1, 16);
  out += stride;
  v128.store(out, b0);
  v128.store(out, b1, 16);
  out += stride;
  v128.store(out, c0);
  v128.store(out, c1, 16);
  out += stride;
  v128.store(out, d0);
  v128.store(out, d1, 16);
}
