// Preprocesses spectra in 128-bit WebAssembly SIMD. Compiled by the build; driven, and explained, by ../../matching/preprocess.ts.
//
// One spectrum at a time in float32, its sums in float64; what encoders see alike is worked out once. Every value is worked
// out by the same operations wherever it stands, so the bits are the same on every machine; differences are taken before
// they are weighted, so that a level baseline costs no digits.

import { exponential } from './shared/exponential';

const MARGIN: usize = 16; // bytes that a derivative's window reaches beyond a group of four bins
const TABLE: usize = 672 << 2;

const SPECTRUM: usize = memory.data(16 + 672 * 4 + 16, 16);
const SATURATION: usize = memory.data(672 * 4, 16);
/** The derivative times its weight, and the weights: of the first and of the second derivative. */
const DERIVED: usize = memory.data(2 * 672 * 4, 16);
const WEIGHTS: usize = memory.data(2 * 672 * 4, 16);
const SORTED: usize = memory.data(256 * 4, 16);
/** Runs [from, end) of bins without a value. */
const GAPS: usize = memory.data(336 * 8, 16);

export function allocate(bytes: usize): usize {
  return heap.alloc(bytes);
}

export function release(pointer: usize): void {
  heap.free(pointer);
}

/** Place of the input spectrum, at most 671 values. */
export function spectrum(): usize {
  return SPECTRUM + MARGIN;
}

// @ts-ignore: decorator
@inline
function bin(i: i32): usize {
  return SPECTRUM + MARGIN + (<usize>i << 2);
}

let points: i32 = 0;
let from: i32 = 0;
let end: i32 = 0;
/** The outermost bins behind runs of one value. */
let first: i32 = 0;
let last: i32 = 0;
let gaps: usize = GAPS;
/** The derivatives that are worked out, one bit each. */
let known: i32 = 0;

/** Bounds, gaps and saturation weights of the spectrum's first `count` bins; [start, stop) are worked on, in fours. */
export function open(count: i32, start: i32, stop: i32): void {
  points = count;
  from = start;
  end = stop;
  known = 0;
  first = 0;
  last = count - 1;
  while (first < last && load<f32>(bin(first + 1)) == load<f32>(bin(0))) first++;
  while (last > first && load<f32>(bin(last - 1)) == load<f32>(bin(count - 1))) last--;
  bridgeGaps();
}

/** Fills each run of NaN with its neighbour's value, or with nought, and notes it. */
function bridgeGaps(): void {
  gaps = GAPS;
  for (let i = 0; i < points; i++) {
    if (!(i & 3) && i + 4 <= points) {
      const four = v128.load(bin(i));
      if (i32x4.all_true(f32x4.eq(four, four))) {
        i += 3;
        continue;
      }
    }
    let value = load<f32>(bin(i));
    if (value == value) continue;
    const begin = i;
    while (i < points && isNaN(load<f32>(bin(i)))) i++;
    value = begin > 0 ? load<f32>(bin(begin - 1)) : i < points ? load<f32>(bin(i)) : 0;
    for (let j = begin; j < i; j++) store<f32>(bin(j), value);
    store<i32>(gaps, begin);
    store<i32>(gaps, i, 4);
    gaps += 8;
  }
}

