import { REFERENCE_STEP } from '../axis.js';
import { DETAIL, DETAIL_FIT } from './constants.js';
import { quantile } from './quantile.js';
import { type GaugedScan, latticeVariance, lowerBound, typicalStep } from './scan.js';
import { WindowTransform } from './window-transform.js';

const HARMONICS = [...DETAIL.low, ...DETAIL.middle, ...DETAIL.high];
const WINDOWS = Math.floor((2 * (DETAIL.last - DETAIL.first)) / DETAIL.width) - 1;
/** Keeps logarithms finite on values squared past the range of doubles, or down to nothing. */
const LEAST_POWER = 1e-24;
const MOST_POWER = 1e30;

/** One transform a window length: at most 120 of them, under 3 MB in all. */
const transforms = new Map<number, WindowTransform>();
const powers = new Float64Array(HARMONICS.length);

/** What a scan's windows show: log10 of middle over low band power, and the root power of the high band. */
export interface WindowDetail {
  ratios: Float64Array;
  floors: Float64Array;
}

/**
 * How far a scan's noise departs from directly acquired data: near 0 on honest scans, strongly negative on smoothed,
 * filtered or noise-free ones. Null where the scan's axis is too short, too coarse or too sparse to measure it.
 */
export function detailResidual(scan: GaugedScan): number | null {
  const detail = windowDetail(scan);
  return detail && residualOf(detail);
}

/** The residual of measured windows; sorts them in place. */
export function residualOf({ ratios, floors }: WindowDetail): number {
  const raw = quantile(ratios, DETAIL.ratioQuantile);
  const floor = quantile(floors, DETAIL.floorQuantile);
  const dynamic = Math.log10(quantile(floors, 0.5) / floor);
  return (
    raw +
    DETAIL_FIT.offset -
    DETAIL_FIT.dynamicSlope * Math.max(0, dynamic - DETAIL_FIT.dynamicFree) -
    Math.max(0, Math.log10(DETAIL_FIT.leastFloor / floor))
  );
}

/** Periodograms of half-overlapping windows of 262.5 cm^-1 between 700 and 5950 cm^-1, as far as the axis goes. */
export function windowDetail(scan: GaugedScan): WindowDetail | null {
  const submittedStep = typicalStep(scan.wavenumbers);
  if (!(submittedStep <= DETAIL.coarsestStep)) return null;
  const block = Math.max(1, Math.floor(DETAIL.finestStep / submittedStep));
  const step = submittedStep * block;
  const points = 2 * Math.round(DETAIL.width / step / 2);
  const blocks = Math.floor(scan.absorbance.length / block);
  const starts: number[] = [];
  for (let w = 0; w < WINDOWS; w++) {
    const start = Math.floor(lowerBound(scan.wavenumbers, DETAIL.first + (w * DETAIL.width) / 2) / block);
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
  const ratios = new Float64Array(starts.length);
  const floors = new Float64Array(starts.length);
  starts.forEach((start, w) => {
    transform.powers(samples, start, powers, 0);
    const low = band(0, DETAIL.low.length, lattice);
    const middle = band(DETAIL.low.length, DETAIL.middle.length, lattice);
    const high = band(DETAIL.low.length + DETAIL.middle.length, DETAIL.high.length, lattice);
    ratios[w] = Math.log10(middle / low);
    floors[w] = Math.sqrt(high * density);
  });
  return { ratios, floors };
}

function band(from: number, length: number, lattice: number): number {
  let sum = 0;
  for (let h = from; h < from + length; h++) sum += powers[h];
  return Math.min(MOST_POWER, Math.max(LEAST_POWER, sum / length + lattice));
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
