/** The content of a bundle's files, member by member. grammar.md is the definition. */
import {
  anything,
  differs,
  flag,
  holding,
  like,
  list,
  map,
  name,
  number,
  oneOf,
  optional,
  orNull,
  record,
  text,
  whole,
} from './text.mjs';

export const LENGTH = 256;
/** Numbers of a lot’s stone. */
export const LENGTH_OF_LOTS = 96;
/** By all claims, and by the newest of many. */
export const METHODS = ['cross-pairs/1', 'cross-pairs/2'];
export const MAPPED_METHODS = ['mapped-cross-pairs/1', 'mapped-cross-pairs/2'];
/** A scorer scores by the method that it was made with. */
export const SCORER_METHODS = [1, 2, 3, 4, 5].map((version) => `population-scorer/${version}`);
/** Groups of claims of which one best score more makes a norm. */
export const MANY = 30;
/** Groups of claims that a scorer of a method needs. */
export const leastGroups = (method) => (SCORER_METHODS.indexOf(method) >= 3 ? 10 : MANY);
/** True if a scorer takes a mean off and nothing else. */
export const isMeanAlone = (method, groups) => method === SCORER_METHODS[3] && groups < MANY;
/** True if the means of few claims are drawn towards 0, their covariances towards those of worlds. */
export const isShrunk = (method) => method === SCORER_METHODS[4];
/** The share of so many claims in both. */
export const ownShare = (claims) => claims / (claims + 10);
export const LOT_SCORER_METHOD = 'lot-scorer/1';
/** The third is of populations that decided about a scorer of their own, the fourth of workspaces. */
export const FORMATS = ['mvs-audit/1', 'mvs-audit/2', 'mvs-audit/3', 'mvs-audit/4'];
export const OF_WORKSPACE = 4;
export const MOST_MANIFEST_BYTES = 1 << 20;
export const MOST_ENTRIES = 1000;

