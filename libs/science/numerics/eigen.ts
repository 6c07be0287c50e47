/**
 * Eigenvectors of two symmetric tables. Only additions, products, quotients and square roots in a fixed order: the same bits on
 * every machine and version. Stored scorers and models are held to these bits, so that no order of sums here may change; it is
 * that of EISPACK's tred2 and tql2, as JAMA and ml-matrix have them.
 */

/** Square tables, rows after each other. */
export interface Eigen {
  /** Ascending. */
  values: Float64Array;
  /** A row for each value. */
  vectors: Float64Array;
}

/** Solves C v = lambda W v with v'Wv = 1, C symmetric, W symmetric and positive definite. @param n their rows */
export function generalisedEigen(c: Float64Array, w: Float64Array, n: number): Eigen {
  const lower = cholesky(w, n);
  const inner = c.slice();
  forwardSolve(lower, inner, n);
  transpose(inner, n);
  forwardSolve(lower, inner, n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++) inner[i * n + j] = inner[j * n + i] = (inner[i * n + j] + inner[j * n + i]) / 2;
  const values = new Float64Array(n);
  const offDiagonal = new Float64Array(n);
  tridiagonalise(inner, values, offDiagonal, n);
  diagonalise(inner, values, offDiagonal, n);
  transpose(inner, n);
  backSolve(lower, inner, n);
  transpose(inner, n);
  return { values, vectors: inner };
}

function transpose(table: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const value = table[i * n + j];
      table[i * n + j] = table[j * n + i];
      table[j * n + i] = value;
    }
  }
}

/** L, lower triangular, with L L' = W. */
function cholesky(w: Float64Array, n: number): Float64Array {
  const lower = new Float64Array(n * n);
  for (let j = 0; j < n; j++) {
    const row = j * n;
    let squares = 0;
    for (let k = 0; k < j; k++) {
      const other = k * n;
      let sum = 0;
      for (let i = 0; i < k; i++) sum += lower[other + i] * lower[row + i];
      const value = (w[row + k] - sum) / lower[other + k];
      lower[row + k] = value;
      squares += value * value;
    }
    lower[row + j] = Math.sqrt(Math.max(w[row + j] - squares, 0));
  }
  return lower;
}

/** Brings B to X with L X = B. */
function forwardSolve(lower: Float64Array, b: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) subtract(b, i * n, k * n, lower[i * n + k], n);
    divide(b, i * n, lower[i * n + i], n);
  }
}

/** Brings B to X with L' X = B. */
function backSolve(lower: Float64Array, b: Float64Array, n: number): void {
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) subtract(b, i * n, k * n, lower[k * n + i], n);
    divide(b, i * n, lower[i * n + i], n);
  }
}

function divide(table: Float64Array, row: number, by: number, n: number): void {
  for (let j = row; j < row + n; j++) table[j] /= by;
}

function subtract(table: Float64Array, row: number, other: number, factor: number, n: number): void {
  for (let j = 0; j < n; j++) table[row + j] -= factor * table[other + j];
}

/**
 * Householder's reduction to tridiagonal form (tred2). V, symmetric, becomes the transpose of the transformation, `d` the diagonal
 * and `e` from its second place on what stands beside it.
 */
function tridiagonalise(v: Float64Array, d: Float64Array, e: Float64Array, n: number): void {
  for (let j = 0; j < n; j++) d[j] = v[j * n + n - 1];
  for (let i = n - 1; i > 0; i--) {
    let scale = 0;
    for (let k = 0; k < i; k++) scale += Math.abs(d[k]);
    if (scale === 0) {
      e[i] = d[i - 1];
      for (let j = 0; j < i; j++) {
        d[j] = v[j * n + i - 1];
        v[j * n + i] = 0;
        v[i * n + j] = 0;
      }
      d[i] = 0;
    } else d[i] = reflect(v, d, e, i, scale, n);
  }
  accumulate(v, d, n);
  e[0] = 0;
}

/** One step of tred2, which takes row and column i out. @returns half the squared length of the reflection's axis */
function reflect(v: Float64Array, d: Float64Array, e: Float64Array, i: number, scale: number, n: number): number {
  let h = 0;
  for (let k = 0; k < i; k++) {
    d[k] /= scale;
    h += d[k] * d[k];
  }
  const last = d[i - 1];
  const root = last > 0 ? -Math.sqrt(h) : Math.sqrt(h);
  e[i] = scale * root;
  h -= last * root;
  d[i - 1] = last - root;
  e.fill(0, 0, i);
  symmetricProduct(v, d, e, i, n);
  let f = 0;
  for (let j = 0; j < i; j++) {
    e[j] /= h;
    f += e[j] * d[j];
  }
  const half = f / (h + h);
  for (let j = 0; j < i; j++) e[j] -= half * d[j];
  for (let j = 0; j < i; j++) {
    const [p, q] = [d[j], e[j]];
    const row = j * n;
    v[i * n + j] = p;
    for (let k = j; k < i; k++) v[row + k] -= p * e[k] + q * d[k];
    d[j] = v[row + i - 1];
    v[row + i] = 0;
  }
  return h;
}

