/** A population's own scorer as it was approved, against what its bank gives. scorer-method.md is the definition. */
import { checkMaps, covariancesOf, curveOf, isCurve } from './fit.mjs';
import { LENGTH, laddersShape, leastGroups, SCORER_METHODS, scorerShape } from './grammar.mjs';
import { groupsOf, LEFT_OUT, Scorer } from './mapped.mjs';
import { scoreOf } from './method.mjs';
import { countsAbove, quantile } from './rungs.mjs';
import { bytesOf, checked, differs, parsed, shown, utf8 } from './text.mjs';

const BANK = 1200;
const OWN_CURVE = 75;
const MAGIC = 'MVS scorer 1\n\0\0\0';

const bytesOfText = (text) => new TextEncoder().encode(text);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** A file of one line. */
async function lineOf(files, file, shape) {
  const content = utf8(file, await bytesOf(files.pieces(file)));
  if (!content.endsWith('\n')) differs(file, 'its last line is cut');
  return checked(file, shape, parsed(file, content.slice(0, -1)), 'it');
}

/** The published scorer, whose digest is that of its canonical form with the bank as the evidence has it. */
async function readAsset(files, shapes, sha256, held, digest, bank) {
  const path = `${held.folder}/scorer-${digest}`;
  const [file, tables] = [`${path}.json`, `${path}.f32`];
  if (!files.sizes.has(file) || !files.sizes.has(tables)) differs(file, 'is missing, or its tables are');
  const header = await lineOf(files, file, scorerShape);
  const { encoders } = held;
  const values = await bytesOf(files.pieces(tables));
  const rows = header.directions.flat().reduce((sum, count) => sum + count + 2, 0);
  const fits =
    header.directions.length === LEFT_OUT.length && header.directions.every((map) => map.length === encoders.length);
  if (!fits || values.length !== 4 * LENGTH * rows || !same(shapes.get(tables), [rows, LENGTH]))
    differs(tables, 'has another shape than its scorer');
  const json = bytesOfText(JSON.stringify(header));
  const length = json.length + ((4 - (json.length % 4)) % 4);
  const begin = new Uint8Array(20 + length).fill(32);
  begin.set(bytesOfText(MAGIC));
  new DataView(begin.buffer).setUint32(16, length, true);
  begin.set(json, 20);
  const sides = ['rough', 'polish'].flatMap((side) => bank.map((claim) => held.rowBytes(claim[side].row)));
  if ((await sha256([begin, values, ...sides])) !== digest)
    differs(file, 'is not the scorer with its digest on this bank');
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  let row = 0;
  const take = (count) => {
    const from = 4 * LENGTH * row;
    row += count;
    return Float64Array.from({ length: count * LENGTH }, (_, i) => view.getFloat32(from + 4 * i, true));
  };
  const maps = header.directions.map((map) =>
    map.map((count) => ({ rough: take(1), polish: take(1), rows: take(count), count })),
  );
  if (
    !maps
      .flat()
      .every(({ rough, polish, rows }) => [rough, polish, rows].every((table) => table.every(Number.isFinite)))
  )
    differs(tables, 'holds a value that is no number');
  return { file, header, maps, weights: header.weights };
}

/** The ladders that came with the model, of which the proposal's digest says that they are these. */
async function laddersOf(files, sha256, held, { digest, method }, facts) {
  for (const file of files.sizes.keys()) {
    const [, of] = /\/ladders-([0-9a-f]{64})\.json$/.exec(file) ?? [];
    if (!of || !file.startsWith(`${held.folder}/`)) continue;
    const [population, model, decisions, claims, link] = facts;
    const line = ['mvs-scorer-proposal/1', method, population, model, of, decisions, claims, link];
    if ((await sha256([bytesOfText(JSON.stringify(line))])) !== digest) continue;
    const ladders = await lineOf(files, file, laddersShape);
    if ((await sha256([bytesOfText(JSON.stringify(ladders))])) !== of) differs(file, 'is not what its name says');
    if (ladders.method !== method || ladders.model_digest !== model) differs(file, 'is of another model or method');
    held.used.add(file);
    return ladders;
  }
  return undefined;
}

/**
 * Everything of an approval of a scorer, sections 1 to 7.
 * @param before decisions before it
 * @param where what a difference is said of
 * @returns the scorer, to score by
 * @throws Differs
 */
