// The machine's own 128-bit ceiling: multiply-add chains that never leave the registers. Only the bench uses it, and takes
// the faster of two loops: 12 chains cover the latencies of today's processors, 13 fill x86-64's registers. One takes its
// factor and addend as arguments, the other has them as constants: which of the two V8 schedules better, and whether it
// makes a constant vector again at every use, differs between versions of Node.

/** 12 independent chains of x = x * m + a: 8 x 12 floating-point operations a turn. */
export function chains12(turns: i32, factor: f32, addend: f32): f32 {
  const m = f32x4.splat(factor);
  const a = f32x4.splat(addend);
  let c0 = f32x4.splat(0.01);
  let c1 = f32x4.splat(0.02);
  let c2 = f32x4.splat(0.03);
  let c3 = f32x4.splat(0.04);
  let c4 = f32x4.splat(0.05);
  let c5 = f32x4.splat(0.06);
  let c6 = f32x4.splat(0.07);
  let c7 = f32x4.splat(0.08);
  let c8 = f32x4.splat(0.09);
  let c9 = f32x4.splat(0.10);
  let c10 = f32x4.splat(0.11);
  let c11 = f32x4.splat(0.12);
  for (let turn = 0; turn < turns; turn++) {
    c0 = f32x4.add(f32x4.mul(c0, m), a);
    c1 = f32x4.add(f32x4.mul(c1, m), a);
    c2 = f32x4.add(f32x4.mul(c2, m), a);
    c3 = f32x4.add(f32x4.mul(c3, m), a);
    c4 = f32x4.add(f32x4.mul(c4, m), a);
    c5 = f32x4.add(f32x4.mul(c5, m), a);
    c6 = f32x4.add(f32x4.mul(c6, m), a);
    c7 = f32x4.add(f32x4.mul(c7, m), a);
    c8 = f32x4.add(f32x4.mul(c8, m), a);
    c9 = f32x4.add(f32x4.mul(c9, m), a);
    c10 = f32x4.add(f32x4.mul(c10, m), a);
    c11 = f32x4.add(f32x4.mul(c11, m), a);
  }
  let sum = c0;
  sum = f32x4.add(sum, c1);
  sum = f32x4.add(sum, c2);
  sum = f32x4.add(sum, c3);
  sum = f32x4.add(sum, c4);
  sum = f32x4.add(sum, c5);
  sum = f32x4.add(sum, c6);
  sum = f32x4.add(sum, c7);
  sum = f32x4.add(sum, c8);
  sum = f32x4.add(sum, c9);
  sum = f32x4.add(sum, c10);
  sum = f32x4.add(sum, c11);
  return f32x4.extract_lane(sum, 0);
}

/** 13 independent chains of x = x * m + a: 8 x 13 floating-point operations a turn. */
export function chains13(turns: i32): f32 {
  const m = f32x4.splat(0.999);
  const a = f32x4.splat(0.001);
  let c0 = f32x4.splat(0.01);
  let c1 = f32x4.splat(0.02);
  let c2 = f32x4.splat(0.03);
  let c3 = f32x4.splat(0.04);
  let c4 = f32x4.splat(0.05);
  let c5 = f32x4.splat(0.06);
  let c6 = f32x4.splat(0.07);
  let c7 = f32x4.splat(0.08);
  let c8 = f32x4.splat(0.09);
  let c9 = f32x4.splat(0.10);
  let c10 = f32x4.splat(0.11);
  let c11 = f32x4.splat(0.12);
  let c12 = f32x4.splat(0.13);
  for (let turn = 0; turn < turns; turn++) {
    c0 = f32x4.add(f32x4.mul(c0, m), a);
    c1 = f32x4.add(f32x4.mul(c1, m), a);
    c2 = f32x4.add(f32x4.mul(c2, m), a);
    c3 = f32x4.add(f32x4.mul(c3, m), a);
    c4 = f32x4.add(f32x4.mul(c4, m), a);
    c5 = f32x4.add(f32x4.mul(c5, m), a);
    c6 = f32x4.add(f32x4.mul(c6, m), a);
    c7 = f32x4.add(f32x4.mul(c7, m), a);
    c8 = f32x4.add(f32x4.mul(c8, m), a);
    c9 = f32x4.add(f32x4.mul(c9, m), a);
    c10 = f32x4.add(f32x4.mul(c10, m), a);
    c11 = f32x4.add(f32x4.mul(c11, m), a);
    c12 = f32x4.add(f32x4.mul(c12, m), a);
  }
  let sum = c0;
  sum = f32x4.add(sum, c1);
  sum = f32x4.add(sum, c2);
  sum = f32x4.add(sum, c3);
  sum = f32x4.add(sum, c4);
  sum = f32x4.add(sum, c5);
  sum = f32x4.add(sum, c6);
  sum = f32x4.add(sum, c7);
  sum = f32x4.add(sum, c8);
  sum = f32x4.add(sum, c9);
  sum = f32x4.add(sum, c10);
  sum = f32x4.add(sum, c11);
  sum = f32x4.add(sum, c12);
  return f32x4.extract_lane(sum, 0);
}
