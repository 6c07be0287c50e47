import { hash } from 'node:crypto';
import { keptAxis, perAxis } from './axes.js';
import { ENCODER_BLIND, PATH_BANDS, REFERENCE_POINTS, referenceAxis } from './axis.js';
import { faultOfAxis, faultOfValues } from './physical.js';
import { Refusal, type Side, type Unused } from './refusal.js';
import { type AxisPlan, planAxis, type Range, type Sampling } from './sampling.js';
import { type FeatureBins, type ScanKernel, scanKernel } from './scan-kernel.js';

/** One spectrum as submitted: a strictly ascending axis in cm^-1 and as many absorbances. Scans may share an axis. */
export interface Scan {
  wavenumbers: Float64Array;
  absorbance: Float64Array;
  /** The file it came from. */
  file?: string;
}

export interface ScanSet {
  side: Side;
  scans: Scan[];
  /** Distinct stone references in order of appearance. */
  references: string[];
  /** Files beside the scans that hold none. */
  unused?: Unused[];
}

/** Checked scans on the reference axis. */
export interface PreparedScans {
  count: number;
  /** count x 671 absorbances on the reference axis; masked sampling has NaN where nothing was measured. */
  spectra: Float32Array;
  sampling: Sampling;
  /** SHA-256 of the numbers, 64 hex digits; independent of the scans' order and of how they were sent. */
  digest: string;
  /** The same of each scan, in ascending order. */
  scanDigests: string[];
  /** Scans that repeat an earlier one number for number. */
  duplicates: number;
  /** An axis has a hole, or stops short of the reference axis by more than one step of it. */
  shortCoverage: boolean;
  scans: Scan[];
}

/** A checked side, ready for gauges and encoders. */
export interface PreparedSide extends PreparedScans {
  side: Side;
  references: string[];
}

/**
 * Per cent of the information that distinguishes stones, by bands of 100 cm^-1 from 500 on: mutual information between the
 * sides, on simulated stones. A scan with less than MIN_IDENTITY of it let too many wrong claims pass. Both are measured
 * (docs/decisions/sampling.md).
 */
const IDENTITY = [
  6.8, 7.5, 8.1, 8.5, 8.8, 8.6, 1.9, 1.2, 8.1, 9.1, 4.5, 1.6, 0.1, 0, 0, 0, 0, 0, 0.1, 1.1, 0, 0.1, 4.8, 2, 0.1, 4.1,
  6.6, 2.7, 1, 0.8, 0.7, 0.9, 0, 0, 0.1,
];
export const MIN_IDENTITY = 45;
/**
 * The platelet band and its surroundings, cm^-1: where too much of it is missing, two to ten times as many wrong claims
 * pass, however much of the rest is there.
 */
export const ESSENTIAL: Range = [1350, 1530];
export const MIN_ESSENTIAL = 0.75;
/** Fewest points of the bands that give the path length: without it no two scans can be compared. */
const MIN_PATH_POINTS = 20;
/** Ranges that a refusal names. */
const MAX_RANGES = 8;
/** Points by which the longest derivative reaches to either side. */
const REACH = 4;

const AXIS = referenceAxis();
const SEEN = Array.from(AXIS, (w) => !ENCODER_BLIND.some(([from, to]) => w > from && w < to));
/** By reference point: its part of its band's per cent. */
const IDENTITY_AT = (() => {
  const band = (w: number) => Math.floor(w / 100) - 5;
  const points = new Map<number, number>();
  for (const w of AXIS) points.set(band(w), (points.get(band(w)) ?? 0) + 1);
  return Array.from(AXIS, (w) => (IDENTITY[band(w)] ?? 0) / points.get(band(w))!);
})();
const IN_PATH_BAND = Array.from(AXIS, (w) => Number(PATH_BANDS.some(([from, to]) => w >= from && w <= to)));
const IN_ESSENTIAL = Array.from(AXIS, (w) => Number(w >= ESSENTIAL[0] && w <= ESSENTIAL[1]));
const ESSENTIAL_POINTS = IN_ESSENTIAL.reduce((sum, one) => sum + one, 0);
const FLOAT32_EPSILON = 1.2e-7;

/**
 * Checks a side's scans (finite, an absorbance over wavenumbers, not flat), brings them onto the reference axis, finds exact
 * duplicates and takes the digest. Throws a Refusal of kind `unparseable` (no scan, or no absorbance), `non_finite` or `flat`.
 */
export function prepareSide({ side, scans, references }: ScanSet, sampling: Sampling = 'masked'): PreparedSide {
  return { side, references, ...prepareScans(scans, sampling, side) };
}

/** The same of scans that need be no side of a claim. */
export function prepareScans(scans: Scan[], sampling: Sampling, side?: Side): PreparedScans {
  if (scans.length === 0) {
    throw new Refusal('unparseable', { side, reason: 'the side holds no scan', fix: 'send at least one scan' });
  }
  const spectra = new Float32Array(scans.length * REFERENCE_POINTS);
  const planned: Scan[] = [];
  const axes = new Map<Float64Array, PlannedAxis>();
  const hashes: string[] = [];
  let shortCoverage = false;
  const kernel = scanKernel();
  try {
    for (const [index, scan] of scans.entries()) {
      const blame = { side, file: nameOfScan(scans, index) };
      let plan = axes.get(scan.wavenumbers);
      if (plan === undefined) {
        plan = plannedAxis(keptAxis(scan.wavenumbers));
        axes.set(scan.wavenumbers, plan);
      }
      kernel.hold(scan.absorbance);
      checkOrdinates(kernel, plan.wavenumbers, scan.absorbance, blame);
      planned.push(plan.wavenumbers === scan.wavenumbers ? scan : { ...scan, wavenumbers: plan.wavenumbers });
      kernel.sample(plan, sampling, spectra, index * REFERENCE_POINTS);
      checkFeatures(kernel, plan, blame);
      shortCoverage ||= plan.missing.length > 0;
      hashes.push(hash('sha256', kernel.bytes(plan.hash), 'hex'));
    }
  } finally {
    kernel.forget();
  }
  hashes.sort();
  return {
    count: scans.length,
    spectra,
    sampling,
    digest: hash('sha256', hashes.join(), 'hex'),
    scanDigests: hashes,
    duplicates: scans.length - new Set(hashes).size,
    shortCoverage,
    scans: planned,
  };
}

