/**
 * Verifies the files of an audit bundle, wherever they come from. Needs no Node: files and hashing are handed in, so that
 * a folder, a zip and a browser's memory are verified by the same lines. The page method.md is the definition.
 */

import { checkApprovals, checkScored } from './approvals.mjs';
import {
  calibrationStream,
  checkEvent,
  claimShape,
  DECISIONS,
  decisionsShape,
  FORMATS,
  isPath,
  LENGTH,
  MANIFEST,
  MOST_ENTRIES,
  MOST_MANIFEST_BYTES,
  manifestShape,
  NEEDED_FILES,
  OF_WORKSPACE,
  SCORER_DECISIONS,
  SIGNATURE,
} from './grammar.mjs';
import { readWorkspace } from './lots.mjs';
import { stepsOf } from './method.mjs';
import { readSignature, signatureLines } from './signature.mjs';
import { bytesOf, bytesOfBase64, checked, Differs, differs, linesOf, parsed, shown, utf8 } from './text.mjs';

export { Differs } from './text.mjs';

/**
 * @param files `sizes`: bytes of every regular file by path; `folders`: paths of all folders; `pieces(path)`: the file's
 *   bytes, an async iterable of Uint8Array that nobody writes to afterwards
 * @param sha256 hex digest of an (async) iterable of Uint8Array, or a promise of it
 * @param root the bundle's root digest, where it is known: 64 hex digits in lower case
 * @param key the service's public key, where it is known: 64 hex digits in lower case
 * @param continues a chain root noted earlier, which the decisions have to continue
 * @param score scores pairs as `stepsOf` does, on threads maybe
 * @returns the root digest; the chain root; the signature as `readSignature` gives it; how many events had which `seals`,
 *   where the manifest says it
 * @throws Differs
 */
export async function verify(files, sha256, { root, key, continues, score = stepsOf } = {}) {
  const { digest, format, shapes, seals, bytes } = await checkFiles(files, sha256, root);
  const signature = await readSignature(files, bytes, seals, key);
  const listing = await readDecisions(files, format);
  const about = { files, format, shapes, seals, listing, sha256, score };
  const { chain, events, recompute } = await (format === OF_WORKSPACE ? readWorkspace(about) : readPopulation(about));
  if (seals && seals.sealed + seals.taken + seals.unsealed !== events)
    differs(MANIFEST, `its seals are not those of the ${events} events that there are`);
  const last = chain[chain.length - 1];
  if (format > 1 && listing.chain_root !== last)
    differs('decisions.json', `its chain_root is ${listing.chain_root}, the events give ${last}`);
  if (continues !== undefined && !chain.includes(continues))
    differs('events.ndjson', `its decisions do not continue those up to the chain root ${continues}`);
  const rounded = await recompute();
  return { root: digest, chain: last, signature, ...(seals && { seals }), ...(rounded.length > 0 && { rounded }) };
}

/**
 * @returns the chain roots, the number of events, and what recomputes the approvals: it answers with the claims whose verdict
 *   stands on rounding
 */
async function readPopulation({ files, format, shapes, seals, listing, sha256, score }) {
  const { population, models, decisions } = listing;
  const evidence = new Map();
  for (const one of models) {
    if (evidence.has(one.model)) differs('decisions.json', `lists the model ${one.model} twice`);
    evidence.set(one.model, await readEvidence(population, one, files, shapes, sha256));
  }
  for (const path of files.sizes.keys())
    if (path.startsWith('evidence/') && !evidence.has(path.split('/')[1]))
      differs(path, 'belongs to a model that decisions.json does not list');
  const about = { files, format, seals, population, evidence, decisions, sha256 };
  const { decided, chain, scored, events } = await checkEvents(about);
  checkModels(models, decided);
  const recompute = async () => {
    const approved = await checkApprovals({ population, evidence, decided, sha256, score, files, shapes });
    for (const [path] of shapes)
      if (/\/(scorer|ladders)-/.test(path) && !evidence.get(path.split('/')[1]).used.has(path))
        differs(path, 'is what no approval rests on');
    return checkScored(scored, approved);
  };
  return { chain, events, recompute };
}

/** What is told of a sound bundle besides, line by line. @param found what `verify` gives */
export const remarksOf = ({ root, chain, signature, seals, rounded }) => [
  `root digest ${root}`,
  `chain root ${chain}`,
  ...signatureLines(signature, seals),
  ...(rounded ? [`verdicts that stand on rounding: ${rounded.join(', ')}`] : []),
];

