import { interpolatedQuantile, ranked } from '#science/numerics/quantile';
import { perAxis } from '../axes.js';
import { lowerBound, REFERENCE_POINTS, REFERENCE_STEP, referenceAxis } from '../axis.js';
import { DETAIL, ONE_SIDED, RESIDUAL } from './constants.js';
import { FITTED, type FittedConstants } from './fitted.js';
import { isClear, saturationOf } from './saturation.js';
import { breaksOf, evenStep, type GaugedScan, type GaugedSide, isWhole, latticeVariance } from './scan.js';
import { WindowTransform } from './window-transform.js';

const HARMONICS = [...DETAIL.low, ...DETAIL.middle, ...DETAIL.high];
const HOP = DETAIL.width / 2;
const WINDOWS = Math.floor((DETAIL.last - DETAIL.first) / HOP) - 1;
/** Windows that begin beyond a diamond's absorption. */
const CLEAR_WINDOWS = WINDOWS - Math.ceil((4000 - DETAIL.first) / HOP);
const REFERENCE_AXIS = referenceAxis();
/** Keeps logarithms finite on values squared past the range of doubles, or down to nothing. */
const MIN_POWER = 1e-24;
const MAX_POWER = 1e30;

/** One transform a window length: some 60 of them, under 1 MB in all. */
const transforms = new Map<number, WindowTransform>();

/** The departure of a scan's noise from that of directly acquired data. */
export interface NoiseCharacter {
  /** Near 0 on unprocessed scans, strongly negative where detail was removed. */
  detail: number;
  /**
   * Root power of the high band where it is least, in absorbance at the reference axis's step; Infinity if unknown. Where the
   * first look stood above its band it is that of the middle one: an interferogram of broad lines may end before the high band.
   */
  floor: number;
}

/**
 * Band powers of each window of a scan: log10 of middle over low and of middle over high, and the root power of the floor's band.
 */
const middleOverLow = new Float64Array(WINDOWS);
const middleOverHigh = new Float64Array(WINDOWS);
const floor = new Float64Array(WINDOWS);
const order = new Float64Array(WINDOWS);

/**
 * A look at a side: the first takes all windows, the second only unsaturated ones. Where the first stood above the band, the
 * second counts a ratio further, so that it says by how much.
 */
export type Look = 'first' | 'second' | 'second, above';

/** Per scan; null where its axis is too short to measure it, or too few of its windows can be judged. */
export function noiseCharacters({ scans, spectra, sampling }: GaugedSide, look: Look): (NoiseCharacter | null)[] {
  const fitted = FITTED[sampling];
  return scans.map((scan, index) => {
    const plan = ownWindows(scan.wavenumbers);
    if (plan) {
      const starts = look === 'first' ? plan.starts : unsaturated(scan, plan);
      return characterOf(measureBands(scan.absorbance, plan, starts, look), plan.starts.length, fitted, look);
    }
    const row = spectra.subarray(index * REFERENCE_POINTS, (index + 1) * REFERENCE_POINTS);
    const { wavenumbers, absorbance } = onReferenceAxis(scan, row);
    const whole = windowsOf(wavenumbers, REFERENCE_STEP);
    const character = characterOf(
      measureBands(absorbance, whole, whole.starts, look),
      whole.starts.length,
      fitted,
      look,
    );
    // Straight lines between far points thin the high band out: it says nothing of the noise floor.
    return character && { detail: character.detail, floor: Number.POSITIVE_INFINITY };
  });
}

/** A scan on an uneven or too coarse axis as the encoders get it, as far as it goes. */
function onReferenceAxis({ wavenumbers }: GaugedScan, row: Float32Array): GaugedScan {
  const from = lowerBound(REFERENCE_AXIS, wavenumbers[0]);
  const to = Math.max(from, lowerBound(REFERENCE_AXIS, wavenumbers[wavenumbers.length - 1]));
  const measured = (_: number, i: number) => !Number.isNaN(row[from + i]);
  return {
    wavenumbers: REFERENCE_AXIS.subarray(from, to).filter(measured),
    absorbance: Float64Array.from(row.subarray(from, to)).filter((value) => !Number.isNaN(value)),
  };
}

/** The windows without a saturated point. */
const unsaturated = (scan: GaugedScan, { block, points, starts }: WindowPlan): number[] => {
  const saturation = saturationOf(scan);
  return starts.filter((start) => isClear(scan.absorbance, saturation, start * block, (start + points) * block));
};

