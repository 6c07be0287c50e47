/** A workspace's lot scorer from the vectors of its lots: lot-scorer-method.md, and lot-method.md for scores. Needs no Node. */
import { directions } from './eigen.mjs';
import { LENGTH_OF_LOTS as N } from './grammar.mjs';
import { centreOf, offsetCentre, Scale, tableOf } from './lotscore.mjs';

const ROUNDS = 4;
const FOLDS = 5;
const [WITHIN_WEIGHT, BETWEEN_WEIGHT, LEAST_BETWEEN, LEAST_VARIANCE] = [150, 40, 0.1, 0.02];
const PAIRS_OF_A_LOT = 3;
const [COHORT, ONE_IN] = [1200, 30];
/** Scores of two programs differ by less, the rows of a map being float32. */
const [MAP, VARIANCE, BAR] = [1e-4, 1e-4, 1e-3];

const stonesIn = (rows) => rows.length / N;

/** Rows under a map. */
function under(map, rows) {
  const out = new Float32Array(rows.length);
  for (let from = 0; from < rows.length; from += N)
    for (let i = 0; i < N; i++) {
      let sum = 0;
      for (let j = 0; j < N; j++) sum += map[i * N + j] * rows[from + j];
      out[from + i] = sum;
    }
  return out;
}

/** Sums of squares and products about the mean of the rows. */
function scatterOf(rows) {
  const [mean, sums] = [centreOf(rows), new Float64Array(N * N)];
  const row = new Float64Array(N);
  for (let from = 0; from < rows.length; from += N) {
    for (let j = 0; j < N; j++) row[j] = rows[from + j] - mean[j];
    for (let i = 0; i < N; i++) for (let j = 0; j < N; j++) sums[i * N + j] += row[i] * row[j];
  }
  return { sums, count: stonesIn(rows) - 1 };
}

const traceOf = (table) => Array.from({ length: N }, (_, j) => table[j * (N + 1)]).reduce((sum, one) => sum + one, 0);

/** Steps 2 and 3: W* and B* of some lots. @param parts by lot `pairs` (undefined where too few are believed) and `members` */
function scatters(shipped, parts) {
  const total = (name) => {
    const [sums, held] = [new Float64Array(N * N), parts.flatMap((part) => part[name] ?? [])];
    for (const one of held) for (let at = 0; at < N * N; at++) sums[at] += one.sums[at];
    return { sums, count: held.reduce((sum, { count }) => sum + count, 0) };
  };
  const [pairs, members] = [total('pairs'), total('members')];
  const within = pairs.sums.map((sum) => sum / (2 * Math.max(1, pairs.count)));
  const whole = members.sums.map((sum) => sum / Math.max(1, members.count));
  const logs = Array.from({ length: N }, (_, j) => Math.log(Math.max(1e-6, within[j * (N + 1)])));
  const sphere = Math.round(1e6 * Math.exp(logs.reduce((sum, one) => sum + one, 0) / N)) / 1e6;
  const known = shipped.between.reduce((sum, one) => sum + one, 0);
  const scale = Math.max(traceOf(whole) - traceOf(within), LEAST_BETWEEN * traceOf(whole)) / known;
  const [w, b] = [new Float64Array(N * N), new Float64Array(N * N)];
  for (let at = 0; at < N * N; at++) {
    const j = at % (N + 1) === 0 ? at / (N + 1) : -1;
    const [round, like] = j < 0 ? [0, 0] : [(within[at] + sphere) / 2, shipped.between[j] * scale];
    w[at] = (pairs.count * within[at] + WITHIN_WEIGHT * round) / (pairs.count + WITHIN_WEIGHT);
    b[at] = (members.count * (whole[at] - within[at]) + BETWEEN_WEIGHT * like) / (members.count + BETWEEN_WEIGHT);
  }
  return { w, b };
}

/** A row with its largest number, as to size, above 0. */
function up(row) {
  const largest = row.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
  return Array.from(row, (value) => (largest < 0 ? -value : value));
}

