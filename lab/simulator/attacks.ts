import type { SimulatedScan } from './beam.js';
import { exp } from './exact-math.js';
import { lowRankBasis } from './low-rank.js';
import type { Population } from './populations.js';
import { Random } from './random.js';
import type { SimulatedStone } from './simulate.js';

/** A change made to a scan after the measurement. The axis stays unless the attack is to change it. */
export type Treatment = (scan: SimulatedScan) => SimulatedScan;

const replace = (scan: SimulatedScan, value: (a: Float64Array, i: number) => number): SimulatedScan => ({
  wavenumbers: scan.wavenumbers,
  absorbance: scan.absorbance.map((_, i, a) => value(a as Float64Array, i)),
});

/** Mean of `points` neighbours (odd); the window shrinks at the ends. */
export function movingAverage(points: number): Treatment {
  requireOdd('moving average', points);
  const half = (points - 1) / 2;
  return (scan) =>
    replace(scan, (a, i) => {
      const reach = Math.min(half, i, a.length - 1 - i);
      let sum = 0;
      for (let k = i - reach; k <= i + reach; k++) sum += a[k];
      return sum / (2 * reach + 1);
    });
}

/** Convolution with a Gaussian of `sigma` points, normalised at the ends. */
export function gaussian(sigma: number): Treatment {
  if (!(sigma > 0)) throw new RangeError('a Gaussian needs a sigma above 0 points');
  const half = Math.ceil(4 * sigma);
  const weights = Float64Array.from({ length: half + 1 }, (_, k) => exp((-0.5 * k * k) / (sigma * sigma)));
  return (scan) =>
    replace(scan, (a, i) => {
      let sum = 0;
      let total = 0;
      for (let k = Math.max(0, i - half); k <= Math.min(a.length - 1, i + half); k++) {
        const weight = weights[Math.abs(k - i)];
        sum += weight * a[k];
        total += weight;
      }
      return sum / total;
    });
}

/** Least-squares polynomial of `order` over `points` neighbours (odd, above the order); end windows are one-sided. */
export function savitzkyGolay(points: number, order: number): Treatment {
  requireOdd('Savitzky-Golay', points);
  if (!Number.isInteger(order) || order < 0 || order >= points) {
    throw new RangeError(`Savitzky-Golay over ${points} points needs an order from 0 to ${points - 1}`);
  }
  const half = (points - 1) / 2;
  const kernels = Array.from({ length: points }, (_, place) => polynomialWeights(points, order, place));
  return (scan) => {
    if (scan.absorbance.length < points) throw new RangeError(`a scan of under ${points} points cannot be smoothed`);
    return replace(scan, (a, i) => {
      const from = Math.min(Math.max(0, i - half), a.length - points);
      const weights = kernels[i - from];
      let sum = 0;
      for (let k = 0; k < points; k++) sum += weights[k] * a[from + k];
      return sum;
    });
  };
}

/** Weights whose sum with the values is the fitted polynomial at `place`, by polynomials orthogonal on the points. */
function polynomialWeights(points: number, order: number, place: number): Float64Array {
  const weights = new Float64Array(points);
  const middle = (points - 1) / 2;
  let before = new Float64Array(points);
  let current = new Float64Array(points).fill(1);
  let normBefore = 1;
  for (let degree = 0; degree <= order; degree++) {
    const norm = current.reduce((sum, v) => sum + v * v, 0);
    for (let k = 0; k < points; k++) weights[k] += (current[place] * current[k]) / norm;
    const ratio = degree === 0 ? 0 : norm / normBefore;
    const next = current.map((v, k) => ((k - middle) / (middle || 1)) * v - ratio * before[k]);
    before = current;
    current = next;
    normBefore = norm;
  }
  return weights;
}

