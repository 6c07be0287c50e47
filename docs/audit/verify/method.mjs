/** The figures of an approval from its claims: sections 3 to 8 of method.md. Needs no Node. */
import { LENGTH } from './grammar.mjs';

/** Section 4, of two rows. */
export function scoreOf({ values, width, encoders }, a, b) {
  let sum = 0;
  for (let e = 0; e < encoders.length; e++) {
    let cosine = 0;
    for (let i = e * LENGTH; i < (e + 1) * LENGTH; i++) cosine += values[a * width + i] * values[b * width + i];
    sum += cosine;
  }
  return sum / encoders.length;
}

/** Section 7: the same in float32. */
function fastBin({ values, width, encoders }, a, b) {
  let sum = 0;
  for (let e = 0; e < encoders.length; e++) {
    let cosine = 0;
    for (let i = e * LENGTH; i < (e + 1) * LENGTH; i++)
      cosine = Math.fround(cosine + Math.fround(values[a * width + i] * values[b * width + i]));
    sum = Math.fround(sum + cosine);
  }
  return Math.floor((sum / encoders.length + 2) * 32768);
}

/** Section 3's nearly identical. The distance of such sets is small, which a few values of others exceed. */
function near(evidence, a, b) {
  const { values, width, encoders, norms } = evidence;
  const most = norms[a] + norms[b] - 2 * encoders.length * 0.9995 + 1e-9;
  let distance = 0;
  for (let i = 0; i < width; i++) {
    const d = values[a * width + i] - values[b * width + i];
    distance += d * d;
    if (distance > most) return false;
  }
  return scoreOf(evidence, a, b) > 0.9995;
}

/** Section 3: one side's stones. */
export function stonesOf(evidence, claims, side) {
  const stones = [];
  const bySet = new Map();
  const byBase = new Map();
  for (const claim of claims) {
    const { digest, references, row } = claim[side];
    const bases = references.map((reference) => reference.replace(/\.[0-9]+$/, ''));
    let stone = bySet.get(digest);
    if (stone === undefined) {
      const holders = bases.filter((base) => byBase.has(base)).map((base) => byBase.get(base));
      if (holders.length > 0) stone = Math.min(...holders);
      else stone = stones.findIndex((one) => near(evidence, row, one.row));
      if (stone < 0) stone = stones.push({ row, digests: [], bases: new Set() }) - 1;
      bySet.set(digest, stone);
      stones[stone].digests.push(digest);
    }
    for (const base of bases)
      if (!byBase.has(base)) {
        byBase.set(base, stone);
        stones[stone].bases.add(base);
      }
  }
  return { stones, bySet, byBase };
}

/** Section 5: tells every pair that stands for no wrong claim, and whether a claim brought it. */
export function leaveOut(claims, rough, polish, tell) {
  for (const claim of claims) tell(polish.bySet.get(claim.polish.digest), rough.bySet.get(claim.rough.digest), true);
  for (const [p, { bases, digests }] of polish.stones.entries()) {
    for (const base of bases) if (rough.byBase.has(base)) tell(p, rough.byBase.get(base), false);
    for (const digest of digests) if (rough.bySet.has(digest)) tell(p, rough.bySet.get(digest), false);
  }
}

/** A pair's score in 2^-15 steps, 1 to 65535; a pair left out has 0. */
const stepOf = (score) => Math.min(Math.max(Math.floor((score + 1) * 32768), 1), 65535);
/** Pairs nearer to a quantile than this are looked at one by one: the steps and section 7's bins are one off at most. */
const REACH = 2;
/** Rows that are taken at a time. */
export const ROWS = 32;

/** Blocks of rows, one after the other, for one thread. */
const inOrder = () => {
  let next = 0;
  return () => next++;
};

/**
 * Steps of all pairs of rows (polish) and columns (rough), row by row. Two by four, to be fast.
 * @param steps a number a pair
 * @param block tells the next block of rows to take, from 0; threads share one
 */
export function fillSteps({ values, width, encoders, polish, rough, steps }, block = inOrder()) {
  const last = rough.length - 1;
  const put = (p, q, sum) => {
    if (q <= last) steps[p * rough.length + q] = stepOf(sum / encoders);
  };
  for (let from = ROWS * block(); from < polish.length; from = ROWS * block()) {
    const to = Math.min(from + ROWS, polish.length);
    for (let q = 0; q <= last; q += 4) {
      // The last row and column stand in for those behind them.
      const [c, d, e, f] = [q, q + 1, q + 2, q + 3].map((at) => rough[Math.min(at, last)] * width);
      for (let p = from; p < to; p += 2) {
        const next = Math.min(p + 1, to - 1);
        const a = polish[p] * width;
        const b = polish[next] * width;
        let ac = 0;
        let ad = 0;
        let ae = 0;
        let af = 0;
        let bc = 0;
        let bd = 0;
        let be = 0;
        let bf = 0;
        for (let i = 0; i < width; i++) {
          const x = values[a + i];
          const y = values[b + i];
          const s = values[c + i];
          const t = values[d + i];
          const u = values[e + i];
          const v = values[f + i];
          ac += x * s;
          ad += x * t;
          ae += x * u;
          af += x * v;
          bc += y * s;
          bd += y * t;
          be += y * u;
          bf += y * v;
        }
        put(p, q, ac);
        put(p, q + 1, ad);
        put(p, q + 2, ae);
        put(p, q + 3, af);
        put(next, q, bc);
        put(next, q + 1, bd);
        put(next, q + 2, be);
        put(next, q + 3, bf);
      }
    }
  }
}

