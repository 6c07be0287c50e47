import { instantiate } from '#compute';
import { ENCODER_BLIND, REFERENCE_FIRST, REFERENCE_POINTS, REFERENCE_STEP } from '#spectra';

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

/** Two-phonon bands, cm^-1, that tell the path length; CO2 lies between them. */
const PATH_BANDS = [
  [1680, 2300],
  [2400, 2680],
].map(([from, to]) => [binFrom(from), binTo(to)] as const);
/** CO2 of the air and hydrocarbon films: nothing of the stone. */
const HIDDEN_BANDS = ENCODER_BLIND.map(([from, to]) => [binFrom(from), binTo(to)] as const);

/** Paths of diamond, in yardsticks, lie well between these. */
const SHORTEST_PATH = 1e-3;
const LONGEST_PATH = 1e3;
/** Bounds what a spike can add; honest views stay below 6. */
const LARGEST = 20;
/** Its hyperbolic sine: what is larger need not be told apart. */
const LARGEST_SINH = 242582597;

/** What kernels/view.ts of the compute room exports: pointers to the arrays it works on, and its steps. */
interface ViewExports {
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
  measurePath(): void;
  addBand(from: number, end: number): void;
  path(): number;
  divide(by: number): void;
  compress(clamp: number, largest: number): void;
}

/** The kernel and its arrays, one for this thread, made when first needed. */
let made: ReturnType<typeof makeKernel> | undefined;

function makeKernel() {
  const kernel = instantiate<ViewExports>('view');
  const array = (pointer: number) => new Float32Array(kernel.memory.buffer, pointer, REFERENCE_POINTS);
  return {
    kernel,
    spectrum: array(kernel.spectrum()),
    out: array(kernel.out()),
    yardstick: array(kernel.yardstick()),
    scale: array(kernel.scale()),
  };
}

/** Bins in groups of four, as the kernel takes them: all, and those of the path bands. */
const ALL = [0, (REFERENCE_POINTS + 3) & ~3] as const;
const PATH = [PATH_BANDS[0][0] & ~3, (PATH_BANDS[1][1] + 3) & ~3] as const;

/**
 * Leaves in the kernel, for the bins [from, end), the derivative times a saturation weight: 1 on good bins, 0 where next
 * to no light came through. Edge fill repeats the outermost value; there, and where the window would reach into it, the
 * derivative is nought.
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
  made.spectrum.set(
    at === 0 && spectrum.length === REFERENCE_POINTS ? spectrum : spectrum.subarray(at, at + REFERENCE_POINTS),
  );
  made.yardstick.set(yardstick);
  let first = at;
  let last = at + REFERENCE_POINTS - 1;
  while (first < last && spectrum[first + 1] === spectrum[at]) first++;
  while (last > first && spectrum[last - 1] === spectrum[at + REFERENCE_POINTS - 1]) last--;
  const middle = kernel.ranked(BASELINE_FROM, BASELINE_TO, BASELINE_RANK) + SATURATION;
  const reach = REACH[derivative];
  kernel.derive(derivative, middle, SATURATION_WIDTH, from, end, first - at + reach, last - at - reach);
  kernel.measurePath();
  for (const [bandFrom, bandEnd] of PATH_BANDS) kernel.addBand(bandFrom, bandEnd);
  const path = kernel.path();
  // A path too short to measure would blow rounding up to spectral features.
  return path > SHORTEST_PATH && path < LONGEST_PATH ? path : 0;
}

/** The optical path of a spectrum (671 from `at`) in yardsticks; 0 for a blank scan: no two-phonon band is seen. */
export function pathOf({ derivative, yardstick }: View, spectrum: Float32Array, at: number): number {
  return derive(derivative, yardstick, spectrum, at, PATH);
}

/**
 * Derivative of one spectrum per unit of optical path, before compression.
 * @param spectrum absorbances on the reference axis, 671 from `at`, finite
 * @param yardstick as in View
 * @param out receives 671 values from `to`; all nought for a blank scan
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
  const path = derive(derivative, yardstick, spectrum, at, ALL);
  if (path === 0) {
    out.fill(0, to, to + REFERENCE_POINTS);
    return 0;
  }
  made!.kernel.divide(path);
  out.set(made!.out, to);
  return path;
}

/** The view of one spectrum; arguments and result as of `derivativePerPath`. Takes some 4 microseconds. */
export function viewOf(view: View, spectrum: Float32Array, at: number, out: Float32Array, to: number): number {
  const path = derive(view.derivative, view.yardstick, spectrum, at, ALL);
  if (path === 0) {
    out.fill(0, to, to + REFERENCE_POINTS);
    return 0;
  }
  const { kernel, scale, out: seen } = made!;
  scale.set(view.scale);
  kernel.divide(path);
  kernel.compress(LARGEST_SINH, LARGEST);
  out.set(seen, to);
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
