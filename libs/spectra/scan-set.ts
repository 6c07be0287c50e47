import { hash } from 'node:crypto';
import {
  ENCODER_BLIND,
  REFERENCE_FIRST,
  REFERENCE_LAST,
  REFERENCE_POINTS,
  REFERENCE_STEP,
  referenceAxis,
} from './axis.js';
import { Refusal, type Side } from './refusal.js';
import { finish, finishSliced, STEP_BYTES, type Work } from './slices.js';

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
}

/** A checked side, ready for gauges and encoders. */
export interface PreparedSide {
  side: Side;
  count: number;
  /** count x 671 absorbances on the reference axis. */
  spectra: Float32Array;
  /** SHA-256 of the numbers, 64 hex digits; independent of the scans' order and of how they were sent. */
  digest: string;
  /** Scans that repeat an earlier one number for number. */
  duplicates: number;
  /** An axis stops short of the reference axis by more than one step of it. */
  shortCoverage: boolean;
  references: string[];
  scans: Scan[];
}

/** Beyond this a value is no absorbance, and single precision arithmetic on its squares runs over. */
export const LARGEST_ABSORBANCE = 1e6;
/** Reference points that the encoders see and the axis must reach: a view window (9 points) on either side and some. */
export const LEAST_COVERED_POINTS = 20;

const AXIS = referenceAxis();
const SEEN = AXIS.map((w) => Number(!ENCODER_BLIND.some(([from, to]) => w > from && w < to)));
const FLOAT32_EPSILON = 1.2e-7;

/**
 * Checks a side's scans (finite, not flat), interpolates them linearly onto the reference axis with edge fill, finds
 * exact duplicates and takes the digest. Throws a Refusal of kind `unparseable` (no scan), `non_finite` or `flat`.
 */
export function prepareSide(set: ScanSet): PreparedSide {
  return finish(prepare(set));
}

/** `prepareSide` for large sets: gives the event loop a turn every few scans. */
export function prepareSideSliced(set: ScanSet): Promise<PreparedSide> {
  return finishSliced(prepare(set));
}

function* prepare({ side, scans, references }: ScanSet): Work<PreparedSide> {
  if (scans.length === 0) {
    throw new Refusal('unparseable', { side, reason: 'the side holds no scan', fix: 'send at least one scan' });
  }
  const spectra = new Float32Array(scans.length * REFERENCE_POINTS);
  const axes = new Map<Float64Array, AxisPlan>();
  const hashes: string[] = [];
  let shortCoverage = false;
  let touched = 0;
  for (const [index, scan] of scans.entries()) {
    touched += 8 * scan.absorbance.length;
    if (touched > STEP_BYTES) {
      touched = 0;
      yield;
    }
    const blame = { side, file: scan.file ?? (scans.length > 1 ? `scan ${index + 1}` : undefined) };
    checkOrdinates(scan.absorbance, blame);
    let plan = axes.get(scan.wavenumbers);
    if (plan === undefined) {
      plan = planAxis(scan.wavenumbers);
      axes.set(scan.wavenumbers, plan);
    }
    const spectrum = spectra.subarray(index * REFERENCE_POINTS, (index + 1) * REFERENCE_POINTS);
    interpolate(scan.absorbance, plan, spectrum);
    checkFeatures(spectrum, plan, blame);
    shortCoverage ||= plan.short;
    hashes.push(hash('sha256', bytesOf(scan.absorbance, plan.hash), 'hex'));
  }
  hashes.sort();
  return {
    side,
    count: scans.length,
    spectra,
    digest: hash('sha256', hashes.join(), 'hex'),
    duplicates: scans.length - new Set(hashes).size,
    shortCoverage,
    references,
    scans,
  };
}

type Blame = { side: Side; file?: string };

function checkOrdinates(absorbance: Float64Array, blame: Blame): void {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let usable = true;
  for (let i = 0; i < absorbance.length; i++) {
    const y = absorbance[i];
    if (!(y >= -LARGEST_ABSORBANCE && y <= LARGEST_ABSORBANCE)) usable = false;
    if (y < low) low = y;
    if (y > high) high = y;
  }
  if (!usable) {
    const finite = absorbance.every(Number.isFinite);
    throw new Refusal('non_finite', {
      ...blame,
      reason: finite ? 'values beyond 1e6 are no absorbance and overflow in the computation' : undefined,
      fix: 'send the measured absorbance at every wavenumber',
    });
  }
  if (low === high) throw new Refusal('flat', { ...blame, fix: 'send a measured absorbance spectrum' });
}