/**
 * Sections 5 to 8 of the first n claims: a function of the rung's percentage. Nothing where no pair is left.
 * @param score takes the rows to score and answers a step a pair, as `stepsOf` does
 */
export async function measure(evidence, n, score) {
  const claims = evidence.list.slice(0, n);
  const rough = stonesOf(evidence, claims, 'rough');
  const polish = stonesOf(evidence, claims, 'polish');
  const [P, Q] = [polish.stones.length, rough.stones.length];
  const rowsOf = (side) => Int32Array.from(side.stones, (stone) => stone.row);
  const { values, width, encoders } = evidence;
  const task = { values, width, encoders: encoders.length, polish: rowsOf(polish), rough: rowsOf(rough) };
  const steps = await score({ ...task, pairs: P * Q });
  const unit = new Array(P);
  leaveOut(claims, rough, polish, (p, q, claimed) => {
    steps[p * Q + q] = 0;
    if (claimed) unit[p] ??= q;
  });
  const counts = new Float64Array(65536);
  const T = new Float64Array(Q);
  for (let p = 0, i = 0; p < P; p++)
    for (let q = 0; q < Q; q++, i++) {
      counts[steps[i]]++;
      if (steps[i] === 0) continue;
      T[unit[p]]++;
      T[q]++;
    }
  const N = P * Q - counts[0];
  if (N === 0) return undefined;
  const scoreAt = (i) => scoreOf(evidence, polish.stones[Math.floor(i / Q)].row, rough.stones[i % Q].row);
  const binAt = (i) => fastBin(evidence, polish.stones[Math.floor(i / Q)].row, rough.stones[i % Q].row);
  /** The k-th smallest of what `valueAt` says of the pairs; and the step that it lies near. */
  const kth = (k, valueAt) => {
    let step = 0;
    for (let rest = k; rest > 0; rest -= counts[step]) step++;
    const below = counts.subarray(1, Math.max(step - REACH, 1)).reduce((sum, count) => sum + count, 0);
    const values = [];
    for (let i = 0; i < steps.length; i++)
      if (steps[i] !== 0 && Math.abs(steps[i] - step) <= REACH) values.push(valueAt(i));
    return { value: values.sort((a, b) => a - b)[k - below - 1], step };
  };
  const quantile = (percent) => kth(Math.floor((percent * N + 99) / 100), scoreAt);
  const own = claims.map((claim) => scoreOf(evidence, claim.polish.row, claim.rough.row));
  const atMost = (mark) => own.filter((s) => s <= mark).length;

  return (R) => {
    const { value: t, step } = quantile(R);
    const A = new Float64Array(Q);
    let above = 0;
    for (let p = 0, i = 0; p < P; p++)
      for (let q = 0; q < Q; q++, i++) {
        if (steps[i] < step - REACH || steps[i] === 0 || (steps[i] <= step + REACH && !(scoreAt(i) > t))) continue;
        A[unit[p]]++;
        A[q]++;
        above++;
      }
    const a = above / N;
    let squares = 0;
    for (let u = 0; u < Q; u++) squares += (A[u] - a * T[u]) * (A[u] - a * T[u]);
    const error = Math.sqrt(squares) / N;
    const k = (share) => Math.min(Math.max(Math.ceil(share * N), 1), N);
    const z = 1.959963984540054;
    const low = kth(k(R / 100 - z * error), binAt).value / 32768 - 2 - 1 / 32768;
    const high = (kth(k(R / 100 + z * error), binAt).value + 1) / 32768 - 2 + 1 / 32768;
    const accept = genuineAccept(n, atMost(quantile(80).value), atMost(quantile(20).value), atMost(t), R / 100);
    return {
      claims: n,
      roughs: Q,
      polishes: P,
      pairs: N,
      threshold: t,
      interval: [low, high],
      wrong_per_1000: 1000 * (above / N),
      expected_genuine_accept: accept.estimate ?? null,
      expected_genuine_accept_error: accept.error ?? null,
      expected_genuine_accept_reason: accept.reason ?? null,
    };
  };
}

/** Section 8, of n claims: L score at most t80, K at most t20, T at most the threshold. */
export function genuineAccept(n, L, K, T, r) {
  if (n < 100) return { reason: 'too few claims' };
  const low = L / n;
  const q = 1 - low / 0.8;
  if (q < 0.6) return { reason: 'too few genuine claims' };
  if (L > 0 && (K - 0.25 * L) / Math.sqrt(L * 0.25 * 0.75) < -1.645)
    return { reason: 'genuine claims score like wrong ones' };
  const above = 1 - T / n;
  const estimate = (above - (1 - q) * (1 - r)) / q;
  const x = 1 / q;
  const y = (above - (1 - r)) / (q * q) / 0.8;
  const variance = x * x * above * (1 - above) + y * y * low * (1 - low) - 2 * x * y * above * low;
  const error = Math.sqrt(Math.max(variance, 0) / n);
  if (error > 0.03) return { reason: 'too uncertain' };
  return { estimate: Math.min(Math.max(estimate, 0), 1), error };
}

/** Steps of all pairs, on one thread. */
export function stepsOf({ pairs, ...task }) {
  const steps = new Uint16Array(pairs);
  fillSteps({ ...task, steps });
  return steps;
}
