/** A workspace's bundle: decisions about its lot scorer, and the lots that they rest on. Needs no Node. */
import { checkEvent, LENGTH_OF_LOTS, LOT_SCORER_DECISIONS, LOT_SCORER_METHOD, vector } from './grammar.mjs';
import { fitFault } from './lotfit.mjs';
import { bytesOf, bytesOfBase64, differs, eyeOf, linesOf, parsed, shown } from './text.mjs';

const FILE = 'events.ndjson';
const LEAST_LOTS = 5;
const MOST_LOTS = 40;
const MAP_LINES = (4 * LENGTH_OF_LOTS ** 2) / 1024;
const bytesOfText = (text) => new TextEncoder().encode(text);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Float32, little-endian, as numbers. */
function numbersOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

/** @returns the chain roots, the number of events, and what recomputes the approvals */
export async function readWorkspace({ files, seals, listing, sha256 }) {
  const { workspace, models, decisions } = listing;
  const { decided, lots, checks, chain, events } = await readEvents({ files, seals, workspace, decisions, sha256 });
  const approved = decided.filter(({ type }) => type === 'LotScorerApproved').map(({ data }) => data.proposal.model);
  if (!same([...new Set(approved)], models)) differs('decisions.json', 'lists other models than its approvals rest on');
  const ofModels = models.map((model) => `evidence/${model}/lot-model.safetensors`);
  for (const path of files.sizes.keys())
    if (path.startsWith('evidence/') && !ofModels.includes(path))
      differs(path, 'belongs to a model that decisions.json does not list');
  const recompute = async () => {
    const fits = await checkDecisions({ files, workspace, decided, lots, checks, sha256 });
    for (const [id, { used }] of [...lots, ...checks]) if (!used) differs(FILE, `no approval rests on ${shown(id)}`);
    // Last, because they take long.
    for (const { where, of } of fits) {
      const fault = fitFault(...of);
      if (fault) differs(where, `${fault} than its lots give`);
    }
    return [];
  };
  return { chain, events, recompute };
}

/** The decisions with the chain over them; the lots and checks with their vectors, and how many decisions stand before them. */
async function readEvents({ files, seals, workspace, decisions, sha256 }) {
  const [decided, lots, checks, revisions] = [[], new Map(), new Map(), new Map()];
  const chain = [await sha256([bytesOfText(JSON.stringify(['mvs-lot-scorer-chain/1', workspace.id]))])];
  let [number, chained] = [0, false];
  for await (const line of linesOf(FILE, files.pieces(FILE))) {
    number++;
    const event = parsed(FILE, line);
    checkEvent(FILE, number, event);
    const { stream, type, revision, version, data } = event;
    const wrong = (what) => differs(FILE, `line ${number} ${what}`);
    if (!type.startsWith('Lot')) differs(FILE, `line ${number}: ${type} does not stand here`);
    if (revision <= (revisions.get(stream) ?? -1)) wrong('does not follow what its stream has before it');
    revisions.set(stream, revision);
    if (data.workspace.id !== workspace.id) wrong('is of another workspace');
    if (LOT_SCORER_DECISIONS.includes(type)) {
      const n = decided.length;
      if (stream !== `lotscorer-${workspace.id}` || data.workspace.name !== workspace.name)
        wrong('is of another workspace');
      // Rows that are no events keep their places; the chain shows that no decision stood there.
      const follows = revision === n || (seals && version > 1 && revision > n);
      if (!follows || !same(decisions[n], { event: type, revision, ...data }))
        differs('decisions.json', `its decision ${n} is not that of ${FILE}`);
      if (version === 1 && chained) wrong('carries no chain, though the events before it do');
      chained = version > 1;
      if (chained && data.chain !== chain[n])
        wrong(`has the chain ${data.chain}, the decisions before it give ${chain[n]}`);
      chain.push(await sha256([bytesOfText(`${chain[n]}\n${line}\n`)]));
      decided.push({ type, revision, version, data });
      continue;
    }
    const [of, id, head] = type === 'LotEnrolled' ? [lots, data.lot_id, 'lot'] : [checks, data.check_id, 'lotcheck'];
    if (stream !== `${head}-${workspace.id}-${id}` || revision !== 0) wrong('does not stand where its stream begins');
    const bytes = joined(data.stones.map(({ vector }) => bytesOfBase64(vector)));
    const rows = numbersOf(bytes);
    if (!rows.every(Number.isFinite)) wrong('has a vector of which a value is no number');
    of.set(id, { lot_id: data.lot_id, model: data.model, bytes, rows, before: decided.length, used: false });
  }
  if (decided.length !== decisions.length) differs('decisions.json', `has decisions that ${FILE} has not`);
  return { decided, lots, checks, chain, events: number };
}

