/**
 * Recognises diamond by the absorption of its lattice by two and three phonons, which every diamond has and nothing else.
 * docs/decisions/sampling.md says how the bounds were measured.
 */
import { extremes, quantile } from '#science/numerics/quantile';
import { lowerBound, PATH_BANDS, REFERENCE_POINTS, referenceAxis } from '#science/spectra/axis';
import { TO_ABSORBANCE } from '#science/spectra/physical';
import { Refusal, type RefusalCause } from '#science/spectra/refusal';
import type { Range } from '#science/spectra/sampling';
import { nameOfScan, type PreparedScans, rangesOf } from '#science/spectra/scan-set';
import type { Preprocessing } from './preprocess.js';

/**
 * What makes a scan one of diamond; a side is of diamond where one of its scans or their mean is, as noise and scatter
 * may hide it in others. Correlation with the lattice over both two-phonon bands, and with all of it up to 3990 cm^-1; height
 * of the upper band against the lower one, as a share of the lattice's; and where the scan is saturated, correlation over the
 * upper band, which is the last to be so. Where the heights do not fit, correlation with all that lies above the lower band.
 */
const LIKENESS = 0.65;
const WHOLE_LIKENESS = 0.2;
const UPPER_SHARE = [0.15, 8] as const;
const UPPER_LIKENESS = 0.3;
const ABOVE_LIKENESS = 0.6;
/**
 * The lower and the upper band by itself have these correlations with the lattice, or the scan grows darker in the order in which the lattice
 * absorbs, as through any mixture of paths and beside any light: a rank correlation of `sure`, or of `least` where each band by
 * itself is a little like the lattice's too.
 */
const BAND_LIKENESS = [0.8, 0.65] as const;
const ORDER = { sure: 0.82, least: 0.72, lower: 0.1, upper: 0 } as const;
/** Between the highest and the lowest absorbance of a scan of nothing lies its noise. */
const FEATURELESS = 0.01;
/** Absorbance above the quiet part of the scan at which the detector may be saturated. */
const SATURATED = 2.6;
/**
 * Light that passes by a stone ends its bands in a plateau, at whatever absorbance: so many of the bins lie within the upper
 * end of the range from a low to a high quantile. A scan that is none of diamond is then cut off a little below.
 */
const PLATEAU = { quantiles: [0.02, 0.9], share: 0.4, within: 0.12, cut: 0.15 } as const;
/** No band of diamond, of water or of carbon dioxide: cm^-1. */
const QUIET = [3800, 3990] as const;
/** Share of a band's bins that must be there, and of all of them that may be saturated. */
const LEAST_THERE = 0.5;
const MOST_SATURATED = 0.9;

const AXIS = referenceAxis();
const binsIn = (bands: readonly Range[]) =>
  Int32Array.from(AXIS.keys()).filter((j) => bands.some(([from, to]) => AXIS[j] >= from && AXIS[j] <= to));
const BOTH = binsIn(PATH_BANDS);
const [LOWER, UPPER] = PATH_BANDS.map((band) => binsIn([band]));
const QUIET_BINS = binsIn([QUIET]);
/** Above the lower band, cm^-1: the upper one, its edge at 2665, and three phonons; hydrocarbons at 2840-2970 are left out. */
const ABOVE_BINS = binsIn([
  [2400, 2830],
  [2980, 3990],
]);
const WHOLE_BINS = Int32Array.of(...binsIn([[1500, 2300]]), ...ABOVE_BINS);

/** The two-phonon bands and where diamond absorbs less on either side, without the bending of water. */
const ORDER_BINS = binsIn([
  [1500, 1600],
  [1680, 2300],
  [2400, 2830],
]);

/** The lattice at some bins, up to a straight line, and the same in ascending order. */
interface Shape {
  bins: Int32Array;
  lattice: Float64Array;
  sorted: Float64Array;
}

type Yardstick = Pick<Preprocessing, 'derivative' | 'yardstick'>;

