// Verifies an unpacked audit bundle: node verify.mjs [root digest], in its folder. Needs nothing but Node.
// Exits 0 and prints OK; 1 and what differs; 2 when it cannot read. The page method.md is the definition.
import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { StringDecoder } from 'node:string_decoder';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const LENGTH = 256;
const METHOD = 'cross-pairs/1';
const NEEDED = { 99: 40, 98: 75, 97: 150, 96: 200, 95: 400, 94: 800, 93: 1200, 92: 1200 };

class Differs extends Error {}
const differs = (file, what) => {
  throw new Differs(`${file}: ${what}`);
};
const sha256 = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Pieces of a file, so that a large one is never whole in memory. */
function* pieces(file) {
  const handle = openSync(file, 'r');
  try {
    for (;;) {
      const buffer = Buffer.alloc(1 << 20);
      const bytes = readSync(handle, buffer);
      if (bytes === 0) return;
      yield buffer.subarray(0, bytes);
    }
  } finally {
    closeSync(handle);
  }
}

function* objects(file) {
  const decoder = new StringDecoder();
  let rest = '';
  for (const piece of pieces(file)) {
    const lines = (rest + decoder.write(piece)).split('\n');
    rest = lines.pop();
    for (const line of lines) yield parsed(file, line);
  }
  if (rest + decoder.end() !== '') differs(file, 'its last line is cut');
}

function parsed(file, text) {
  try {
    return JSON.parse(text);
  } catch {
    return differs(file, 'holds something that is no JSON');
  }
}

