import { createHash } from 'node:crypto';
import { type Eigen, generalisedEigen } from './eigen.js';

/** Symmetric C and W, of which W is positive definite; of a sparse one most of C and all of W beside the diagonal is 0. */
function problem(n: number, sparse = false): [Float64Array, Float64Array] {
  let state = n;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const rows = Array.from({ length: n + 2 }, () => Float64Array.from({ length: n }, next));
  const [c, w] = [new Float64Array(n * n), new Float64Array(n * n)];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const product = sparse && i !== j ? 0 : rows.reduce((sum, row) => sum + row[i] * row[j], 0);
      w[i * n + j] = w[j * n + i] = product + (i === j ? 1 : 0);
      c[i * n + j] = c[j * n + i] = sparse && i !== j && (i + j) % 3 !== 0 ? 0 : next();
    }
  }
  return [c, w];
}

const digestOf = ({ values, vectors }: Eigen) => {
  const hash = createHash('sha256');
  for (const table of [values, vectors]) hash.update(new Uint8Array(table.buffer));
  return hash.digest('hex').slice(0, 16);
};

describe('generalisedEigen', () => {
  it('solves C v = lambda W v with v W v = 1, in ascending order', () => {
    const n = 13;
    const [c, w] = problem(n);
    const { values, vectors } = generalisedEigen(c, w, n);
    expect(values).toEqual(values.slice().sort());
    const product = (table: Float64Array, v: Float64Array) =>
      v.map((_, i) => v.reduce((sum, value, j) => sum + table[i * n + j] * value, 0));
    for (let k = 0; k < n; k++) {
      const vector = vectors.subarray(k * n, (k + 1) * n);
      const right = product(w, vector);
      expect(vector.reduce((sum, value, i) => sum + value * right[i], 0)).toBeCloseTo(1, 12);
      for (const [i, left] of product(c, vector).entries()) expect(left).toBeCloseTo(values[k] * right[i], 12);
    }
  });

  // As ml-matrix 6.15.1 gives them: stored scorers and models were made with it.
  it.each([
    [1, false, 'cb4051d90c4ca6ae'],
    [2, false, 'be2f631b8393634e'],
    [5, false, 'b593a7a93e213997'],
    [8, true, '9f51ed542ae9c4ef'],
    [37, false, 'e0aabe4c05cc24a6'],
    [38, true, '609ced5532d483d1'],
    [96, false, '3394a2463c7cf704'],
  ])('gives the bits that it always gave: %s rows, sparse: %s', (n, sparse, digest) => {
    expect(digestOf(generalisedEigen(...problem(n, sparse), n))).toBe(digest);
  });
});