/** Absorbance of the lattice by the yardstick of an encoder. */
function shapesOf({ derivative, yardstick }: Yardstick) {
  const curve = Float64Array.from(yardstick);
  for (let times = 0; times < derivative; times++) for (let j = 1; j < curve.length; j++) curve[j] += curve[j - 1];
  const shape = (bins: Int32Array) => {
    const lattice = Float64Array.from(bins, (j) => curve[j]);
    return { bins, lattice, sorted: lattice.slice().sort() };
  };
  return {
    curve,
    both: shape(BOTH),
    lower: shape(LOWER),
    upper: shape(UPPER),
    whole: templateOf(curve, WHOLE_BINS),
    above: templateOf(curve, ABOVE_BINS),
    ranks: ranksOf(curve, 0, ORDER_BINS),
  };
}

/**
 * The lattice at some bins less a parabola, which slopes and scatter are like; and level, slope and curvature. All four are
 * of length 1 and orthogonal.
 */
interface Template {
  bins: Int32Array;
  parts: readonly [lattice: Float64Array, ...parabola: Float64Array[]];
}

function templateOf(curve: Float64Array, bins: Int32Array): Template {
  const parabola: Float64Array[] = [];
  const left = (values: Float64Array) => {
    for (const one of parabola) {
      const shared = dot(values, one);
      for (let i = 0; i < values.length; i++) values[i] -= shared * one[i];
    }
    const length = Math.sqrt(dot(values, values));
    return values.map((value) => value / length);
  };
  for (const power of [0, 1, 2]) parabola.push(left(Float64Array.from(bins, (j) => (j / REFERENCE_POINTS) ** power)));
  return { bins, parts: [left(Float64Array.from(bins, (j) => curve[j])), ...parabola] };
}

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + value * b[i], 0);

/** Correlation of a scan with the lattice, both less a parabola; nothing where a bin was not measured. */
function likenessTo({ bins, parts }: Template, spectra: Float32Array, at: number, limit: number): number | undefined {
  const [lattice, level, slope, curvature] = parts;
  let [all, shared, first, second, third] = [0, 0, 0, 0, 0];
  for (let i = 0; i < bins.length; i++) {
    const value = Math.min(spectra[at + bins[i]], limit);
    all += value * value;
    shared += value * lattice[i];
    first += value * level[i];
    second += value * slope[i];
    third += value * curvature[i];
  }
  const own = all - first * first - second * second - third * third;
  if (Number.isNaN(own)) return undefined;
  return own > TINY * all ? shared / Math.sqrt(own) : 0;
}

/** Rank correlation of a scan with the lattice; nothing where too little was measured. */
function orderOf({ curve, ranks }: Lattice, spectra: Float32Array, at: number): number | undefined {
  const bins = ORDER_BINS.filter((j) => !Number.isNaN(spectra[at + j]));
  if (bins.length < LEAST_THERE * ORDER_BINS.length) return undefined;
  const scan = ranksOf(spectra, at, bins);
  const lattice = bins.length === ORDER_BINS.length ? ranks : ranksOf(curve, 0, bins);
  const all = dot(scan, scan) * dot(lattice, lattice);
  return all > 0 ? dot(scan, lattice) / Math.sqrt(all) : 0;
}

/** Ranks of the values at some bins, less their mean; equal values have one. */
function ranksOf(of: ArrayLike<number>, at: number, bins: Int32Array): Float64Array {
  const values = Float64Array.from(bins, (j) => of[at + j]);
  const sorted = values.slice().sort();
  const ranks = values.map((value) => lowerBound(sorted, value));
  const mean = ranks.reduce((sum, rank) => sum + rank, 0) / ranks.length;
  return ranks.map((rank) => rank - mean);
}

type Lattice = ReturnType<typeof shapesOf>;

const kept = new WeakMap<object, Lattice>();
function keptShapes(of: Yardstick): Lattice {
  let shapes = kept.get(of);
  if (!shapes) {
    shapes = shapesOf(of);
    kept.set(of, shapes);
  }
  return shapes;
}