const hex = like('digest of 64 hex digits', /^[0-9a-f]{64}$/);
const time = like('time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const rung = oneOf(0.99, 0.98, 0.97, 0.96, 0.95, 0.94, 0.93, 0.92, 0.91, 0.9);
/** 1,024 bytes in the one form that base64 has: the last digit's unused bits are zero. */
export const vector = like('base64 of 1,024 bytes', /^[A-Za-z0-9+/]{1365}[AQgw]==$/);
/** 384 bytes. */
const lotVector = like('base64 of 384 bytes', /^[A-Za-z0-9+/]{512}$/);
const verdict = oneOf('MATCH', 'NO_MATCH');

const PATHS = {
  1: /^((decisions|manifest)\.json|events\.ndjson|method\.md|report\.html|verify\.mjs|evidence\/[0-9a-f]{64}\/(card\.json|claims\.ndjson|vectors\.f32))$/,
};
PATHS[2] = new RegExp(`${PATHS[1].source.slice(0, -1)}|^verify/[a-z]+\\.mjs$`);
PATHS[3] = new RegExp(
  `${PATHS[2].source}|^scorer\\.md$|^evidence/[0-9a-f]{64}/(scorer-[0-9a-f]{64}\\.(json|f32)|ladders-[0-9a-f]{64}\\.json)$`,
);
PATHS[4] =
  /^((decisions|manifest)\.json|events\.ndjson|(method|check)\.md|verify\.mjs|verify\/[a-z]+\.mjs|evidence\/[0-9a-f]{64}\/lot-model\.safetensors)$/;
/** True if a bundle of the format (its number) may hold a file of this path. */
export const isPath = (path, format) => PATHS[format].test(path);
export const isPathOfAny = (path) => FORMATS.some((_, i) => isPath(path, i + 1));
export const NEEDED_FILES = ['decisions.json', 'events.ndjson', 'verify.mjs'];

export const MANIFEST = 'manifest.json';
export const manifestShape = record({
  files: list((entry, at) =>
    record({
      bytes: whole,
      path: text,
      sha256: hex,
      ...(String(entry?.path).endsWith('.f32') && { shape: list(whole), type: oneOf('float32le') }),
    })(entry, at),
  ),
  format: oneOf(...FORMATS),
  /** How many of the events were sealed when the bundle was written, and how many were not. */
  seals: optional(record({ sealed: whole, taken: whole, unsealed: whole })),
});

/** Stands beside the manifest, which does not name it. */
export const SIGNATURE = 'signature.json';
export const signatureShape = record({
  algorithm: oneOf('Ed25519'),
  key: like('public key of 64 hex digits', /^[0-9a-f]{64}$/),
  signature: like('signature of 128 hex digits', /^[0-9a-f]{128}$/),
});

const workspace = record({ id: text, name: text });
const workspaceListing = record({
  workspace,
  method: oneOf(LOT_SCORER_METHOD),
  chain_root: hex,
  models: list(hex),
  decisions: list(anything),
});
/** `decisions` are held to the events one by one. */
export const decisionsShape = (format) => (format === OF_WORKSPACE ? workspaceListing : populationListing(format));
const populationListing = (format) =>
  record({
    population: name,
    method: oneOf(METHODS[0]),
    ...(format > 1 && { chain_root: hex }),
    models: list(record({ model: hex, encoders: list(name), claims: whole })),
    decisions: list(anything),
  });

const sideOfClaim = record({ digest: hex, references: list(text), row: whole });
export const claimShape = record({ claim_id: text, rough: sideOfClaim, polish: sideOfClaim });

const key = record({ id: text, name: text, kind: oneOf('production', 'test'), population: text });
const sideMembers = {
  digest: hex,
  scans: whole,
  duplicates: whole,
  short_coverage: flag,
  references: list(text),
  sharpness: number,
  detail_residual: number,
  locally_polynomial: number,
};
const [side, measuredSide] = [{}, { detail_residual_measured: orNull(number) }].map((more) =>
  record({ ...sideMembers, ...more }),
);
const result = record({
  mode: text,
  verdict,
  fused_score: number,
  scorer: text,
  member_scores: map(number),
  member_cosines: map(number),
  threshold: number,
  threshold_source: text,
  reject_target: rung,
  expected_genuine_accept: orNull(number),
  p_match_5050: number,
  n_rough_scans: whole,
  n_polish_scans: whole,
  rough_sharpness: number,
  polish_sharpness: number,
  rough_detail_residual: number,
  polish_detail_residual: number,
  warnings: list(text),
  scope: text,
  claim_id: text,
  experimental: optional(flag),
});
const label = record({
  expected: oneOf('match', 'no_match'),
  stone_id: optional(text),
  note: optional(text),
  request_id: text,
  at: time,
});
const proposal = record({
  digest: hex,
  evidence_digest: hex,
  method: text,
  model: hex,
  position: text,
  decisions: whole,
  claims: whole,
  roughs: whole,
  polishes: whole,
  pairs: whole,
  threshold: number,
  interval: list(number),
  wrong_per_1000: number,
  expected_genuine_accept: orNull(number),
  expected_genuine_accept_error: orNull(number),
  expected_genuine_accept_reason: orNull(text),
});
const decided = { population: name, reject_target: rung, operator: text, reason: text, at: time };
const scorerProposal = record({
  digest: hex,
  scorer: hex,
  evidence_digest: hex,
  method: text,
  model: hex,
  position: text,
  decisions: whole,
  claims: whole,
  groups: whole,
  trimmed: whole,
  curve: oneOf('own', 'shipped'),
  rungs: list(
    record({
      reject_target: rung,
      confirmed_raw: orNull(number),
      confirmed_mapped: orNull(number),
      wrong_raw: orNull(number),
      wrong_mapped: orNull(number),
    }),
  ),
});
const requested = { ...decided, proposal };
const approved = { ...decided, proposal, requested_by: orNull(text) };
const withdrawn = { ...decided, model: hex };
const chained = { chain: hex };
const underScorer = { ...chained, scorer: orNull(hex) };
const aboutScorer = { population: name, operator: text, reason: text, at: time, ...chained };
const scored = { claim_id: text, request_id: text, result, engine: text, latency_ms: map(number), at: time };
const submitted = {
  claim_id: text,
  request_id: text,
  key,
  transport: oneOf('json', 'multipart'),
  reject_target: rung,
  model: hex,
  ladder_revision: text,
  rough: side,
  polish: side,
  at: time,
};
const labelled = { claim_id: text, verdict, agrees: flag, label };

const both = (one) => record({ shipped: one, workspace: one });
const lotProposal = {
  digest: hex,
  scorer: hex,
  method: text,
  model: hex,
  decisions: whole,
  rests_on: list(record({ lot_id: text, check_id: text })),
  members: whole,
  returned: whole,
  copies: whole,
  confirmed: both(whole),
  caught: both(number),
  one_stone_false_accept: both(number),
};
const aboutLotScorer = { workspace, operator: text, reason: text, request_id: text, at: time };
/** An event's data before and since its events are chained; a proposal's digest of its vectors came with the chain. */
const withLotProposal = (more) => [
  { ...aboutLotScorer, ...more, proposal: record(lotProposal) },
  { ...aboutLotScorer, ...more, ...chained, proposal: record({ ...lotProposal, evidence_digest: orNull(hex) }) },
];
/** The lines of a map are held to 1,024 bytes each where it is read. */
const base64 = like('base64', /^[A-Za-z0-9+/]+={0,2}$/);
const lotScorer = record({ map: list(base64), between: lotVector, bar: record({ at: number, slope: number }) });
const lotWithdrawn = { ...aboutLotScorer, model: hex };
/** Of a lot and of a check the names and the vectors; a scorer rests on nothing else of it. */
const ofLot = {
  lot_id: text,
  workspace,
  model: hex,
  at: time,
  ...Object.fromEntries(['request_id', 'latency_ms', 'digest'].map((member) => [member, anything])),
  ...Object.fromEntries(['operator', 'instrument'].map((member) => [member, optional(anything)])),
  stones: list(holding({ stone: text, vector: lotVector })),
};
const ENROLLED = ['name', 'session_type', 'session_type_source', 'warnings', 'twins', 'bounds_version'];
const enrolled = { ...ofLot, ...Object.fromEntries(ENROLLED.map((member) => [member, anything])) };
const checkedLot = { ...ofLot, check_id: text, result: anything };

/** Members of each event's data, version after version. */
export const EVENTS = {
  LotScorerRequested: withLotProposal({}),
  LotScorerApproved: withLotProposal({ scorer: lotScorer, requested_by: orNull(text) }),
  LotScorerWithdrawn: [lotWithdrawn, { ...lotWithdrawn, ...chained }],
  LotEnrolled: [enrolled, { ...enrolled, fit: anything }],
  LotChecked: [checkedLot, checkedLot, checkedLot],
  ApprovalRequested: [requested, { ...requested, ...chained }, { ...requested, ...underScorer }],
  RungApproved: [approved, { ...approved, ...chained }, { ...approved, ...underScorer }],
  RungWithdrawn: [withdrawn, { ...withdrawn, ...chained }, { ...withdrawn, ...underScorer }],
  ScorerRequested: [{ ...aboutScorer, proposal: scorerProposal }],
  ScorerApproved: [{ ...aboutScorer, proposal: scorerProposal, requested_by: orNull(text) }],
  ScorerWithdrawn: [{ ...aboutScorer, model: hex }],
  ClaimSubmitted: [
    submitted,
    {
      ...submitted,
      ladder_digest: orNull(hex),
      rough: measuredSide,
      polish: measuredSide,
      shared_scans: orNull(whole),
    },
  ],
  ClaimScored: [scored, { ...scored, action_reasons: orNull(list(text)) }],
  ClaimShadowScored: [
    {
      claim_id: text,
      request_id: text,
      model: hex,
      fused_score: number,
      member_cosines: map(number),
      engine: text,
      at: time,
    },
  ],
  ScanSetBanked: [
    {
      population: text,
      model: hex,
      digest: hex,
      side: oneOf('rough', 'polish'),
      scans: whole,
      references: list(text),
      vectors: map(vector),
      by: oneOf('claim', 'replay'),
      claim_id: text,
      at: time,
    },
  ],
  ClaimLabelled: [labelled],
  LabelAmended: [{ ...labelled, previous: label }],
};
const DATA = Object.fromEntries(Object.entries(EVENTS).map(([type, versions]) => [type, versions.map(record)]));
export const SCORER_DECISIONS = ['ScorerRequested', 'ScorerApproved', 'ScorerWithdrawn'];
export const LOT_SCORER_DECISIONS = ['LotScorerRequested', 'LotScorerApproved', 'LotScorerWithdrawn'];
export const DECISIONS = ['ApprovalRequested', 'RungApproved', 'RungWithdrawn', ...SCORER_DECISIONS];

const curve = { scores: list(number), probabilities: list(number) };
const rungs = list(record({ reject_target: rung, threshold: number, expected_genuine_accept: orNull(number) }));
/** The parts of a scorer besides its tables. */
export const scorerShape = record({
  method: text,
  population: name,
  model: hex,
  encoders: list(name),
  claims: whole,
  evidence_digest: hex,
  groups: list(whole),
  weights: list(number),
  directions: list(list(whole)),
  ladder: record({ groups: whole, population: text, rungs }),
  curve: record({ ...curve, from: oneOf('own', 'shipped') }),
});
const stones = record({ population: text, seed: number, first_stone: whole, stones: whole, refused: whole });
/** The ladders that came with a model for scorers. */
export const laddersShape = record({
  schema: whole,
  method: text,
  model_digest: hex,
  source: record({ bank: stones, judged: stones, draws: whole }),
  worlds: optional(record({ source: stones, covariances: list(record({ within: base64, across: base64 })) })),
  banks: list(record({ groups: whole, rungs, p_match_5050: record(curve) })),
});

const envelope = record({
  stream: text,
  revision: whole,
  id: like('UUID', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  type: oneOf(...Object.keys(EVENTS)),
  version: whole,
  recorded_at: time,
  metadata: optional(map(text)),
  data: anything,
});
const ORDERS = [true, false].map((metadata) =>
  ['stream', 'revision', 'id', 'type', 'version', 'recorded_at', ...(metadata ? ['metadata'] : []), 'data'].join(),
);

/** An event of events.ndjson. @throws Differs */
export function checkEvent(file, number, event) {
  const at = `line ${number}`;
  const fault = envelope(event, at);
  if (fault !== undefined) differs(file, fault);
  if (!ORDERS.includes(Object.keys(event).join())) differs(file, `${at} has its members in another order`);
  const shape = DATA[event.type][event.version - 1];
  if (!shape) differs(file, `${at} is ${event.type} of version ${event.version}, which is unknown`);
  const wrong = shape(event.data, `${at} (${event.type})`);
  if (wrong !== undefined) differs(file, wrong);
}

/** The stream that holds a population's decisions. */
export const calibrationStream = (population) =>
  `calibration-${encodeURIComponent(population).replace(/[-!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)}`;
