/** A scorer's maps and probability curve from its bank: sections 3, 4, 5 and 7 of its page. Needs no Node. */
import { directions } from './eigen.mjs';
import { isMeanAlone, isShrunk, LENGTH, ownShare } from './grammar.mjs';
import { dot, LEFT_OUT, mapped } from './mapped.mjs';
import { probabilityAt } from './rungs.mjs';
import { bytesOfBase64, differs } from './text.mjs';

const N = LENGTH;
/** Own and published sums of cosines differ by less: claims this near to the mark may be trimmed or not. */
const OPEN = 2e-6;
/** Claims near the mark that are tried both ways. */
const MOST_OPEN = 4;
/** Float32 rows differ from the exact ones by some 5e-8 of a map's size: what is beyond this is another map. */
const MAP = 2e-7;
const CURVE = { score: 1e-5, probability: 0.0005 };

/** Section 3. @param keys by claim @param least groups that a scorer needs */
export function weightsOf(groups, keys, least) {
  const sizes = new Map();
  for (const group of groups) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const weights = Float64Array.from(groups, (group) => 1 / sizes.get(group));
  const weightOf = (keep) => weights.reduce((sum, weight, claim) => sum + (keep(keys[claim]) ? weight : 0), 0);
  for (const heavy of new Set(keys)) {
    const [own, others] = [weightOf((key) => key === heavy), weightOf((key) => key !== heavy)];
    if (own > others && others >= least)
      return weights.map((weight, claim) => (keys[claim] === heavy ? (weight * others) / own : weight));
  }
  return weights;
}

/** Sums over the claims of each fold, of one encoder: of the weights, of both sides, and of their products. */
function momentsOf({ values, width }, bank, groups, weights, encoder) {
  const folds = Array.from({ length: 4 }, () => ({
    weight: 0,
    rough: new Float64Array(N),
    polish: new Float64Array(N),
    within: new Float64Array(N * N),
    across: new Float64Array(N * N),
  }));
  for (const [claim, { rough, polish }] of bank.entries()) {
    if (weights[claim] === 0) continue;
    const of = folds[groups[claim] % 4];
    const w = weights[claim];
    of.weight += w;
    const [r, p] = [rough, polish].map(({ row }) => {
      const from = row * width + encoder * N;
      return values.subarray(from, from + N);
    });
    for (let i = 0; i < N; i++) {
      of.rough[i] += w * r[i];
      of.polish[i] += w * p[i];
      const [ri, pi, di] = [w * r[i], w * p[i], w * (r[i] - p[i])];
      for (let j = 0, at = i * N; j <= i; j++, at++) {
        of.within[at] += di * (r[j] - p[j]);
        of.across[at] += (ri * p[j] + pi * r[j]) / 2;
      }
    }
  }
  return folds;
}

/** Section 4, without some folds. @param worlds covariances to draw towards, or nothing @param alone means alone */
function mapFrom(folds, without, worlds, alone) {
  const taken = folds.filter((_, fold) => (without & (1 << fold)) === 0);
  const total = taken.reduce((all, { weight }) => all + weight, 0);
  const own = worlds || alone ? ownShare(total) : 1;
  const mean = (name) => {
    const out = new Float64Array(taken[0][name].length);
    if (total > 0) for (const fold of taken) for (let i = 0; i < out.length; i++) out[i] += fold[name][i] / total;
    return out;
  };
  const [rough, polish, within, across] = ['rough', 'polish', 'within', 'across'].map(mean);
  const [a, b] = [rough, polish].map((exact) => exact.map((value) => Math.fround(own * value)));
  if (alone) return { rough: a, polish: b, rows: new Float64Array(0), count: 0 };
  let trace = 0;
  for (let i = 0; i < N; i++) {
    for (let j = 0; j <= i; j++) {
      const at = i * N + j;
      const theirs = (name) => (worlds ? (1 - own) * worlds[name][(i * (i + 1)) / 2 + j] : 0);
      const centred = across[at] - (rough[i] * polish[j] + rough[j] * polish[i]) / 2;
      within[at] = within[j * N + i] = (own * within[at]) / 2 + theirs('within');
      across[at] = across[j * N + i] = own * centred + theirs('across');
    }
    trace += within[i * N + i];
  }
  for (let i = 0; i < N * N; i++) within[i] *= 0.7;
  for (let i = 0; i < N; i++) within[i * N + i] += (0.3 * trace) / N;
  const { values, vectors: rows } = directions(across, within, N, 0.05) ?? { values: [], vectors: new Float64Array(0) };
  for (const [row, l] of values.entries())
    for (let j = row * N; j < (row + 1) * N; j++) rows[j] *= (l - 0.05) / (1 + l);
  return { rough: a, polish: b, rows, count: values.length };
}

