import { adamStep, oneCycle } from './optimiser.js';

describe('adamStep', () => {
  it('takes a first step of the rate against the sign of the gradient, and decays matrices only', () => {
    const parameters = Float64Array.of(1, 1);
    const moments = { first: new Float64Array(2), second: new Float64Array(2), steps: 0 };
    adamStep(parameters, Float64Array.of(3, -0.2), moments, 0.01, 0.1, 1);
    expect(parameters[0]).toBeCloseTo(1 * (1 - 0.001) - 0.01, 8);
    expect(parameters[1]).toBeCloseTo(1.01, 6);
  });

  it('comes to the minimum of a skewed bowl', () => {
    const x = Float64Array.of(3, -2);
    const moments = { first: new Float64Array(2), second: new Float64Array(2), steps: 0 };
    for (let step = 0; step < 2000; step++) {
      adamStep(x, Float64Array.of(200 * (x[0] - 1), 0.02 * (x[1] - 1)), moments, oneCycle(step, 2000, 0.05), 0, 0);
    }
    expect(x[0]).toBeCloseTo(1, 3);
    expect(x[1]).toBeCloseTo(1, 3);
  });
});

describe('oneCycle', () => {
  it('climbs to its peak at 30% and ends near nought', () => {
    expect(oneCycle(0, 100, 1)).toBeCloseTo(0.04);
    expect(oneCycle(30, 100, 1)).toBeCloseTo(1);
    expect(oneCycle(100, 100, 1)).toBeLessThan(1e-5);
  });
});
