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

/** Subtracts from row i of a table the multiples of rows k and k + 1 that l has in its row i. */
function subtractTwo(table, i, k, l, n) {
  const first = l[i * n + k];
  const second = l[i * n + k + 1];
  for (let at = i * n, a = k * n, b = a + n, end = b; a < end; at++, a++, b++)
    table[at] -= first * table[a] + second * table[b];
}

/** Brings a table B to X with L X = B, in place. */
function forward(l, table, n) {
  for (let i = 0; i < n; i++) {
    let k = 0;
    for (; k + 2 <= i; k += 2) subtractTwo(table, i, k, l, n);
    if (k < i) for (let j = 0; j < n; j++) table[i * n + j] -= l[i * n + k] * table[k * n + j];
    for (let j = i * n; j < (i + 1) * n; j++) table[j] /= l[i * n + i];
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

/** Takes 2 (v p' + p v') off a, of which rows and columns begin at k. */
function reflect(a, v, p, k, n) {
  for (let i = k; i < n; i++) {
    const twiceV = 2 * v[i];
    const twiceP = 2 * p[i];
    for (let j = k, at = i * n + k; j < n; j++, at++) a[at] -= twiceV * p[j] + twiceP * v[j];
  }
}

/** The rows of the turn that reflections on these axes make one after the other; axis k is the row k and begins at k + 1. */
function turnOf(axes, n) {
  const product = new Float64Array(n * n);
  for (let i = 0; i < n; i++) product[i * n + i] = 1;
  const along = new Float64Array(n);
  // From the last to the first: what lies before an axis is not touched yet.
  for (let k = n - 3; k >= 0; k--) {
    along.fill(0);
    for (let i = k + 1; i < n; i++) {
      const v = axes[k * n + i];
      for (let j = k + 1, at = i * n + j; j < n; j++, at++) along[j] += v * product[at];
    }
    for (let i = k + 1; i < n; i++) {
      const twice = 2 * axes[k * n + i];
      for (let j = k + 1, at = i * n + j; j < n; j++, at++) product[at] -= twice * along[j];
    }
  }
  return transposed(product, n);
}

/** Reflections that leave three diagonals of a. @returns the main one, the one beside it, and the rows of the turn */
function threeDiagonals(a, n) {
  const axes = new Float64Array(n * n);
  const p = new Float64Array(n);
  for (let k = 0; k < n - 2; k++) {
    let squares = 0;
    for (let i = k + 1; i < n; i++) squares += a[i * n + k] * a[i * n + k];
    const below = squares - a[(k + 1) * n + k] * a[(k + 1) * n + k];
    if (!(below > 0)) continue;
    const v = axes.subarray(k * n, (k + 1) * n);
    for (let i = k + 1; i < n; i++) v[i] = a[i * n + k];
    v[k + 1] += Math.sign(v[k + 1] || 1) * Math.sqrt(squares);
    let length = 0;
    for (let i = k + 1; i < n; i++) length += v[i] * v[i];
    length = Math.sqrt(length);
    for (let i = k + 1; i < n; i++) v[i] /= length;
    // a - 2 v p' - 2 p v', p = a v - (v' a v) v; a is symmetric.
    p.fill(0);
    for (let j = k + 1; j < n; j++) {
      const factor = v[j];
      for (let i = k, at = j * n + k; i < n; i++, at++) p[i] += factor * a[at];
    }
    let along = 0;
    for (let i = k + 1; i < n; i++) along += v[i] * p[i];
    for (let i = k; i < n; i++) p[i] -= along * v[i];
    reflect(a, v, p, k, n);
  }
  const main = Float64Array.from({ length: n }, (_, i) => a[i * n + i]);
  const beside = Float64Array.from({ length: n }, (_, i) => (i < n - 1 ? a[(i + 1) * n + i] : 0));
  return { main, beside, turn: turnOf(axes, n) };
}

/** Turns rows i and i + 1, then rows i - 1 and i, by sines and cosines at the number of the lower row. */
function turnThree(rows, i, sines, cosines, n) {
  const s = sines[i];
  const c = cosines[i];
  const t = sines[i - 1];
  const d = cosines[i - 1];
  for (let x = (i - 1) * n, y = x + n, z = y + n, end = y; x < end; x++, y++, z++) {
    const low = rows[x];
    const middle = rows[y];
    const high = rows[z];
    const turned = c * middle - s * high;
    rows[z] = s * middle + c * high;
    rows[y] = t * low + d * turned;
    rows[x] = d * low - t * turned;
  }
}

/** Turns rows from the pair `last`, `last` + 1 down to the pair `first`, `first` + 1. */
function turnRows(rows, first, last, sines, cosines, n) {
  let i = last;
  for (; i > first; i -= 2) turnThree(rows, i, sines, cosines, n);
  if (i < first) return;
  for (let x = i * n, y = x + n, end = y; x < end; x++, y++) {
    const low = rows[x];
    const high = rows[y];
    rows[y] = sines[i] * low + cosines[i] * high;
    rows[x] = cosines[i] * low - sines[i] * high;
  }
}

/** Turns pairs of rows until what stands beside the main diagonal is nothing (QL with implicit shifts), in place. */
function diagonal(d, e, rows, n) {
  const sines = new Float64Array(n);
  const cosines = new Float64Array(n);
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
        sines[i] = s;
        cosines[i] = c;
      }
      turnRows(rows, i + 1, m - 1, sines, cosines, n);
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
 * @param least values above it are kept
 * @returns `values` l in no order and `vectors` u, one a row; nothing where W is not positive definite
 */
export function directions(c, w, n, least = -Infinity) {
  const l = cholesky(w, n);
  if (!l) return undefined;
  // L^-1 C L^-T, whose rows and columns are the same.
  const half = Float64Array.from(c);
  forward(l, half, n);
  const inner = transposed(half, n);
  forward(l, inner, n);
  const { main, beside, turn } = threeDiagonals(inner, n);
  diagonal(main, beside, turn, n);
  const kept = [...main.keys()].filter((i) => main[i] > least);
  const vectors = new Float64Array(kept.length * n);
  for (const [at, i] of kept.entries()) vectors.set(turn.subarray(i * n, (i + 1) * n), at * n);
  backward(l, vectors, n);
  return { values: kept.map((i) => main[i]), vectors };
}