/** A new axis of `step` cm^-1 through the first point, read off the old one by straight lines. */
export function reexport(step: number): Treatment {
  if (!(step > 0)) throw new RangeError('a re-export needs a step above 0 cm^-1');
  return ({ wavenumbers: w, absorbance: a }) => {
    const direction = w[w.length - 1] < w[0] ? -1 : 1;
    const points = Math.floor(Math.abs(w[w.length - 1] - w[0]) / step) + 1;
    const wavenumbers = Float64Array.from({ length: points }, (_, i) => w[0] + direction * i * step);
    let j = 0;
    const absorbance = wavenumbers.map((x) => {
      while (j < w.length - 2 && direction * (x - w[j + 1]) > 0) j++;
      const t = (x - w[j]) / (w[j + 1] - w[j]);
      return a[j] + t * (a[j + 1] - a[j]);
    });
    return { wavenumbers, absorbance };
  };
}

/** Adds white noise of standard deviation `sigma` (absorbance) to every channel. */
export function readdNoise(sigma: number, random: Random): Treatment {
  if (!(sigma >= 0)) throw new RangeError('noise needs a sigma of 0 or above');
  return (scan) => replace(scan, (a, i) => a[i] + sigma * random.normal());
}

/** Keeps the part of a scan that the strongest `rank` components of a bank of other stones' scans explain. */
export function lowRank(rank: number, population: Population | undefined): Treatment {
  if (!population) throw new RangeError('low rank needs a bank of scans, which this population does not have');
  const { mean, components } = lowRankBasis(population, rank);
  return (scan) => {
    if (scan.absorbance.length !== mean.length) throw new RangeError('low rank needs every scan on the same axis');
    const absorbance = mean.slice();
    for (const component of components) {
      let along = 0;
      for (let i = 0; i < mean.length; i++) along += component[i] * (scan.absorbance[i] - mean[i]);
      for (let i = 0; i < mean.length; i++) absorbance[i] += along * component[i];
    }
    return { wavenumbers: scan.wavenumbers, absorbance };
  };
}

function requireOdd(what: string, points: number): void {
  if (!Number.isInteger(points) || points < 1 || points % 2 === 0) {
    throw new RangeError(`${what} needs an odd number of points`);
  }
}

/** An attack's steps in order, parsed from its text. */
export interface Attack {
  /** The measurement itself is faked without noise. */
  noiseFree: boolean;
  apply<S extends Pick<SimulatedStone, 'id' | 'rough' | 'polish'>>(stone: S): S;
}

export const ATTACK_FORMS = [
  'moving-average:POINTS',
  'gaussian:SIGMA_POINTS',
  'savitzky-golay:POINTS:ORDER',
  'reexport:STEP',
  'noise-free',
  'noise:SIGMA',
  'low-rank:RANK',
] as const;

/**
 * Reads an attack such as `moving-average:7+noise:0.0005`.
 * @throws RangeError with the forms there are
 */
export function parseAttack(text: string, population?: Population): Attack {
  let noiseFree = false;
  const steps = text.split('+').map((part): ((random: Random) => Treatment) => {
    const [name, ...values] = part.trim().split(':');
    const [first, second] = values.map(Number);
    const is = (wanted: string, count: number) =>
      name === wanted && values.length === count && values.every((v) => v !== '' && Number.isFinite(Number(v)));
    const always = (treatment: Treatment) => () => treatment;
    if (is('moving-average', 1)) return always(movingAverage(first));
    if (is('gaussian', 1)) return always(gaussian(first));
    if (is('savitzky-golay', 2)) return always(savitzkyGolay(first, second));
    if (is('reexport', 1)) return always(reexport(first));
    if (is('low-rank', 1)) return always(lowRank(first, population));
    if (is('noise', 1) && first >= 0) return (random) => readdNoise(first, random);
    if (is('noise-free', 0)) {
      noiseFree = true;
      return always((scan) => scan);
    }
    throw new RangeError(`"${part}" is no attack; there are ${ATTACK_FORMS.join(', ')}, joined by +`);
  });
  return {
    noiseFree,
    apply: (stone) => {
      const random = new Random('attack', stone.id, text);
      const treatments = steps.map((step) => step(random));
      const treat = (scan: SimulatedScan) => treatments.reduce((treated, step) => step(treated), scan);
      return { ...stone, rough: stone.rough.map(treat), polish: stone.polish.map(treat) };
    },
  };
}