const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
};
const same = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** Every file has the bytes that the manifest promises, and there is no other. */
function checkFiles(root) {
  const bytes = readFileSync('manifest.json');
  const digest = sha256(bytes).toString('hex');
  const manifest = parsed('manifest.json', bytes.toString());
  const canonical = Buffer.from(`${JSON.stringify(sorted(manifest), null, 1)}\n`);
  if (!canonical.equals(bytes)) differs('manifest.json', 'is not in the canonical form');
  if (!same(Object.keys(manifest ?? {}), ['files', 'format']))
    differs('manifest.json', 'has other fields than its own');
  if (manifest.format !== 'mvs-audit/1') differs('manifest.json', `is of format ${manifest.format}`);
  if (!Array.isArray(manifest.files)) differs('manifest.json', 'names no files');
  const paths = manifest.files.map((file) => file?.path);
  for (const [i, path] of paths.entries()) {
    if (typeof path !== 'string' || !/^[\w-]+([./][\w-]+)*$/.test(path))
      differs('manifest.json', 'has a path that is none');
    if (i > 0 && !(paths[i - 1] < path)) differs('manifest.json', `${path} is out of order`);
    const fields = Object.keys(manifest.files[i]).join();
    const expected = path.endsWith('.f32') ? 'bytes,path,sha256,shape,type' : 'bytes,path,sha256';
    if (fields !== expected) differs('manifest.json', `${path} has other fields than ${expected}`);
  }
  const wrong = [];
  const present = readdirSync('.', { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`.replaceAll('\\', '/').replace(/^(\.\/)+/, ''));
  for (const path of present)
    if (path !== 'manifest.json' && !paths.includes(path)) wrong.push(`${path}: is not in manifest.json`);
  for (const { path, bytes: promised, sha256: hash } of manifest.files) {
    if (!present.includes(path)) {
      wrong.push(`${path}: is missing, though manifest.json names it`);
      continue;
    }
    const found = createHash('sha256');
    let size = 0;
    for (const piece of pieces(path)) {
      found.update(piece);
      size += piece.length;
    }
    if (size !== promised) wrong.push(`${path}: has ${size} bytes, manifest.json says ${promised}`);
    else if (found.digest('hex') !== hash) wrong.push(`${path}: is not what manifest.json has the SHA-256 of`);
  }
  if (wrong.length > 0) throw new Differs(wrong.join('\n'));
  if (root !== undefined && root !== digest) differs('manifest.json', `its digest is ${digest}, not ${root}`);
  return { digest, files: new Map(manifest.files.map((file) => [file.path, file])) };
}

/** Claims and vectors of a model, with the chain of digests. Section 2. */
function readEvidence(population, { model, encoders, claims }, files) {
  if (!/^[0-9a-f]{64}$/.test(model)) differs('decisions.json', 'has a model that is no digest');
  const folder = `evidence/${model}`;
  const width = encoders.length * LENGTH;
  const vectorFile = `${folder}/vectors.f32`;
  const entry = files.get(vectorFile);
  if (!entry || !files.has(`${folder}/claims.ndjson`)) differs(folder, 'claims or vectors are missing');
  const bytes = readFileSync(vectorFile);
  const rows = bytes.length / (4 * width);
  if (entry.type !== 'float32le' || !same(entry.shape, [rows, encoders.length, LENGTH]))
    differs('manifest.json', `${vectorFile} has another shape`);
  const values = new Float64Array(new SharedArrayBuffer(2 * bytes.length));
  for (let i = 0; i < values.length; i++) values[i] = bytes.readFloatLE(4 * i);
  const bytesOf = (row) => bytes.subarray(4 * width * row, 4 * width * (row + 1));
  const chain = [sha256(JSON.stringify(['mvs-evidence/1', population, model, encoders]))];
  const list = [];
  const rowOf = new Map();
  for (const claim of objects(`${folder}/claims.ndjson`)) {
    const { claim_id, rough, polish } = claim;
    for (const { digest, row } of [rough, polish]) {
      if (!Number.isInteger(row) || row < 0 || row >= rows) differs(`${folder}/claims.ndjson`, `has row ${row}`);
      if ((rowOf.get(digest) ?? row) !== row) differs(`${folder}/claims.ndjson`, `has two rows of set ${digest}`);
      rowOf.set(digest, row);
    }
    const line = JSON.stringify([claim_id, rough.digest, polish.digest, rough.references, polish.references]);
    chain.push(sha256(chain[chain.length - 1], `${line}\n`, bytesOf(rough.row), bytesOf(polish.row)));
    list.push(claim);
  }
  if (list.length !== claims) differs(`${folder}/claims.ndjson`, `has ${list.length} claims, not ${claims}`);
  if (rowOf.size !== rows) differs(vectorFile, 'has rows that no claim has');
  const norms = Float64Array.from({ length: rows }, (_, row) =>
    values.subarray(row * width, (row + 1) * width).reduce((sum, value) => sum + value * value, 0),
  );
  return { population, model, encoders, list, values, norms, width, rowOf, bytesOf, chain, folder };
}

/** The counted claims once more, out of the events. Section 1. */
function checkEvents(population, evidence, decisions) {
  const seen = new Map();
  for (const model of evidence.keys()) seen.set(model, { banked: new Set(), pairs: new Set(), count: 0 });
  const submitted = new Map();
  const scored = new Set();
  const on = ({ detail_residual: d }) => d >= -0.23 && d <= 0.31;
  let decided = 0;
  for (const { type, revision, data } of objects('events.ndjson')) {
    switch (type) {
      case 'ApprovalRequested':
      case 'RungApproved':
      case 'RungWithdrawn':
        if (revision !== decided || !same(decisions[decided], { event: type, revision, ...data }))
          differs('decisions.json', `its decision ${decided} is not that of events.ndjson`);
        decided++;
        break;
      case 'ScanSetBanked': {
        const at = seen.get(data.model);
        if (!at || data.population !== population || at.banked.has(data.digest)) break;
        const { encoders, rowOf, bytesOf, folder } = evidence.get(data.model);
        const vectors = encoders.map((name) => Buffer.from(String(data.vectors[name]), 'base64'));
        if (vectors.some((one) => one.length !== 4 * LENGTH || !finite(one))) break;
        at.banked.add(data.digest);
        const row = rowOf.get(data.digest);
        if (row !== undefined && !Buffer.concat(vectors).equals(bytesOf(row)))
          differs(`${folder}/vectors.f32`, `row ${row} is not what events.ndjson has banked`);
        break;
      }
      case 'ClaimSubmitted': {
        const counts = data.key.kind === 'production' && on(data.rough) && on(data.polish);
        if (data.key.population === population && counts && !submitted.has(data.claim_id))
          submitted.set(data.claim_id, data);
        break;
      }
      case 'ClaimScored':
      case 'ClaimShadowScored': {
        const claim = submitted.get(data.claim_id);
        if (!claim) break;
        if (type === 'ClaimScored') scored.add(data.claim_id);
        const model = type === 'ClaimScored' ? claim.model : data.model;
        const at = seen.get(model);
        if (!at || !scored.has(data.claim_id) || at.count === evidence.get(model).list.length) break;
        const { list, folder } = evidence.get(model);
        const { rough, polish } = claim;
        const pair = `${rough.digest} ${polish.digest}`;
        if (!at.banked.has(rough.digest) || !at.banked.has(polish.digest) || at.pairs.has(pair)) break;
        at.pairs.add(pair);
        const side = ({ digest, references }, { row }) => ({ digest, references, row });
        const held = list[at.count++];
        const expected = { claim_id: data.claim_id, rough: side(rough, held.rough), polish: side(polish, held.polish) };
        if (!same(held, expected))
          differs(`${folder}/claims.ndjson`, `line ${at.count} is not the claim of events.ndjson`);
        break;
      }
      // For the report alone.
      case 'ClaimLabelled':
      case 'LabelAmended':
        break;
      default:
        differs('events.ndjson', `has an event ${type}`);
    }
  }
  if (decided !== decisions.length) differs('decisions.json', 'has decisions that events.ndjson has not');
  for (const [model, { count }] of seen)
    if (count !== evidence.get(model).list.length)
      differs(`evidence/${model}/claims.ndjson`, 'has claims that events.ndjson has not');
}

function finite(bytes) {
  for (let i = 0; i < bytes.length; i += 4) if (!Number.isFinite(bytes.readFloatLE(i))) return false;
  return true;
}

/** Section 4, of two rows. */
function score({ values, width, encoders }, a, b) {
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
  return score(evidence, a, b) > 0.9995;
}

/** Section 3: one side's stones. */
function stonesOf(evidence, claims, side) {
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

/** A pair's score in 2^-15 steps, 1 to 65535; a pair left out has 0. */
const stepOf = (score) => Math.min(Math.max(Math.floor((score + 1) * 32768), 1), 65535);
/** Pairs nearer to a quantile than this are looked at one by one: the steps and section 7's bins are one off at most. */
const REACH = 2;
/** Rows that a thread takes at a time. */
const ROWS = 32;

/** Steps of blocks of rows (polish) with all columns (rough), as threads take them. Two by four, to be fast. */
function fillSteps({ values, width, encoders, polish, rough, steps, taken }) {
  const last = rough.length - 1;
  const put = (p, q, sum) => {
    if (q <= last) steps[p * rough.length + q] = stepOf(sum / encoders);
  };
  for (let from = Atomics.add(taken, 0, ROWS); from < polish.length; from = Atomics.add(taken, 0, ROWS)) {
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

/** Steps of all pairs; many of them on threads, with a word now and then. */
async function stepsOf({ values, width, encoders }, polish, rough) {
  const steps = new Uint16Array(new SharedArrayBuffer(2 * polish.length * rough.length));
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const task = { values, width, encoders: encoders.length, polish, rough, steps, taken };
  if (steps.length < 1e6) {
    fillSteps(task);
    return steps;
  }
  const told = setInterval(() => {
    const percent = Math.min(100, Math.floor((100 * taken[0]) / polish.length));
    console.error(`${polish.length} x ${rough.length} stones: ${percent}% of the pairs scored`);
  }, 2000);
  const threads = Array.from(
    { length: availableParallelism() },
    () =>
      new Promise((resolve, reject) => {
        const worker = new Worker(new URL(import.meta.url), { workerData: task });
        worker.once('error', reject);
        worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error('a thread ended early'))));
      }),
  );
  await Promise.all(threads).finally(() => clearInterval(told));
  return steps;
}

/** Sections 5 to 8 of the first n claims; a function of the rung's percentage. */
async function measure(evidence, n) {
  const claims = evidence.list.slice(0, n);
  const rough = stonesOf(evidence, claims, 'rough');
  const polish = stonesOf(evidence, claims, 'polish');
  const [P, Q] = [polish.stones.length, rough.stones.length];
  const rowsOf = (side) => Int32Array.from(side.stones, (stone) => stone.row);
  const steps = await stepsOf(evidence, rowsOf(polish), rowsOf(rough));
  const unit = new Array(P);
  for (const claim of claims) {
    const p = polish.bySet.get(claim.polish.digest);
    const q = rough.bySet.get(claim.rough.digest);
    steps[p * Q + q] = 0;
    unit[p] ??= q;
  }
  for (const [p, { bases, digests }] of polish.stones.entries()) {
    for (const base of bases) if (rough.byBase.has(base)) steps[p * Q + rough.byBase.get(base)] = 0;
    for (const digest of digests) if (rough.bySet.has(digest)) steps[p * Q + rough.bySet.get(digest)] = 0;
  }
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
  const scoreAt = (i) => score(evidence, polish.stones[Math.floor(i / Q)].row, rough.stones[i % Q].row);
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
  const own = claims.map((claim) => score(evidence, claim.polish.row, claim.rough.row));

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
    const accept = genuineAccept(own, t, quantile(80).value, quantile(20).value, R / 100);
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

/** Section 8. */
function genuineAccept(scores, t, t80, t20, r) {
  const n = scores.length;
  const atMost = (mark) => scores.filter((s) => s <= mark).length;
  if (n < 100) return { reason: 'too few claims' };
  const L = atMost(t80);
  const low = L / n;
  const q = 1 - low / 0.8;
  if (q < 0.6) return { reason: 'too few genuine claims' };
  if (L > 0 && (atMost(t20) - 0.25 * L) / Math.sqrt(L * 0.25 * 0.75) < -1.645)
    return { reason: 'genuine claims score like wrong ones' };
  const above = 1 - atMost(t) / n;
  const estimate = (above - (1 - q) * (1 - r)) / q;
  const x = 1 / q;
  const y = (above - (1 - r)) / (q * q) / 0.8;
  const variance = x * x * above * (1 - above) + y * y * low * (1 - low) - 2 * x * y * above * low;
  const error = Math.sqrt(Math.max(variance, 0) / n);
  if (error > 0.03) return { reason: 'too uncertain' };
  return { estimate: Math.min(Math.max(estimate, 0), 1), error };
}

/** Every approval against what its claims give. */
async function checkApprovals(population, evidence, decisions) {
  const wrong = [];
  const measured = new Map();
  let before = 0;
  for (const { event, revision, reject_target, proposal } of decisions) {
    if (event === 'RungApproved') {
      const held = evidence.get(proposal.model);
      if (!held || proposal.claims > held.list.length)
        differs('decisions.json', `decision ${revision} rests on claims that are not here`);
      const key = `${proposal.model} ${proposal.claims}`;
      if (!measured.has(key)) measured.set(key, await measure(held, proposal.claims));
      const percent = Math.round(reject_target * 100);
      const rung = (percent / 100).toFixed(2);
      const link = held.chain[proposal.claims].toString('hex');
      const line = ['mvs-proposal/1', METHOD, population, proposal.model, rung, before, proposal.claims, link];
      const expected = {
        method: METHOD,
        decisions: before,
        evidence_digest: link,
        digest: sha256(JSON.stringify(line)).toString('hex'),
        ...measured.get(key)(percent),
      };
      const where = `decisions.json: approval ${revision} at ${rung}`;
      for (const [field, value] of Object.entries(expected))
        if (!same(proposal[field], value))
          wrong.push(
            `${where}: ${field} is ${JSON.stringify(proposal[field])}, the claims give ${JSON.stringify(value)}`,
          );
      if (!(expected.claims >= NEEDED[percent] && Math.min(expected.roughs, expected.polishes) >= NEEDED[percent] / 2))
        wrong.push(`${where}: not enough claims or stones`);
    }
    if (event !== 'ApprovalRequested') before++;
  }
  if (wrong.length > 0) throw new Differs(wrong.join('\n'));
}

async function main([root, ...more]) {
  if (more.length > 0 || (root !== undefined && !/^[0-9a-f]{64}$/i.test(root)))
    throw new Error('the argument is a root digest of 64 hex digits');
  const { digest, files } = checkFiles(root?.toLowerCase());
  for (const needed of ['decisions.json', 'events.ndjson', 'verify.mjs'])
    if (!files.has(needed)) differs('manifest.json', `does not name ${needed}`);
  const { population, models, decisions } = parsed('decisions.json', readFileSync('decisions.json', 'utf8'));
  const evidence = new Map(models.map((one) => [one.model, readEvidence(population, one, files)]));
  checkEvents(population, evidence, decisions);
  await checkApprovals(population, evidence, decisions);
  console.log('OK');
  console.error(`root digest ${digest}`);
}

if (!isMainThread) fillSteps(workerData);
else
  main(process.argv.slice(2)).catch((error) => {
    if (error instanceof Differs) console.log(error.message);
    else console.error(`cannot read: ${error.message}`);
    process.exitCode = error instanceof Differs ? 1 : 2;
  });
