import { type Batch, layoutOf, lossAndGradient, type Numbers, type Products } from './network.js';
import { normal, randomOf } from './random.js';

/** The truth: three loops in float64. */
const plain: Products = {
  product: (a, b, n, k, m, out = new Float64Array(n * m)) =>
    multiply(
      (i, l) => a[i * k + l],
      (l, j) => b[l * m + j],
      n,
      k,
      m,
      out,
    ),
  productLeftTransposed: (a, b, k, n, m, out = new Float64Array(n * m)) =>
    multiply(
      (i, l) => a[l * n + i],
      (l, j) => b[l * m + j],
      n,
      k,
      m,
      out,
    ),
  productRightTransposed: (a, b, n, k, m, out = new Float64Array(n * m)) =>
    multiply(
      (i, l) => a[i * k + l],
      (l, j) => b[j * k + l],
      n,
      k,
      m,
      out,
    ),
};
type Cell = (row: number, column: number) => number;
function multiply(a: Cell, b: Cell, n: number, k: number, m: number, out: Numbers): Numbers {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      let sum = 0;
      for (let l = 0; l < k; l++) sum += a(i, l) * b(l, j);
      out[i * m + j] = sum;
    }
  }
  return out;
}

describe('lossAndGradient', () => {
  const random = randomOf(5);
  const layout = layoutOf(7, 11, 5);
  const parameters = Float64Array.from({ length: layout.length }, () => 0.5 * normal(random));
  parameters[layout.logScale] = Math.log(6);
  const batch: Batch = {
    stones: 6,
    rough: 2,
    polish: 1,
    preprocessed: Float64Array.from({ length: 18 * 11 }, () => normal(random)),
  };

  it.each([
    [0, 0],
    [0.1, 0],
    [0, 3],
  ])('agrees with central differences, smoothing %s, spread %s', (smoothing, spread) => {
    const gradient = new Float64Array(layout.length);
    lossAndGradient(plain, layout, parameters, batch, gradient, { smoothing, spread });
    const lossAt = (i: number, value: number) => {
      const moved = parameters.slice();
      moved[i] = value;
      return lossAndGradient(plain, layout, moved, batch, new Float64Array(layout.length), { smoothing, spread });
    };
    for (let i = 0; i < layout.length; i++) {
      const h = 1e-5;
      const slope = (lossAt(i, parameters[i] + h) - lossAt(i, parameters[i] - h)) / (2 * h);
      expect(Math.abs(gradient[i] - slope)).toBeLessThan(1e-7 + 1e-6 * Math.abs(slope));
    }
  });

  it('is the logarithm of the number of stones where all stones look alike', () => {
    const preprocessed = Float64Array.from({ length: 18 * 11 }, (_, i) => (i % 11) / 11);
    const loss = lossAndGradient(
      plain,
      layout,
      parameters,
      { ...batch, preprocessed },
      new Float64Array(layout.length),
    );
    expect(loss).toBeCloseTo(Math.log(6), 10);
  });
});