const fitted = ({ evidence, bank, groups, method, worlds }, weights, without) => {
  const moments = evidence.encoders.map((_, encoder) => momentsOf(evidence, bank, groups, weights, encoder));
  const alone = isMeanAlone(method, new Set(groups).size);
  return without.map((folds) => moments.map((of, encoder) => mapFrom(of, folds, worlds[encoder], alone)));
};

const VALUES = (N * (N + 1)) / 2;

/** By encoder the covariances that the ladders of a method hold, lower triangles row after row; none by the others. @throws Differs */
export function covariancesOf({ worlds }, method, encoders, where) {
  const fault = (what) => differs(where, `its ladders ${what}`);
  if (isShrunk(method) !== (worlds !== undefined))
    fault('are without the covariances of worlds, or hold such of another method');
  const floats = (text) => {
    const bytes = text.length === 4 * Math.ceil((4 * VALUES) / 3) ? bytesOfBase64(text) : [];
    if (bytes.length !== 4 * VALUES) fault('hold covariances of another shape');
    const view = new DataView(bytes.buffer);
    const values = Float64Array.from({ length: VALUES }, (_, i) => view.getFloat32(4 * i, true));
    return values.every(Number.isFinite) ? values : fault('hold covariances of another shape');
  };
  const found = (worlds?.covariances ?? []).map((of) => ({ within: floats(of.within), across: floats(of.across) }));
  if (worlds && found.length !== encoders) fault('hold covariances of another number of encoders');
  return found;
}

/** Section 5: which claims look right under a map, and which lie on the mark. */
function looksRight({ evidence, bank }, first, map) {
  const of = (claims, side) => {
    const rows = claims.map((claim) => claim[side].row);
    const means = map.map((encoder) => encoder[side]);
    return mapped(evidence, rows, map, means);
  };
  const [rough, polish] = [of(first, 'rough'), of(first, 'polish')];
  const wrong = new Float64Array(first.length * (first.length - 1));
  let count = 0;
  for (let p = 0; p < first.length; p++)
    for (let q = 0; q < first.length; q++) if (p !== q) wrong[count++] = dot(polish, p, rough, q);
  const mark = wrong.sort()[Math.ceil(0.9 * count - 1e-9) - 1];
  const [roughs, polishes] = [of(bank, 'rough'), of(bank, 'polish')];
  const own = bank.map((_, claim) => dot(polishes, claim, roughs, claim));
  const open = own.flatMap((sum, claim) => (Math.abs(sum - mark) <= OPEN * map.length ? [claim] : []));
  return { right: own.map((sum) => sum > mark), open };
}

/** Section 5: the weights that trimming leaves, where they are the published ones; where rounding decides, either way. */
function trimmed(of, first, weights, published) {
  const after = (taken) => looksRight(of, first, fitted(of, taken, [0])[0]);
  const once = after(weights);
  const open = once.open.slice(0, MOST_OPEN);
  for (let choice = 0; choice < 1 << open.length; choice++) {
    const flip = (claim) => open.includes(claim) && (choice & (1 << open.indexOf(claim))) !== 0;
    const twice = after(weights.map((weight, claim) => (once.right[claim] !== flip(claim) ? weight : 0)));
    const left = weights.map((weight, claim) => {
      const free = twice.open.includes(claim);
      return (free ? published[claim] !== 0 : twice.right[claim]) ? weight : 0;
    });
    if (left.every((weight, claim) => Math.abs(weight - published[claim]) <= 1e-12)) return left;
  }
  return undefined;
}