export async function checkScorer({ files, shapes, sha256, population, held, proposal, before, where }) {
  const { method, model, claims, scorer: digest } = proposal;
  const newest = (await held.newestOf(claims))?.link;
  const link = newest === proposal.evidence_digest ? newest : held.chain[claims];
  const bank = held.list.slice(Math.max(claims - BANK, 0), claims);
  const keys = held.keys.slice(Math.max(claims - BANK, 0), claims);
  const wrong = (what) => differs(where, what);
  if (!SCORER_METHODS.includes(method))
    wrong(`its method is ${shown(method)}, this verifier knows ${SCORER_METHODS.join(' and ')}`);
  const ladders = await laddersOf(files, sha256, held, proposal, [population, model, before, claims, link]);
  if (!ladders) wrong('its digest is not that of its facts with any ladders of the bundle');
  const asset = await readAsset(files, shapes, sha256, held, digest, bank);
  for (const end of ['json', 'f32']) held.used.add(`${held.folder}/scorer-${digest}.${end}`);
  const { header, maps, file } = asset;
  const groups = groupsOf(held, bank, method);
  const count = Math.max(...groups) + 1;
  const ladder = ladders.banks.findLast((one) => one.groups <= count);
  const least = leastGroups(method);
  if (count < least || !ladder) wrong(`its claims make ${count} groups`);
  const facts = {
    method,
    population,
    model,
    encoders: held.encoders,
    claims,
    evidence_digest: link,
    groups,
  };
  const carried = { groups: ladder.groups, population: ladders.source.judged.population, rungs: ladder.rungs };
  for (const [field, value] of Object.entries({ ...facts, ladder: carried }))
    if (!same(header[field], value)) differs(file, `its ${field} is not what its claims and ladders give`);
  // A scorer approved before is the same on the same bank.
  const known = held.scorers.get(digest);
  if (!known) {
    const worlds = covariancesOf(ladders, method, held.encoders.length, file);
    checkMaps({ evidence: held, bank, groups, method, worlds }, keys, least, asset, file);
  }
  const scorer = known?.scorer ?? new Scorer(held, bank, groups, maps, method);
  const crossed = known?.crossed ?? crossFitted(held, scorer);
  held.scorers.set(digest, { scorer, crossed });
  const from = count < OWN_CURVE ? 'shipped' : 'own';
  const { from: said, ...curve } = header.curve;
  const own = from === 'own' ? curveOf(crossed.mapped.own, crossed.mapped.wrong) : ladder.p_match_5050;
  if (said !== from || !(from === 'own' ? isCurve(curve, own) : same(curve, own)))
    differs(file, 'its probability curve is not what its bank or ladder gives');
  const expected = {
    decisions: before,
    evidence_digest: link,
    groups: count,
    trimmed: header.weights.filter((weight) => weight === 0).length,
    curve: from,
  };
  for (const [field, value] of Object.entries(expected))
    if (proposal[field] !== value) wrong(`${field} is ${shown(proposal[field])}, the claims give ${shown(value)}`);
  checkFigures(proposal.rungs, carried.rungs, crossed, wrong);
  return scorer;
}

/** Scores of the groups' own pairs and of all others, ascending, by the scorer and raw. Section 7. */
function crossFitted(held, scorer) {
  const [rough, polish] = ['rough', 'polish'].map((side) => scorer.first.map((claim) => claim[side].row));
  const n = rough.length;
  const parted = (scores) => {
    const isOwn = (_, i) => i % (n + 1) === 0;
    return { own: scores.filter(isOwn).sort(), wrong: scores.filter((_, i) => !isOwn(_, i)).sort() };
  };
  const { scores, open } = scorer.scores(rough, polish);
  const raw = Float64Array.from({ length: n * n }, (_, i) => scoreOf(held, polish[Math.floor(i / n)], rough[i % n]));
  return { mapped: parted(scores), raw: parted(raw), open };
}

/**
 * The proposal's figures of each rung, as far as rounding leaves them open; `wrong_raw` is by the model's own thresholds.
 */
function checkFigures(rungs, ladder, { mapped, raw, open }, wrong) {
  const ends = (sorted, share) => {
    const [from, to] = [-1, 1].map((by) => quantile(sorted, share + (by * open) / sorted.length));
    return { from, to };
  };
  for (const [i, { reject_target, threshold }] of ladder.entries()) {
    const one = rungs[i];
    const isShare = (value, sorted, { from, to }) => {
      const [least, largest] = [countsAbove(sorted, to, open)[0], countsAbove(sorted, from, open)[1]];
      return least / sorted.length - 1e-9 <= value && value <= largest / sorted.length + 1e-9;
    };
    const sound =
      one?.reject_target === reject_target &&
      isShare(one.confirmed_raw, raw.own, ends(raw.wrong, reject_target)) &&
      isShare(one.confirmed_mapped, mapped.own, ends(mapped.wrong, reject_target)) &&
      isShare(one.wrong_mapped, mapped.wrong, { from: threshold, to: threshold });
    if (!sound) wrong(`what it tells of rung ${reject_target} is not what the claims give`);
  }
  if (rungs.length !== ladder.length) wrong('it tells of other rungs than the ladder has');
}