interface AxisPlan {
  /** Spectrum value j = y[at[j]] + part[j] (y[at[j] + 1] - y[at[j]]). */
  at: Int32Array;
  part: Float64Array;
  /** Reference points that the encoders see and the axis reaches, [from, to) in reference points. */
  from: number;
  to: number;
  seen: number;
  short: boolean;
  hash: Buffer;
}

function planAxis(wavenumbers: Float64Array): AxisPlan {
  const last = wavenumbers.length - 1;
  const at = new Int32Array(REFERENCE_POINTS);
  const part = new Float64Array(REFERENCE_POINTS);
  let from = REFERENCE_POINTS;
  let to = 0;
  let seen = 0;
  let i = 0;
  for (let j = 0; j < REFERENCE_POINTS; j++) {
    const w = AXIS[j];
    if (w >= wavenumbers[0] && w <= wavenumbers[last]) {
      from = Math.min(from, j);
      to = j + 1;
      seen += SEEN[j];
    }
    while (i < last && wavenumbers[i + 1] <= w) i++;
    at[j] = i;
    if (i < last && w > wavenumbers[i]) part[j] = (w - wavenumbers[i]) / (wavenumbers[i + 1] - wavenumbers[i]);
  }
  const short =
    wavenumbers[0] > REFERENCE_FIRST + REFERENCE_STEP || wavenumbers[last] < REFERENCE_LAST - REFERENCE_STEP;
  return { at, part, from, to, seen, short, hash: hash('sha256', bytesOf(wavenumbers), 'buffer') };
}

function interpolate(absorbance: Float64Array, { at, part }: AxisPlan, out: Float32Array): void {
  for (let j = 0; j < REFERENCE_POINTS; j++) {
    const y = absorbance[at[j]];
    out[j] = part[j] === 0 ? y : y + part[j] * (absorbance[at[j] + 1] - y);
  }
}

/**
 * Refuses what would match any stone: too little of the axis under the encoders' eyes, or a straight line (to the
 * rounding of single precision) on what they see of it. Edge fill can so never make two sides equal.
 */
function checkFeatures(spectrum: Float32Array, { from, to, seen }: AxisPlan, blame: Blame): void {
  if (seen < LEAST_COVERED_POINTS) {
    throw new Refusal('flat', {
      ...blame,
      reason: `the axis reaches ${seen} of the reference points from 492.23 to 5988.79 cm^-1 that carry identity`,
      fix: 'send the full range, with wavenumbers in cm^-1',
    });
  }
  const middle = (from + to - 1) / 2;
  let mean = 0;
  let centre = 0;
  for (let j = from; j < to; j++) {
    mean += SEEN[j] * spectrum[j];
    centre += SEEN[j] * (j - middle);
  }
  mean /= seen;
  centre = centre / seen + middle;
  let covariance = 0;
  let variance = 0;
  for (let j = from; j < to; j++) {
    covariance += SEEN[j] * (j - centre) * (spectrum[j] - mean);
    variance += SEEN[j] * (j - centre) * (j - centre);
  }
  const slope = covariance / variance;
  let departure = 0;
  let largest = 0;
  for (let j = from; j < to; j++) {
    if (SEEN[j] === 0) continue;
    departure = Math.max(departure, Math.abs(spectrum[j] - mean - slope * (j - centre)));
    largest = Math.max(largest, Math.abs(spectrum[j]));
  }
  if (departure <= FLOAT32_EPSILON * largest) {
    throw new Refusal('flat', {
      ...blame,
      reason: 'nothing but a straight line on the part of the reference axis that carries identity',
      fix: 'send a measured absorbance spectrum over 492 to 5989 cm^-1',
    });
  }
}

/** A head, and behind it the numbers' bytes with one zero only, so that -0 and 0 have one digest. */
function bytesOf(numbers: Float64Array, head?: Uint8Array): Uint8Array {
  const before = head ? head.length / 8 : 0;
  const copy = new Float64Array(before + numbers.length);
  const bytes = new Uint8Array(copy.buffer);
  if (head) bytes.set(head);
  for (let i = 0; i < numbers.length; i++) copy[before + i] = numbers[i] + 0;
  return bytes;
}
