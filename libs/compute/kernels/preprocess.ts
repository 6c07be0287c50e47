// Preprocesses spectra in 128-bit WebAssembly SIMD. Compiled by build.mjs; driven, and explained, by ../../matching/preprocess.ts.
//
// One spectrum at a time in float32, its sums in float64. Every value is worked out by the same operations wherever it
// stands, so the bits are the same on every machine; differences are taken before they are weighted, so that a level
// baseline costs no digits.

const REACH: i32 = 16; // bytes that a derivative's window reaches beyond a group of four bins

const SPECTRUM: usize = memory.data(16 + 672 * 4 + 16, 16);
const OUT: usize = memory.data(672 * 4, 16);
const WEIGHTS: usize = memory.data(672 * 4, 16);
const YARDSTICK: usize = memory.data(672 * 4, 16);
const SCALE: usize = memory.data(672 * 4, 16);
const SORTED: usize = memory.data(256 * 4, 16);

export function spectrum(): usize {
  return SPECTRUM + REACH;
}
export function out(): usize {
  return OUT;
}
export function yardstick(): usize {
  return YARDSTICK;
}
export function scale(): usize {
  return SCALE;
}

/** The value of a rank among the bins [from, end), at most 256. */
export function ranked(from: i32, end: i32, rank: i32): f32 {
  let last = SORTED;
  for (let i = from; i < end; i++, last += 4) {
    const value = load<f32>(SPECTRUM + REACH + (<usize>i << 2));
    let at = last;
    while (at > SORTED && load<f32>(at - 4) > value) {
      store<f32>(at, load<f32>(at - 4));
      at -= 4;
    }
    store<f32>(at, value);
  }
  return load<f32>(SORTED + (<usize>rank << 2));
}

/** e^t for t in [-40, 40], relative error below 3e-7. */
// @ts-ignore: decorator
@inline
function exponential(t: v128): v128 {
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

/** Natural logarithm of x >= 1, error below 2e-7 of it or of 1: Cephes' polynomial on [sqrt(1/2), sqrt(2)]. */
// @ts-ignore: decorator
@inline
function logarithm(x: v128): v128 {
  const shift = i32x4.shr_s(i32x4.sub(x, i32x4.splat(0x3f3504f3)), 23);
  const e = f32x4.convert_i32x4_s(shift);
  const r = f32x4.sub(i32x4.sub(x, i32x4.shl(shift, 23)), f32x4.splat(1));
  const z = f32x4.mul(r, r);
  let p = f32x4.splat(7.0376836292e-2);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(-1.1514610310e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.1676998740e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(-1.2420140846e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.4249322787e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(-1.6668057665e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(2.0000714765e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(-2.4999993993e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(3.3333331174e-1));
  p = f32x4.mul(f32x4.mul(p, r), z);
  p = f32x4.add(p, f32x4.mul(e, f32x4.splat(-2.12194440e-4)));
  p = f32x4.sub(p, f32x4.mul(z, f32x4.splat(0.5)));
  return f32x4.add(f32x4.add(r, p), f32x4.mul(e, f32x4.splat(0.693359375)));
}

/** The sum of both neighbours' differences from the middle, `reach` bins away. */
// @ts-ignore: decorator
@inline
function bend(at: usize, middle: v128, reach: usize): v128 {
  const left = v128.load(at - (reach << 2));
  const right = v128.load(at + (reach << 2));
  return f32x4.add(f32x4.sub(left, middle), f32x4.sub(right, middle));
}

// @ts-ignore: decorator
@inline
function rise(at: usize, reach: usize): v128 {
  return f32x4.sub(v128.load(at + (reach << 2)), v128.load(at - (reach << 2)));
}

// @ts-ignore: decorator
@inline
function times(c: f32, x: v128): v128 {
  return f32x4.mul(f32x4.splat(c), x);
}

/**
 * Saturation weights, and the derivative times weight, of the bins [from, end); noughts outside [first, last]. The
 * bounds `from` and `end` are multiples of four, at most 672.
 */
export function derive(
  derivative: i32,
  middle: f32,
  softness: f32,
  from: i32,
  end: i32,
  first: i32,
  last: i32,
): void {
  for (let i = from; i < end; i += 4) {
    const offset = <usize>i << 2;
    const at = SPECTRUM + REACH + offset;
    const x = v128.load(at);
    const t = f32x4.div(f32x4.sub(x, f32x4.splat(middle)), f32x4.splat(softness));
    const clamped = f32x4.pmin(f32x4.pmax(t, f32x4.splat(-40)), f32x4.splat(40));
    const weight = f32x4.div(f32x4.splat(1), f32x4.add(f32x4.splat(1), exponential(clamped)));
    v128.store(WEIGHTS + offset, weight);
    let d: v128;
    if (derivative == 1) {
      d = f32x4.add(f32x4.add(rise(at, 1), times(2, rise(at, 2))), times(3, rise(at, 3)));
      d = times(1.0 / 28.0, d);
    } else {
      d = f32x4.add(times(-8, bend(at, x, 2)), times(-17, bend(at, x, 1)));
      d = f32x4.add(d, times(7, bend(at, x, 3)));
      d = f32x4.add(d, times(28, bend(at, x, 4)));
      d = times(1.0 / 462.0, d);
    }
    v128.store(OUT + offset, f32x4.mul(d, weight));
  }
  for (let i = from; i < min(first, end); i++) store<f32>(OUT + (<usize>i << 2), 0);
  for (let i = max(last + 1, from); i < end; i++) store<f32>(OUT + (<usize>i << 2), 0);
}

/** The bins [from, end) show nothing and weigh nothing. */
export function hide(from: i32, end: i32): void {
  for (let i = from; i < end; i++) {
    store<f32>(OUT + (<usize>i << 2), 0);
    store<f32>(WEIGHTS + (<usize>i << 2), 0);
  }
}

let seen: f64 = 0;
let expected: f64 = 0;

export function measurePath(): void {
  seen = 0;
  expected = 0;
}

/** Adds the bins [from, end) to what is seen and to what one path unit would show. */
export function addBand(from: i32, end: i32): void {
  for (let i = from; i < end; i++) {
    const offset = <usize>i << 2;
    seen += <f64>abs(load<f32>(OUT + offset));
    expected += <f64>(load<f32>(WEIGHTS + offset) * abs(load<f32>(YARDSTICK + offset)));
  }
}

export function path(): f64 {
  return expected > 0 ? seen / expected : 0;
}

/** The first `count` bins, a multiple of four, at most 672; so in `compress`. */
export function divide(by: f32, count: i32): void {
  for (let offset: usize = 0; offset < <usize>count << 2; offset += 16) {
    v128.store(OUT + offset, f32x4.div(v128.load(OUT + offset), f32x4.splat(by)));
  }
}

/** asinh(out / scale), at most `largest` either way; `clamp` is the hyperbolic sine of it. */
export function compress(clamp: f32, largest: f32, count: i32): void {
  for (let offset: usize = 0; offset < <usize>count << 2; offset += 16) {
    const x = f32x4.div(v128.load(OUT + offset), v128.load(SCALE + offset));
    const size = f32x4.pmin(f32x4.abs(x), f32x4.splat(clamp));
    const root = f32x4.sqrt(f32x4.add(f32x4.mul(size, size), f32x4.splat(1)));
    const y = f32x4.pmin(logarithm(f32x4.add(size, root)), f32x4.splat(largest));
    const sign = v128.and(x, i32x4.splat(0x80000000));
    v128.store(OUT + offset, v128.or(y, sign));
  }
}
