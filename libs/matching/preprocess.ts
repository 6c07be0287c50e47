import { instantiate } from '#compute';
import { upperMedian } from '#numerics';
import { ENCODER_BLIND, PATH_BANDS, REFERENCE_FIRST, REFERENCE_POINTS, REFERENCE_STEP } from '#spectra';
import { INPUT, inputPoints } from './input.js';

/**
 * What an encoder sees of a spectrum: a Savitzky-Golay derivative, weighted down where the detector saturates, divided
 * by the optical path length (measured by the two-phonon absorption of the diamond lattice) and compressed by asinh. It
 * has as many points as its arrays: the first ones of the reference axis. Nothing beyond them is looked at.
 */
export interface Preprocessing {
  derivative: 1 | 2;
  /** The same derivative of one path unit of diamond, the yardstick of the path length. */
  yardstick: Float32Array;
  /** All above zero: the size at which asinh turns from linear to logarithmic. */
  scale: Float32Array;
}

/** Reach of the derivatives' windows: 7 points for the first, 9 for the second (Anal. Chem. 36, 1627), of order 2. */
const REACH = { 1: 3, 2: 4 } as const;

/** The absorbance above the baseline at which half the weight is lost, and how softly. */
const SATURATION = 2.6;
const SATURATION_WIDTH = 0.15;

const binFrom = (wavenumber: number) => Math.ceil((wavenumber - REFERENCE_FIRST) / REFERENCE_STEP);
const binTo = (wavenumber: number) => Math.floor((wavenumber - REFERENCE_FIRST) / REFERENCE_STEP) + 1;

/** The baseline is looked for above every diamond line and below 4000, so that a short submission has it too. */
const BASELINE_FROM = binFrom(3610);
const BASELINE_TO = binTo(3990);
const BASELINE_RANK = Math.floor(0.2 * (BASELINE_TO - BASELINE_FROM));

const PATH_BINS = PATH_BANDS.map(([from, to]) => [binFrom(from), binTo(to)] as const);
/** CO2 of the air and hydrocarbon films: nothing of the stone. */
const HIDDEN_BANDS = ENCODER_BLIND.map(([from, to]) => [binFrom(from), binTo(to)] as const);

/** Paths of diamond, in yardsticks, lie well between these. */
const SHORTEST_PATH = 1e-3;
const LONGEST_PATH = 1e3;
/** Bounds what a spike can add; unprocessed scans stay below 6. */
const LARGEST = 20;
/** Its hyperbolic sine: what is larger need not be distinguished. */
const LARGEST_SINH = 242582597;

/** What kernels/preprocess.ts of `libs/compute` exports: pointers to the arrays it works on, and its steps. */
interface PreprocessExports {
  memory: { readonly buffer: ArrayBuffer };
  spectrum(): number;
  out(): number;
  yardstick(): number;
  scale(): number;
  ranked(from: number, end: number, rank: number): number;
  derive(
    derivative: 1 | 2,
    middle: number,
    softness: number,
    from: number,
    end: number,
    first: number,
    last: number,
  ): void;
  hide(from: number, end: number): void;
  measurePath(): void;
  addBand(from: number, end: number): void;
  path(): number;
  divide(by: number, count: number): void;
  compress(clamp: number, largest: number, count: number): void;
}

/** The kernel and its arrays, one for this thread, made when first needed. */
let made: ReturnType<typeof makeKernel> | undefined;

function makeKernel() {
  const kernel = instantiate<PreprocessExports>('preprocess');
  const array = (pointer: number) => new Float32Array(kernel.memory.buffer, pointer, REFERENCE_POINTS);
  return {
    kernel,
    spectrum: array(kernel.spectrum()),
    out: array(kernel.out()),
    yardstick: array(kernel.yardstick()),
    scale: array(kernel.scale()),
  };
}

/** Bins in groups of four, as the kernel takes them: those of the path bands, and all points that are preprocessed. */
const PATH = [PATH_BINS[0][0] & ~3, (PATH_BINS[1][1] + 3) & ~3] as const;
const groups = (points: number) => (points + 3) & ~3;

/**
 * Leaves in the kernel, for the bins [from, end), the derivative times a saturation weight: 1 on good bins, 0 where next
 * to no light came through. Edge fill repeats the outermost value; there, and where the window would reach into it, the
 * derivative is nought. So it is, without any weight, where the spectrum says NaN, for bins that were not measured, and
 * where the window would reach into such.
 * @returns the optical path in yardsticks, 0 for a blank scan
 */
