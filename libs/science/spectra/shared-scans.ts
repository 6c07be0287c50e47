/** Scans that stand on both sides of a claim: the same file twice, or one measurement exported in two ways. */
import { referenceAxis } from './axis.js';

/** The part of the reference axis that is compared, cm^-1: beyond it noise is strong. */
const COMPARED = { from: 700, to: 4000 };
/**
 * A scan is averaged under a triangle of so many reference points to either side, every so many points. What is left of a
 * resampling is a little smoothing, which is fitted; what another position of the stone changes stays.
 */
const AVERAGED = { reach: 8, every: 4 };
/**
 * Two scans are one measurement where, once one is laid over the other by a factor, a constant and a smoothing, half of the points
 * depart by less than the median of a normal distribution with this standard deviation, in standard deviations of the scan. Copies and
 * second measurements of one side, simulated: reports/accuracy.md.
 */
const SAME = 0.0005;
const MEDIAN_OF_NORMAL = 0.6745;
/** Fewest averages in common: well above the three fitted numbers. */
const MIN_POINTS = 20;
/**
 * A first look spares nearly all pairs the second: where half of every so many reference points of both, each with mean 0 and standard
 * deviation 1, are further apart, no resampling has made one out of the other.
 */
const FIRST_LOOK = { every: 16, apart: 0.02 };

const AXIS = referenceAxis();
const placesOf = (every: number, { from, to }: typeof COMPARED) =>
  Int32Array.from(AXIS.keys()).filter((j) => AXIS[j] > from && AXIS[j] < to && j % every === 0);
const CENTRES = placesOf(AVERAGED.every, COMPARED);
const LOOKED_AT = placesOf(FIRST_LOOK.every, COMPARED);
const WEIGHTS = Float64Array.from({ length: 2 * AVERAGED.reach - 1 }, (_, k) => {
  const { reach } = AVERAGED;
  return (reach - Math.abs(k - reach + 1)) / reach ** 2;
});

/** A scan on the reference axis: 671 absorbances, NaN where nothing was measured. */
type SampledScan = Float32Array | Float64Array;

/**
 * Distinct scans of one side that are scans of the other too: the same numbers, or the same but for rounding, resampling, a factor
 * or a constant. Pure, without a kernel: a browser asks it too.
 */
export function sharedScans(a: readonly SampledScan[], b: readonly SampledScan[]): number {
  const others = b.map((scan) => new Compared(scan));
  const shared: Compared[] = [];
  for (const scan of a.map((one) => new Compared(one))) {
    if (others.some((other) => scan.is(other)) && !shared.some((other) => scan.is(other))) shared.push(scan);
  }
  return shared.length;
}

class Compared {
  private readonly looks: Float64Array;
  private means: Averaged | undefined;

  constructor(private readonly scan: SampledScan) {
    this.looks = looksOf(scan);
  }

  is(other: Compared): boolean {
    return !looksOther(this.looks, other.looks) && isSame(this.averages, other.averages);
  }

  private get averages(): Averaged {
    this.means ??= averagesOf(this.scan);
    return this.means;
  }
}

function looksOf(scan: SampledScan): Float64Array {
  const looks = new Float64Array(LOOKED_AT.length);
  let [sum, squares] = [0, 0];
  for (let i = 0; i < looks.length; i++) {
    const value = scan[LOOKED_AT[i]];
    looks[i] = value;
    sum += value;
    squares += value * value;
  }
  const mean = sum / looks.length;
  const deviation = Math.sqrt(squares / looks.length - mean * mean);
  for (let i = 0; i < looks.length; i++) looks[i] = (looks[i] - mean) / deviation;
  return looks;
}

/** Of scans with missing points (NaN) the first look says nothing. */
function looksOther(a: Float64Array, b: Float64Array): boolean {
  let left = a.length >> 1;
  for (let i = 0; i < a.length; i++) if (Math.abs(a[i] - b[i]) > FIRST_LOOK.apart && left-- === 0) return true;
  return false;
}

interface Averaged {
  /** NaN where a point of the triangle is missing. */
  means: Float64Array;
  /** Second differences of the scan, averaged alike: what a slight smoothing adds to the means, but for a factor. */
  bends: Float64Array;
}

function averagesOf(scan: SampledScan): Averaged {
  const { reach } = AVERAGED;
  const means = Float64Array.from(CENTRES, (centre) => {
    let sum = 0;
    for (let k = 0; k < WEIGHTS.length; k++) sum += WEIGHTS[k] * scan[centre - reach + 1 + k];
    return sum;
  });
  // Under a triangle the sum of second differences is one of its two ends and its middle.
  const bends = Float64Array.from(CENTRES, (j) => scan[j - reach] - 2 * scan[j] + scan[j + reach]);
  return { means, bends };
}

/** Averages that either has not (NaN) are left out. */
function isSame(a: Averaged, b: Averaged): boolean {
  const missing = (i: number) => Number.isNaN(a.means[i] + a.bends[i] + b.means[i] + b.bends[i]);
  const places = Int32Array.from(CENTRES.keys()).filter((i) => !missing(i));
  if (places.length < MIN_POINTS) return false;
  const [x, z, y] = [a.means, a.bends, b.means].map((values) => centred(values, places));
  const [xx, zz, yy, xz, xy, zy] = [dot(x, x), dot(z, z), dot(y, y), dot(x, z), dot(x, y), dot(z, y)];
  // Least squares of y = factor x + smoothing z; a straight line has nothing to smooth.
  const smoothing = xx * zz > xz * xz ? (zy * xx - xy * xz) / (xx * zz - xz * xz) : 0;
  const factor = (xy - smoothing * xz) / xx;
  if (!(factor > 0)) return false;
  const limit = SAME * MEDIAN_OF_NORMAL * Math.sqrt(yy / places.length);
  let apart = 0;
  for (let i = 0; i < places.length; i++) {
    if (Math.abs(y[i] - factor * x[i] - smoothing * z[i]) > limit && 2 * ++apart > places.length) return false;
  }
  return true;
}

function centred(values: Float64Array, places: Int32Array): Float64Array {
  const own = Float64Array.from(places, (i) => values[i]);
  const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
  return own.map((value) => value - mean);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
