/** e^t for t in [-87, 87], relative error below 3e-7. */
// @ts-ignore: decorator
@inline
export function exponential(t: v128): v128 {
  // Adding 1.5 * 2^23 rounds t / ln 2 to an integer and leaves that integer in the low bits.
  const shifted = f32x4.add(f32x4.mul(t, f32x4.splat(1.44269504)), f32x4.splat(12582912));
  const n = f32x4.sub(shifted, f32x4.splat(12582912));
  // ln 2 in two parts, the first exact in few bits, so that r keeps its low bits
  let r = f32x4.sub(t, f32x4.mul(n, f32x4.splat(0.693359375)));
  r = f32x4.add(r, f32x4.mul(n, f32x4.splat(2.12194440e-4)));
  let p = f32x4.splat(1.0 / 5040.0);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 720.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 120.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 24.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 6.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(0.5));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1));
  return f32x4.mul(p, i32x4.shl(i32x4.add(shifted, i32x4.splat(127)), 23));
}
