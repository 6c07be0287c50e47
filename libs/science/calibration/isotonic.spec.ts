import fc from 'fast-check';
import { areaUnderRoc, roc } from '../../../lab/roc.js';
import { fitIsotonic, probabilityAt } from './isotonic.js';
import { expectedCalibrationError, reliability } from './reliability.js';

// Few distinct values, so that ties occur.
const score = fc.integer({ min: -20, max: 20 }).map((tenths) => tenths / 20);
const ascending = fc.array(score, { minLength: 1, maxLength: 40 }).map((list) => Float64Array.from(list).sort());

/** Isotonic regression by its minimax formula: slow, and independent of pooling. */
function minimax(genuine: Float64Array, wrong: Float64Array): Map<number, number> {
  const xs = [...new Set([...genuine, ...wrong])].sort((a, b) => a - b);
  const mass = (list: Float64Array, low: number, high: number) =>
    list.filter((one) => one >= low && one <= high).length / list.length;
  const fitted = new Map<number, number>();
  for (const x of xs) {
    let best = Number.NEGATIVE_INFINITY;
    for (const low of xs.filter((one) => one <= x)) {
      let min = Number.POSITIVE_INFINITY;
      for (const high of xs.filter((one) => one >= x)) {
        const g = mass(genuine, low, high);
        min = Math.min(min, g / (g + mass(wrong, low, high)));
      }
      best = Math.max(best, min);
    }
    fitted.set(x, best);
  }
  return fitted;
}

describe('fitIsotonic', () => {
  it('agrees with the minimax formula at every score', () => {
    fc.assert(
      fc.property(ascending, ascending, (genuine, wrong) => {
        const curve = fitIsotonic(genuine, wrong);
        const floor = 1 / (genuine.length + 2);
        for (const [x, expected] of minimax(genuine, wrong))
          expect(probabilityAt(curve, x)).toBeCloseTo(Math.min(Math.max(expected, floor), 1 - floor), 9);
      }),
      { numRuns: 60 },
    );
  });

  it('never falls and is never 0 or 1', () => {
    fc.assert(
      fc.property(ascending, ascending, fc.array(fc.double({ min: -2, max: 2, noNaN: true })), (genuine, wrong, at) => {
        const curve = fitIsotonic(genuine, wrong);
        const values = at.sort((a, b) => a - b).map((x) => probabilityAt(curve, x));
        values.forEach((value, i) => {
          expect(value).toBeGreaterThan(0);
          expect(value).toBeLessThan(1);
          if (i > 0) expect(value).toBeGreaterThanOrEqual(values[i - 1] - 1e-12);
        });
      }),
    );
  });

  it('separates what is separate', () => {
    const curve = fitIsotonic([0.8, 0.9], [0.1, 0.2, 0.3]);
    expect(curve).toEqual({ scores: [0.1, 0.3, 0.8, 0.9], probabilities: [0.25, 0.25, 0.75, 0.75] });
    expect(probabilityAt(curve, 0.55)).toBeCloseTo(0.5);
  });
});

describe('reliability', () => {
  it('has no error where the curve was fitted in blocks', () => {
    const genuine = [0.2, 0.6, 0.6, 0.6];
    const wrong = [0.2, 0.2, 0.2, 0.6];
    const bins = reliability(fitIsotonic(genuine, wrong), genuine, wrong);
    expect(bins.reduce((sum, bin) => sum + bin.weight, 0)).toBeCloseTo(1);
    expect(expectedCalibrationError(bins)).toBeCloseTo(0);
  });

  it('finds a curve that promises too much', () => {
    const bins = reliability({ scores: [0], probabilities: [0.9] }, [0.1, 0.2], [0.1, 0.3]);
    expect(expectedCalibrationError(bins)).toBeCloseTo(0.4);
  });
});

it('counts the area under the ROC as the chance to outscore', () => {
  fc.assert(
    fc.property(ascending, ascending, (genuine, wrong) => {
      let wins = 0;
      for (const g of genuine) for (const w of wrong) wins += g > w ? 1 : g === w ? 0.5 : 0;
      expect(areaUnderRoc(genuine, wrong)).toBeCloseTo(wins / genuine.length / wrong.length, 9);
    }),
  );
});

it('reads the ROC at given shares', () => {
  const wrong = Array.from({ length: 100 }, (_, i) => i / 100);
  expect(roc([0.5, 0.95, 0.985], wrong, [0.1, 0.02])).toEqual([
    { wrong_accepted: 0.1, genuine_confirmed: 1 - 1 / 3 },
    { wrong_accepted: 0.02, genuine_confirmed: 1 - 2 / 3 },
  ]);
});
