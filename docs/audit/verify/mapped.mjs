/** Scores under a population's own scorer: sections 2 and 6 of its page. In float64 throughout; needs no Node. */
import { isMeanAlone, isShrunk, LENGTH, MANY, SCORER_METHODS } from './grammar.mjs';
import { scoreOf } from './method.mjs';

/** Least raw score of neighbours. */
const neighbourBy = (method) => (method === SCORER_METHODS[2] ? 0.98 : 0.97);
/** Above it two sides hold the same scans. */
const SAME = 0.9995;
const FOLDS = 4;
/** Groups from which norms are a population's own, and what stands in for them in so far as there are fewer; by the fifth method. */
const WHOLE_NORMS = 20;
const NORM_BEFORE = 0.83;
/** Error of the service's float32 sums. */
const ROUNDING = 2e-6;
export const bitOf = (group) => 1 << (group % FOLDS);
/** Folds that a map is without, as bits, in the order of the maps. */
export const LEFT_OUT = [0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12];

/** Section 2: by claim of the bank its group. */
export function groupsOf(evidence, bank, method) {
  const least = neighbourBy(method);
  const first = [];
  return bank.map(({ rough, polish }, claim) => {
    const group = first.findIndex(
      (other) =>
        scoreOf(evidence, rough.row, other.rough.row) >= least ||
        scoreOf(evidence, polish.row, other.polish.row) >= least,
    );
    return group < 0 ? first.push(bank[claim]) - 1 : group;
  });
}

/** Sides under a map: count x width, each encoder's part of length one; less the mean alone where it has no directions. @param means the side's, of each encoder */
export function mapped({ values, width }, rows, map, means) {
  const wide = map.reduce((sum, { count }) => sum + (count || LENGTH), 0);
  const out = new Float64Array(rows.length * wide);
  const centred = new Float64Array(LENGTH);
  for (const [i, row] of rows.entries()) {
    let at = i * wide;
    for (const [e, { rows: directions, count }] of map.entries()) {
      for (let j = 0; j < LENGTH; j++) centred[j] = values[row * width + e * LENGTH + j] - means[e][j];
      let squares = 0;
      const length = count || LENGTH;
      for (let k = 0; k < length; k++) {
        let sum = count === 0 ? centred[k] : 0;
        if (count > 0) for (let j = 0; j < LENGTH; j++) sum += directions[k * LENGTH + j] * centred[j];
        out[at + k] = sum;
        squares += sum * sum;
      }
      const norm = squares > 0 ? Math.sqrt(squares) : 1;
      for (let k = 0; k < length; k++) out[at + k] /= norm;
      at += length;
    }
  }
  return { wide, values: out };
}

export function dot(a, i, b, j) {
  const { wide } = a;
  let sum = 0;
  for (let k = 0; k < wide; k++) sum += a.values[i * wide + k] * b.values[j * wide + k];
  return sum;
}

/** The `most` best of the groups for each side, best first. */
function bestGroups(sides, count, cohort, groups, most) {
  return Array.from({ length: count }, (_, side) => {
    const best = [];
    for (let group = 0; group < groups; group++) {
      const cosine = dot(sides, side, cohort, group);
      if (best.length === most && !(cosine > best[most - 1].cosine)) continue;
      let at = best.length;
      while (at > 0 && cosine > best[at - 1].cosine) at--;
      best.splice(at, 0, { group, cosine });
      if (best.length > most) best.pop();
    }
    return best;
  });
}

/** The mean of the k best that take part; `none` where there is none. */
function meanOf(best, leftOut, k, none) {
  let [sum, count] = [0, 0];
  for (let i = 0; i < best.length && count < k; i++) {
    const { group, cosine } = best[i];
    if (leftOut.has(group)) continue;
    sum += cosine;
    count++;
  }
  return count === 0 ? none : sum / count;
}

export class Scorer {
  /**
   * @param evidence vectors, row by row
   * @param bank claims
   * @param groups by claim of the bank
   * @param maps in the order of LEFT_OUT: of each encoder `rough` and `polish` (means), `rows` and `count` of directions
   * @param method that it was made with
   */
  constructor(evidence, bank, groups, maps, method) {
    Object.assign(this, { evidence, bank, groups, maps, method });
    this.first = bank.filter((_, claim) => groups.indexOf(groups[claim]) === claim);
    const count = this.first.length;
    this.k = Math.max(1, Math.floor(count / MANY));
    // A norm is so much of the mean of its best scores and so much besides; what that mean is where no group is left.
    const own = isMeanAlone(method, count) ? 0 : isShrunk(method) ? Math.min(1, count / WHOLE_NORMS) : 1;
    Object.assign(this, { own, rest: isShrunk(method) ? NORM_BEFORE * (1 - own) : 0, none: isShrunk(method) ? 1 : 0 });
    this.cohorts = new Map();
  }

  map(folds, side, rows) {
    const map = this.maps[LEFT_OUT.indexOf(folds)];
    const means = map.map((of) => of[side]);
    return mapped(this.evidence, rows, map, means);
  }