/** A scan against the lattice at some bins, both less a straight line and, where the scan is saturated, cut off alike. */
interface Comparison {
  likeness: number;
  /** Height of the scan's band in that of the lattice; 0 where the lattice has none left. */
  height: number;
  saturated: number;
}

/** Nothing where too few of the bins were measured. */
function compare(
  spectra: Float32Array,
  at: number,
  { bins, lattice, sorted }: Shape,
  limit: number,
): Comparison | undefined {
  let [n, above] = [0, 0];
  for (let i = 0; i < bins.length; i++) {
    const value = spectra[at + bins[i]];
    if (Number.isNaN(value)) continue;
    n++;
    if (value > limit) above++;
  }
  if (n < LEAST_THERE * bins.length) return undefined;
  const cut =
    above === 0 ? Number.POSITIVE_INFINITY : sorted[Math.max(0, Math.floor((1 - above / n) * sorted.length) - 1)];
  let [x, xx, y, xy, l, xl, yy, ll, yl] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let i = 0; i < bins.length; i++) {
    const measured = spectra[at + bins[i]];
    if (Number.isNaN(measured)) continue;
    const value = Math.min(measured, limit);
    const shape = Math.min(lattice[i], cut);
    const place = (bins[i] - bins[0]) / REFERENCE_POINTS;
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
  const spread = xx - (x * x) / n;
  /** Covariance of two, less the part that both share with the straight line. */
  const without = (ab: number, a: number, b: number, xa: number, xb: number) =>
    ab - (a * b) / n - ((xa - (x * a) / n) * (xb - (x * b) / n)) / spread;
  const shared = without(yl, y, l, xy, xl);
  const own = Math.max(without(ll, l, l, xl, xl), 0);
  const scale = Math.sqrt(Math.max(without(yy, y, y, xy, xy), 0) * own);
  return {
    likeness: scale > 0 ? shared / scale : 0,
    height: own > TINY * Math.max(ll, 1e-300) ? shared / own : 0,
    saturated: above / n,
  };
}

/** Rounding of a variance against its squares. */
const TINY = 1e-12;

/** What the lattice says of a scan. */
export interface LatticeLook {
  diamond: boolean;
  /** Correlation with the lattice, -1 to 1. */
  likeness: number;
  /** Height of the upper band as a share of the lattice's, the lower one's being 1; infinite where that is all saturated. */
  upper: number;
  /** Share of the bins that are saturated. */
  saturated: number;
}

/**
 * Looks at a scan's lattice; nothing where too little of its two-phonon bands was measured or is not saturated.
 * @param spectra absorbances on the reference axis, 671 from `at`, NaN where nothing was measured
 */
export function lookAtLattice(of: Yardstick, spectra: Float32Array, at: number): LatticeLook | undefined {
  const shapes = keptShapes(of);
  const look = lookBelow(quietLevel(spectra, at) + SATURATED, shapes, spectra, at);
  if (look === undefined || look.diamond) return look;
  const cut = cutOfPlateau(spectra, at);
  const below = cut === undefined ? undefined : lookBelow(cut, shapes, spectra, at);
  return below?.diamond ? below : look;
}

function cutOfPlateau(spectra: Float32Array, at: number): number | undefined {
  const values = Float64Array.from(BOTH, (j) => spectra[at + j])
    .filter((value) => !Number.isNaN(value))
    .sort();
  const [low, high] = PLATEAU.quantiles.map((share) => quantile(values, share));
  const flat = values.filter((value) => value > high - PLATEAU.within * (high - low)).length;
  return flat >= PLATEAU.share * values.length ? high - PLATEAU.cut * (high - low) : undefined;
}