/** Step 4: rows of the map by falling variance. */
function mapFrom({ w, b }) {
  const { values, vectors } = directions(b, w, N);
  const order = Array.from(values.keys()).sort((x, y) => values[y] - values[x]);
  return {
    map: Float32Array.from(order.flatMap((row) => up(vectors.subarray(row * N, (row + 1) * N)))),
    between: Float32Array.from(order, (row) => Math.max(LEAST_VARIANCE, values[row])),
  };
}

/** Scales for lots under a scorer of some lots: a lot's own stones are no cohort for it. */
function scalesOf(shipped, { map, between }, lots) {
  const cohorts = lots.map(({ lot_id, members }) => {
    const rows = under(map, members.rows);
    const centre = centreOf(rows);
    return { lot_id, rows: rows.map((value, at) => value - centre[at % N]) };
  });
  return (lotId) => {
    const all = cohorts.filter(({ lot_id }) => lot_id !== lotId).flatMap(({ rows }) => Array.from(rows));
    const count = all.length / N;
    const taken = Array.from({ length: Math.min(count, COHORT) }, (_, i) =>
      count <= COHORT ? i : Math.floor((i * count) / COHORT),
    );
    const cohort = Float32Array.from(taken.flatMap((stone) => all.slice(stone * N, (stone + 1) * N)));
    const nearest = Math.max(1, Math.round(taken.length / ONE_IN));
    return new Scale({ between, cohort, nearest, offset: shipped.offset });
  };
}

/** Step 1: one-to-one pairs with their margins. */
function pairsOf(scale, members, returned) {
  const enrolled = scale.enrolled(members);
  const { assigned, table } = tableOf(scale, enrolled, returned, offsetCentre(scale, enrolled, returned));
  const [rows, columns] = [stonesIn(returned), stonesIn(members)];
  return Array.from(assigned, (member, row) => {
    let other = -Infinity;
    for (let m = 0; m < columns; m++) if (m !== member) other = Math.max(other, table[row * columns + m]);
    for (let v = 0; v < rows; v++) if (v !== row) other = Math.max(other, table[v * columns + member]);
    return { member, row, margin: table[row * columns + member] - other };
  }).filter(({ member }) => member >= 0);
}

/** Step 1: of each lot the scatter of the pairs that are believed. */
function believed(lots, pairs) {
  const margins = pairs.flat().map(({ margin }) => margin);
  const least = Math.max(0, Float64Array.from(margins).sort()[margins.length >> 1] ?? 0);
  return lots.map(({ members, returned }, i) => {
    const kept = pairs[i].filter(({ margin }) => margin >= least);
    if (kept.length < PAIRS_OF_A_LOT) return undefined;
    const differences = kept.map(({ member, row }) =>
      Array.from({ length: N }, (_, j) => returned.rows[row * N + j] - members.rows[member * N + j]),
    );
    return scatterOf(Float64Array.from(differences.flat()));
  });
}