/** R'R of a map's rows: it does not depend on their signs, nor on a basis of equal directions. */
function squareOf({ rows, count }) {
  const square = new Float64Array(N * N);
  for (let k = 0; k < count; k++)
    for (let i = 0; i < N; i++) {
      const value = rows[k * N + i];
      for (let j = 0, at = i * N; j < N; j++, at++) square[at] += value * rows[k * N + j];
    }
  return square;
}

/** The difference between a published map and the bank's, or nothing. */
function mapFault(own, published) {
  for (const side of ['rough', 'polish'])
    if (own[side].some((value, i) => !(Math.abs(value - published[side][i]) <= 1e-6))) return `another mean ${side}`;
  if (own.count === 0) return published.count === 0 ? undefined : 'directions';
  const [mine, theirs] = [squareOf(own), squareOf(published)];
  const size = Math.sqrt(mine.reduce((sum, value) => sum + value * value, 0));
  const off = Math.sqrt(mine.reduce((sum, value, i) => sum + (value - theirs[i]) ** 2, 0));
  return off <= MAP * size ? undefined : 'other directions';
}

/**
 * @param of the bank's `evidence`, the claims of the `bank`, their `groups`, the `method` and covariances of `worlds`
 * @param asset published `weights` and `maps`
 * @throws Differs where weights or maps are others than the bank gives
 */
export function checkMaps(of, keys, least, asset, where) {
  const { evidence, bank, groups } = of;
  const first = bank.filter((_, claim) => groups.indexOf(groups[claim]) === claim);
  const weights = trimmed(of, first, weightsOf(groups, keys, least), asset.weights);
  if (!weights) differs(where, 'its weights are others than its bank gives');
  const maps = fitted(of, weights, LEFT_OUT);
  for (const [m, map] of maps.entries())
    for (const [e, own] of map.entries()) {
      const fault = mapFault(own, asset.maps[m][e]);
      if (fault) differs(where, `its map ${m} of ${shownName(evidence.encoders[e])} has ${fault} than its bank gives`);
    }
}

const shownName = (name) => JSON.stringify(name);

/** Section 7: isotonic regression, the greatest convex line below the sums of true claims over the sums of all. */
export function curveOf(genuine, wrong) {
  const floor = 1 / (genuine.length + 2);
  const hull = [{ x: 0, y: 0, point: 0 }];
  const points = [];
  for (let g = 0, w = 0, x = 0, y = 0; g < genuine.length || w < wrong.length; ) {
    const score = Math.min(genuine[g] ?? Infinity, wrong[w] ?? Infinity);
    const [fromG, fromW] = [g, w];
    while (g < genuine.length && genuine[g] === score) g++;
    while (w < wrong.length && wrong[w] === score) w++;
    y += (g - fromG) / genuine.length;
    x += (g - fromG) / genuine.length + (w - fromW) / wrong.length;
    points.push(score);
    const slope = (a, b) => (b.y - a.y) / (b.x - a.x);
    const next = { x, y, point: points.length };
    while (hull.length > 1 && slope(hull.at(-2), hull.at(-1)) >= slope(hull.at(-1), next)) hull.pop();
    hull.push(next);
  }
  const curve = { scores: [], probabilities: [] };
  for (let i = 1; i < hull.length; i++) {
    const share = (hull[i].y - hull[i - 1].y) / (hull[i].x - hull[i - 1].x);
    const [from, to] = [points[hull[i - 1].point], points[hull[i].point - 1]];
    for (const score of from === to ? [from] : [from, to]) {
      curve.scores.push(score);
      curve.probabilities.push(Math.min(Math.max(share, floor), 1 - floor));
    }
  }
  return curve;
}

/** True if a curve runs within the tolerance of another, at the knots of both. */
export function isCurve(published, own) {
  const { score: left, probability: up } = CURVE;
  return [...published.scores, ...own.scores].every((score) => {
    const at = probabilityAt(published, score);
    return probabilityAt(own, score - left) - up <= at && at <= probabilityAt(own, score + left) + up;
  });
}
