import { REFERENCE_FIRST, REFERENCE_POINTS, REFERENCE_STEP } from '#spectra';

/**
 * What an encoder sees of a spectrum: a Savitzky-Golay derivative, weighted down where the detector saturates, divided
 * by the optical path length (told from the two-phonon absorption of the diamond lattice) and compressed by asinh.
 */
export interface View {
  derivative: 1 | 2;
  /** 671 values: the same derivative of one path unit of diamond, the yardstick of the path length. */
  yardstick: Float32Array;
  /** 671 values, all above zero: the size at which asinh turns from linear to logarithmic. */
  scale: Float32Array;
}

/** Savitzky-Golay kernels of order 2, a point: 7-point first and 9-point second derivative (Anal. Chem. 36, 1627). */
const KERNELS = {
  1: [-3, -2, -1, 0, 1, 2, 3].map((c) => c / 28),
  2: [28, 7, -8, -17, -20, -17, -8, 7, 28].map((c) => c / 462),
} as const;

/** The absorbance above the baseline at which half the weight is lost, and how softly. */
const SATURATION = 2.6;
const SATURATION_WIDTH = 0.15;

const binFrom = (wavenumber: number) => Math.ceil((wavenumber - REFERENCE_FIRST) / REFERENCE_STEP);
const binTo = (wavenumber: number) => Math.floor((wavenumber - REFERENCE_FIRST) / REFERENCE_STEP) + 1;

/** The baseline is looked for above every diamond line and below 4000, so that a short submission has it too. */
const BASELINE_FROM = binFrom(3610);
const BASELINE_TO = binTo(3990);
const BASELINE_RANK = Math.floor(0.2 * (BASELINE_TO - BASELINE_FROM));

/** Two-phonon bands, cm^-1, that tell the path length; CO2 lies between them. */
const PATH_BANDS = [
  [1680, 2300],
  [2400, 2680],
].map(([from, to]) => [binFrom(from), binTo(to)] as const);
/** CO2 of the air and hydrocarbon films: nothing of the stone. */
const HIDDEN_BANDS = [
  [2300, 2390],
  [2840, 2970],
].map(([from, to]) => [binFrom(from), binTo(to)] as const);

/** Paths of diamond, in yardsticks, lie well between these. */
const SHORTEST_PATH = 1e-3;
const LONGEST_PATH = 1e3;
/** Bounds what a spike can add; honest views stay below 6. */
const LARGEST = 20;

/** Reused between calls (a call is synchronous): baseline bins, and the saturation weight of each bin. */
const bins = new Float64Array(BASELINE_TO - BASELINE_FROM);
const weights = new Float64Array(REFERENCE_POINTS);

/** Saturation weight of every bin: 1 on good bins, 0 where next to no light came through. */
function weigh(spectrum: Float32Array, at: number): void {
  for (let i = BASELINE_FROM; i < BASELINE_TO; i++) bins[i - BASELINE_FROM] = spectrum[at + i];
  const middle = bins.sort()[BASELINE_RANK] + SATURATION;
  for (let i = 0; i < REFERENCE_POINTS; i++) {
    weights[i] = 1 / (1 + Math.exp((spectrum[at + i] - middle) / SATURATION_WIDTH));
  }
}

/**
 * Derivative times saturation weight.
 * Edge fill repeats the outermost value; there, and where the kernel would reach into it, the derivative is nought.
 */
function derive(kernel: readonly number[], spectrum: Float32Array, at: number, out: Float32Array, to: number): void {
  const half = kernel.length >> 1;
  let first = at;
  let last = at + REFERENCE_POINTS - 1;
  while (first < last && spectrum[first + 1] === spectrum[at]) first++;
  while (last > first && spectrum[last - 1] === spectrum[at + REFERENCE_POINTS - 1]) last--;
  out.fill(0, to, to + REFERENCE_POINTS);
  for (let i = first + half; i <= last - half; i++) {
    let sum = 0;
    for (let k = 0, j = i - half; k < kernel.length; k++, j++) sum += kernel[k] * spectrum[j];
    out[to + i - at] = sum * weights[i - at];
  }
}

/**
 * Derivative of one spectrum per unit of optical path, before compression.
 * @param spectrum absorbances on the reference axis, 671 from `at`, finite
 * @param yardstick as in View
 * @param out receives 671 values from `to`; all nought for a blank scan
 * @returns the optical path in yardsticks; 0 for a blank scan: nothing of the two-phonon bands is seen
 */
export function derivativePerPath(
  derivative: 1 | 2,
  yardstick: Float32Array,
  spectrum: Float32Array,
  at: number,
  out: Float32Array,
  to: number,
): number {
  weigh(spectrum, at);
  derive(KERNELS[derivative], spectrum, at, out, to);
  let seen = 0;
  let expected = 0;
  for (const [from, end] of PATH_BANDS) {
    for (let i = from; i < end; i++) {
      seen += Math.abs(out[to + i]);
      expected += weights[i] * Math.abs(yardstick[i]);
    }
  }
  const path = expected > 0 ? seen / expected : 0;
  // A path too short to measure would blow rounding up to spectral features.
  if (!(path > SHORTEST_PATH && path < LONGEST_PATH)) {
    out.fill(0, to, to + REFERENCE_POINTS);
    return 0;
  }
  for (let i = 0; i < REFERENCE_POINTS; i++) out[to + i] /= path;
  return path;
}

/** The view of one spectrum; arguments and result as of `derivativePerPath`. Takes some 20 microseconds. */
export function viewOf(view: View, spectrum: Float32Array, at: number, out: Float32Array, to: number): number {
  const path = derivativePerPath(view.derivative, view.yardstick, spectrum, at, out, to);
  if (path === 0) return 0;
  for (let i = 0; i < REFERENCE_POINTS; i++) {
    const x = out[to + i] / view.scale[i];
    const size = Math.abs(x);
    const compressed = Math.min(LARGEST, Math.log(size + Math.sqrt(size * size + 1)));
    out[to + i] = x < 0 ? -compressed : compressed;
  }
  for (const [from, end] of HIDDEN_BANDS) out.fill(0, to + from, to + end);
  return path;
}

/**
 * Yardstick and scale from training spectra: the mean derivative per path (which is that of the lattice, common to
 * all stones), then 1.5 median |D_j| + 0.3 of the median of those over all bins.
 */
export function fitView(derivative: 1 | 2, spectra: Float32Array, count: number): View {
  const table = new Float32Array(count * REFERENCE_POINTS);
  let yardstick = new Float32Array(REFERENCE_POINTS).fill(1);
  // The first pass knows no lattice yet; the last only fills the table with the yardstick found.
  for (let pass = 0; pass < 3; pass++) {
    const mean = new Float64Array(REFERENCE_POINTS);
    for (let s = 0; s < count; s++) {
      const at = s * REFERENCE_POINTS;
      derivativePerPath(derivative, yardstick, spectra, at, table, at);
      for (let i = 0; i < REFERENCE_POINTS; i++) mean[i] += table[at + i] / count;
    }
    if (pass < 2) yardstick = Float32Array.from(mean);
  }
  const column = new Float64Array(count);
  const medians = Float64Array.from({ length: REFERENCE_POINTS }, (_, i) => {
    for (let s = 0; s < count; s++) column[s] = Math.abs(table[s * REFERENCE_POINTS + i]);
    return column.sort()[count >> 1];
  });
  const floor = 0.3 * medians.slice().sort()[REFERENCE_POINTS >> 1];
  return { derivative, yardstick, scale: Float32Array.from(medians, (median) => 1.5 * median + floor + 1e-6) };
}