/** @param onAxis windows that the axis holds, of which `windows` were measured */
function characterOf(windows: number, onAxis: number, fitted: FittedConstants, look: Look): NoiseCharacter | null {
  if (windows < DETAIL.minWindows) return null;
  const used = Math.min(windows, Math.round(onAxis * DETAIL.share));
  order.set(middleOverLow);
  const min = ranked(order.subarray(0, windows), windows - used);
  const { lowResolution, scale } = RESIDUAL;
  const max = look === 'second, above' ? RESIDUAL.max + ONE_SIDED : RESIDUAL.max;
  let ratio = 0;
  let resolution = 0;
  let counted = 0;
  for (let w = 0; w < windows; w++) {
    if (middleOverLow[w] < min || counted === used) continue;
    ratio += Math.min(max, middleOverLow[w]);
    resolution += Math.min(2, middleOverHigh[w]);
    counted++;
  }
  const decades = Math.max(0, resolution / used - lowResolution.free);
  const lifted = Math.min(lowResolution.max, lowResolution.perDecade * decades);
  const missing = Math.min(1, (WINDOWS - onAxis) / CLEAR_WINDOWS);
  return {
    detail: scale * (ratio / used + fitted.detailOffset + lifted + fitted.shortAxis * missing),
    floor: interpolatedQuantile(floor.subarray(0, windows), DETAIL.floorQuantile),
  };
}

/** The windows of an axis: points in blocks of so many, and the blocks with which windows begin. */
interface WindowPlan {
  block: number;
  /** Step of the blocks, cm^-1. */
  step: number;
  points: number;
  starts: number[];
}

/** Half-overlapping windows of 262.5 cm^-1 between 700 and 5950 cm^-1 without missing rows, as far as the axis goes. */
function windowsOf(wavenumbers: Float64Array, submittedStep: number): WindowPlan {
  const block = Math.max(1, Math.floor(DETAIL.finestStep / submittedStep));
  const step = submittedStep * block;
  const points = 4 * Math.round(DETAIL.width / step / 4);
  const blocks = Math.floor(wavenumbers.length / block);
  const breaks = breaksOf(wavenumbers, submittedStep);
  const starts: number[] = [];
  for (let w = 0; w < WINDOWS; w++) {
    const start = Math.floor(lowerBound(wavenumbers, DETAIL.first + w * HOP) / block);
    if (start + points > blocks || start === starts.at(-1)) continue;
    if (isWhole(breaks, start * block, (start + points) * block)) starts.push(start);
  }
  return { block, step, points, starts };
}

/** Windows of an axis that is measured as it was submitted: even, and not too coarse. */
const ownWindows = perAxis((wavenumbers): WindowPlan | null => {
  const step = evenStep(wavenumbers);
  return step !== null && step <= DETAIL.coarsestStep ? windowsOf(wavenumbers, step) : null;
});

/** Measures the bands of the windows at some of the plan's starts from their periodograms. @returns how many there are */
function measureBands(
  absorbance: Float64Array,
  { block, step, points }: WindowPlan,
  starts: number[],
  look: Look,
): number {
  if (starts.length < DETAIL.minWindows) return 0;
  let transform = transforms.get(points);
  if (!transform) {
    transform = new WindowTransform(points, HARMONICS);
    transforms.set(points, transform);
  }
  const samples = block === 1 ? absorbance : blockMeans(absorbance, block, Math.floor(absorbance.length / block));
  // Unprocessed exports with few decimals hide their noise under the lattice: its own noise stands in for it.
  const lattice = latticeVariance(absorbance) / block;
  const density = step / REFERENCE_STEP;
  const powers = transform.powers(samples, starts);
  for (let w = 0, at = 0; w < starts.length; w++, at += HARMONICS.length) {
    const low = band(powers, at, DETAIL.low.length, lattice);
    const middle = band(powers, at + DETAIL.low.length, DETAIL.middle.length, lattice);
    const high = band(powers, at + DETAIL.low.length + DETAIL.middle.length, DETAIL.high.length, lattice);
    middleOverLow[w] = Math.log10(middle / low);
    middleOverHigh[w] = Math.log10(middle / high);
    floor[w] = Math.sqrt((look === 'second, above' ? middle : high) * density);
  }
  return starts.length;
}

function band(powers: Float64Array, from: number, length: number, lattice: number): number {
  let sum = 0;
  for (let h = from; h < from + length; h++) sum += powers[h];
  const mean = sum / length + lattice;
  return mean < MAX_POWER ? Math.max(MIN_POWER, mean) : MAX_POWER;
}

function blockMeans(values: Float64Array, block: number, blocks: number): Float64Array {
  const means = new Float64Array(blocks);
  for (let b = 0, i = 0; b < blocks; b++) {
    let sum = 0;
    for (const end = i + block; i < end; i++) sum += values[i];
    means[b] = sum / block;
  }
  return means;
}
