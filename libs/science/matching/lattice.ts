/**
 * Recognises diamond by the two-phonon absorption of its lattice, which every diamond has and nothing else.
 * docs/decisions/sampling.md says how the bounds were measured.
 */
import { PATH_BANDS, REFERENCE_POINTS, referenceAxis } from '#science/spectra/axis';
import type { Model } from './model.js';

/** A side is of diamond where its best scan is as like the lattice as this: noise and scatter may hide it in single ones. */
const LEAST_OF_SIDE = 0.3;
/** Between the highest and the lowest absorbance of a scan of nothing lies its noise. */
const FEATURELESS = 0.01;
/** Absorbance above the quiet part of the scan at which the detector may be saturated. */
const SATURATED = 2.6;
/** No band of diamond, of water or of carbon dioxide: cm^-1. */
const QUIET = [3800, 3990] as const;
/** Share of the bins that must be usable for anything to be said. */
const LEAST_USABLE = 0.5;

const AXIS = referenceAxis();
const binsIn = (bands: readonly (readonly [number, number])[]) =>
  Int32Array.from(AXIS.keys()).filter((j) => bands.some(([from, to]) => AXIS[j] >= from && AXIS[j] <= to));
const BAND = binsIn(PATH_BANDS);
const QUIET_BINS = binsIn([QUIET]);

/** Absorbance of the lattice at the bins of the bands, up to a straight line, by the yardstick of a model's first encoder. */
function latticeOf({ encoders }: Pick<Model, 'encoders'>): Float64Array {
  const { derivative, yardstick } = encoders[0].preprocessing;
  const curve = Float64Array.from(yardstick);
  for (let times = 0; times < derivative; times++) for (let j = 1; j < curve.length; j++) curve[j] += curve[j - 1];
  return Float64Array.from(BAND, (j) => curve[j]);
}

const lattices = new WeakMap<object, Float64Array>();
function keptLattice(model: Pick<Model, 'encoders'>): Float64Array {
  let lattice = lattices.get(model);
  if (!lattice) {
    lattice = latticeOf(model);
    lattices.set(model, lattice);
  }
  return lattice;
}

/**
 * Correlation of a scan with the lattice over the two-phonon bands, both less a straight line. Saturated and missing bins
 * do not count; nothing where too few are left.
 * @param spectra absorbances on the reference axis, 671 from `at`, NaN where nothing was measured
 */
export function latticeLikeness(model: Pick<Model, 'encoders'>, spectra: Float32Array, at: number): number | undefined {
  const lattice = keptLattice(model);
  const limit = quietLevel(spectra, at) + SATURATED;
  let [n, x, xx, y, xy, l, xl, yy, ll, yl] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let i = 0; i < BAND.length; i++) {
    const value = spectra[at + BAND[i]];
    // NaN is above every limit.
    if (!(value <= limit)) continue;
    const place = (BAND[i] - BAND[0]) / REFERENCE_POINTS;
    const shape = lattice[i];
    n++;
    x += place;
    xx += place * place;
    y += value;
    xy += place * value;
    yy += value * value;
    l += shape;
    xl += place * shape;
    ll += shape * shape;
    yl += value * shape;
  }
  if (n < LEAST_USABLE * BAND.length) return undefined;
  const spread = xx - (x * x) / n;
  /** Covariance of two, less the part that both share with the straight line. */
  const without = (ab: number, a: number, b: number, xa: number, xb: number) =>
    ab - (a * b) / n - ((xa - (x * a) / n) * (xb - (x * b) / n)) / spread;
  const scale = Math.sqrt(Math.max(without(yy, y, y, xy, xy), 0) * without(ll, l, l, xl, xl));
  return scale > 0 ? without(yl, y, l, xy, xl) / scale : 0;
}

/** Mean absorbance where nothing absorbs; of a scan that ends before, its lowest in the bands. */
function quietLevel(spectra: Float32Array, at: number): number {
  let [sum, count] = [0, 0];
  for (const j of QUIET_BINS) {
    const value = spectra[at + j];
    if (Number.isNaN(value)) continue;
    sum += value;
    count++;
  }
  if (count > 0) return sum / count;
  let lowest = Number.POSITIVE_INFINITY;
  for (const j of BAND) if (spectra[at + j] < lowest) lowest = spectra[at + j];
  return lowest;
}

/**
 * Of a side (count x 671) that is of no diamond the scan that is least like one; `flat` where there is nothing in it at all.
 */
export function foreignScan(
  model: Pick<Model, 'encoders'>,
  spectra: Float32Array,
  count: number,
): { scan: number; kind: 'flat' | 'not_diamond' } | undefined {
  let [best, least, at] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, -1];
  for (let scan = 0; scan < count; scan++) {
    const likeness = latticeLikeness(model, spectra, scan * REFERENCE_POINTS);
    // A scan that cannot be judged is skipped.
    if (likeness === undefined) continue;
    if (likeness < least) [least, at] = [likeness, scan];
    best = Math.max(best, likeness);
  }
  if (at < 0 || best >= LEAST_OF_SIDE) return undefined;
  return { scan: at, kind: isFeatureless(spectra, at * REFERENCE_POINTS) ? 'flat' : 'not_diamond' };
}

function isFeatureless(spectra: Float32Array, at: number): boolean {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let j = at; j < at + REFERENCE_POINTS; j++) {
    if (spectra[j] < low) low = spectra[j];
    if (spectra[j] > high) high = spectra[j];
  }
  return high - low < FEATURELESS;
}
