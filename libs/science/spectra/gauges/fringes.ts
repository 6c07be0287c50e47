import { interpolatedQuantile } from '#science/numerics/quantile';
import { lowerBound } from '../axis.js';
import { FRINGES, LINES } from './constants.js';
import { breaksOf, evenStep, type GaugedScan, isWhole } from './scan.js';

/** A cosine and a sine of the wavenumber, of so many cycles per cm^-1. */
interface Fringe {
  path: number;
  cosine: number;
  sine: number;
}

/**
 * A scan without the fringes of plane plates in the beam (windows, a detector's, the stone itself): each is one line among
 * the optical path differences, of the same place all over the axis, which noise is not, smoothed or not. They are looked for
 * where diamond absorbs nothing. The scan itself is given back where there are none, or too little of that part.
 */
export function withoutFringes(scan: GaugedScan): GaugedScan {
  const { wavenumbers } = scan;
  let { absorbance } = scan;
  // Lines of hydrogen and of air have a part of every path difference: long fringes are seen without them alone.
  for (const withLines of [true, false]) {
    const part = clearPart({ wavenumbers, absorbance });
    if (!part) return scan;
    if (!withLines) leaveOutLines(part.values);
    const aboveSides = withLines ? FRINGES.aboveSides : FRINGES.aboveSidesWithoutLines;
    for (let n = 0; n < FRINGES.most; n++) {
      const fringe = strongestFringe(part, aboveSides);
      if (!fringe) break;
      subtract(part.wavenumbers, part.values, fringe);
      if (absorbance === scan.absorbance) absorbance = absorbance.slice();
      subtract(wavenumbers, absorbance, fringe);
    }
  }
  return absorbance === scan.absorbance ? scan : { wavenumbers, absorbance };
}

/** Points that stand out become noughts; until the cubic of the others is found they are drawn near to those. */
function leaveOutLines(values: Float64Array): void {
  const { rounds, above, near } = LINES;
  for (let round = 1; round <= rounds; round++) {
    const most = above * interpolatedQuantile(values.map(Math.abs), 0.5);
    for (let i = 0; i < values.length; i++)
      if (round === rounds && Math.abs(values[i]) > near * most) values[i] = 0;
      else values[i] = Math.max(-most, Math.min(most, values[i]));
    if (round < rounds) removeCubic(values);
  }
}

/** The part of a scan that diamond leaves clear, in blocks of points, about its cubic; and the taper of its length. */
interface ClearPart {
  wavenumbers: Float64Array;
  values: Float64Array;
  taper: Float64Array;
  /** Between the path differences looked at, cm, and the largest that the blocks can hold. */
  pathStep: number;
  longest: number;
}

function clearPart({ wavenumbers, absorbance }: GaugedScan): ClearPart | null {
  const step = evenStep(wavenumbers);
  if (step === null || step > FRINGES.coarsestStep) return null;
  const from = lowerBound(wavenumbers, FRINGES.first);
  const end = lowerBound(wavenumbers, FRINGES.last);
  const block = Math.max(1, Math.floor(FRINGES.blockStep / step));
  const count = Math.floor((end - from) / block);
  const span = count * block * step;
  if (span < FRINGES.minSpan || !isWhole(breaksOf(wavenumbers, step), from, end)) return null;
  const mean = (values: Float64Array) => (_: number, b: number) => {
    let sum = 0;
    for (let i = from + b * block; i < from + (b + 1) * block; i++) sum += values[i];
    return sum / block;
  };
  const blocks = Float64Array.from({ length: count }, mean(wavenumbers));
  const values = Float64Array.from({ length: count }, mean(absorbance));
  removeCubic(values);
  const taper = values.map((_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / count));
  const longest = Math.min(FRINGES.longestPath, 0.45 / (block * step));
  return { wavenumbers: blocks, values, taper, pathStep: 1 / (2 * span), longest };
}

