/** Checks an approval of a rung under a scorer: sections 6 and 7 of its page. Needs no Node. */
import { genuineAccept, leaveOut, stonesOf } from './method.mjs';

/** Scores, norms and thresholds of two programs agree within this. */
export const TOLERANCE = 1e-5;
const MEASURED = 1600;
const Z = 1.959963984540054;
/** Counts that are tried where rounding leaves them open. */
const MOST_OPEN = 20;

/** Number of the ascending values that are at most so large. */
export function atMost(sorted, value) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const rankOf = (sorted, share) => Math.min(Math.max(Math.ceil(share * sorted.length - 1e-9), 1), sorted.length);
export const quantile = (sorted, share) => sorted[rankOf(sorted, share) - 1];

/** True if a value is the quantile, but for rounding and so many ranks. */
export function isQuantile(sorted, share, value, ranks) {
  const rank = rankOf(sorted, share);
  const [low, high] = [Math.max(rank - ranks, 1), Math.min(rank + ranks, sorted.length)];
  return sorted[low - 1] - TOLERANCE <= value && value <= sorted[high - 1] + TOLERANCE;
}

/** Linear between knots, level beyond the outermost ones. */
export function probabilityAt({ scores, probabilities }, score) {
  const above = atMost(scores, score);
  if (above === 0) return probabilities[0];
  if (above === scores.length) return probabilities[above - 1];
  const part = (score - scores[above - 1]) / (scores[above] - scores[above - 1]);
  return probabilities[above - 1] + part * (probabilities[above] - probabilities[above - 1]);
}

/** The shares above a threshold that rounding leaves open: the least and the largest count. */
export const countsAbove = (sorted, threshold, open = 0) => [
  sorted.length - atMost(sorted, threshold + TOLERANCE) - open,
  sorted.length - atMost(sorted, threshold - TOLERANCE) + open,
];

/**
 * Of the first n claims under a scorer: a function that tells which members of a proposal at a rung's percentage are not what
 * the claims give. Nothing where no pair is left.
 */
export function measureUnder(evidence, n, scorer) {
  const claims = evidence.list.slice(0, n);
  const [rough, polish] = ['rough', 'polish'].map((side) => stonesOf(evidence, claims, side));
  const [fromP, fromQ] = [polish, rough].map(({ stones }) => Math.max(stones.length - MEASURED, 0));
  const rowsOf = ({ stones }, from) => stones.slice(from).map(({ row }) => row);
  const [polishes, roughs] = [rowsOf(polish, fromP), rowsOf(rough, fromQ)];
  const Q = roughs.length;
  const kept = new Uint8Array(polishes.length * Q).fill(1);
  const unit = [];
  leaveOut(claims, rough, polish, (p, q, claimed) => {
    if (claimed) unit[p] ??= q;
    if (p >= fromP && q >= fromQ) kept[(p - fromP) * Q + q - fromQ] = 0;
  });
  const pairs = Uint32Array.from(kept.keys()).filter((pair) => kept[pair] === 1);
  if (pairs.length === 0) return undefined;
  const { scores, open } = scorer.scores(roughs, polishes, pairs);
  const wrong = scores.slice().sort();
  const own = scorer.ofClaims(claims.slice(-MEASURED)).scores.sort();
  const exact = { claims: n, roughs: rough.stones.length, polishes: polish.stones.length, pairs: pairs.length };

  /** Of the share above a threshold. */
  const errorAt = (threshold) => {
    const [touching, above] = [new Float64Array(exact.roughs), new Float64Array(exact.roughs)];
    let all = 0;
    for (let i = 0; i < pairs.length; i++) {
      const one = Number(scores[i] > threshold);
      all += one;
      for (const of of [unit[Math.floor(pairs[i] / Q) + fromP], (pairs[i] % Q) + fromQ]) {
        touching[of]++;
        above[of] += one;
      }
    }
    const share = all / pairs.length;
    const squares = touching.reduce((sum, count, of) => sum + (above[of] - share * count) ** 2, 0);
    return Math.sqrt(squares) / pairs.length;
  };
  const isAccept = (proposal, R) => {
    const counts = (low, high) =>
      Array.from({ length: Math.min(high - low + 1, MOST_OPEN) }, (_, i) => Math.max(low, 0) + i);
    const below = (share) => {
      const [low, high] = [
        Math.max(rankOf(wrong, share) - open, 1),
        Math.min(rankOf(wrong, share) + open, wrong.length),
      ];
      return counts(atMost(own, wrong[low - 1] - 2 * TOLERANCE), atMost(own, wrong[high - 1] + 2 * TOLERANCE));
    };
    const near = (a, b) => (a === null || b === null ? a === b : Math.abs(a - b) <= 1e-9);
    const { threshold: t } = proposal;
    for (const L of below(0.8))
      for (const K of below(0.2))
        for (const T of counts(atMost(own, t - TOLERANCE), atMost(own, t + TOLERANCE))) {
          const { estimate = null, error = null, reason = null } = genuineAccept(own.length, L, K, T, R / 100);
          if (
            near(proposal.expected_genuine_accept, estimate) &&
            near(proposal.expected_genuine_accept_error, error) &&
            proposal.expected_genuine_accept_reason === reason
          )
            return true;
        }
    return false;
  };

  return (R, proposal) => {
    const { threshold, interval, wrong_per_1000 } = proposal;
    const fields = Object.keys(exact).filter((field) => proposal[field] !== exact[field]);
    if (!isQuantile(wrong, R / 100, threshold, open)) return [...fields, 'threshold'];
    const shift = Z * errorAt(threshold);
    const ranks = open + 2 + Math.ceil(1e-5 * wrong.length);
    const ends = [-shift, shift].map((by) => Math.min(Math.max(R / 100 + by, 0), 1));
    if (interval.length !== 2 || !ends.every((share, i) => isQuantile(wrong, share, interval[i], ranks)))
      fields.push('interval');
    const [least, largest] = countsAbove(wrong, threshold, open);
    const above = Math.round((wrong_per_1000 / 1000) * wrong.length);
    if (above < least || above > largest || Math.abs(1000 * (above / wrong.length) - wrong_per_1000) > 1e-9)
      fields.push('wrong_per_1000');
    if (!isAccept(proposal, R)) fields.push('expected_genuine_accept');
    return fields;
  };
}