  cohort(folds, side) {
    const key = `${folds} ${side}`;
    if (!this.cohorts.has(key)) {
      const rows = this.first.map((claim) => claim[side].row);
      this.cohorts.set(key, this.map(folds, side, rows));
    }
    return this.cohorts.get(key);
  }

  /** Of each row: its scores with the bank's sides, the claims near it, their groups and folds, the groups with the same scans. */
  nearTo(side, rows) {
    const least = neighbourBy(this.method);
    return rows.map((row) => {
      const scores = Float64Array.from(this.bank, (claim) => scoreOf(this.evidence, row, claim[side].row));
      const claims = [...scores.keys()].filter((claim) => scores[claim] >= least);
      const groups = [...new Set(claims.map((claim) => this.groups[claim]))];
      const same = claims.filter((claim) => scores[claim] > SAME).map((claim) => this.groups[claim]);
      return { scores, claims, groups, same, folds: groups.reduce((bits, group) => bits | bitOf(group), 0) };
    });
  }

  /** The folds that the map of a pair is without; `open` where rounding may choose others. */
  foldsOf(rough, polish) {
    const all = rough.folds | polish.folds;
    if (LEFT_OUT.includes(all)) return { folds: all, open: false };
    const nearest = Array.from({ length: FOLDS }, (_, fold) => ({ fold, closeness: -2, claim: 0 }));
    for (const claims of [rough.claims, polish.claims])
      for (const claim of claims) {
        const of = nearest[this.groups[claim] % FOLDS];
        const closeness = Math.min(rough.scores[claim], polish.scores[claim]);
        if (closeness > of.closeness || (closeness === of.closeness && claim < of.claim))
          Object.assign(of, { closeness, claim });
      }
    nearest.sort((a, b) => b.closeness - a.closeness || a.claim - b.claim);
    const folds = (1 << nearest[0].fold) | (1 << nearest[1].fold);
    return { folds, open: nearest[1].closeness - nearest[2].closeness < ROUNDING };
  }

  /**
   * Section 6 of pairs.
   * @param roughs and @param polishes rows
   * @param pairs p x roughs + q of each; all of them by default
   * @param own the map of other folds than those of the neighbours, as bits
   * @returns `scores` in the order of the pairs, and how many of them rounding may move
   */
  scores(roughs, polishes, pairs = Uint32Array.from({ length: roughs.length * polishes.length }, (_, i) => i), own) {
    const Q = roughs.length;
    const [nearRough, nearPolish] = [this.nearTo('rough', roughs), this.nearTo('polish', polishes)];
    const byFolds = new Map();
    let open = 0;
    for (const [i, pair] of pairs.entries()) {
      const of =
        own === undefined ? this.foldsOf(nearRough[pair % Q], nearPolish[Math.floor(pair / Q)]) : { folds: own };
      if (!byFolds.has(of.folds)) byFolds.set(of.folds, []);
      byFolds.get(of.folds).push(i);
      if (of.open) open++;
    }
    const scores = new Float64Array(pairs.length);
    const encoders = this.evidence.encoders.length;
    for (const [folds, taken] of byFolds) {
      const used = (of, near, side, opposite) => {
        const numbers = new Set(taken.map((i) => of(pairs[i])));
        const places = new Map([...numbers].map((number, place) => [number, place]));
        const rows = side === 'rough' ? roughs : polishes;
        const sides = this.map(
          folds,
          side,
          [...numbers].map((number) => rows[number]),
        );
        const reach = this.k + nearRough.reduce(most, 0) + nearPolish.reduce(most, 0);
        const best = bestGroups(sides, numbers.size, this.cohort(folds, opposite), this.first.length, reach);
        return { places, sides, best, near };
      };
      const a = used((pair) => Math.floor(pair / Q), nearPolish, 'polish', 'rough');
      const b = used((pair) => pair % Q, nearRough, 'rough', 'polish');
      for (const i of taken) {
        const [p, q] = [Math.floor(pairs[i] / Q), pairs[i] % Q];
        const [at, to] = [a.places.get(p), b.places.get(q)];
        const { leftOut, k } = this.without(a.near[p], b.near[q]);
        const none = this.none * encoders;
        const norms = this.own * (meanOf(a.best[at], leftOut, k, none) + meanOf(b.best[to], leftOut, k, none));
        scores[i] = (dot(a.sides, at, b.sides, to) - norms / 2) / encoders - this.rest;
      }
    }
    return { scores, open };
  }

  /** Groups that take no part in a pair's norms, and how many of the best ones make them. */
  without(polish, rough) {
    const leftOut = new Set([...polish.groups, ...rough.groups]);
    const same = new Set([...polish.same, ...rough.same]);
    const others = this.method === SCORER_METHODS[0] ? 0 : leftOut.size - same.size;
    return { leftOut, k: Math.max(1, this.k - others) };
  }

  /** Of claims' own two sides. */
  ofClaims(claims) {
    const of = (side) => claims.map((claim) => claim[side].row);
    return this.scores(
      of('rough'),
      of('polish'),
      Uint32Array.from(claims, (_, i) => i * claims.length + i),
    );
  }
}

const most = (max, { groups }) => Math.max(max, groups.length);
