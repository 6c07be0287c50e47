/** Eigenvalues of symmetric matrices: tables of n x n values, row by row. Needs no Node. */

/** L with L L' = w, lower triangular. Nothing where w is not positive definite. */
function cholesky(w, n) {
  const l = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = w[i * n + j];
      for (let k = 0; k < j; k++) sum -= l[i * n + k] * l[j * n + k];
      if (i === j && !(sum > 0)) return undefined;
      l[i * n + j] = i === j ? Math.sqrt(sum) : sum / l[j * n + j];
    }
  return l;
}

/** Solves L x = b for every row b of a table, in place. */
function forward(l, rows, n) {
  for (let at = 0; at < rows.length; at += n)
    for (let i = 0; i < n; i++) {
      let sum = rows[at + i];
      for (let k = 0; k < i; k++) sum -= l[i * n + k] * rows[at + k];
      rows[at + i] = sum / l[i * n + i];
    }
}

/** Solves L' x = b for every row b of a table, in place. */
function backward(l, rows, n) {
  for (let at = 0; at < rows.length; at += n)
    for (let i = n - 1; i >= 0; i--) {
      const x = rows[at + i] / l[i * n + i];
      rows[at + i] = x;
      for (let k = 0; k < i; k++) rows[at + k] -= l[i * n + k] * x;
    }
}

function transposed(table, n) {
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) out[j * n + i] = table[i * n + j];
  return out;
}

/** Reflections that leave three diagonals of a. @returns the main one, the one beside it, and the rows of the turn */
function threeDiagonals(a, n) {
  const turn = new Float64Array(n * n);
  for (let i = 0; i < n; i++) turn[i * n + i] = 1;
  const [v, p, t] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  for (let k = 0; k < n - 2; k++) {
    let squares = 0;
    for (let i = k + 1; i < n; i++) squares += a[i * n + k] * a[i * n + k];
    const below = squares - a[(k + 1) * n + k] * a[(k + 1) * n + k];
    if (!(below > 0)) continue;
    for (let i = k + 1; i < n; i++) v[i] = a[i * n + k];
    v[k + 1] += Math.sign(v[k + 1] || 1) * Math.sqrt(squares);
    let length = 0;
    for (let i = k + 1; i < n; i++) length += v[i] * v[i];
    length = Math.sqrt(length);
    for (let i = k + 1; i < n; i++) v[i] /= length;
    // a - 2 v p' - 2 p v', p = a v - (v' a v) v.
    let along = 0;
    for (let i = k; i < n; i++) {
      p[i] = 0;
      for (let j = k + 1; j < n; j++) p[i] += a[i * n + j] * v[j];
      if (i > k) along += v[i] * p[i];
    }
    v[k] = 0;
    for (let i = k; i < n; i++) p[i] -= along * v[i];
    for (let i = k; i < n; i++) for (let j = k; j < n; j++) a[i * n + j] -= 2 * (v[i] * p[j] + p[i] * v[j]);
    t.fill(0);
    for (let i = k + 1; i < n; i++) for (let j = 0; j < n; j++) t[j] += v[i] * turn[i * n + j];
    for (let i = k + 1; i < n; i++) for (let j = 0; j < n; j++) turn[i * n + j] -= 2 * v[i] * t[j];
  }
  const main = Float64Array.from({ length: n }, (_, i) => a[i * n + i]);
  const beside = Float64Array.from({ length: n }, (_, i) => (i < n - 1 ? a[(i + 1) * n + i] : 0));
  return { main, beside, turn };
}

/** Turns pairs of rows until what stands beside the main diagonal is nothing (QL with implicit shifts), in place. */
function diagonal(d, e, rows, n) {
  for (let l = 0; l < n; l++)
    for (;;) {
      let m = l;
      while (m < n - 1 && Math.abs(e[m]) > Number.EPSILON * (Math.abs(d[m]) + Math.abs(d[m + 1]))) m++;
      if (m === l) break;
      let g = (d[l + 1] - d[l]) / (2 * e[l]);
      g = d[m] - d[l] + e[l] / (g + (g < 0 ? -1 : 1) * Math.sqrt(g * g + 1));
      let [s, c, p] = [1, 1, 0];
      let i = m - 1;
      for (; i >= l; i--) {
        const [f, b] = [s * e[i], c * e[i]];
        const r = Math.sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r === 0) break;
        [s, c] = [f / r, g / r];
        g = d[i + 1] - p;
        const q = (d[i] - g) * s + 2 * c * b;
        p = s * q;
        d[i + 1] = g + p;
        g = c * q - b;
        for (let k = 0, x = i * n, y = x + n; k < n; k++, x++, y++) {
          const [low, high] = [rows[x], rows[y]];
          rows[y] = s * low + c * high;
          rows[x] = c * low - s * high;
        }
      }
      e[m] = 0;
      if (i >= l) {
        d[i + 1] -= p;
        continue;
      }
      d[l] -= p;
      e[l] = g;
    }
}

/**
 * Solves C u = l W u with u'Wu = 1, C symmetric, W symmetric and positive definite.
 * @returns `values` l in no order and `vectors` u, one a row; nothing where W is not positive definite
 */
export function directions(c, w, n) {
  const l = cholesky(w, n);
  if (!l) return undefined;
  // L^-1 C L^-T, whose rows and columns are the same.
  const half = Float64Array.from(c);
  forward(l, half, n);
  const inner = transposed(half, n);
  forward(l, inner, n);
  const { main, beside, turn } = threeDiagonals(inner, n);
  diagonal(main, beside, turn, n);
  backward(l, turn, n);
  return { values: main, vectors: turn };
}
