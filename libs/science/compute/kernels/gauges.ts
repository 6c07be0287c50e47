// Periodograms of short windows, and fits of noise models to them, in float64 WebAssembly SIMD. Compiled by the build;
// driven, and explained, by ../../spectra/gauges/window-transform.ts and noise-models.ts.
//
// The two lanes of a vector are two sums that run side by side, never two parts of one: every sum has the order that a
// plain loop gives it, so the bits are those of plain arithmetic on every machine.

const SIGN_LEFT: v128 = i64x2(i64.MIN_VALUE, 0);
const SIGN_RIGHT: v128 = i64x2(0, i64.MIN_VALUE);

export function allocate(bytes: usize): usize {
  return heap.alloc(bytes);
}

export function release(pointer: usize): void {
  heap.free(pointer);
}

/** Tables for fold and project; all pairs are (for cosines, for sines). */
@unmanaged
class Transform {
  /** Points of a window, a multiple of 4. */
  points: i32;
  /** Harmonics in groups of four, of even and of odd parity. */
  evenGroups: i32;
  oddGroups: i32;
  /** (curve, slope) of each point of the half window. */
  detrend: usize;
  taper: usize;
  /** (sum, difference) of mirrored points. */
  half: usize;
  /** The window as the harmonics of a parity see it, by quarter-window point. */
  even: usize;
  odd: usize;
  /** (cosine, sine) by group, point and harmonic. */
  evenTable: usize;
  oddTable: usize;
  /** Byte offset of each harmonic's power, or -1 where a group is not full. */
  evenPlaces: usize;
  oddPlaces: usize;
}

/** Sums and differences of mirrored points, detrended and tapered, folded again about the quarter. */
function fold(t: Transform, samples: usize): void {
  const half = t.points >> 1;
  const detrend = t.detrend;
  const pairs = t.half;
  let total: f64 = 0;
  let trend = f64x2.splat(0);
  let left = samples;
  let right = samples + (<usize>(t.points - 1) << 3);
  for (let j: usize = 0; j < <usize>half << 4; j += 16) {
    const pair = f64x2.add(v128.load64_splat(left), v128.xor(v128.load64_splat(right), SIGN_RIGHT));
    v128.store(pairs + j, pair);
    total += f64x2.extract_lane(pair, 0);
    trend = f64x2.add(trend, f64x2.mul(pair, v128.load(detrend + j)));
    left += 8;
    right -= 8;
  }
  const mean = f64x2.replace_lane(f64x2.splat(0), 0, total / <f64>half);
  const taper = t.taper;
  let even = t.even;
  let odd = t.odd;
  let mirror = <usize>(half - 1) << 4;
  for (let j: usize = 0; j < mirror; j += 16) {
    const a = detrended(pairs + j, detrend + j, taper + (j >> 1), mean, trend);
    const b = detrended(pairs + mirror, detrend + mirror, taper + (mirror >> 1), mean, trend);
    v128.store(even, f64x2.add(a, v128.xor(b, SIGN_RIGHT)));
    v128.store(odd, f64x2.add(a, v128.xor(b, SIGN_LEFT)));
    mirror -= 16;
    even += 16;
    odd += 16;
  }
}

// @ts-ignore: decorator
@inline
function detrended(pair: usize, detrend: usize, taper: usize, mean: v128, trend: v128): v128 {
  const level = f64x2.sub(v128.load(pair), mean);
  const flat = f64x2.sub(level, f64x2.mul(trend, v128.load(detrend)));
  return f64x2.mul(flat, v128.load64_splat(taper));
}

// @ts-ignore: decorator
@inline
function put(sums: v128, place: i32, out: usize): void {
  const squares = f64x2.mul(sums, sums);
  if (place >= 0) store<f64>(out + place, f64x2.extract_lane(squares, 0) + f64x2.extract_lane(squares, 1));
}

function project(folded: usize, quarter: i32, table: usize, groups: i32, places: usize, out: usize): void {
  for (let group = 0; group < groups; group++) {
    let s0 = f64x2.splat(0);
    let s1 = f64x2.splat(0);
    let s2 = f64x2.splat(0);
    let s3 = f64x2.splat(0);
    for (let j: usize = 0; j < <usize>quarter << 4; j += 16) {
      const f = v128.load(folded + j);
      s0 = f64x2.add(s0, f64x2.mul(f, v128.load(table)));
      s1 = f64x2.add(s1, f64x2.mul(f, v128.load(table, 16)));
      s2 = f64x2.add(s2, f64x2.mul(f, v128.load(table, 32)));
      s3 = f64x2.add(s3, f64x2.mul(f, v128.load(table, 48)));
      table += 64;
    }
    put(s0, load<i32>(places), out);
    put(s1, load<i32>(places, 4), out);
    put(s2, load<i32>(places, 8), out);
    put(s3, load<i32>(places, 12), out);
    places += 16;
  }
}

/** Powers of the windows that begin at `starts` (int32) of the samples, `stride` bytes a window, into `out`. */
export function powers(transform: usize, samples: usize, starts: usize, count: i32, out: usize, stride: i32): void {
  const t = changetype<Transform>(transform);
  const quarter = t.points >> 2;
  for (let w = 0; w < count; w++) {
    fold(t, samples + (<usize>load<i32>(starts + (<usize>w << 2)) << 3));
    project(t.even, quarter, t.evenTable, t.evenGroups, t.evenPlaces, out);
    project(t.odd, quarter, t.oddTable, t.oddGroups, t.oddPlaces, out);
    out += stride;
  }
}

/** The least of the models' sums of spectrum times row; models in blocks of eight, bin by bin. */
export function leastFit(rows: usize, blocks: i32, spectrum: usize, bins: i32): f64 {
  let least = f64x2.splat(Infinity);
  for (let block = 0; block < blocks; block++) {
    let s0 = f64x2.splat(0);
    let s1 = f64x2.splat(0);
    let s2 = f64x2.splat(0);
    let s3 = f64x2.splat(0);
    for (let k: usize = 0; k < <usize>bins << 3; k += 8) {
      const value = v128.load64_splat(spectrum + k);
      s0 = f64x2.add(s0, f64x2.mul(v128.load(rows), value));
      s1 = f64x2.add(s1, f64x2.mul(v128.load(rows, 16), value));
      s2 = f64x2.add(s2, f64x2.mul(v128.load(rows, 32), value));
      s3 = f64x2.add(s3, f64x2.mul(v128.load(rows, 48), value));
      rows += 64;
    }
    least = f64x2.pmin(least, f64x2.pmin(f64x2.pmin(s0, s1), f64x2.pmin(s2, s3)));
  }
  return min(f64x2.extract_lane(least, 0), f64x2.extract_lane(least, 1));
}