/** The value of a rank among the bins [begin, close): the least `rank` + 1 of them are kept in order. */
function ranked(begin: i32, close: i32, rank: i32): f32 {
  const highest = SORTED + (<usize>rank << 2);
  let top = SORTED;
  for (let i = begin; i < close; i++) {
    const value = load<f32>(bin(i));
    if (top > highest) {
      if (value >= load<f32>(highest)) continue;
      top = highest;
    }
    let at = top;
    while (at > SORTED && load<f32>(at - 4) > value) {
      store<f32>(at, load<f32>(at - 4));
      at -= 4;
    }
    store<f32>(at, value);
    top += 4;
  }
  return load<f32>(highest);
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

/** Weights: half is lost `depth` above the value of a rank among the bins [begin, close), how softly is in absorbance. */
export function saturate(begin: i32, close: i32, rank: i32, depth: f64, softness: f32): void {
  const middle = <f32>(<f64>ranked(begin, close, rank) + depth);
  for (let i = from; i < end; i += 4) {
    const t = f32x4.div(f32x4.sub(v128.load(bin(i)), f32x4.splat(middle)), f32x4.splat(softness));
    const clamped = f32x4.pmin(f32x4.pmax(t, f32x4.splat(-40)), f32x4.splat(40));
    const weight = f32x4.div(f32x4.splat(1), f32x4.add(f32x4.splat(1), exponential(clamped)));
    v128.store(SATURATION + (<usize>i << 2), weight);
  }
}

// @ts-ignore: decorator
@inline
function place(table: usize, derivative: i32): usize {
  return derivative == 1 ? table : table + TABLE;
}

/**
 * The derivative times weight, and the weights; nought outside the outermost bins, and where nothing was measured, and
 * within the derivative's reach of that. Windows have 7 points for the first, 9 for the second (Anal. Chem. 36, 1627), of
 * order 2. Worked out once a spectrum.
 */
function derive(derivative: i32): void {
  if (known & derivative) return;
  known |= derivative;
  const reach = derivative == 1 ? 3 : 4;
  const out = place(DERIVED, derivative);
  const weights = place(WEIGHTS, derivative);
  for (let i = from; i < end; i += 4) {
    const at = bin(i);
    let d: v128;
    if (derivative == 1) {
      d = f32x4.add(f32x4.add(rise(at, 1), times(2, rise(at, 2))), times(3, rise(at, 3)));
      d = times(1.0 / 28.0, d);
    } else {
      const x = v128.load(at);
      d = f32x4.add(times(-8, bend(at, x, 2)), times(-17, bend(at, x, 1)));
      d = f32x4.add(d, times(7, bend(at, x, 3)));
      d = f32x4.add(d, times(28, bend(at, x, 4)));
      d = times(1.0 / 462.0, d);
    }
    const offset = <usize>i << 2;
    const weight = v128.load(SATURATION + offset);
    v128.store(weights + offset, weight);
    v128.store(out + offset, f32x4.mul(d, weight));
  }
  for (let i = from; i < min(first + reach, end); i++) store<f32>(out + (<usize>i << 2), 0);
  for (let i = max(last - reach + 1, from); i < end; i++) store<f32>(out + (<usize>i << 2), 0);
  for (let gap = GAPS; gap < gaps; gap += 8) {
    const close = min(points, load<i32>(gap, 4) + reach);
    for (let i = max(0, load<i32>(gap) - reach); i < close; i++) {
      store<f32>(out + (<usize>i << 2), 0);
      store<f32>(weights + (<usize>i << 2), 0);
    }
  }
}

/**
 * The optical path in yardsticks as two bands of bins, [a, b) and [c, d), show it: what is seen there of what one path
 * unit, the yardstick, would show. Nought where that is nothing.
 */
export function path(derivative: i32, yardstick: usize, a: i32, b: i32, c: i32, d: i32): f64 {
  derive(derivative);
  const out = place(DERIVED, derivative);
  const weights = place(WEIGHTS, derivative);
  let seen: f64 = 0;
  let expected: f64 = 0;
  for (let band = 0; band < 2; band++) {
    const close = band == 0 ? b : d;
    for (let i = band == 0 ? a : c; i < close; i++) {
      const offset = <usize>i << 2;
      seen += <f64>abs(load<f32>(out + offset));
      expected += <f64>(load<f32>(weights + offset) * abs(load<f32>(yardstick + offset)));
    }
  }
  return expected > 0 ? seen / expected : 0;
}

/** The derivative a path into `out`, in fours: up to three values beyond the points. */
export function divide(derivative: i32, by: f32, out: usize): void {
  const table = place(DERIVED, derivative);
  for (let offset: usize = 0; offset < <usize>end << 2; offset += 16) {
    v128.store(out + offset, f32x4.div(v128.load(table + offset), f32x4.splat(by)));
  }
}

/** asinh(out / scale), at most `largest` either way; `clamp` is the hyperbolic sine of it. */
export function compress(scale: usize, clamp: f32, largest: f32, out: usize): void {
  for (let offset: usize = 0; offset < <usize>end << 2; offset += 16) {
    const x = f32x4.div(v128.load(out + offset), v128.load(scale + offset));
    const size = f32x4.pmin(f32x4.abs(x), f32x4.splat(clamp));
    const root = f32x4.sqrt(f32x4.add(f32x4.mul(size, size), f32x4.splat(1)));
    const y = f32x4.pmin(logarithm(f32x4.add(size, root)), f32x4.splat(largest));
    const sign = v128.and(x, i32x4.splat(0x80000000));
    v128.store(out + offset, v128.or(y, sign));
  }
}

/** Noughts in the values [begin, close) of `out`. */
export function blank(out: usize, begin: i32, close: i32): void {
  memory.fill(out + (<usize>begin << 2), 0, <usize>(close - begin) << 2);
}
