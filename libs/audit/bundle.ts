/**
 * The audit bundle of a population: everything that its approvals rest on, file by file. Its content depends on the log up
 * to the population's last decision alone, so the same log gives the same bytes. docs/audit describes it.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chainRoot } from '#calibration/chain';
import type { CalibrationEvent } from '#calibration/events';
import { isInWrongStream } from '#catalogue/admission';
import {
  type ClaimScored,
  type ClaimShadowScored,
  type ClaimSubmitted,
  countsAsEvidence,
  rawScoreOf,
} from '#claims/events';
import type { ScanSetBanked } from '#claims/events-bank';
import { packageVersion } from '#config/version';
import { streamPrefixes, streams } from '#domain/streams';
import { decodeVector } from '#domain/vectors';
import type { KeyCreated } from '#keys/events';
import { type EventReader, original, type RecordedEvent } from '#kit/log/port';
import { readAllEvents } from '#kit/log/stored-events';
import { exportLine } from '#kit/log/transfer';
import type { LabelEvent } from '#labels/events';
import { METHOD, VECTOR_LENGTH } from '#science/calibration/evidence';
import { shippedModelFolders } from '#science/matching/shipped';
import type { Counted, ModelEvidence, SideOfClaim } from './evidence.js';
import { isAboutScorer, type ScorerFile, scorersBehind } from './scorers.js';
import { soundDecisions } from './valid-decisions.js';
import {
  BundleFiles,
  bundleName,
  DOCS,
  listed,
  type PreparedBundle,
  piecesOf,
  type Sealing,
  type Sink,
  signerOf,
} from './writing.js';

export interface AuditSources {
  reader: EventReader;
  /** Of the log that is read; without them the bundle says nothing of seals and is not signed. */
  seals: Sealing | undefined;
  population: string;
}

const METHOD_PAGE = join(DOCS, 'concepts', 'calibration-method.md');
const SCORER_PAGE = join(DOCS, 'concepts', 'scorer-method.md');
/** The second is of populations that decided about a scorer of their own; the others stay as they are. */
const FORMATS = ['mvs-audit/2', 'mvs-audit/3'] as const;
/** Claims whose vectors are held for the report's pictures. */
const SAMPLE = 200;
/** Claims after those that approvals rest on whose scores the report shows. */
const LATER = 1000;

type Evidence = ModelEvidence & {
  banked: Set<string>;
  pairs: Set<string>;
};

/**
 * Makes sure that there is a bundle, before the first byte of it.
 * @throws InvalidDecisions where the log does not bear the population's approvals out
 */
export async function prepareBundle(sources: AuditSources): Promise<PreparedBundle> {
  const decisions = await soundDecisions(sources.reader, sources.population);
  const scorers = await scorersBehind(sources.reader, sources.population, decisions);
  const { seals, population } = sources;
  const name = bundleName(population, decisions.at(-1), chainRoot(population, decisions));
  return { name, signedBy: signerOf(seals), write: (sink) => writeBundle(sources, decisions, scorers, sink) };
}

async function writeBundle(
  { reader, seals, population }: AuditSources,
  decisions: (CalibrationEvent & RecordedEvent)[],
  scorers: ScorerFile[],
  sink: Sink,
): Promise<string> {
  const evidence = evidenceNeeded(decisions);
  const bundle = new BundleFiles(sink, seals);
  const { put, putText } = bundle;
  await put('events.ndjson', bundle.lines(eventLines(reader, population, decisions, evidence)));
  for (const held of evidence.values()) {
    const { model, claims, counted, encoders } = held;
    if (counted.length < claims)
      throw new RangeError(`the log holds ${counted.length} of the ${claims} claims that an approval rests on`);
    const folder = `evidence/${model}`;
    numberRows(held);
    await put(`${folder}/claims.ndjson`, claimLines(held));
    const shape = () => [held.rows.size, encoders.length, VECTOR_LENGTH];
    await put(`${folder}/vectors.f32`, vectorRows(reader, population, held), shape);
    const card = cardOf(model);
    if (card) await put(`${folder}/card.json`, piecesOf([card]));
    for (const { path, content, rows } of scorers.filter((file) => file.model === model))
      await put(`${folder}/${path}`, piecesOf([content]), rows === undefined ? rows : () => [rows, VECTOR_LENGTH]);
  }
  const models = [...evidence.values()].map(({ model, encoders, claims }) => ({ model, encoders, claims }));
  const chain_root = chainRoot(population, decisions as RecordedEvent[]);
  const listing = { population, method: METHOD, chain_root, models, decisions: listed(decisions) };
  await putText('decisions.json', `${JSON.stringify(listing, null, 1)}\n`);
  const { reportOf } = await import('./report.js');
  await putText('report.html', await reportOf(population, decisions, evidence, chain_root));
  await put('method.md', piecesOf([readFileSync(METHOD_PAGE)]));
  const ofScorers = decisions.some(isAboutScorer);
  if (ofScorers) await put('scorer.md', piecesOf([readFileSync(SCORER_PAGE)]));
  return bundle.end(FORMATS[ofScorers ? 1 : 0]);
}

