/** Both sides of a claim on one scale, for the eye: nothing is decided on it. It knows no kernel and runs in a browser too. */
import { ENCODER_BLIND, PATH_BANDS, REFERENCE_POINTS, referenceAxis } from './axis.js';
import { planAxis, type Range } from './sampling.js';

/** A stretch of the reference axis in which two sides differ. */
export interface Difference {
  range: Range;
  /** Rough minus polish where it is largest, in units of the mean two-phonon absorption. */
  difference: number;
}

export interface ComparedSides {
  /** Each scan on the reference axis, its baseline at 0 and its mean two-phonon absorption at 1; NaN where nothing was measured. */
  rough: Float64Array[];
  polish: Float64Array[];
  /** Where the sides' means differ most, the largest first. */
  differences: Difference[];
}

/** A scan as it was read: both of one length, wavenumbers (cm^-1) strictly ascending. */
interface ReadScan {
  wavenumbers: Float64Array;
  absorbance: Float64Array;
}

/** The baseline is looked for above every diamond line and below 4000 cm^-1. */
const BASELINE: Range = [3610, 3990];
/** Beyond it, in absorbance above the baseline, too little light is left to compare. */
const DARK = 2.6;
/** Above it there is more noise than identity. */
const COMPARED_UP_TO = 4000;
/** Reference points to either side whose mean is taken off a difference, so that slopes of the baseline do not count. */
const SLOPE = 25;
const SHOWN = 3;
/** Reference points between two differences that count as two. */
const APART = 12;

const AXIS = referenceAxis();
const within = (w: number, [from, to]: readonly [number, number]) => w >= from && w <= to;
/** Not compared: the bands by which the sides are laid over each other, and what is nothing of the stone. */
const LEFT_OUT = [...PATH_BANDS, ...ENCODER_BLIND];
const SEEN = Array.from(AXIS, (w) => w <= COMPARED_UP_TO && !LEFT_OUT.some((band) => within(w, band)));

export function compareSides(rough: readonly ReadScan[], polish: readonly ReadScan[]): ComparedSides {
  const [a, b] = [rough.map(scaledOf), polish.map(scaledOf)];
  const [ofRough, ofPolish] = [meanOf(a), meanOf(b)];
  const raw = Float64Array.from(ofRough, (value, j) => (SEEN[j] ? value - ofPolish[j] : Number.NaN));
  const local = raw.map((value, j) => value - meanAround(raw, j, SLOPE));
  const smooth = local.map((_, j) => (Number.isNaN(local[j]) ? Number.NaN : meanAround(local, j, 1)));
  return {
    rough: a.map(({ scaled }) => scaled),
    polish: b.map(({ scaled }) => scaled),
    differences: largestOf(smooth),
  };
}

interface ScaledScan {
  scaled: Float64Array;
  /** By reference point, 1 where too little light came through. */
  dark: Uint8Array;
}

function scaledOf(scan: ReadScan): ScaledScan {
  const values = onReferenceAxis(scan);
  const measured = (is: (w: number) => boolean) =>
    Array.from(values).filter((value, j) => is(AXIS[j]) && !Number.isNaN(value));
  const low = measured((w) => within(w, BASELINE)).sort((x, y) => x - y);
  const baseline = low[Math.floor(0.2 * low.length)] ?? 0;
  const path = measured((w) => PATH_BANDS.some((band) => within(w, band)));
  const absorption = path.reduce((sum, value) => sum + value - baseline, 0) / path.length;
  // No claim passes with such sides; a picture of them is drawn as it is.
  const scale = absorption > 0 ? absorption : 1;
  return {
    scaled: values.map((value) => (value - baseline) / scale),
    dark: Uint8Array.from(values, (value) => Number(value - baseline > DARK)),
  };
}

/** 671 absorbances, NaN where nothing was measured: as the kernel samples a `masked` scan, but in double precision. */
export function onReferenceAxis({ wavenumbers, absorbance }: ReadScan): Float64Array {
  const { covered, begin, first, weights, at, part } = planAxis(wavenumbers);
  return Float64Array.from(covered, (isCovered, j) => {
    if (!isCovered) return Number.NaN;
    if (begin[j] < begin[j + 1])
      return weights
        .slice(begin[j], begin[j + 1])
        .reduce((sum, weight, k) => sum + weight * absorbance[first[j] + k], 0);
    const from = absorbance[at[j]];
    return part[j] === 0 ? from : from + part[j] * (absorbance[at[j] + 1] - from);
  });
}

/** The mean of a side's scans; NaN where one has nothing, or too little light. */
const meanOf = (scans: ScaledScan[]): Float64Array =>
  Float64Array.from({ length: REFERENCE_POINTS }, (_, j) =>
    scans.reduce((sum, { scaled, dark }) => sum + (dark[j] ? Number.NaN : scaled[j]) / scans.length, 0),
  );

/** Mean of the values that are there, so many points to either side. */
function meanAround(values: Float64Array, at: number, reach: number): number {
  let sum = 0;
  let count = 0;
  for (let j = Math.max(0, at - reach); j <= Math.min(values.length - 1, at + reach); j++) {
    if (Number.isNaN(values[j])) continue;
    sum += values[j];
    count++;
  }
  return sum / count;
}

/** Each ends where the difference has fallen to half. */
function largestOf(difference: Float64Array): Difference[] {
  const found: Difference[] = [];
  const free = Array.from(difference, (value) => !Number.isNaN(value));
  while (found.length < SHOWN) {
    let peak = -1;
    for (const [j, open] of free.entries())
      if (open && (peak < 0 || Math.abs(difference[j]) > Math.abs(difference[peak]))) peak = j;
    if (peak < 0 || difference[peak] === 0) break;
    const half = (j: number) => difference[j] / difference[peak] >= 0.5;
    let [from, to] = [peak, peak];
    while (from > 0 && half(from - 1)) from--;
    while (to < difference.length - 1 && half(to + 1)) to++;
    found.push({ range: [AXIS[from], AXIS[to]], difference: difference[peak] });
    free.fill(false, Math.max(0, from - APART), to + APART + 1);
  }
  return found;
}
