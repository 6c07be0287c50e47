/** Scores of stones of a lot, one against the other, and the pairing of a return: lot-method.md. Needs no Node. */
import { LENGTH_OF_LOTS as N } from './grammar.mjs';

const [TAILS, NEAREST, COHORT_WEIGHT, CROWDING_WEIGHT] = [4, 10, 0.35, 0.1];
const [OFFSET_ROUNDS, OFFSET_PAIRS, OFFSET_FROM] = [4, 0.6, 10];
const stonesIn = (rows) => rows.length / N;

/** The mean of rows. */
export function centreOf(rows) {
  const centre = new Float64Array(N);
  for (let at = 0; at < rows.length; at++) centre[at % N] += rows[at] / stonesIn(rows);
  return centre;
}

const less = (rows, centre) => Float32Array.from(rows, (value, at) => value - centre[at % N]);

/** Log-likelihood ratios of one stone against two, under a model's variances and with its cohort. */
export class Scale {
  constructor({ between, cohort, nearest = NEAREST, offset }) {
    Object.assign(this, { nearest, offset, cohort });
    const d = Float64Array.from(between, (l) => (l + TAILS) ** 2 - l * l);
    this.square = d.map((value, j) => ((between[j] + TAILS) / value - 1 / (between[j] + TAILS)) / 2);
    this.cross = d.map((value, j) => between[j] / value);
    this.constant = d.reduce((sum, value, j) => sum + Math.log((between[j] + TAILS) ** 2 / value) / 2, 0);
    this.cohortOwn = this.own(cohort);
  }

  own(rows) {
    const out = new Float64Array(stonesIn(rows));
    for (let at = 0; at < rows.length; at++) out[Math.floor(at / N)] += this.square[at % N] * rows[at] * rows[at];
    return out;
  }

  /** Ratios of all rows with all others: rows x others. */
  ratios(rows, own, others, othersOwn) {
    const count = othersOwn.length;
    const out = new Float64Array(own.length * count);
    const weighted = new Float64Array(N);
    for (let v = 0; v < own.length; v++) {
      for (let j = 0; j < N; j++) weighted[j] = this.cross[j] * rows[v * N + j];
      for (let m = 0, at = 0; m < count; m++) {
        let sum = 0;
        for (let j = 0; j < N; j++, at++) sum += weighted[j] * others[at];
        out[v * count + m] = sum + this.constant - own[v] - othersOwn[m];
      }
    }
    return out;
  }

  /** Stones less a centre: their rows, their own parts, and the mean of their largest ratios to the cohort. */
  placed(rows, centre) {
    const vectors = less(rows, centre);
    const own = this.own(vectors);
    const count = this.cohortOwn.length;
    const all = this.ratios(vectors, own, this.cohort, this.cohortOwn);
    const near = own.map((_, v) => {
      const largest = all
        .slice(v * count, (v + 1) * count)
        .sort()
        .subarray(count - this.nearest);
      return largest.reduce((sum, value) => sum + value, 0) / largest.length;
    });
    return { vectors, own, near };
  }

  /** A lot's members about their middle, with the largest ratio of each to another, at least 0. */
  enrolled(rows) {
    const centre = centreOf(rows);
    const members = this.placed(rows, centre);
    const size = members.own.length;
    const all = this.ratios(members.vectors, members.own, members.vectors, members.own);
    const crowded = members.own.map((_, m) => {
      let most = 0;
      for (let k = 0; k < size; k++) if (k !== m) most = Math.max(most, all[m * size + k]);
      return most;
    });
    return { ...members, centre, crowded };
  }

  /** Scores of stones against members: stones x members. */
  scores(members, stones) {
    const table = this.ratios(stones.vectors, stones.own, members.vectors, members.own);
    const columns = members.own.length;
    return table.map((value, at) => {
      const [v, m] = [Math.floor(at / columns), at % columns];
      return value - COHORT_WEIGHT * (members.near[m] + stones.near[v]) - CROWDING_WEIGHT * members.crowded[m];
    });
  }

  /** Scores of a lot's members against one another. */
  among(rows) {
    const members = this.enrolled(rows);
    return this.scores(members, members);
  }
}

/** Scores of a return about a centre, and by returned stone the member of the one-to-one pairing with the largest sum, or -1. */
export function tableOf(scale, members, returned, centre) {
  const stones = scale.placed(returned, centre);
  const table = scale.scores(members, stones);
  return { stones, table, assigned: paired(table, stonesIn(returned), members.own.length) };
}

/** The centre of a return: the members', and what the session has in common, by medians over the best pairs. */
export function offsetCentre(scale, members, returned) {
  if (!scale.offset || stonesIn(returned) < OFFSET_FROM) return members.centre;
  const centre = members.centre.slice();
  const columns = members.own.length;
  for (let round = 0; round < OFFSET_ROUNDS; round++) {
    const { stones, table, assigned } = tableOf(scale, members, returned, centre);
    const pairs = Array.from(assigned, (member, row) => ({ member, row, score: table[row * columns + member] }))
      .filter(({ member }) => member >= 0)
      .sort((a, b) => b.score - a.score || a.row - b.row);
    const best = pairs.slice(0, Math.ceil(OFFSET_PAIRS * pairs.length));
    for (let j = 0; j < N; j++) {
      const apart = best.map(({ member, row }) => stones.vectors[row * N + j] - members.vectors[member * N + j]);
      centre[j] += Float64Array.from(apart).sort()[apart.length >> 1];
    }
  }
  return centre;
}

/** All of the fewer side are paired (shortest augmenting paths over columns, O(n^3)). */
function paired(table, rows, columns) {
  const turned = rows > columns;
  const [n, m] = turned ? [columns, rows] : [rows, columns];
  const cost = (i, j) => -(turned ? table[j * columns + i] : table[i * columns + j]);
  const [u, v, way, held] = [new Float64Array(n), new Float64Array(m), new Int32Array(m), new Int32Array(m).fill(-1)];
  for (let row = 0; row < n; row++) {
    const [least, seen] = [new Float64Array(m).fill(Infinity), new Uint8Array(m)];
    let [i, column] = [row, -1];
    for (;;) {
      let [step, next] = [Infinity, -1];
      for (let j = 0; j < m; j++) {
        if (seen[j]) continue;
        const reduced = cost(i, j) - u[i] - v[j];
        if (reduced < least[j]) [least[j], way[j]] = [reduced, column];
        if (least[j] < step) [step, next] = [least[j], j];
      }
      u[row] += step;
      for (let j = 0; j < m; j++) {
        if (seen[j]) {
          u[held[j]] += step;
          v[j] -= step;
        } else least[j] -= step;
      }
      column = next;
      seen[column] = 1;
      if (held[column] < 0) break;
      i = held[column];
    }
    while (column >= 0) {
      const before = way[column];
      held[column] = before < 0 ? row : held[before];
      column = before;
    }
  }
  const assigned = new Int32Array(rows).fill(-1);
  for (let j = 0; j < m; j++) if (held[j] >= 0) assigned[turned ? j : held[j]] = turned ? held[j] : j;
  return assigned;
}
