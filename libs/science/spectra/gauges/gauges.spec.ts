import fc from 'fast-check';
import { scrambled } from '#science/numerics/test/scrambled';
import { REFERENCE_POINTS, referenceAxis } from '../axis.js';
import { prepareSide } from '../scan-set.js';
import { type GaugedScan, type GaugedSide, LOCALLY_POLYNOMIAL_LIMIT, measureGauges } from './index.js';
import { savitzkyGolayTaps } from './smoothing.js';

/** Repeatable normal noise of variance 1. */
function noise(seed: number): () => number {
  const next = scrambled(seed);
  return () => Math.sqrt(-2 * Math.log((1 - next()) / 2)) * Math.cos(2 * Math.PI * next());
}

const evenAxis = (points: number, first: number, step: number) =>
  Float64Array.from({ length: points }, (_, i) => first + i * step);

/** A smooth two-phonon curve with white noise: an unprocessed side on a given axis. */
function side(axis: Float64Array, scans: number, seed: number, level = 5e-4): GaugedSide {
  const normal = noise(seed);
  return sideOf(
    Array.from({ length: scans }, () => ({
      wavenumbers: axis,
      absorbance: axis.map((v) => 0.4 + 1.2 * Math.exp(-(((v - 2080) / 110) ** 2)) + level * normal()),
    })),
  );
}

function sideOf(scans: GaugedScan[]): GaugedSide {
  const spectra = new Float32Array(scans.length * REFERENCE_POINTS);
  scans.forEach(({ wavenumbers, absorbance }, s) => {
    const last = wavenumbers.length - 1;
    let left = 0;
    referenceAxis().forEach((v, i) => {
      while (left < last - 1 && wavenumbers[left + 1] < v) left++;
      const share = (v - wavenumbers[left]) / (wavenumbers[left + 1] - wavenumbers[left]);
      const clamped = Math.min(1, Math.max(0, share));
      spectra[s * REFERENCE_POINTS + i] = absorbance[left] + clamped * (absorbance[left + 1] - absorbance[left]);
    });
  });
  return { scans, spectra, count: scans.length, sampling: 'bridged' };
}

const change = (from: GaugedSide, f: (absorbance: Float64Array) => Float64Array) =>
  sideOf(from.scans.map(({ wavenumbers, absorbance }) => ({ wavenumbers, absorbance: f(absorbance) })));

const smooth = (taps: number[]) => (values: Float64Array) => {
  const centre = (taps.length - 1) / 2;
  const at = (i: number) => values[Math.min(values.length - 1, Math.max(0, i))];
  return values.map((_, i) => taps.reduce((sum, tap, j) => sum + tap * at(i + j - centre), 0));
};
const round = (decimals: number) => (values: Float64Array) => values.map((v) => Number(v.toFixed(decimals)));
const movingAverage = (points: number) => smooth(new Array(points).fill(1 / points));

const seeds = Array.from({ length: 6 }, (_, i) => 11 + 97 * i);
const reference = referenceAxis();

describe('on the reference axis', () => {
  it.each([1, 6])('neither refuses nor warns unprocessed sides of %i scans, whatever the decimals', (scans) => {
    for (const seed of seeds) {
      const unprocessed = side(reference, scans, seed);
      for (const variant of [unprocessed, ...[3, 4, 5, 6].map((d) => change(unprocessed, round(d)))]) {
        const { detailResidual, locallyPolynomial, sharpness } = measureGauges(variant);
        expect(detailResidual).toBeGreaterThan(-0.23);
        expect(detailResidual).toBeLessThan(0.5);
        expect(locallyPolynomial).toBeLessThan(LOCALLY_POLYNOMIAL_LIMIT);
        expect(sharpness).toBeGreaterThan(0.01);
      }
    }
  });

  it.each([7, 9])('refuses a moving average of %i points', (points) => {
    for (const seed of seeds) {
      for (const scans of [1, 6]) {
        const attacked = change(side(reference, scans, seed), movingAverage(points));
        expect(measureGauges(attacked).detailResidual).toBeLessThan(-0.5);
        expect(measureGauges(change(attacked, round(5))).detailResidual).toBeLessThan(-0.5);
      }
    }
  });

  it('refuses noise-free traces', () => {
    expect(measureGauges(side(reference, 6, 1, 0)).detailResidual).toBeLessThan(-0.5);
  });

  it.each([
    [9, 2],
    [11, 3],
    [15, 2],
  ])('finds Savitzky-Golay smoothing of %i points and order %i locally polynomial', (points, order) => {
    for (const seed of seeds) {
      const attacked = change(side(reference, 6, seed), smooth(savitzkyGolayTaps(points, order)));
      expect(measureGauges(attacked).locallyPolynomial).toBeGreaterThan(LOCALLY_POLYNOMIAL_LIMIT);
    }
  });

  it('loses sharpness under smoothing', () => {
    const unprocessed = side(reference, 6, 5, 2e-2);
    expect(measureGauges(change(unprocessed, movingAverage(7))).sharpness).toBeLessThan(
      0.5 * measureGauges(unprocessed).sharpness,
    );
  });
});

