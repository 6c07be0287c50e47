import fc from 'fast-check';
import {
  decoy,
  gaussian,
  movingAverage,
  parseAttack,
  populationNamed,
  Random,
  randomised,
  readdNoise,
  reexport,
  type SimulatedScan,
  savitzkyGolay,
  simulateStone,
} from './index.js';

const calibration = populationNamed('calibration');
const line = (points: number, value: (w: number) => number): SimulatedScan => {
  const wavenumbers = Float64Array.from({ length: points }, (_, i) => 5000 - 8 * i);
  return { wavenumbers, absorbance: wavenumbers.map(value) };
};
const rms = (values: ArrayLike<number>) => Math.hypot(...Array.from(values)) / Math.sqrt(values.length);

describe('attacks', () => {
  it('moving averages keep straight lines and divide noise by the root of their points', () => {
    const straight = line(100, (w) => 1 + w / 9000);
    for (const [i, a] of movingAverage(9)(straight).absorbance.entries())
      expect(a).toBeCloseTo(straight.absorbance[i], 12);
    const noise = readdNoise(1, new Random(1))(line(20_000, () => 0));
    expect(rms(movingAverage(9)(noise).absorbance)).toBeCloseTo(1 / 3, 1);
    expect(rms(gaussian(2)(noise).absorbance)).toBeCloseTo(0.376, 1);
  });

  it('Savitzky-Golay of any window and order keeps polynomials of that order, the ends included', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 10 }), (order, extra) => {
        const points = order + extra + ((order + extra) % 2 === 0 ? 1 : 0);
        const scan = line(60, (w) => {
          let value = 0;
          for (let k = 0; k <= order; k++) value = value * ((w - 4800) / 200) + 1;
          return value;
        });
        const smooth = savitzkyGolay(points, order)(scan).absorbance;
        return smooth.every((a, i) => Math.abs(a - scan.absorbance[i]) < 1e-9);
      }),
    );
  });

  it('Savitzky-Golay has the published weights', () => {
    const impulse = line(21, (w) => (w === 5000 - 80 ? 1 : 0));
    const five = savitzkyGolay(5, 2)(impulse).absorbance.slice(8, 13);
    [-3, 12, 17, 12, -3].forEach((weight, i) => {
      expect(five[i]).toBeCloseTo(weight / 35, 12);
    });
  });

  it('a re-export has the coarser step and the old end points', () => {
    const { wavenumbers, absorbance } = reexport(32)(line(101, (w) => w / 1000));
    expect([wavenumbers[0], wavenumbers[1], wavenumbers.length]).toEqual([5000, 4968, 26]);
    expect(absorbance.every((a, i) => Math.abs(a - wavenumbers[i] / 1000) < 1e-12)).toBe(true);
  });

  it('low rank takes noise away and leaves the spectrum', () => {
    const stone = simulateStone(calibration, 9, 3);
    const noisy = stone.rough[0];
    const treated = parseAttack('low-rank:25', calibration).apply(stone).rough[0];
    const jumps = ({ wavenumbers, absorbance: a }: SimulatedScan) =>
      rms(a.map((_, i) => (wavenumbers[i] > 4600 && i + 1 < a.length ? a[i - 1] - 2 * a[i] + a[i + 1] : 0)));
    expect(jumps(treated)).toBeLessThan(0.5 * jumps(noisy));
    expect(rms(treated.absorbance.map((a, i) => a - noisy.absorbance[i]))).toBeLessThan(0.05 * rms(noisy.absorbance));
  });

  it('are read from text, noise alike for a stone whatever was treated before', () => {
    const stone = simulateStone(calibration, 1, 0, { roughScans: 2 });
    const attack = parseAttack('moving-average:7+noise:0.001', calibration);
    const first = attack.apply(stone);
    expect(attack.apply(stone)).toEqual(first);
    expect(first.rough[0].absorbance).not.toEqual(movingAverage(7)(stone.rough[0]).absorbance);
    expect(parseAttack('noise-free', calibration).noiseFree).toBe(true);
  });

  it.each([
    '',
    'smooth:7',
    'moving-average',
    'moving-average:8',
    'gaussian:0',
    'savitzky-golay:5:7',
    'noise:-1',
    'noise:',
    'low-rank:0',
    'noise-free:1',
    'reexport:-4',
    'moving-average:7+',
  ])('refuse "%s"', (text) => {
    expect(() => parseAttack(text, calibration)).toThrow(RangeError);
  });
});

describe('wrong stones', () => {
  it('look-alikes share mine and pocket, each its own stone', () => {
    const stone = simulateStone(calibration, 1, 8);
    const mates = [1, 2, 3].map((lookAlike) => simulateStone(calibration, 1, 8, { lookAlike }));
    for (const mate of mates) expect([mate.mine, mate.pocket]).toEqual([stone.mine, stone.pocket]);
    expect(new Set(mates.map(({ id }) => id)).size).toBe(3);
    expect(mates[0].rough[0].absorbance).not.toEqual(mates[1].rough[0].absorbance);
  });

  it('decoys are other stones of the same population and block', () => {
    const population = randomised(4);
    const ids = Array.from({ length: 60 }, (_, n) => decoy(population, 1, 9, n + 1, { roughScans: 1 }).id);
    expect(new Set(ids)).toEqual(new Set(['RAN1N8', 'RAN1N10', 'RAN1N11']));
  });
});
