import { CholeskyDecomposition, EigenvalueDecomposition, Matrix } from 'ml-matrix';

/**
 * Solves C v = lambda W v, C symmetric, W symmetric and positive definite; v'Wv = 1, ascending lambda. Only additions,
 * products, quotients and square roots in a fixed order: the same bits on every machine and version.
 */
export function generalisedEigen(c: Matrix, w: Matrix): { values: number[]; vectors: Matrix } {
  const lower = new CholeskyDecomposition(w).lowerTriangularMatrix;
  const half = forwardSolve(lower, c);
  const inner = forwardSolve(lower, half.transpose());
  for (let i = 0; i < inner.rows; i++) {
    for (let j = 0; j < i; j++) {
      const mean = (inner.get(i, j) + inner.get(j, i)) / 2;
      inner.set(i, j, mean).set(j, i, mean);
    }
  }
  const eigen = new EigenvalueDecomposition(inner, { assumeSymmetric: true });
  return { values: eigen.realEigenvalues, vectors: backSolve(lower, eigen.eigenvectorMatrix) };
}

/** X with L X = B. */
function forwardSolve(lower: Matrix, b: Matrix): Matrix {
  const n = lower.rows;
  const x = b.to2DArray().map((row) => Float64Array.from(row));
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) subtract(x[i], x[k], lower.get(i, k));
    divide(x[i], lower.get(i, i));
  }
  return new Matrix(x);
}

/** X with L' X = B. */
function backSolve(lower: Matrix, b: Matrix): Matrix {
  const n = lower.rows;
  const x = b.to2DArray().map((row) => Float64Array.from(row));
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) subtract(x[i], x[k], lower.get(k, i));
    divide(x[i], lower.get(i, i));
  }
  return new Matrix(x);
}

function subtract(from: Float64Array, row: Float64Array, factor: number): void {
  for (let j = 0; j < from.length; j++) from[j] -= factor * row[j];
}

function divide(row: Float64Array, by: number): void {
  for (let j = 0; j < row.length; j++) row[j] /= by;
}