it('reads one line shape alike on every axis of about the reference step', () => {
  // Tips like those of two-phonon bands through an instrument of 8 cm^-1: on the reference axis they are blunter by a
  // tenth.
  const lines = (v: number) => {
    let sum = 0.3;
    for (let at = 1600; at < 2800; at += 24)
      sum += (0.5 + 0.4 * Math.sin(at)) * Math.exp(-4 * Math.LN2 * ((v - at) / 14) ** 2);
    return sum;
  };
  const read = (axis: Float64Array) =>
    measureGauges(
      prepareSide({ side: 'polish', references: [], scans: [{ wavenumbers: axis, absorbance: axis.map(lines) }] }),
    ).sharpness;
  const onReference = read(Float64Array.from(referenceAxis()));
  for (const [step, first] of [
    [7.72, 350],
    [15798 / 2048, 400],
    [8, 450],
    [8.203, 496],
    [6, 400],
  ])
    expect([step, Math.abs(read(evenAxis(Math.ceil(5700 / step), first, step)) / onReference - 1) < 0.03]).toEqual([
      step,
      true,
    ]);
});

it('measures every scan on its own axis', () => {
  const mixed = sideOf([
    ...side(reference, 1, 1).scans,
    ...side(evenAxis(1430, 490, 3.857), 1, 2).scans,
    ...side(evenAxis(23_000, 490, 0.2411), 1, 3).scans,
  ]);
  const { detailResidual } = measureGauges(mixed);
  expect(Math.abs(detailResidual)).toBeLessThan(0.4);
});

it('measures too coarse and uneven axes as the encoders see them', () => {
  for (const seed of seeds) {
    const coarse = side(evenAxis(172, 492, 32), 3, seed);
    expect(measureGauges(coarse).detailResidual).toBeLessThan(0);
    const uneven = evenAxis(671, 492, 8.2).map((v, i) => v + 0.3 * Math.sin(i));
    expect(measureGauges(side(uneven, 3, seed)).detailResidual).toBeGreaterThan(-0.3);
    expect(measureGauges(change(side(uneven, 3, seed), movingAverage(9))).detailResidual).toBeLessThan(-0.5);
  }
});

it('gives 0 where the axis is too short to measure the noise', () => {
  const unmeasured = [
    side(evenAxis(60, 1000, 8), 1, 1),
    side(evenAxis(150, 700, 8), 1, 1),
    side(evenAxis(100_000, 2000, 1e-6), 1, 1),
    side(evenAxis(2000, 6000, 8), 1, 1),
  ];
  for (const { detailResidual, locallyPolynomial } of unmeasured.map(measureGauges)) {
    expect([detailResidual, locallyPolynomial]).toEqual([0, 0]);
  }
  const outside = sideOf([{ wavenumbers: evenAxis(200, 4000, 8), absorbance: new Float64Array(200).map(noise(1)) }]);
  expect(measureGauges(outside).sharpness).toBe(0);
});

it('gives finite numbers on any finite scans', () => {
  const axes = fc
    .tuple(
      fc.integer({ min: 2, max: 900 }),
      fc.constantFrom(1e-9, 0.1, 2, 8.2, 40, 1e5),
      fc.double({ min: -500, max: 3000, noNaN: true }),
      fc.boolean(),
    )
    .map(([points, step, first, uneven]) =>
      evenAxis(points, first, step).map((v, i) => (uneven ? v + i * i * step * 0.01 : v)),
    );
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0, 1e300, -1e300, 1e-300, 1e19, 0.5),
  );
  const scan = fc.tuple(axes, fc.array(value, { minLength: 1, maxLength: 8 })).map(([wavenumbers, values]) => ({
    wavenumbers,
    absorbance: wavenumbers.map((_, i) => values[i % values.length]),
  }));
  fc.assert(
    fc.property(fc.array(scan, { minLength: 1, maxLength: 4 }), (scans) => {
      for (const gauge of Object.values(measureGauges(sideOf(scans)))) expect(Number.isFinite(gauge)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

it('takes time and memory linear in points on the most scans of the most points', () => {
  const axis = evenAxis(100_000, 492, 0.055);
  const scans = new Array(64).fill(side(axis, 1, 3).scans[0]);
  const { detailResidual } = measureGauges({
    scans,
    spectra: new Float32Array(64 * REFERENCE_POINTS),
    count: 64,
    sampling: 'bridged',
  });
  expect(Number.isFinite(detailResidual)).toBe(true);
});

it('makes the known Savitzky-Golay weights of 5 points and order 2', () => {
  savitzkyGolayTaps(5, 2).forEach((tap, j) => {
    expect(tap).toBeCloseTo([-3, 12, 17, 12, -3][j] / 35, 12);
  });
});