/** Linear between the two values around it. */
function quantile(values, share) {
  const sorted = Float64Array.from(values).sort();
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  return sorted[below] + (place - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
}

/** Step 5. @param tables by lot the scores of its members among themselves */
function barOf(lots, tables) {
  const [best, halved, sizes] = [[], [], []];
  for (const [i, table] of tables.entries()) {
    const size = stonesIn(lots[i].members.rows);
    for (let m = 0; m < size; m++) {
      const most = (like) => {
        let largest = -Infinity;
        for (let k = 0; k < size; k++) if (k !== m && like(k)) largest = Math.max(largest, table[m * size + k]);
        return largest;
      };
      best.push(most(() => true));
      halved.push(most((k) => k % 2 === m % 2));
      sizes.push(size);
    }
  }
  const slope = Math.max(0.1, (quantile(best, 0.7) - quantile(halved, 0.7)) / Math.LN2);
  const level = quantile(
    best.map((value, i) => value - slope * Math.log(sizes[i] - 1)),
    0.5,
  );
  const mean = lots.reduce((sum, { members }) => sum + Math.log(stonesIn(members.rows)), 0) / lots.length;
  return { at: level + (slope * mean) / 2, slope: slope / 2 };
}

/** Numbers of a stored scorer. */
function numbersOf(texts) {
  const bytes = Uint8Array.from(texts.flatMap((text) => Array.from(atob(text), (letter) => letter.charCodeAt(0))));
  const view = new DataView(bytes.buffer);
  return Float64Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

/** rows T rows', the rows being a map's. */
function turned(rows, table) {
  const [half, out] = [new Float64Array(N * N), new Float64Array(N * N)];
  for (let i = 0; i < N; i++)
    for (let k = 0; k < N; k++) for (let j = 0; j < N; j++) half[i * N + j] += rows[i * N + k] * table[k * N + j];
  for (let i = 0; i < N; i++)
    for (let j = 0; j < N; j++) for (let k = 0; k < N; k++) out[i * N + j] += half[i * N + k] * rows[j * N + k];
  return out;
}

/** V'W*V = I and V'B*V = diag(l): whatever basis of equal variances a program took. */
function isMap({ w, b }, map, between) {
  if (map.length !== N * N || between.length !== N) return false;
  const [unit, variances] = [turned(map, w), turned(map, b)];
  const largest = Math.max(...between);
  for (let at = 0; at < N * N; at++) {
    const j = at % (N + 1) === 0 ? at / (N + 1) : -1;
    if (!(Math.abs(unit[at] - (j < 0 ? 0 : 1)) <= MAP)) return false;
    const variance = j < 0 ? 0 : Math.max(LEAST_VARIANCE, variances[at]);
    if (!(Math.abs((j < 0 ? variances[at] : variance) - (j < 0 ? 0 : between[j])) <= VARIANCE * largest)) return false;
    if (j > 0 && !(between[j] <= between[j - 1])) return false;
  }
  return true;
}

/**
 * @param lots `members` and `returned`, each with its `rows`
 * @param stored the scorer as its approval holds it
 * @returns what is otherwise than the lots give it, or nothing
 */
export function fitFault(shipped, lots, stored) {
  const members = lots.map((lot) => scatterOf(lot.members.rows));
  const from = (pairs, keep) =>
    scatters(
      shipped,
      lots.flatMap((_, i) => (keep(i) ? { pairs: pairs[i], members: members[i] } : [])),
    );
  const first = new Scale(shipped);
  let pairs = believed(
    lots,
    lots.map((lot) => pairsOf(first, lot.members.rows, lot.returned.rows)),
  );
  for (let round = 1; round < ROUNDS; round++) {
    const scorer = mapFrom(from(pairs, () => true));
    const scaleFor = scalesOf(shipped, scorer, lots);
    const rows = (side) => under(scorer.map, side.rows);
    pairs = believed(
      lots,
      lots.map((lot) => pairsOf(scaleFor(lot.lot_id), rows(lot.members), rows(lot.returned))),
    );
  }
  if (
    !isMap(
      from(pairs, () => true),
      numbersOf(stored.map),
      numbersOf([stored.between]),
    )
  )
    return 'it has another map';
  const tables = new Array(lots.length);
  for (let fold = 0; fold < FOLDS; fold++) {
    const scorer = mapFrom(from(pairs, (i) => i % FOLDS !== fold));
    const scaleFor = scalesOf(
      shipped,
      scorer,
      lots.filter((_, i) => i % FOLDS !== fold),
    );
    for (let i = fold; i < lots.length; i += FOLDS)
      tables[i] = scaleFor(lots[i].lot_id).among(under(scorer.map, lots[i].members.rows));
  }
  const bar = barOf(lots, tables);
  const sound = ['at', 'slope'].every((part) => Math.abs(bar[part] - stored.bar[part]) <= BAR);
  return sound ? undefined : 'it has another bar';
}