/** Adds to `e` the product of the first i rows and columns of V, of which the upper triangle is read, with `d`. */
function symmetricProduct(v: Float64Array, d: Float64Array, e: Float64Array, i: number, n: number): void {
  for (let j = 0; j < i; j++) {
    const f = d[j];
    let g = e[j] + v[j * n + j] * f;
    for (let k = j + 1; k < i; k++) {
      g += v[j * n + k] * d[k];
      e[k] += v[j * n + k] * f;
    }
    e[j] = g;
  }
}

/** The product of all reflections (the second half of tred2). */
function accumulate(v: Float64Array, d: Float64Array, n: number): void {
  const axis = new Float64Array(n);
  for (let i = 0; i < n - 1; i++) {
    v[i * n + n - 1] = v[i * n + i];
    v[i * n + i] = 1;
    const h = d[i + 1];
    const next = (i + 1) * n;
    if (h !== 0) {
      for (let k = 0; k <= i; k++) {
        axis[k] = v[next + k];
        d[k] = axis[k] / h;
      }
      for (let j = 0; j <= i; j++) {
        let g = 0;
        for (let k = 0; k <= i; k++) g += axis[k] * v[j * n + k];
        for (let k = 0; k <= i; k++) v[j * n + k] -= g * d[k];
      }
    }
    for (let k = 0; k <= i; k++) v[next + k] = 0;
  }
  for (let j = 0; j < n; j++) {
    d[j] = v[j * n + n - 1];
    v[j * n + n - 1] = 0;
  }
  v[n * n - 1] = 1;
}

/** The QL method with implicit shifts (tql2). `d` becomes the values, rows of V the vectors. */
function diagonalise(v: Float64Array, d: Float64Array, e: Float64Array, n: number): void {
  e.copyWithin(0, 1);
  e[n - 1] = 0;
  let shift = 0;
  let largest = 0;
  for (let l = 0; l < n; l++) {
    largest = Math.max(largest, Math.abs(d[l]) + Math.abs(e[l]));
    const small = Number.EPSILON * largest;
    let m = l;
    while (m < n && Math.abs(e[m]) > small) m++;
    if (m > l) {
      do shift += sweep(d, e, l, m, n, v);
      while (Math.abs(e[l]) > small);
    }
    d[l] += shift;
    e[l] = 0;
  }
  sort(v, d, n);
}

/** One sweep of tql2 from m down to l. @returns what it takes off all values */
function sweep(d: Float64Array, e: Float64Array, l: number, m: number, n: number, v: Float64Array): number {
  const first = d[l];
  const slope = (d[l + 1] - first) / (2 * e[l]);
  const root = slope < 0 ? -hypotenuse(slope, 1) : hypotenuse(slope, 1);
  d[l] = e[l] / (slope + root);
  d[l + 1] = e[l] * (slope + root);
  const second = d[l + 1];
  const taken = first - d[l];
  for (let i = l + 2; i < n; i++) d[i] -= taken;
  let p = d[m];
  let [c, c2, c3, s, s2] = [1, 1, 1, 0, 0];
  const beside = e[l + 1];
  for (let i = m - 1; i >= l; i--) {
    c3 = c2;
    c2 = c;
    s2 = s;
    const g = c * e[i];
    const h = c * p;
    const r = hypotenuse(p, e[i]);
    e[i + 1] = s * r;
    s = e[i] / r;
    c = p / r;
    p = c * d[i] - s * g;
    d[i + 1] = h + s * (c * g + s * d[i]);
    turn(v, i, n, c, s);
  }
  p = (-s * s2 * c3 * beside * e[l]) / second;
  e[l] = s * p;
  d[l] = c * p;
  return taken;
}

/** Turns rows i and i + 1 by an angle of cosine c and sine s. */
function turn(v: Float64Array, i: number, n: number, c: number, s: number): void {
  const [low, high] = [i * n, (i + 1) * n];
  for (let k = 0; k < n; k++) {
    const h = v[high + k];
    const g = v[low + k];
    v[high + k] = s * g + c * h;
    v[low + k] = c * g - s * h;
  }
}

function hypotenuse(a: number, b: number): number {
  if (Math.abs(a) > Math.abs(b)) return Math.abs(a) * Math.sqrt(1 + (b / a) * (b / a));
  return b === 0 ? 0 : Math.abs(b) * Math.sqrt(1 + (a / b) * (a / b));
}

/** Brings values and rows of V into ascending order. */
function sort(v: Float64Array, d: Float64Array, n: number): void {
  for (let i = 0; i < n - 1; i++) {
    let least = i;
    for (let j = i + 1; j < n; j++) if (d[j] < d[least]) least = j;
    if (least === i) continue;
    const value = d[least];
    d[least] = d[i];
    d[i] = value;
    const row = v.slice(i * n, (i + 1) * n);
    v.copyWithin(i * n, least * n, (least + 1) * n);
    v.set(row, least * n);
  }
}

/** Adds weight x x' to the lower triangle of a square table. */
export function addSquare(table: Float64Array, x: Float32Array | Float64Array, weight: number): void {
  for (let i = 0; i < x.length; i++) {
    const value = weight * x[i];
    for (let j = 0, at = i * x.length; j <= i; j++, at++) table[at] += value * x[j];
  }
}