const bytesOfText = (text) => new TextEncoder().encode(text);
const bytesOfHex = (hex) => Uint8Array.from(hex.match(/../g), (pair) => Number.parseInt(pair, 16));
const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
};
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Every file and folder is one that the manifest names, and has the bytes that it promises. */
async function checkFiles(files, sha256, root) {
  const { sizes, folders } = files;
  if (sizes.get(MANIFEST) > MOST_MANIFEST_BYTES) differs(MANIFEST, 'is larger than any manifest');
  const bytes = await bytesOf(files.pieces(MANIFEST));
  const digest = await sha256([bytes]);
  const content = utf8(MANIFEST, bytes);
  if (!content.endsWith('\n')) differs(MANIFEST, 'is not in the canonical form');
  const manifest = parsed(MANIFEST, content.slice(0, -1), 1);
  checked(MANIFEST, manifestShape, manifest, 'it');
  if (!same(manifest, sorted(manifest))) differs(MANIFEST, 'is not in the canonical form: its members are not sorted');
  const format = 1 + FORMATS.indexOf(manifest.format);
  const paths = manifest.files.map(({ path }) => path);
  for (const [i, path] of paths.entries()) {
    if (path === MANIFEST || !isPath(path, format)) differs(MANIFEST, `names ${shown(path)}, which no bundle holds`);
    if (i > 0 && !(paths[i - 1] < path)) differs(MANIFEST, `names ${path} out of order`);
  }
  for (const needed of NEEDED_FILES) if (!paths.includes(needed)) differs(MANIFEST, `does not name ${needed}`);
  if (sizes.size + folders.length > MOST_ENTRIES) differs('the bundle', 'holds more files than a bundle does');
  const wrong = [];
  for (const path of sizes.keys())
    if (path !== MANIFEST && path !== SIGNATURE && !paths.includes(path))
      wrong.push(`${quoted(path)}: is not in ${MANIFEST}`);
  for (const folder of folders)
    if (!paths.some((path) => path.startsWith(`${folder}/`))) wrong.push(`${quoted(folder)}: is a folder of no file`);
  for (const { path, bytes: promised, sha256: hash } of manifest.files) {
    const size = sizes.get(path);
    if (size === undefined) wrong.push(`${path}: is missing, though ${MANIFEST} names it`);
    else if (size !== promised) wrong.push(`${path}: has ${size} bytes, ${MANIFEST} says ${promised}`);
    else if ((await sha256(files.pieces(path))) !== hash)
      wrong.push(`${path}: was changed after the bundle was written: its SHA-256 is not that of ${MANIFEST}`);
  }
  if (wrong.length > 0) throw new Differs(wrong.join('\n'));
  if (root !== undefined && root !== digest) differs(MANIFEST, `its digest is ${digest}, not ${root}`);
  const shapes = new Map(manifest.files.map(({ path, shape }) => [path, shape]));
  return { digest, format, shapes, seals: manifest.seals, bytes };
}

const quoted = (path) => shown(path).slice(1, -1);

async function readDecisions(files, format) {
  const file = 'decisions.json';
  const content = utf8(file, await bytesOf(files.pieces(file)));
  if (!content.endsWith('\n')) differs(file, 'its last line is cut');
  const listing = checked(file, decisionsShape(format), parsed(file, content.slice(0, -1), 1), 'it');
  const owner = format === OF_WORKSPACE ? 'workspace' : 'population';
  const order = [owner, 'method', ...(format > 1 ? ['chain_root'] : []), 'models', 'decisions'];
  if (!same(Object.keys(listing), order)) differs(file, 'has its members in another order');
  return listing;
}

/** Claims that make a proposal at most; the first of them changes every so many claims. */
const [NEWEST, STEP] = [5000, 1000];