function derive(
  derivative: 1 | 2,
  yardstick: Float32Array,
  spectrum: Float32Array,
  at: number,
  [from, end]: readonly [number, number],
): number {
  made ??= makeKernel();
  const { kernel } = made;
  const points = yardstick.length;
  made.spectrum.set(at === 0 && spectrum.length === points ? spectrum : spectrum.subarray(at, at + points));
  made.yardstick.set(yardstick);
  let first = at;
  let last = at + points - 1;
  while (first < last && spectrum[first + 1] === spectrum[at]) first++;
  while (last > first && spectrum[last - 1] === spectrum[at + points - 1]) last--;
  const gaps = bridgeGaps(made.spectrum, points);
  const middle = kernel.ranked(BASELINE_FROM, BASELINE_TO, BASELINE_RANK) + SATURATION;
  const reach = REACH[derivative];
  kernel.derive(derivative, middle, SATURATION_WIDTH, from, end, first - at + reach, last - at - reach);
  for (const gap of gaps) kernel.hide(Math.max(0, gap.from - reach), Math.min(points, gap.end + reach));
  kernel.measurePath();
  for (const [bandFrom, bandEnd] of PATH_BINS) kernel.addBand(bandFrom, bandEnd);
  const path = kernel.path();
  // A path too short to measure would blow rounding up to spectral features.
  return path > SHORTEST_PATH && path < LONGEST_PATH ? path : 0;
}

/** Runs [from, end) of NaN among the first `points` bins; each is filled with its neighbour's value, or with nought. */
function bridgeGaps(bins: Float32Array, points: number): { from: number; end: number }[] {
  const gaps: { from: number; end: number }[] = [];
  for (let i = 0; i < points; i++) {
    if (!Number.isNaN(bins[i])) continue;
    const from = i;
    while (i < points && Number.isNaN(bins[i])) i++;
    bins.fill(from > 0 ? bins[from - 1] : i < points ? bins[i] : 0, from, i);
    gaps.push({ from, end: i });
  }
  return gaps;
}

/** The optical path of a spectrum (671 from `at`) in yardsticks; 0 for a blank scan: no two-phonon band is seen. */
export function pathOf({ derivative, yardstick }: Preprocessing, spectrum: Float32Array, at: number): number {
  return derive(derivative, yardstick, spectrum, at, PATH);
}

/**
 * Derivative of one spectrum per unit of optical path, before compression.
 * @param spectrum absorbances on the reference axis, 671 from `at`, finite, or NaN where nothing was measured
 * @param yardstick as in Preprocessing
 * @param out receives as many values as the yardstick has points, from `to`; all nought for a blank scan
 * @returns as `pathOf`
 */
export function derivativePerPath(
  derivative: 1 | 2,
  yardstick: Float32Array,
  spectrum: Float32Array,
  at: number,
  out: Float32Array,
  to: number,
): number {
  const points = yardstick.length;
  const path = derive(derivative, yardstick, spectrum, at, [0, groups(points)]);
  if (path === 0) {
    out.fill(0, to, to + points);
    return 0;
  }
  made!.kernel.divide(path, groups(points));
  out.set(made!.out.subarray(0, points), to);
  return path;
}

/** What the encoder sees of one spectrum; arguments and result as of `derivativePerPath`. Takes some 4 microseconds. */
export function preprocess(
  preprocessing: Preprocessing,
  spectrum: Float32Array,
  at: number,
  out: Float32Array,
  to: number,
): number {
  const points = preprocessing.scale.length;
  const path = derive(preprocessing.derivative, preprocessing.yardstick, spectrum, at, [0, groups(points)]);
  if (path === 0) {
    out.fill(0, to, to + points);
    return 0;
  }
  const { kernel, scale, out: seen } = made!;
  scale.set(preprocessing.scale);
  kernel.divide(path, groups(points));
  kernel.compress(LARGEST_SINH, LARGEST, groups(points));
  out.set(seen.subarray(0, points), to);
  for (const [from, end] of HIDDEN_BANDS) out.fill(0, to + from, to + end);
  return path;
}

/**
 * Yardstick and scale from training spectra: the mean derivative per path (which is that of the lattice, common to
 * all stones), then 1.5 median |D_j| + 0.3 of the median of those over all bins.
 * @param spectra count x 671
 * @param points as many as the encoder sees
 */
export function fitPreprocessing(
  derivative: 1 | 2,
  spectra: Float32Array,
  count: number,
  points = inputPoints(INPUT),
): Preprocessing {
  const table = new Float32Array(count * points);
  let yardstick = new Float32Array(points).fill(1);
  // The first pass knows no lattice yet; the last only fills the table with the yardstick found.
  for (let pass = 0; pass < 3; pass++) {
    const mean = new Float64Array(points);
    for (let s = 0; s < count; s++) {
      const at = s * points;
      derivativePerPath(derivative, yardstick, spectra, s * REFERENCE_POINTS, table, at);
      for (let i = 0; i < points; i++) mean[i] += table[at + i] / count;
    }
    if (pass < 2) yardstick = Float32Array.from(mean);
  }
  const column = new Float64Array(count);
  const medians = Float64Array.from({ length: points }, (_, i) => {
    for (let s = 0; s < count; s++) column[s] = Math.abs(table[s * points + i]);
    return upperMedian(column);
  });
  const floor = 0.3 * upperMedian(medians);
  return { derivative, yardstick, scale: Float32Array.from(medians, (median) => 1.5 * median + floor + 1e-6) };
}