/** Takes off the cubic of least squares, by polynomials that are orthogonal on the points. */
function removeCubic(values: Float64Array): void {
  const { length } = values;
  let before = new Float64Array(length);
  let current = new Float64Array(length).fill(1);
  let normBefore = 1;
  for (let degree = 0; degree <= 3; degree++) {
    let norm = 0;
    let along = 0;
    for (let i = 0; i < length; i++) {
      norm += current[i] * current[i];
      along += current[i] * values[i];
    }
    for (let i = 0; i < length; i++) values[i] -= (along / norm) * current[i];
    const ratio = degree === 0 ? 0 : norm / normBefore;
    const next = current.map((v, i) => ((2 * i + 1) / length - 1) * v - ratio * before[i]);
    before = current;
    current = next;
    normBefore = norm;
  }
}

/** The line that stands highest above both of its sides, if it stands high enough for noise not to make it. */
function strongestFringe(part: ClearPart, aboveSides: number): Fringe | null {
  const { pathStep, longest } = part;
  const first = Math.ceil(FRINGES.shortestPath / pathStep);
  const count = Math.floor(longest / pathStep) - first + 1;
  if (count < 2 * FRINGES.beside) return null;
  const powers = Float64Array.from({ length: count }, (_, i) => powerAt(part, (first + i) * pathStep));
  let best = -1;
  let highest = aboveSides;
  for (let i = 0; i < count; i++) {
    const [left, right] = [levelBeside(powers, i, -1), levelBeside(powers, i, 1)];
    const level = left > 0 && right > 0 ? Math.sqrt(left * right) : Math.max(left, right);
    // Powers beyond the range of doubles are no spectrum's.
    if (powers[i] < Number.POSITIVE_INFINITY && powers[i] > highest * level) {
      highest = powers[i] / level;
      best = i;
    }
  }
  if (best < 0) return null;
  // The place of the line between the paths looked at.
  let path = (first + best) * pathStep;
  for (let width = pathStep / 2; width > pathStep / 100; width /= 2) {
    const here = powerAt(part, path);
    const [left, right] = [powerAt(part, path - width), powerAt(part, path + width)];
    if (left > here && left >= right) path -= width;
    else if (right > here) path += width;
  }
  return fitted(part, path);
}

/** The level of the powers on one side, beyond the width of a line; 0 where that side is not long enough. */
function levelBeside(powers: Float64Array, at: number, side: -1 | 1): number {
  const { lineWidth, beside, levelShare } = FRINGES;
  const near = side < 0 ? Math.max(0, at - lineWidth - beside + 1) : at + lineWidth;
  const end = side < 0 ? at - lineWidth + 1 : at + lineWidth + beside;
  const part = powers.slice(Math.min(near, powers.length), Math.max(0, end));
  return part.length >= beside / 3 ? interpolatedQuantile(part, levelShare) : 0;
}

function powerAt(part: ClearPart, path: number): number {
  const { cosine, sine } = sums(part, path);
  return cosine * cosine + sine * sine;
}

/** Sums of the tapered part with a cosine and a sine, by turning a pointer from block to block. */
function sums({ wavenumbers, values, taper }: ClearPart, path: number): { cosine: number; sine: number } {
  const turn = 2 * Math.PI * path;
  const stepRe = Math.cos(turn * (wavenumbers[1] - wavenumbers[0]));
  const stepIm = Math.sin(turn * (wavenumbers[1] - wavenumbers[0]));
  let re = Math.cos(turn * wavenumbers[0]);
  let im = Math.sin(turn * wavenumbers[0]);
  let cosine = 0;
  let sine = 0;
  for (let i = 0; i < values.length; i++) {
    const value = taper[i] * values[i];
    cosine += re * value;
    sine += im * value;
    const next = re * stepRe - im * stepIm;
    im = re * stepIm + im * stepRe;
    re = next;
  }
  return { cosine, sine };
}

function fitted(part: ClearPart, path: number): Fringe {
  const { cosine, sine } = sums(part, path);
  const scale = 2 / part.taper.reduce((sum, v) => sum + v, 0);
  return { path, cosine: scale * cosine, sine: scale * sine };
}

function subtract(wavenumbers: Float64Array, values: Float64Array, { path, cosine, sine }: Fringe): void {
  const turn = 2 * Math.PI * path;
  for (let i = 0; i < values.length; i++) {
    values[i] -= cosine * Math.cos(turn * wavenumbers[i]) + sine * Math.sin(turn * wavenumbers[i]);
  }
}