/** Claims and vectors of a model, with the chain of digests. Section 2. */
async function readEvidence(population, { model, encoders, claims }, files, shapes, sha256) {
  const folder = `evidence/${model}`;
  const width = encoders.length * LENGTH;
  const [claimFile, vectorFile] = [`${folder}/claims.ndjson`, `${folder}/vectors.f32`];
  if (!files.sizes.has(vectorFile) || !files.sizes.has(claimFile)) differs(folder, 'claims or vectors are missing');
  if (encoders.length === 0 || new Set(encoders).size < encoders.length)
    differs('decisions.json', `has no encoders of ${model}, or one twice`);
  const bytes = await bytesOf(files.pieces(vectorFile));
  const rows = bytes.length / (4 * width);
  if (!same(shapes.get(vectorFile), [rows, encoders.length, LENGTH]))
    differs(MANIFEST, `${vectorFile} has another shape`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = new Float64Array(rows * width);
  for (let i = 0; i < values.length; i++) values[i] = view.getFloat32(4 * i, true);
  const rowBytes = (row) => bytes.subarray(4 * width * row, 4 * width * (row + 1));
  const first = (line) => sha256([bytesOfText(JSON.stringify(line))]);
  const next = (before, { claim_id, rough, polish }) => {
    const link = JSON.stringify([claim_id, rough.digest, polish.digest, rough.references, polish.references]);
    return sha256([bytesOfHex(before), bytesOfText(`${link}\n`), rowBytes(rough.row), rowBytes(polish.row)]);
  };
  const chain = [await first(['mvs-evidence/1', population, model, encoders])];
  const held = [];
  const rowOf = new Map();
  for await (const line of linesOf(claimFile, files.pieces(claimFile))) {
    const at = `line ${held.length + 1}`;
    const claim = checked(claimFile, claimShape, parsed(claimFile, line), at);
    for (const { digest, row } of [claim.rough, claim.polish]) {
      if (row >= rows) differs(claimFile, `${at} has row ${row}`);
      if ((rowOf.get(digest) ?? row) !== row) differs(claimFile, `has two rows of set ${digest}`);
      rowOf.set(digest, row);
    }
    chain.push(await next(chain[chain.length - 1], claim));
    held.push(claim);
  }
  if (held.length !== claims) differs(claimFile, `has ${held.length} claims, not ${claims}`);
  if (new Set(rowOf.values()).size !== rows || rowOf.size !== rows) differs(vectorFile, 'has rows that no claim has');
  const norms = Float64Array.from({ length: rows }, (_, row) =>
    values.subarray(row * width, (row + 1) * width).reduce((sum, value) => sum + value * value, 0),
  );
  /** The newest of the first n claims, where there are more than make a proposal; else nothing. Section 10. */
  const newestOf = async (n) => {
    const before = Math.max(0, Math.ceil((n - NEWEST) / STEP) * STEP);
    if (before === 0) return undefined;
    const list = held.slice(before, n);
    let link = await first(['mvs-evidence/2', population, model, encoders, before]);
    for (const claim of list) link = await next(link, claim);
    return { list, link };
  };
  // `keys`: who brought each claim; `used`: files that approvals of scorers rest on; `scorers`: those recomputed so far.
  return {
    model,
    encoders,
    list: held,
    keys: [],
    values,
    norms,
    width,
    rowOf,
    rowBytes,
    chain,
    newestOf,
    folder,
    used: new Set(),
    scorers: new Map(),
  };
}

/**
 * The counted claims once more, out of the events (section 1); the decisions, and the chain over them.
 * @returns the population's decisions, and the chain root before the first and after each of them
 */
async function checkEvents({ files, format, seals, population, evidence, decisions, sha256 }) {
  const file = 'events.ndjson';
  const own = calibrationStream(population);
  const decided = [];
  const chain = [await sha256([bytesOfText(JSON.stringify(['mvs-calibration-chain/1', population]))])];
  let chained = false;
  const seen = new Map();
  for (const model of evidence.keys()) seen.set(model, { banked: new Set(), pairs: new Set(), count: 0 });
  const submitted = new Map();
  const scored = new Set();
  const underScorer = [];
  const revisions = new Map();
  const on = ({ detail_residual: d }) => d >= -0.23 && d <= 0.31;
  let number = 0;
  for await (const line of linesOf(file, files.pieces(file))) {
    number++;
    const event = parsed(file, line);
    checkEvent(file, number, event);
    const { stream, type, revision, data } = event;
    if (type.startsWith('Lot')) differs(file, `line ${number}: ${type} does not stand here`);
    if (revision <= (revisions.get(stream) ?? -1))
      differs(file, `line ${number} does not follow what its stream has before it`);
    revisions.set(stream, revision);
    if (DECISIONS.includes(type)) {
      const n = decided.length;
      if (event.stream !== own || data.population !== population)
        differs(file, `line ${number} is of another population`);
      const ofScorer = SCORER_DECISIONS.includes(type);
      const links = event.version > 1 || ofScorer;
      // Rows that are no events keep their places; the chain shows that no decision stood there.
      const follows = revision === n || (seals && links && revision > n);
      if (!follows || !same(decisions[n], { event: type, revision, ...data }))
        differs('decisions.json', `its decision ${n} is not that of events.ndjson`);
      if ((links ? format === 1 : chained) || (ofScorer && format < 3))
        differs(file, `line ${number}: version ${event.version} of ${type} does not stand here`);
      chained = links;
      if (chained && data.chain !== chain[n])
        differs(file, `line ${number}: its chain is ${data.chain}, the decisions before it give ${chain[n]}`);
      chain.push(await sha256([bytesOfText(`${chain[n]}\n${line}\n`)]));
      decided.push({ type, revision, data });
    } else if (type === 'ScanSetBanked') {
      const at = seen.get(data.model);
      if (!at || data.population !== population || at.banked.has(data.digest)) continue;
      const { encoders, rowOf, rowBytes, folder } = evidence.get(data.model);
      const vectors = encoders.map((name) =>
        Object.hasOwn(data.vectors, name) ? bytesOfBase64(data.vectors[name]) : null,
      );
      if (!vectors.every((one) => one !== null && isFinite32(one))) continue;
      at.banked.add(data.digest);
      const row = rowOf.get(data.digest);
      if (row === undefined) continue;
      const expected = rowBytes(row);
      if (!vectors.every((one, e) => one.every((byte, i) => byte === expected[4 * LENGTH * e + i])))
        differs(`${folder}/vectors.f32`, `row ${row} is not what events.ndjson has banked`);
    } else if (type === 'ClaimSubmitted') {
      const counts = data.key.kind === 'production' && on(data.rough) && on(data.polish);
      if (data.key.population === population && counts && !submitted.has(data.claim_id))
        submitted.set(data.claim_id, data);
    } else if (type === 'ClaimScored' || type === 'ClaimShadowScored') {
      const claim = submitted.get(data.claim_id);
      if (!claim) continue;
      if (type === 'ClaimScored') scored.add(data.claim_id);
      const model = type === 'ClaimScored' ? claim.model : data.model;
      const at = seen.get(model);
      if (!at || !scored.has(data.claim_id) || at.count === evidence.get(model).list.length) continue;
      const { list, folder } = evidence.get(model);
      const { rough, polish } = claim;
      const pair = `${rough.digest} ${polish.digest}`;
      if (!at.banked.has(rough.digest) || !at.banked.has(polish.digest) || at.pairs.has(pair)) continue;
      at.pairs.add(pair);
      const side = ({ digest, references }, { row }) => ({ digest, references, row });
      evidence.get(model).keys.push(claim.key.name);
      if (type === 'ClaimScored' && data.result.scorer === 'population')
        underScorer.push({ model, claim: list[at.count], result: data.result, decisions: decided.length });
      const held = list[at.count++];
      const expected = { claim_id: data.claim_id, rough: side(rough, held.rough), polish: side(polish, held.polish) };
      if (!same(held, expected))
        differs(`${folder}/claims.ndjson`, `line ${at.count} is not the claim of events.ndjson`);
    }
    // Labels are for the report alone.
  }
  if (decided.length !== decisions.length) differs('decisions.json', 'has decisions that events.ndjson has not');
  for (const [model, { count }] of seen)
    if (count !== evidence.get(model).list.length)
      differs(`evidence/${model}/claims.ndjson`, 'has claims that events.ndjson has not');
  if (format === 3 && !decided.some(({ type }) => SCORER_DECISIONS.includes(type)))
    differs(MANIFEST, 'is of the format of populations with a scorer of their own, and this one has none');
  return { decided, chain, scored: underScorer, events: number };
}

function isFinite32(bytes) {
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < bytes.length; i += 4) if (!Number.isFinite(view.getFloat32(i, true))) return false;
  return true;
}

/** Listed are the models of the approvals, in the order of their first, each with the most claims that one rests on. */
function checkModels(models, decided) {
  const claims = new Map();
  for (const { type, data } of decided) {
    if (type !== 'RungApproved' && type !== 'ScorerApproved') continue;
    const { proposal } = data;
    claims.set(proposal.model, Math.max(claims.get(proposal.model) ?? 0, proposal.claims));
  }
  if (
    !same(
      [...claims],
      models.map((one) => [one.model, one.claims]),
    )
  )
    differs('decisions.json', 'lists other models or claims than its approvals rest on');
}
