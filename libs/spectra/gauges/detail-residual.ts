import { REFERENCE_STEP } from '../axis.js';
import { DETAIL, DETAIL_FIT } from './constants.js';
import { quantile } from './quantile.js';
import { type GaugedScan, latticeVariance, lowerBound, typicalStep } from './scan.js';
import { WindowTransform } from './window-transform.js';

const HARMONICS = [...DETAIL.low, ...DETAIL.middle, ...DETAIL.high];
const HOP = DETAIL.width / 2;
const WINDOWS = Math.floor((DETAIL.last - DETAIL.first) / HOP) - 1;
/** Windows that begin beyond a diamond's absorption. */
const CLEAR_WINDOWS = WINDOWS - Math.ceil((4000 - DETAIL.first) / HOP);
/** Keeps logarithms finite on values squared past the range of doubles, or down to nothing. */
const LEAST_POWER = 1e-24;
const MOST_POWER = 1e30;

/** One transform a window length: some 60 of them, under 1 MB in all. */
const transforms = new Map<number, WindowTransform>();
const powers = new Float64Array(HARMONICS.length);

/** How far a scan's noise departs from that of directly acquired data. */
export interface NoiseCharacter {
  /** Near 0 on honest scans, strongly negative where detail was removed. */
  detail: number;
  /** Decades by which the noise floor lies under any instrument's; 0 on honest scans. */
  missingFloor: number;
}

/** Of each window: log10 of middle over low and of middle over high band power, and the high band's root power. */
export interface WindowBands {
  middleOverLow: Float64Array;
  middleOverHigh: Float64Array;
  floor: Float64Array;
}

/** Null where the scan's axis is too short or too coarse to measure it. */
export function noiseCharacter(scan: GaugedScan): NoiseCharacter | null {
  const bands = windowBands(scan);
  return bands && characterOf(bands);
}

export function characterOf({ middleOverLow, middleOverHigh, floor }: WindowBands): NoiseCharacter {
  const windows = middleOverLow.length;
  const used = Math.round(windows * DETAIL.share);
  const least = middleOverLow.slice().sort()[windows - used];
  const { most, lowResolution, scale, offset, shortAxis, leastFloor } = DETAIL_FIT;
  let ratio = 0;
  let resolution = 0;
  let counted = 0;
  for (let w = 0; w < windows; w++) {
    if (middleOverLow[w] < least || counted === used) continue;
    ratio += Math.min(most, middleOverLow[w]);
    resolution += Math.min(2, middleOverHigh[w]);
    counted++;
  }
  const decades = Math.max(0, resolution / used - lowResolution.free);
  const lifted = Math.min(lowResolution.most, lowResolution.perDecade * decades);
  const missing = Math.min(1, (WINDOWS - windows) / CLEAR_WINDOWS);
  return {
    detail: scale * (ratio / used + offset + lifted + shortAxis * missing),
    missingFloor: Math.max(0, Math.log10(leastFloor / quantile(floor, DETAIL.floorQuantile))),
  };
}

/** Periodograms of half-overlapping windows of 262.5 cm^-1 between 700 and 5950 cm^-1, as far as the axis goes. */
export function windowBands(scan: GaugedScan): WindowBands | null {
  const submittedStep = typicalStep(scan.wavenumbers);
  if (!(submittedStep <= DETAIL.coarsestStep)) return null;
  const block = Math.max(1, Math.floor(DETAIL.finestStep / submittedStep));
  const step = submittedStep * block;
  const points = 4 * Math.round(DETAIL.width / step / 4);
  const blocks = Math.floor(scan.absorbance.length / block);
  const starts: number[] = [];
  for (let w = 0; w < WINDOWS; w++) {
    const start = Math.floor(lowerBound(scan.wavenumbers, DETAIL.first + w * HOP) / block);
    if (start + points <= blocks && start !== starts.at(-1)) starts.push(start);
  }
  if (starts.length < DETAIL.fewestWindows) return null;
  let transform = transforms.get(points);
  if (!transform) {
    transform = new WindowTransform(points, HARMONICS);
    transforms.set(points, transform);
  }
  const samples = block === 1 ? scan.absorbance : blockMeans(scan.absorbance, block, blocks);
  // Honest exports with few decimals hide their noise under the lattice: its own noise stands in for it.
  const lattice = latticeVariance(scan.absorbance) / block;
  const density = step / REFERENCE_STEP;
  const bands = {
    middleOverLow: new Float64Array(starts.length),
    middleOverHigh: new Float64Array(starts.length),
    floor: new Float64Array(starts.length),
  };
  starts.forEach((start, w) => {
    transform.powers(samples, start, powers, 0);
    const low = band(0, DETAIL.low.length, lattice);
    const middle = band(DETAIL.low.length, DETAIL.middle.length, lattice);
    const high = band(DETAIL.low.length + DETAIL.middle.length, DETAIL.high.length, lattice);
    bands.middleOverLow[w] = Math.log10(middle / low);
    bands.middleOverHigh[w] = Math.log10(middle / high);
    bands.floor[w] = Math.sqrt(high * density);
  });
  return bands;
}

function band(from: number, length: number, lattice: number): number {
  let sum = 0;
  for (let h = from; h < from + length; h++) sum += powers[h];
  const mean = sum / length + lattice;
  return mean < MOST_POWER ? Math.max(LEAST_POWER, mean) : MOST_POWER;
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