/** @param limit absorbance above which the scan is saturated */
function lookBelow(limit: number, shapes: Lattice, spectra: Float32Array, at: number): LatticeLook | undefined {
  const both = compare(spectra, at, shapes.both, limit);
  const lower = compare(spectra, at, shapes.lower, limit);
  const upper = compare(spectra, at, shapes.upper, limit);
  if (!both || !lower || !upper || both.saturated > MOST_SATURATED) return undefined;
  const { likeness, saturated } = both;
  const share = lower.height === 0 ? Number.POSITIVE_INFINITY : upper.height / lower.height;
  const [least, most] = UPPER_SHARE;
  const inShape = share >= least && (saturated > 0 ? upper.likeness >= UPPER_LIKENESS : share <= most);
  // A scan that ends too early for these is judged without them.
  const like = (template: Template) => likenessTo(template, spectra, at, limit);
  const inOrder = () => {
    // A saturated lower band says nothing by itself.
    const alike = (saturated > 0 || lower.likeness >= ORDER.lower) && upper.likeness >= ORDER.upper;
    return (orderOf(shapes, spectra, at) ?? 1) >= (alike ? ORDER.least : ORDER.sure);
  };
  const diamond =
    likeness >= LIKENESS &&
    (like(shapes.whole) ?? 1) >= WHOLE_LIKENESS &&
    (inShape || (like(shapes.above) ?? -1) >= ABOVE_LIKENESS) &&
    ((lower.likeness >= BAND_LIKENESS[0] && upper.likeness >= BAND_LIKENESS[1]) || inOrder());
  return { diamond, likeness, upper: share, saturated };
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
  for (const j of BOTH) if (spectra[at + j] < lowest) lowest = spectra[at + j];
  return lowest;
}

/**
 * Refuses scans of one stone, or of a side, of which none is one of diamond: `flat` where there is nothing in it at all,
 * else `not_diamond`, blamed on the scan that is least like one.
 * @param cause what else is to blame
 */
export function refuseForeign(
  { scans, spectra, count }: Pick<PreparedScans, 'scans' | 'spectra' | 'count'>,
  of: Yardstick,
  cause: Pick<RefusalCause, 'side'> = {},
): void {
  let [least, best, at] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1];
  for (let scan = 0; scan < count; scan++) {
    const look = lookAtLattice(of, spectra, scan * REFERENCE_POINTS);
    if (!look) continue;
    if (look.diamond) return;
    if (look.likeness < least) [least, at] = [look.likeness, scan];
    best = Math.max(best, look.likeness);
  }
  if (count > 1 && lookAtLattice(of, meanScan(spectra, count), 0)?.diamond) return;
  const bands = `the absorption of its lattice (${rangesOf(PATH_BANDS)} cm^-1)`;
  const blame = (scan: number) => ({ ...cause, file: nameOfScan(scans, scan) });
  if (at < 0)
    throw new Refusal('not_diamond', {
      ...blame(0),
      reason: `${bands} cannot be judged: too much of it is missing or saturated`,
      fix: 'send absorbance scans that hold both bands, measured through less of the stone if they are saturated',
    });
  if (isFeatureless(spectra, at * REFERENCE_POINTS))
    throw new Refusal('flat', { ...blame(at), fix: 'send a measured absorbance spectrum over 492 to 5989 cm^-1' });
  if (best <= -LIKENESS)
    throw new Refusal('not_diamond', {
      ...blame(at),
      reason: `${bands} is upside down, as in transmittance`,
      fix: TO_ABSORBANCE,
    });
  throw new Refusal('not_diamond', {
    ...blame(at),
    reason: `${bands} is absent`,
    fix: 'send absorbance scans of the stone itself',
  });
}

/** By reference point; NaN where a scan was not measured. */
function meanScan(spectra: Float32Array, count: number): Float32Array {
  const mean = new Float32Array(REFERENCE_POINTS);
  for (let i = 0; i < count * REFERENCE_POINTS; i++) mean[i % REFERENCE_POINTS] += spectra[i] / count;
  return mean;
}

function isFeatureless(spectra: Float32Array, at: number): boolean {
  const [low, high] = extremes(spectra.subarray(at, at + REFERENCE_POINTS));
  return high - low < FEATURELESS;
}
