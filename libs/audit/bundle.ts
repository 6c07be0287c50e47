/**
 * The audit bundle of a population: everything that its approvals rest on, file by file. Its content depends on the log up
 * to the population's last decision alone, so the same log gives the same bytes. docs/audit describes it.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chainRoot } from '#calibration/chain';
import type { CalibrationEvent } from '#calibration/events';
import { isInWrongStream } from '#catalogue/admission';
import {
  type ClaimResult,
  type ClaimScored,
  type ClaimShadowScored,
  type ClaimSubmitted,
  countsAsEvidence,
} from '#claims/events';
import type { ScanSetBanked } from '#claims/events-bank';
import { streamPrefixes, streams } from '#domain/streams';
import { decodeVector } from '#domain/vectors';
import type { KeyCreated } from '#keys/events';
import { type EventReader, original, type RecordedEvent } from '#kit/log/port';
import { readAllEvents } from '#kit/log/stored-events';
import { exportLine } from '#kit/log/transfer';
import type { LabelEvent } from '#labels/events';
import { METHOD, VECTOR_LENGTH } from '#science/calibration/evidence';
import { shippedModelFolder, shippedModelFolders } from '#science/matching/shipped';
import type { Counted, ModelEvidence, SideOfClaim } from './evidence.js';
import { soundDecisions } from './obeyed.js';
import { isAboutScorer, type ScorerFile, scorersBehind } from './scorers.js';
import { auditKeys, type SealCounts, type Sealing, SIGNATURE, signatureOf, standingOf } from './signature.js';

export interface AuditSources {
  reader: EventReader;
  /** Of the log that is read; left out: the bundle says nothing of seals and is not signed. */
  seals?: Sealing;
  population: string;
}

export const MANIFEST = 'manifest.json';
const docs = join(dirname(dirname(shippedModelFolder())), 'docs');
/** The verifier that goes into each bundle, with its parts. */
export const VERIFIER = join(docs, 'audit', 'verify.mjs');
export const VERIFIER_PARTS = join(docs, 'audit', 'verify');
const METHOD_PAGE = join(docs, 'concepts', 'calibration-method.md');
const SCORER_PAGE = join(docs, 'concepts', 'scorer-method.md');
/** The second is of populations that decided about a scorer of their own; the others stay as they are. */
const FORMATS = ['mvs-audit/2', 'mvs-audit/3'] as const;
/** Claims whose vectors are held for the report's pictures. */
const SAMPLE = 200;
/** Claims after those that approvals rest on whose scores the report shows. */
const LATER = 1000;
const PIECE_BYTES = 1 << 16;

/** Takes the bundle's files one after the other, each to its end. */
export type Sink = (path: string, pieces: AsyncIterable<Uint8Array>) => Promise<void>;

type Evidence = ModelEvidence & {
  banked: Set<string>;
  pairs: Set<string>;
};

export interface PreparedBundle {
  /** A file name that no bundle of other decisions has. */
  name: string;
  /** Public key of its signature; undefined where nothing signs it. */
  signedBy?: string;
  /**
   * Writes every file into a sink, the manifest after all others and the signature after it.
   * @returns the root digest: the manifest's SHA-256, 64 hex digits
   */
  write(sink: Sink): Promise<string>;
}

/**
 * Makes sure that there is a bundle, before the first byte of it.
 * @throws NotObeyed where the log does not bear the population's approvals out
 */
export async function prepareBundle(sources: AuditSources): Promise<PreparedBundle> {
  const decisions = await soundDecisions(sources.reader, sources.population);
  const scorers = await scorersBehind(sources.reader, sources.population, decisions);
  const name = bundleName(sources.population, decisions);
  const [key] = sources.seals ? auditKeys(sources.seals) : [];
  return { name, signedBy: key?.public_key, write: (sink) => writeBundle(sources, decisions, scorers, sink) };
}

/**
 * Population, day and log position of its last decision (0 without one), and the beginning of its chain root, which covers
 * them all.
 */
