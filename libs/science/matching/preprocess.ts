import { instantiate, type KernelMemory, once, Scratch } from '#science/compute/wasm';
import { ENCODER_BLIND, PATH_BANDS, REFERENCE_FIRST, REFERENCE_POINTS, REFERENCE_STEP } from '#science/spectra/axis';

/**
 * A spectrum's preprocessing for an encoder: a Savitzky-Golay derivative, weighted down where the detector saturates,
 * divided by the optical path length (measured by the two-phonon absorption of the diamond lattice) and compressed by
 * asinh. It has as many points as its arrays: the first ones of the reference axis. Points beyond them are not used.
 */
export interface Preprocessing {
  derivative: 1 | 2;
  /** The same derivative of one path unit of diamond, the yardstick of the path length. */
  yardstick: Float32Array;
  /** All above zero: the size at which asinh turns from linear to logarithmic. */
  scale: Float32Array;
}

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
/** Bound on a spike's value; unprocessed scans stay below 6. */
const LARGEST = 20;
/** Its hyperbolic sine; larger values need not be distinguished. */
const LARGEST_SINH = 242582597;

/** Exports of kernels/preprocess.ts of `libs/science/compute`; pointers are in bytes. */
interface PreprocessExports extends KernelMemory {
  spectrum(): number;
  open(points: number, from: number, end: number): void;
  saturate(from: number, end: number, rank: number, depth: number, softness: number): void;
  path(derivative: 1 | 2, yardstick: number, a: number, b: number, c: number, d: number): number;
  divide(derivative: 1 | 2, by: number, out: number): void;
  compress(scale: number, clamp: number, largest: number, out: number): void;
  blank(out: number, from: number, end: number): void;
}

/** An encoder's arrays inside the kernel. */
interface Placed {
  derivative: 1 | 2;
  points: number;
  yardstick: number;
  scale: number;
  /** Rows of `points` values. */
  table: number;
}

/** Bins in groups of four, as the kernel takes them: those of the path bands, and all points that are preprocessed. */
const PATH = [PATH_BINS[0][0] & ~3, (PATH_BINS[1][1] + 3) & ~3] as const;
const groups = (points: number) => (points + 3) & ~3;
/** Floats of an array inside the kernel. */
const PLACE = groups(REFERENCE_POINTS);

/** The kernel and its memory, one for this thread. */
class Preprocessor {
  readonly kernel = instantiate<PreprocessExports>('preprocess');
  private readonly arrays = new Scratch(this.kernel);
  private readonly tables = new Scratch(this.kernel);
  private bins = this.floats(this.kernel.spectrum(), REFERENCE_POINTS);
  /** The preprocessings whose arrays lie in the kernel. */
  private held: readonly Preprocessing[] = [];

  /** A view of the memory at this moment: the next `place` may detach it. */
  floats(pointer: number, count: number): Float32Array {
    return new Float32Array(this.kernel.memory.buffer, pointer, count);
  }

  /** Room for the encoders' input from so many spectra, until the next call. */
  place(preprocessings: readonly Preprocessing[], rows: number): Placed[] {
    const arrays = this.arrays.floats(2 * PLACE * preprocessings.length);
    const size = (points: number) => groups(rows * points) + 4;
    let table = this.tables.floats(preprocessings.reduce((sum, { yardstick }) => sum + size(yardstick.length), 0));
    const isHeld = ({ yardstick, scale }: Preprocessing, i: number) =>
      this.held[i]?.yardstick === yardstick && this.held[i].scale === scale;
    const held = preprocessings.length === this.held.length && preprocessings.every(isHeld);
    if (!held) this.held = preprocessings;
    return preprocessings.map(({ derivative, yardstick, scale }, i) => {
      const points = yardstick.length;
      const at = arrays + 8 * PLACE * i;
      if (!held) {
        this.floats(at, points).set(yardstick);
        this.floats(at + 4 * PLACE, points).set(scale);
      }
      const placed = { derivative, points, yardstick: at, scale: at + 4 * PLACE, table };
      table += 4 * size(points);
      return placed;
    });
  }

