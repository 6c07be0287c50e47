// Checks a scan and brings it onto the reference axis, in float64. Compiled by the build; driven by
// ../../spectra/scan-kernel.ts, and explained by ../../spectra/sampling.ts and scan-set.ts.
//
// Every sum has the order of a plain loop, so the bits are those of plain arithmetic on every machine.

const POINTS: i32 = 671;

// The plan that follows from the scan's axis; see AxisPlan.
const AT: usize = memory.data(671 * 4, 16);
const PART: usize = memory.data(671 * 8, 16);
const COVERED: usize = memory.data(671, 16);
const FIRST: usize = memory.data(671 * 4, 16);
const BEGIN: usize = memory.data(672 * 4, 16);
/** Reference points that are covered and that an encoder sees. */
const BINS: usize = memory.data(671 * 4, 16);

const SPECTRUM: usize = memory.data(671 * 4, 16);

export function allocate(bytes: usize): usize {
  return heap.alloc(bytes);
}

export function release(pointer: usize): void {
  heap.free(pointer);
}

export function at(): usize {
  return AT;
}
export function part(): usize {
  return PART;
}
export function covered(): usize {
  return COVERED;
}
export function first(): usize {
  return FIRST;
}
export function begin(): usize {
  return BEGIN;
}
export function bins(): usize {
  return BINS;
}
export function spectrum(): usize {
  return SPECTRUM;
}

/** 0 where the `count` values lie within `limit` either way and are not all one, 1 where not within it, 2 where flat. */
export function check(values: usize, count: i32, limit: f64): i32 {
  let low: f64 = Infinity;
  let high: f64 = -Infinity;
  let usable = true;
  for (let i: usize = 0; i < <usize>count << 3; i += 8) {
    const y = load<f64>(values + i);
    if (!(y >= -limit && y <= limit)) usable = false;
    if (y < low) low = y;
    if (y > high) high = y;
  }
  return usable ? (low == high ? 2 : 0) : 1;
}

/** The values on the reference axis, into `spectrum`. */
export function sample(values: usize, weights: usize, masked: bool): void {
  for (let j = 0; j < POINTS; j++) {
    const i = <usize>j;
    const out = SPECTRUM + (i << 2);
    if (masked) {
      if (!load<u8>(COVERED + i)) {
        store<f32>(out, NaN);
        continue;
      }
      let weight = weights + (<usize>load<i32>(BEGIN + (i << 2)) << 3);
      const end = weights + (<usize>load<i32>(BEGIN + (i << 2), 4) << 3);
      if (weight < end) {
        let y = values + (<usize>load<i32>(FIRST + (i << 2)) << 3);
        let sum: f64 = 0;
        for (; weight < end; weight += 8) {
          sum += load<f64>(weight) * load<f64>(y);
          y += 8;
        }
        store<f32>(out, <f32>sum);
        continue;
      }
    }
    const from = values + (<usize>load<i32>(AT + (i << 2)) << 3);
    const y = load<f64>(from);
    const share = load<f64>(PART + (i << 3));
    store<f32>(out, <f32>(share == 0 ? y : y + share * (load<f64>(from, 8) - y)));
  }
}

// @ts-ignore: decorator
@inline
function seen(bin: i32): f64 {
  return <f64>load<f32>(SPECTRUM + (<usize>bin << 2));
}

/**
 * True if the spectrum departs from a straight line through its `count` bins by more than `share` of its largest value.
 * `centre` and `variance` are the bins' own.
 */
export function hasFeatures(count: i32, centre: f64, variance: f64, share: f64): bool {
  const end = BINS + (<usize>count << 2);
  let mean: f64 = 0;
  for (let at = BINS; at < end; at += 4) mean += seen(load<i32>(at)) / <f64>count;
  let covariance: f64 = 0;
  for (let at = BINS; at < end; at += 4) {
    const bin = load<i32>(at);
    covariance += (<f64>bin - centre) * (seen(bin) - mean);
  }
  const slope = covariance / variance;
  let departure: f64 = 0;
  let largest: f64 = 0;
  for (let at = BINS; at < end; at += 4) {
    const bin = load<i32>(at);
    departure = max(departure, abs(seen(bin) - mean - slope * (<f64>bin - centre)));
    largest = max(largest, abs(seen(bin)));
  }
  return !(departure <= share * largest);
}

/** One nought for two: -0 becomes 0. */
export function unify(values: usize, count: i32): void {
  const zero = f64x2.splat(0);
  let i: usize = 0;
  for (const pairs = <usize>(count & ~1) << 3; i < pairs; i += 16)
    v128.store(values + i, f64x2.add(v128.load(values + i), zero));
  if (count & 1) store<f64>(values + i, load<f64>(values + i) + 0);
}

export function wipe(from: usize, bytes: usize): void {
  memory.fill(from, 0, bytes);
  memory.fill(SPECTRUM, 0, POINTS << 2);
}