function bundleName(population: string, decisions: (CalibrationEvent & RecordedEvent)[]): string {
  const safe = population.replace(/[^A-Za-z0-9-]+/g, '_').slice(0, 64);
  const last = decisions.at(-1);
  const when = last ? `${last.data.at.slice(0, 10)}-${last.position}` : '0';
  return `audit-${safe}-${when}-${chainRoot(population, decisions).slice(0, 12)}.zip`;
}

async function writeBundle(
  { reader, seals, population }: AuditSources,
  decisions: (CalibrationEvent & RecordedEvent)[],
  scorers: ScorerFile[],
  sink: Sink,
): Promise<string> {
  const evidence = evidenceNeeded(decisions);
  const files: { path: string; bytes: number; sha256: string; shape?: number[] }[] = [];

  const put = async (path: string, pieces: AsyncIterable<Uint8Array>, shape?: () => number[]) => {
    const hash = createHash('sha256');
    let bytes = 0;
    async function* hashed() {
      for await (const piece of gathered(pieces)) {
        hash.update(piece);
        bytes += piece.length;
        yield piece;
      }
    }
    await sink(path, hashed());
    files.push({ path, bytes, sha256: hash.digest('hex'), ...(shape && { shape: shape(), type: 'float32le' }) });
  };
  const putText = (path: string, ...texts: string[]) => put(path, piecesOf(texts.map((text) => Buffer.from(text))));

  const counts: SealCounts = { sealed: 0, taken: 0, unsealed: 0 };
  async function* countedLines() {
    for await (const { line, position } of eventLines(reader, population, decisions, evidence)) {
      if (seals) counts[standingOf(seals, position)]++;
      yield line;
    }
  }
  await put('events.ndjson', countedLines());
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
  const listed = (decisions as RecordedEvent[])
    .map(original)
    .map(({ type, revision, data }) => ({ event: type, revision: Number(revision), ...data }));
  const chain_root = chainRoot(population, decisions as RecordedEvent[]);
  const listing = { population, method: METHOD, chain_root, models, decisions: listed };
  await putText('decisions.json', `${JSON.stringify(listing, null, 1)}\n`);
  const { reportOf } = await import('./report.js');
  await putText('report.html', await reportOf(population, decisions, evidence, chain_root));
  await put('method.md', piecesOf([readFileSync(METHOD_PAGE)]));
  const ofScorers = decisions.some(isAboutScorer);
  if (ofScorers) await put('scorer.md', piecesOf([readFileSync(SCORER_PAGE)]));
  await put('verify.mjs', piecesOf([readFileSync(VERIFIER)]));
  for (const part of readdirSync(VERIFIER_PARTS).sort())
    await put(`verify/${part}`, piecesOf([readFileSync(join(VERIFIER_PARTS, part))]));

  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const content = { files, format: FORMATS[ofScorers ? 1 : 0], ...(seals && { seals: counts }) };
  const manifest = Buffer.from(`${JSON.stringify(sorted(content), null, 1)}\n`);
  await sink(MANIFEST, piecesOf([manifest]));
  const [secret] = seals?.given ?? [];
  if (secret !== undefined) await sink(SIGNATURE, piecesOf([signatureOf(manifest, secret)]));
  return createHash('sha256').update(manifest).digest('hex');
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
        count(evidence.get(claim.model), claim, rawScore(result));
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

/** The report's pictures are of raw scores, whichever scorer decided. */
function rawScore({ scorer, fused_score, member_cosines }: ClaimResult): number {
  if (scorer === 'raw') return fused_score;
  const cosines = Object.values(member_cosines);
  return cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
}

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
  const banked = { streamPrefixes: [streamPrefixes.bank(population, model)], types: ['ScanSetBanked' as const] };
  for await (const { data } of ownEvents<ScanSetBanked>(reader, banked)) {
    if (row === rows.size) return;
    if (rows.get(data.digest) !== row) continue;
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

async function* piecesOf(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** Small pieces gathered into larger ones. */
async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    size += piece.length;
    if (size < PIECE_BYTES) continue;
    yield Buffer.concat(waiting);
    [waiting, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(waiting);
}

/** With the keys of every object in order: the manifest's canonical form. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}