  /**
   * Opens a spectrum for `path` and `see`, which look at the bins [from, end): saturation weights, 1 on good bins, 0
   * where next to no light came through. Edge fill repeats the outermost value; there, and where a derivative's window
   * would reach into it, the derivative is nought. So it is, without any weight, where the spectrum says NaN, for bins
   * that were not measured, and where the window would reach into such.
   */
  open(spectrum: Float32Array, at: number, points: number, [from, end]: readonly [number, number]): void {
    const { kernel } = this;
    if (this.bins.length === 0) this.bins = this.floats(kernel.spectrum(), REFERENCE_POINTS);
    this.bins.set(spectrum.subarray(at, at + points));
    kernel.open(points, from, end);
    kernel.saturate(BASELINE_FROM, BASELINE_TO, BASELINE_RANK, SATURATION, SATURATION_WIDTH);
  }

  /** The optical path of the open spectrum in yardsticks, 0 for a blank scan. */
  path({ derivative, yardstick }: Placed): number {
    const [[a, b], [c, d]] = PATH_BINS;
    const path = this.kernel.path(derivative, yardstick, a, b, c, d);
    // A path too short to measure would blow rounding up to spectral features.
    return path > SHORTEST_PATH && path < LONGEST_PATH ? path : 0;
  }

  /**
   * Writes the encoder's view of the open spectrum into a row of its table; rows in ascending order.
   * @returns as `path`
   */
  see(placed: Placed, row: number, compressed = true): number {
    const { kernel } = this;
    const { derivative, points, scale, table } = placed;
    const out = table + 4 * row * points;
    const path = this.path(placed);
    if (path === 0) {
      kernel.blank(out, 0, points);
      return 0;
    }
    kernel.divide(derivative, path, out);
    if (compressed) {
      kernel.compress(scale, LARGEST_SINH, LARGEST, out);
      for (const [from, end] of HIDDEN_BANDS) kernel.blank(out, from, end);
    }
    return path;
  }
}

const preprocessor = once(() => new Preprocessor());

/** The optical path of a spectrum (671 from `at`) in yardsticks; 0 for a blank scan: no two-phonon band is seen. */
export function pathOf(preprocessing: Preprocessing, spectrum: Float32Array, at: number): number {
  const kernel = preprocessor();
  const [placed] = kernel.place([preprocessing], 0);
  kernel.open(spectrum, at, placed.points, PATH);
  return kernel.path(placed);
}

/** The first of `count` spectra (671 each) that is blank to one of the encoders, or -1. All have as many points. */
export function firstBlank(preprocessings: readonly Preprocessing[], spectra: Float32Array, count: number): number {
  const kernel = preprocessor();
  const placed = kernel.place(preprocessings, 0);
  for (let scan = 0; scan < count; scan++) {
    kernel.open(spectra, scan * REFERENCE_POINTS, placed[0].points, PATH);
    for (const one of placed) if (kernel.path(one) === 0) return scan;
  }
  return -1;
}

/**
 * Preprocesses spectra for several encoders; the steps they share are done once. All have as many points.
 * @param spectra `count` of 671 values from spectrum `from` on
 * @returns by encoder a table of count x points, which lies in the kernel's memory until the next call
 */
export function preprocessAll(
  preprocessings: readonly Preprocessing[],
  spectra: Float32Array,
  from: number,
  count: number,
): Float32Array[] {
  const kernel = preprocessor();
  const placed = kernel.place(preprocessings, count);
  for (let row = 0; row < count; row++) {
    const { points } = placed[0];
    kernel.open(spectra, (from + row) * REFERENCE_POINTS, points, [0, groups(points)]);
    for (const one of placed) kernel.see(one, row);
  }
  return placed.map(({ table, points }) => kernel.floats(table, count * points));
}

/**
 * Preprocesses one spectrum.
 * @param spectrum absorbances on the reference axis, 671 from `at`, finite, or NaN where nothing was measured
 * @param out receives as many values as the yardstick has points, from `to`; all zero for a blank scan
 * @param compressed false: the derivative per unit of optical path, before it is compressed
 * @returns as `pathOf`
 */
export function preprocess(
  preprocessing: Preprocessing,
  spectrum: Float32Array,
  at: number,
  out: Float32Array,
  to: number,
  compressed = true,
): number {
  const kernel = preprocessor();
  const [placed] = kernel.place([preprocessing], 1);
  kernel.open(spectrum, at, placed.points, [0, groups(placed.points)]);
  const path = kernel.see(placed, 0, compressed);
  out.set(kernel.floats(placed.table, placed.points), to);
  return path;
}
