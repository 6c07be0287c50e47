import fc from 'fast-check';
import { scrambled } from '#science/numerics/test/scrambled';
import { prepareSide, type Scan } from '../scan-set.js';
import { withoutFringes } from './fringes.js';
import { DETAIL_RESIDUAL_BAND, isOnManifold, LOCALLY_POLYNOMIAL_LIMIT, measureGauges } from './index.js';

const STEP = 8;
const axis = Float64Array.from({ length: 725 }, (_, i) => 400 + STEP * i);
const seeds = [3, 14, 15, 92];

function noise(seed: number): () => number {
  const next = scrambled(seed);
  return () => Math.sqrt(-2 * Math.log((1 - next()) / 2)) * Math.cos(2 * Math.PI * next());
}

const curve = (w: number) => 0.4 + 1.2 * Math.exp(-(((w - 2080) / 110) ** 2));

/** A two-phonon curve through an instrument of 8 cm^-1: white noise up to an optical path difference of 0.06 cm. */
function scan(seed: number, further: (w: number, i: number) => number = () => 0): Scan {
  const normal = noise(seed);
  return { wavenumbers: axis, absorbance: axis.map((w, i) => curve(w) + 3e-4 * normal() + further(w, i)) };
}

const gaugesOf = (scans: Scan[], sampling: 'masked' | 'bridged' = 'masked') =>
  measureGauges(prepareSide({ side: 'rough', references: [], scans }, sampling));
const averaged = (points: number) => (of: Scan) => {
  const half = (points - 1) / 2;
  const absorbance = of.absorbance.map((_, i, all) => {
    let sum = 0;
    for (let k = i - half; k <= i + half; k++) sum += all[Math.min(all.length - 1, Math.max(0, k))];
    return sum / points;
  });
  return { ...of, absorbance };
};

/** Fringes of 0.3% of the transmission, as a window and a gap make them. */
const fringes = (w: number) =>
  1.3e-3 * Math.cos((2 * Math.PI * w) / 118 + 1) + 1.3e-3 * Math.cos((2 * Math.PI * w) / 160 + 2);

describe('fringes', () => {
  it('leave an honest side in the band, which one look alone refuses', () => {
    for (const seed of seeds) {
      const scans = [1, 2, 3].map((n) => scan(seed + 100 * n, fringes));
      expect(isOnManifold(gaugesOf(scans).detailResidual)).toBe(true);
      expect(gaugesOf(scans, 'bridged').detailResidual).toBeLessThan(DETAIL_RESIDUAL_BAND.refused);
    }
  });

  it('hide no moving average', () => {
    for (const seed of seeds)
      for (const points of [7, 9]) {
        const scans = [1, 2, 3].map((n) => averaged(points)(scan(seed + 100 * n, fringes)));
        expect(gaugesOf(scans).detailResidual).toBeLessThan(DETAIL_RESIDUAL_BAND.refused);
      }
  });

  it('are found beside lines of hydrogen too, and hide no moving average there', () => {
    /** As an instrument of 17 cm^-1 shows them: of no one path difference. */
    const hydrogen = (w: number) => 0.03 / (1 + ((w - 4169) / 8.5) ** 2) + 0.05 / (1 + ((w - 4496) / 8.5) ** 2);
    for (const seed of seeds) {
      const long = (w: number) => 1.8e-3 * Math.cos((2 * Math.PI * w) / 118 + 1) + hydrogen(w);
      const scans = [1, 2, 3].map((n) => scan(seed + 100 * n, long));
      expect(gaugesOf(scans, 'bridged').detailResidual).toBeLessThan(DETAIL_RESIDUAL_BAND.refused);
      expect(isOnManifold(gaugesOf(scans).detailResidual)).toBe(true);
      for (const points of [7, 9])
        expect(gaugesOf(scans.map(averaged(points))).detailResidual).toBeLessThan(DETAIL_RESIDUAL_BAND.refused);
    }
  });

  it('are taken off, and a scan without them is given back', () => {
    const plain = scan(40);
    expect(withoutFringes(plain)).toBe(plain);
    const left = withoutFringes(scan(40, fringes)).absorbance.map((v, i) => v - plain.absorbance[i]);
    const inside = left.filter((_, i) => axis[i] > 4200 && axis[i] < 5800);
    expect(Math.sqrt(inside.reduce((sum, v) => sum + v * v, 0) / inside.length)).toBeLessThan(2e-4);
  });
});