/** The card of a shipped model. */
const cardOf = (model: string): Uint8Array | undefined =>
  shippedModelFolders()
    .map((folder) => readFileSync(join(folder, 'card.json')))
    .find((card) => JSON.parse(card.toString()).digest === model);

/** True if the log has heard of a population. */
export async function isPopulation(reader: EventReader, population: string): Promise<boolean> {
  if ((await reader.readStream(streams.calibration(population), { limit: 1 })).length > 0) return true;
  for await (const { data } of readAllEvents<KeyCreated>(reader, { types: ['KeyCreated'] }))
    if (data.key.population === population) return true;
  return false;
}

/** Digest of all that bundles hold besides what the log says: this release's verifiers and pages. */
export const bundlePages = (): string =>
  [join(DOCS, 'audit', 'SHA256SUMS'), METHOD_PAGE, SCORER_PAGE]
    .reduce((hash, page) => hash.update(readFileSync(page)), createHash('sha256').update(packageVersion()))
    .digest('hex');

/** The root digest alone. */
export async function auditRoot(sources: AuditSources): Promise<string> {
  const { write } = await prepareBundle(sources);
  return write(async (_, pieces) => {
    for await (const _ of pieces);
  });
}

function evidenceNeeded(decisions: CalibrationEvent[]): Map<string, Evidence> {
  const evidence = new Map<string, Evidence>();
  for (const event of decisions) {
    if (event.type !== 'RungApproved' && event.type !== 'ScorerApproved') continue;
    const { model, claims } = event.data.proposal;
    const held = evidence.get(model);
    if (held) held.claims = Math.max(held.claims, claims);
    else
      evidence.set(model, {
        model,
        encoders: [],
        claims,
        counted: [],
        later: [],
        rows: new Map(),
        sample: new Map(),
        banked: new Set(),
        pairs: new Set(),
      });
  }
  return evidence;
}

/** An auditor leaves out what stands in another event's stream, as logs of before there were seals may hold. */
async function* ownEvents<Event extends { type: string }>(...query: Parameters<typeof readAllEvents<Event>>) {
  for await (const event of readAllEvents<Event>(...query)) if (!isInWrongStream(event)) yield event;
}

/** A submitted claim: `facts` where it may count, `answer` once it was scored. */
interface Claim {
  model: string;
  labels: Counted['labels'];
  facts?: Pick<Counted, 'claim_id' | 'rough' | 'polish'>;
  answer?: Pick<Counted, 'verdict' | 'rung'>;
}

type Relevant = CalibrationEvent | ClaimSubmitted | ClaimScored | ClaimShadowScored | ScanSetBanked | LabelEvent;

/**
 * The population's decisions, its claims and banked sets as far as approvals rest on them, the next claims, and the
 * labels of these claims, with their places; counts the claims on the way.
 */