/** The scans once more, as another sampling has them: count x 671. */
export function sampled(scans: readonly Scan[], sampling: Sampling): Float32Array {
  const spectra = new Float32Array(scans.length * REFERENCE_POINTS);
  const kernel = scanKernel();
  const axes = new Map<Float64Array, AxisPlan>();
  for (const [index, { wavenumbers, absorbance }] of scans.entries()) {
    const plan = axes.get(wavenumbers) ?? plannedAxis(keptAxis(wavenumbers));
    axes.set(wavenumbers, plan);
    kernel.hold(absorbance);
    kernel.sample(plan, sampling, spectra, index * REFERENCE_POINTS);
  }
  kernel.forget();
  return spectra;
}

/** The name of a scan in a refusal: its file, else its number among several. */
export const nameOfScan = (scans: readonly Scan[], index: number): string | undefined =>
  scans[index].file ?? (scans.length > 1 ? `scan ${index + 1}` : undefined);

type Blame = { side?: Side; file?: string };

function checkOrdinates(kernel: ScanKernel, wavenumbers: Float64Array, absorbance: Float64Array, blame: Blame): void {
  const found = kernel.check(Number.MAX_VALUE);
  if (found === 'beyond')
    throw new Refusal('non_finite', { ...blame, fix: 'send the measured absorbance at every wavenumber' });
  const fault = faultOfAxis(wavenumbers) ?? faultOfValues(wavenumbers, absorbance);
  if (fault) throw new Refusal('unparseable', { ...blame, ...fault });
  if (found === 'flat') throw new Refusal('flat', { ...blame, fix: 'send a measured absorbance spectrum' });
}

/** Bins are the reference points that are covered and that an encoder sees. */
interface PlannedAxis extends AxisPlan, FeatureBins {
  wavenumbers: Float64Array;
  hash: Buffer;
  /** Too little of the information that distinguishes stones is left. */
  poor: boolean;
}

/** -0 is 0: both have one digest. */
const oneNought = (x: number) => x + 0;

const plannedAxis = perAxis((wavenumbers): PlannedAxis => {
  const plan = planAxis(wavenumbers);
  const bins = Int32Array.from(SEEN.keys()).filter((j) => plan.covered[j] && SEEN[j]);
  let centre = 0;
  for (const j of bins) centre += j / bins.length;
  let variance = 0;
  for (const j of bins) variance += (j - centre) * (j - centre);
  return {
    ...plan,
    wavenumbers,
    hash: hash('sha256', wavenumbers.map(oneNought), 'buffer'),
    bins,
    centre,
    variance,
    poor: !carriesIdentity(plan.covered),
  };
});

/**
 * Refuses a scan that would match any stone: one that lacks most of the information that distinguishes stones, or a
 * straight line (to the rounding of single precision) over the encoders' range. So missing parts can never make two sides
 * equal.
 */
function checkFeatures(kernel: ScanKernel, plan: PlannedAxis, blame: Blame): void {
  if (plan.poor) throw new Refusal('no_identity', { ...blame, reason: `${rangesOf(plan.missing)} cm^-1 missing` });
  if (kernel.hasFeatures(plan, FLOAT32_EPSILON)) return;
  throw new Refusal('flat', {
    ...blame,
    reason: 'nothing but a straight line on the part of the reference axis that carries identity',
    fix: 'send a measured absorbance spectrum over 492 to 5989 cm^-1',
  });
}

/**
 * True if enough of a scan is left for its verdict to rest on.
 * @param covered by reference point, 0 where it is missing
 */
export function carriesIdentity(covered: Uint8Array): boolean {
  const { identity, path, essential } = leftOf(covered);
  return identity >= MIN_IDENTITY && path >= MIN_PATH_POINTS && essential >= MIN_ESSENTIAL;
}

/**
 * For the points that a derivative sees: their per cent of the information that distinguishes stones, how many of them give
 * the path length, and the share of the essential ones.
 */
export function leftOf(covered: Uint8Array): { identity: number; path: number; essential: number } {
  const left = { identity: 0, path: 0, essential: 0 };
  // Points from the last gap, or from the beginning, to the one looked at.
  let run = 0;
  for (let end = 0; end < REFERENCE_POINTS; end++) {
    run = covered[end] ? run + 1 : 0;
    if (run <= 2 * REACH) continue;
    left.identity += IDENTITY_AT[end - REACH];
    left.path += IN_PATH_BAND[end - REACH];
    left.essential += IN_ESSENTIAL[end - REACH] / ESSENTIAL_POINTS;
  }
  return left;
}

/** As 492-1680, 2700-5989. */
export function rangesOf(ranges: readonly Range[]): string {
  const named = ranges.slice(0, MAX_RANGES).map(([from, to]) => `${Math.round(from)}-${Math.round(to)}`);
  const more = ranges.length > MAX_RANGES ? ` and ${ranges.length - MAX_RANGES} more` : '';
  return named.join(', ') + more;
}