describe('saturated windows', () => {
  /** What a program writes where a detector's error makes the transmission negative. */
  const clipped = (seed: number) => {
    const of = scan(seed);
    const dark = (w: number) => (w > 950 && w < 1450) || (w > 1850 && w < 2650);
    return { ...of, absorbance: of.absorbance.map((v, i) => (dark(axis[i]) ? 4 : v)) };
  };

  it('do not refuse an honest side, which one look alone does', () => {
    for (const seed of seeds) {
      const scans = [1, 2, 3].map((n) => clipped(seed + 100 * n));
      expect(gaugesOf(scans, 'bridged').detailResidual).toBeLessThan(DETAIL_RESIDUAL_BAND.refused);
      const { detailResidual, locallyPolynomial } = gaugesOf(scans);
      expect(isOnManifold(detailResidual)).toBe(true);
      expect(locallyPolynomial).toBeLessThanOrEqual(LOCALLY_POLYNOMIAL_LIMIT);
    }
  });

  it('hide no moving average', () => {
    for (const seed of seeds)
      for (const points of [7, 9]) {
        const scans = [1, 2, 3].map((n) => averaged(points)(clipped(seed + 100 * n)));
        expect(gaugesOf(scans).detailResidual).toBeLessThan(DETAIL_RESIDUAL_BAND.refused);
      }
  });

  it('leave a side unjudged where nearly all of them are', () => {
    const dark = (n: number) => ({
      ...scan(n),
      absorbance: scan(n).absorbance.map((v, i) => (axis[i] < 4900 ? 4 : v)),
    });
    expect(gaugesOf([dark(1), dark(2)]).detailResidual).toBe(0);
  });
});

describe('a strong apodisation', () => {
  const even = Float64Array.from({ length: 1540 }, (_, i) => 400 + 3.757543 * i);
  /** Lines of 17 cm^-1 by Blackman and Harris, zero-filled; over noise of its own a little of what is no single fringe. */
  const apodised = (seed: number, size: number): Scan => {
    const normal = noise(seed);
    const absorbance = even.map(curve);
    for (let p = 1; p <= 400; p++) {
      const [t, phase] = [p / 400, 2 * Math.PI * normal()];
      const weight = 0.42323 + 0.49755 * Math.cos(Math.PI * t) + 0.07922 * Math.cos(2 * Math.PI * t);
      const amplitude = 2e-5 * size * weight * normal();
      for (let i = 0; i < even.length; i++)
        absorbance[i] += amplitude * Math.cos(2 * Math.PI * 0.0665 * t * even[i] + phase);
    }
    const ripple = (w: number) =>
      Math.sin(w / 17.3 + 3 * Math.sin(w / 211)) + Math.sin(w / 23.1 + 4 * Math.sin(w / 307));
    return { wavenumbers: even, absorbance: absorbance.map((v, i) => v + 6e-4 * ripple(even[i])) };
  };
  it('is an instrument of broad lines and no smoothing', () => {
    // The fit is sure of a part of such sides.
    for (const seed of [105, 108]) {
      const scans = [apodised(seed, 1)];
      expect(gaugesOf(scans, 'bridged').detailResidual).toBeLessThan(DETAIL_RESIDUAL_BAND.refused);
      expect(gaugesOf(scans).detailResidual).toBeGreaterThan(DETAIL_RESIDUAL_BAND.refused);
    }
  });

  it('hides no moving average, and no missing noise', () => {
    for (const seed of [105, 108]) {
      expect(gaugesOf([averaged(15)(apodised(seed, 1))]).detailResidual).toBeLessThan(DETAIL_RESIDUAL_BAND.refused);
      expect(gaugesOf([apodised(seed, 0)]).detailResidual).toBeLessThan(DETAIL_RESIDUAL_BAND.refused);
    }
  });
});

it('lets noise that is half as strong on both sides of the centreburst stand at the end of the band', () => {
  // White noise, and as much again beyond a path difference of 0.012 cm: its mean over 21 points is taken off.
  for (const seed of seeds) {
    const own = scan(seed, () => 0);
    const more = averaged(21)({ wavenumbers: axis, absorbance: scan(seed + 9).absorbance });
    const absorbance = own.absorbance.map((v, i) => v + scan(seed + 9).absorbance[i] - more.absorbance[i]);
    expect(gaugesOf([{ wavenumbers: axis, absorbance }]).detailResidual).toBeLessThanOrEqual(DETAIL_RESIDUAL_BAND.high);
  }
});

it('gives finite numbers on any scans that are taken', () => {
  const value = fc.oneof(fc.double({ min: -2.9, max: 13, noNaN: true }), fc.constantFrom(0, 1e-12, 13, -2.9, 3));
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 2, maxLength: 9 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (values, size) => {
        const absorbance = axis.map((w, i) => 0.01 * Math.sin(i * i) + values[i % values.length] + 1e-3 * size * w);
        const gauges = gaugesOf([{ wavenumbers: axis, absorbance }]);
        expect(Object.values(gauges).every(Number.isFinite)).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});