async function* eventLines(
  reader: EventReader,
  population: string,
  decisions: RecordedEvent[],
  evidence: Map<string, Evidence>,
): AsyncGenerator<{ line: Uint8Array; position: bigint }> {
  if (decisions.length === 0) return;
  const own = streams.calibration(population);
  const last = decisions[decisions.length - 1].position;
  const claims = new Map<string, Claim>();
  // A shadow may have scored the claim too, whichever model was its own.
  const anyWanted = () => [...evidence.values()].some(({ later }) => later.length < LATER);
  // Labels are a pair's: a claim sent again is another claim on it.
  const labels = new Map<string, Counted['labels']>();
  const labelsOf = (pair: string) => {
    if (!labels.has(pair)) labels.set(pair, []);
    return labels.get(pair)!;
  };
  const { claims: allClaims, bank, labels: allLabels } = streamPrefixes;
  const streamPrefixesRead = [own, allClaims, bank(population), allLabels];
  for await (const event of ownEvents<Relevant>(reader, { streamPrefixes: streamPrefixesRead, types: TYPES })) {
    if (event.position > last) return;
    switch (event.type) {
      case 'ClaimSubmitted': {
        const { claim_id, key, model, rough, polish } = event.data;
        if (key.population !== population || !anyWanted()) continue;
        const side = ({ digest, references }: SideOfClaim): SideOfClaim => ({ digest, references });
        const facts = { claim_id, rough: side(rough), polish: side(polish) };
        const submitted = { model, labels: labelsOf(pairOf(facts)), ...(countsAsEvidence(event.data) && { facts }) };
        if (!claims.has(claim_id)) claims.set(claim_id, submitted);
        break;
      }
      case 'ScanSetBanked': {
        const held = evidence.get(event.data.model);
        if (event.data.population !== population || !wanted(held)) continue;
        const vectors = Object.values(event.data.vectors);
        if (vectors.every((text) => decodeVector(text))) {
          if (held.encoders.length === 0) held.encoders = Object.keys(event.data.vectors);
          held.banked.add(event.data.digest);
        }
        break;
      }
      case 'ClaimScored': {
        const { claim_id, result } = event.data;
        const claim = claims.get(claim_id);
        if (!claim || !anyWanted()) continue;
        claim.answer = { verdict: result.verdict, rung: result.reject_target };
        // The report's pictures are of raw scores.
        count(evidence.get(claim.model), claim, rawScoreOf(result));
        break;
      }
      case 'ClaimShadowScored': {
        const claim = claims.get(event.data.claim_id);
        if (!claim || !anyWanted()) continue;
        count(evidence.get(event.data.model), claim, event.data.fused_score);
        break;
      }
      case 'ClaimLabelled':
      case 'LabelAmended': {
        const claim = claims.get(event.data.claim_id);
        if (!claim) continue;
        claim.labels.push({ expected: event.data.label.expected, position: event.position });
        break;
      }
      default:
        if (event.stream !== own) continue;
    }
    yield { line: Buffer.from(`${exportLine(original(event))}\n`), position: event.position };
  }
}

const TYPES: Relevant['type'][] = [
  'ApprovalRequested',
  'RungApproved',
  'RungWithdrawn',
  'ScorerRequested',
  'ScorerApproved',
  'ScorerWithdrawn',
  'ClaimSubmitted',
  'ClaimScored',
  'ClaimShadowScored',
  'ScanSetBanked',
  'ClaimLabelled',
  'LabelAmended',
];

const wanted = (held: Evidence | undefined): held is Evidence =>
  held !== undefined && held.counted.length < held.claims;

const pairOf = ({ rough, polish }: Pick<Counted, 'rough' | 'polish'>): string => `${rough.digest} ${polish.digest}`;

/** Section 1 of docs/concepts/calibration-method.md. */
function count(held: Evidence | undefined, { facts, answer, labels }: Claim, score: number): void {
  if (!held || !facts || !answer) return;
  const { banked, pairs, counted, later } = held;
  const pair = pairOf(facts);
  if (pairs.has(pair)) return;
  if (wanted(held)) {
    if (!banked.has(facts.rough.digest) || !banked.has(facts.polish.digest)) return;
    counted.push({ ...facts, ...answer, score, labels });
  } else if (later.length < LATER) later.push(score);
  else return;
  pairs.add(pair);
}

function numberRows({ banked, counted, rows }: Evidence): void {
  const used = new Set(counted.flatMap(({ rough, polish }) => [rough.digest, polish.digest]));
  for (const digest of banked) if (used.has(digest)) rows.set(digest, rows.size);
}

async function* claimLines({ counted, rows }: Evidence): AsyncGenerator<Uint8Array> {
  const side = ({ digest, references }: SideOfClaim) => ({ digest, references, row: rows.get(digest) });
  for (const { claim_id, rough, polish } of counted)
    yield Buffer.from(`${JSON.stringify({ claim_id, rough: side(rough), polish: side(polish) })}\n`);
}

/** Row by row as they stand in the log, which is read once more so that they are never all in memory. */
async function* vectorRows(reader: EventReader, population: string, held: Evidence): AsyncGenerator<Uint8Array> {
  const { model, encoders, rows, sample, counted } = held;
  const sampled = new Set(counted.slice(0, SAMPLE).flatMap(({ rough, polish }) => [rough.digest, polish.digest]));
  let row = 0;
  const prefixes = [streamPrefixes.claims, streamPrefixes.bank(population, model)];
  const banked = { streamPrefixes: prefixes, types: ['ScanSetBanked' as const] };
  for await (const { data } of ownEvents<ScanSetBanked>(reader, banked)) {
    if (row === rows.size) return;
    if (data.population !== population || data.model !== model || rows.get(data.digest) !== row) continue;
    const bytes = Buffer.concat(encoders.map((name) => Buffer.from(data.vectors[name], 'base64')));
    if (bytes.length !== encoders.length * VECTOR_LENGTH * 4) continue;
    if (sampled.has(data.digest)) {
      const values = encoders.flatMap((name) => Array.from(decodeVector(data.vectors[name]) ?? []));
      sample.set(data.digest, Float32Array.from(values));
    }
    row++;
    yield bytes;
  }
}