/** All of the decisions but the fits. @returns what each fit is of */
async function checkDecisions({ files, workspace, decided, lots, checks, sha256 }) {
  const [inForce, known, fits] = [new Map(), new Map(), []];
  let [before, request] = [0, undefined];
  for (const [n, { type, revision, version, data }] of decided.entries()) {
    const where = `decisions.json: decision ${revision}`;
    const model = data.proposal?.model ?? data.model;
    if (type === 'LotScorerRequested') request = { operator: data.operator, digest: data.proposal.digest };
    if (type === 'LotScorerWithdrawn') inForce.delete(model);
    if (type === 'LotScorerApproved') {
      const { proposal, operator, requested_by: first } = data;
      if (
        first !== null &&
        (eyeOf(first) === eyeOf(operator) || first !== request?.operator || proposal.digest !== request.digest)
      )
        differs(where, `${shown(first)} did not request it before ${shown(operator)}`);
      if (proposal.decisions !== before)
        differs(where, `decisions is ${proposal.decisions}, before it there are ${before}`);
      if (inForce.get(model) === proposal.scorer) differs(where, 'its scorer was in force already');
      const held = heldBy({ proposal, lots, checks, n, where });
      await checkDigests({ workspace, version, data, held, sha256, where });
      if (!known.has(model)) known.set(model, await readModel(files, model, sha256));
      fits.push({ where, of: [known.get(model), held, data.scorer] });
      inForce.set(model, proposal.scorer);
    }
    if (type !== 'LotScorerRequested') [before, request] = [before + 1, undefined];
  }
  return fits;
}

/** The lots that a proposal rests on, each with what came back of it. */
function heldBy({ proposal, lots, checks, n, where }) {
  const { model, rests_on } = proposal;
  if (rests_on.length < LEAST_LOTS || rests_on.length > MOST_LOTS)
    differs(where, `it rests on ${rests_on.length} lots`);
  if (new Set(rests_on.map(({ lot_id }) => lot_id)).size < rests_on.length) differs(where, 'it rests on a lot twice');
  const held = rests_on.map(({ lot_id, check_id }) => {
    const [lot, check] = [lots.get(lot_id), checks.get(check_id)];
    for (const [one, id] of [
      [lot, lot_id],
      [check, check_id],
    ]) {
      if (!one || one.before > n) differs(FILE, `has not, before it, ${shown(id)}, which ${where} rests on`);
      if (one.lot_id !== lot_id || one.model !== model) differs(where, `${shown(id)} is of another lot or model`);
      one.used = true;
    }
    return { lot_id, check_id, members: lot, returned: check };
  });
  const stones = (side) => held.reduce((sum, one) => sum + one[side].rows.length / LENGTH_OF_LOTS, 0);
  for (const side of ['members', 'returned'])
    if (proposal[side] !== stones(side)) differs(where, `${side} is ${proposal[side]}, its lots have ${stones(side)}`);
  return held;
}

/** Of the scorer, of the vectors, and of the proposal where no lot was left out: the bundle does not hold what was left out. */
async function checkDigests({ workspace, version, data, held, sha256, where }) {
  const { proposal, scorer } = data;
  const { model, decisions, rests_on, copies } = proposal;
  if (scorer.map.length !== MAP_LINES || scorer.map.some((line) => vector(line, '') !== undefined))
    differs(where, `its map is not ${MAP_LINES} lines of 1,024 bytes in base64`);
  const of = rests_on.map(({ lot_id, check_id }) => [lot_id, check_id]);
  const ids = of.map(([id]) => id);
  const line = (...values) => bytesOfText(JSON.stringify(values));
  const { at, slope } = scorer.bar;
  const parts = [scorer.map.map(bytesOfBase64), bytesOfBase64(scorer.between)].flat();
  const expected = {
    scorer: [line(LOT_SCORER_METHOD, model, at, slope, ids), ...parts, ...held.map(({ members }) => members.bytes)],
    ...(copies === 0 && { digest: [line(LOT_SCORER_METHOD, model, workspace.id, decisions, of)] }),
    ...(version > 1 && {
      evidence_digest: [
        line('mvs-lot-evidence/1', model, of),
        ...held.flatMap(({ members, returned }) => [members.bytes, returned.bytes]),
      ],
    }),
  };
  if (proposal.method !== LOT_SCORER_METHOD)
    differs(where, `its method is ${shown(proposal.method)}, this verifier knows ${LOT_SCORER_METHOD}`);
  for (const [field, bytes] of Object.entries(expected))
    if ((await sha256(bytes)) !== proposal[field]) differs(where, `its ${field} is not that of its lots`);
}

/** What the fit begins with, out of the lot model's file, whose SHA-256 is the model's digest. */
async function readModel(files, model, sha256) {
  const file = `evidence/${model}/lot-model.safetensors`;
  if (!files.sizes.has(file)) differs(file, 'is missing');
  const bytes = await bytesOf(files.pieces(file));
  if ((await sha256([bytes])) !== model) differs(file, 'is not the model with this digest');
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
  const { __metadata__: metadata, ...tensors } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const tensor = (name) => {
    const [from, to] = tensors[name].data_offsets;
    return numbersOf(bytes.subarray(8 + length + from, 8 + length + to));
  };
  return { between: tensor('between'), cohort: tensor('cohort'), offset: metadata.format === 'mvs-lots-2' };
}
