/**
 * Counted claims and banked vectors by population and model (docs/calibration-method.md, section 1), in the log's order;
 * and what the populations are called.
 */
import { VECTOR_LENGTH } from '#calibration';
import {
  type CalibrationEvent,
  type ClaimScored,
  type ClaimShadowScored,
  type ClaimSubmitted,
  countsAsEvidence,
  isObeyed,
  type KeyCreated,
  type LabelEvent,
  type ScanSetBanked,
  vectorBytes,
} from '#domain';
import type { RecordedEvent } from '#event-store';
import { MODELS_TABLE, ModelIds } from './model-ids.js';
import type { Connection, Projection } from './projection.js';
import type { Value, Writer } from './rows.js';
import { bankedVectors } from './vectors.js';
import type { ViewFile } from './view-file.js';

const SCHEMA = `
  CREATE TABLE populations (name TEXT PRIMARY KEY) WITHOUT ROWID;
  ${MODELS_TABLE};
  CREATE TABLE sets (
    id INTEGER PRIMARY KEY, model_id INTEGER NOT NULL, digest TEXT NOT NULL, encoders TEXT NOT NULL,
    vectors BLOB NOT NULL, UNIQUE (model_id, digest)
  );
  CREATE TABLE submissions (
    id INTEGER PRIMARY KEY, claim_id TEXT NOT NULL UNIQUE, model_id INTEGER NOT NULL, rough TEXT NOT NULL,
    polish TEXT NOT NULL, rough_references TEXT NOT NULL, polish_references TEXT NOT NULL
  );
  CREATE TABLE counted (
    model_id INTEGER NOT NULL, ordinal INTEGER NOT NULL, position INTEGER NOT NULL, submission INTEGER NOT NULL,
    rough_set INTEGER NOT NULL, polish_set INTEGER NOT NULL, score REAL NOT NULL, at TEXT NOT NULL, label TEXT,
    PRIMARY KEY (model_id, ordinal), UNIQUE (rough_set, polish_set)
  ) WITHOUT ROWID;
  CREATE INDEX counted_by_score ON counted (model_id, score);
  CREATE TABLE approved (population TEXT NOT NULL, model TEXT NOT NULL, rung TEXT NOT NULL, UNIQUE (population, model, rung))`;

type EvidenceEvent =
  | KeyCreated
  | ScanSetBanked
  | ClaimSubmitted
  | ClaimScored
  | ClaimShadowScored
  | LabelEvent
  | CalibrationEvent;

export const evidenceProjection: Projection = {
  name: 'evidence',
  version: 4,
  schema: SCHEMA,
  // A set's vectors are 2 kB: four of these rows share a page, of the usual size one would be half empty.
  pageBytes: 16_384,
  types: [
    'KeyCreated',
    'ScanSetBanked',
    'ClaimSubmitted',
    'ClaimScored',
    'ClaimShadowScored',
    'ClaimLabelled',
    'LabelAmended',
    'RungApproved',
    'RungWithdrawn',
  ] satisfies EvidenceEvent['type'][],
  fold,
};

/** Place of the column in `counted`. */
const LABEL = 8;

function fold(db: Connection, writer: Writer): (event: RecordedEvent) => void {
  const models = new ModelIds(db);
  const names = new Set((db.prepare('SELECT name FROM populations').raw().all() as [string][]).map(([name]) => name));
  const addName = db.prepare('INSERT INTO populations VALUES (?)');
  const sets = writer.into('sets');
  const setOf = db.prepare('SELECT id FROM sets WHERE model_id = ? AND digest = ?').raw();
  const submissions = writer.into('submissions');
  const submissionOf = db.prepare('SELECT * FROM submissions WHERE claim_id = ?').raw();
  const counted = writer.into('counted');
  const labelOf = db.prepare('SELECT label FROM counted WHERE rough_set = ? AND polish_set = ?').raw();
  const setLabel = db.prepare('UPDATE counted SET label = ? WHERE rough_set = ? AND polish_set = ?');
  const lastOrdinal = db.prepare('SELECT coalesce(max(ordinal), 0) FROM counted WHERE model_id = ?').raw();
  const ordinals = new Map<number, number>();
  const approve = db.prepare('INSERT OR IGNORE INTO approved VALUES (?, ?, ?)');
  const withdraw = db.prepare('DELETE FROM approved WHERE population = ? AND model = ? AND rung = ?');

  const name = (population: string) => {
    if (names.has(population)) return;
    addName.run(population);
    names.add(population);
  };
  const submitted = (claimId: string) =>
    (submissions.waiting(claimId) ?? submissionOf.get(claimId)) as
      | [id: number, claimId: string, model: number, rough: string, polish: string]
      | undefined;
  const setIn = (model: number, digest: string) =>
    (sets.waiting(`${model} ${digest}`) ?? (setOf.get(model, digest) as Value[] | undefined))?.[0] as
      | number
      | undefined;
  /** The banked sets of a pair under a model, where both are. */
  const pairOf = (model: number, rough: string, polish: string): [rough: number, polish: number] | undefined => {
    const [first, second] = [setIn(model, rough), setIn(model, polish)];
    return first === undefined || second === undefined ? undefined : [first, second];
  };
  /** Whether a pair has been counted, and how it is labelled. */
  const countedAs = (pair: [number, number]): { label: Value } | undefined => {
    const waiting = counted.waiting(pair.join());
    if (waiting) return { label: waiting[LABEL] };
    const row = labelOf.get(...pair) as [string | null] | undefined;
    return row && { label: row[0] };
  };
  /** Under the claim's own model, or another one that scored it beside. */
  const count = (claimId: string, position: number, score: number, at: string, under?: string) => {
    const submission = submitted(claimId);
    if (!submission) return;
    const [id, , own, rough, polish] = submission;
    const model = under === undefined ? own : models.of(models.populationOf(own), under);
    const pair = pairOf(model, rough, polish);
    if (!pair || countedAs(pair)) return;
    // A pair's label is the same under each model.
    const others = models.beside(model).map((other) => pairOf(other, rough, polish));
    const label = others.map((other) => other && countedAs(other)).find((other) => other)?.label ?? null;
    const ordinal = (ordinals.get(model) ?? (lastOrdinal.get(model) as [number])[0]) + 1;
    ordinals.set(model, ordinal);
    counted.add([model, ordinal, position, id, ...pair, score, at, label], pair.join());
  };
  const label = (claimId: string, expected: string) => {
    const submission = submitted(claimId);
    if (!submission) return;
    const [, , own, rough, polish] = submission;
    for (const model of [own, ...models.beside(own)]) {
      const pair = pairOf(model, rough, polish);
      const waiting = pair && counted.waiting(pair.join());
      if (waiting) waiting[LABEL] = expected;
      else if (pair) setLabel.run(expected, ...pair);
    }
  };

  return (recorded) => {
    const event = recorded as unknown as EvidenceEvent;
    const position = Number(recorded.position);
    switch (event.type) {
      case 'KeyCreated':
        name(event.data.key.population);
        break;
      case 'ScanSetBanked': {
        // A set is banked once: whatever follows in its stream repeats it.
        if (recorded.revision > 0n) break;
        const { population, model, digest, vectors } = event.data;
        const banked = bankedVectors(vectors);
        if (!banked) break;
        const id = models.of(population, model);
        const encoders = JSON.stringify(Object.keys(vectors));
        sets.add([position, id, digest, encoders, vectorBytes(banked)], `${id} ${digest}`);
        break;
      }
      case 'ClaimSubmitted': {
        const { claim_id, key, model, rough, polish } = event.data;
        name(key.population);
        if (!countsAsEvidence(event.data)) break;
        const references = [rough, polish].map((side) => JSON.stringify(side.references));
        const id = models.of(key.population, model);
        submissions.add([position, claim_id, id, rough.digest, polish.digest, ...references], claim_id);
        break;
      }
      case 'ClaimScored': {
        const { claim_id, result, at } = event.data;
        count(claim_id, position, result.fused_score, at);
        break;
      }
      case 'ClaimShadowScored': {
        const { claim_id, model, fused_score, at } = event.data;
        count(claim_id, position, fused_score, at, model);
        break;
      }
      case 'ClaimLabelled':
      case 'LabelAmended':
        label(event.data.claim_id, event.data.label.expected);
        break;
      case 'RungApproved': {
        if (!isObeyed(event)) break;
        const { population, proposal, reject_target } = event.data;
        name(population);
        approve.run(population, proposal.model, reject_target.toFixed(2));
        break;
      }
      case 'RungWithdrawn':
        if (isObeyed(event)) withdraw.run(event.data.population, event.data.model, event.data.reject_target.toFixed(2));
        break;
    }
  };
}

/** A counted claim as it is kept, with its sides' vectors by encoder one after the other. */
export interface CountedRow {
  ordinal: number;
  position: string;
  claimId: string;
  at: string;
  rough: { digest: string; references: string[] };
  polish: { digest: string; references: string[] };
  roughVectors: Float32Array;
  polishVectors: Float32Array;
}

export interface ScoredRow {
  position: string;
  at: string;
  claim_id: string;
  rough: string;
  polish: string;
  score: number;
}

export interface PastClaim {
  claim_id: string;
  fused_score: number;
  at: string;
  label: 'match' | 'no_match' | null;
}

/** Of a population and a model. */
const MODEL = '(SELECT id FROM models WHERE population = ? AND model = ?)';

export class EvidenceView {
  constructor(private readonly view: ViewFile) {}

  populations(): string[] {
    const rows = this.view.db.prepare('SELECT name FROM populations ORDER BY name').raw().all() as [string][];
    return rows.map(([name]) => name);
  }

  has(population: string): boolean {
    return this.view.db.prepare('SELECT 1 FROM populations WHERE name = ?').raw().get(population) !== undefined;
  }

  /** Claims counted so far. */
  held(population: string, model: string): number {
    const sql = `SELECT MAX(ordinal) FROM counted WHERE model_id = ${MODEL}`;
    const [held] = this.view.db.prepare(sql).raw().get(population, model) as [number | null];
    return held ?? 0;
  }

  /** Counted claims after the first `after`, in the log's order. @param encoders the model's, in its order */
  counted(population: string, model: string, encoders: readonly string[], after: number, limit: number): CountedRow[] {
    const rows = this.view.db
      .prepare(
        `SELECT ordinal, position, claim_id, at, rough, rough_references, polish, polish_references,
                r.encoders, r.vectors, p.encoders, p.vectors
         FROM counted c JOIN submissions s ON s.id = submission JOIN sets r ON r.id = rough_set
         JOIN sets p ON p.id = polish_set WHERE c.model_id = ${MODEL} AND ordinal > ? ORDER BY ordinal LIMIT ?`,
      )
      .raw()
      .all(population, model, after, limit) as [
      number,
      number,
      ...[string, string, string, string, string, string],
      string,
      Uint8Array,
      string,
      Uint8Array,
    ][];
    return rows.map(
      ([ordinal, position, claimId, at, rough, roughRefs, polish, polishRefs, roughBy, r, polishBy, p]) => ({
        ordinal,
        position: String(position),
        claimId,
        at,
        rough: { digest: rough, references: JSON.parse(roughRefs) },
        polish: { digest: polish, references: JSON.parse(polishRefs) },
        roughVectors: inOrder(r, JSON.parse(roughBy), encoders),
        polishVectors: inOrder(p, JSON.parse(polishBy), encoders),
      }),
    );
  }

  /** The latest `limit` of the first `claims` counted claims, latest first, with their scores alone. */
  scored(population: string, model: string, claims: number, limit: number): ScoredRow[] {
    return this.view.db
      .prepare(
        `SELECT CAST(position AS TEXT) AS position, at, claim_id, rough, polish, score
         FROM counted c JOIN submissions s ON s.id = submission
         WHERE c.model_id = ${MODEL} AND ordinal <= ? ORDER BY ordinal DESC LIMIT ?`,
      )
      .all(population, model, claims, limit) as ScoredRow[];
  }

  /** Of the first `claims` counted claims those with a score in (low, high], by score; and how many there are. */
  between(population: string, model: string, claims: number, [low, high]: [number, number], limit: number) {
    const where = `WHERE c.model_id = ${MODEL} AND ordinal <= ? AND score > ? AND score <= ?`;
    const values = [population, model, claims, low, high];
    const totals = this.view.db
      .prepare(`SELECT label, COUNT(*) FROM counted c ${where} GROUP BY label`)
      .raw()
      .all(...values) as [PastClaim['label'], number][];
    const rows = this.view.db
      .prepare(`SELECT claim_id, score, at, label FROM counted c JOIN submissions s ON s.id = submission ${where}
         ORDER BY score, ordinal LIMIT ?`)
      .raw()
      .all(...values, limit) as [string, number, string, PastClaim['label']][];
    const items: PastClaim[] = rows.map(([claim_id, fused_score, at, label]) => ({ claim_id, fused_score, at, label }));
    const of = (label: PastClaim['label']) => totals.find(([one]) => one === label)?.[1] ?? 0;
    return { match: of('match'), no_match: of('no_match'), unlabelled: of(null), items };
  }

  /** What stands approved under a model. */
  approved(model: string): { population: string; rung: string }[] {
    const rows = this.view.db
      .prepare('SELECT population, rung FROM approved WHERE model = ? ORDER BY population, rung')
      .raw()
      .all(model) as [string, string][];
    return rows.map(([population, rung]) => ({ population, rung }));
  }

  /** Populations with approvals under a model that is not among the installed ones. */
  notInstalled(installed: readonly string[]): { population: string; model: string }[] {
    const rows = this.view.db
      .prepare('SELECT DISTINCT population, model FROM approved ORDER BY population, model')
      .raw()
      .all() as [string, string][];
    return rows.filter(([, model]) => !installed.includes(model)).map(([population, model]) => ({ population, model }));
  }

  waitFor(position: bigint, timeoutMs: number): Promise<boolean> {
    return this.view.waitFor(position, timeoutMs);
  }
}

/** Vectors as they were banked, in the model's order of encoders. */
function inOrder(bytes: Uint8Array, banked: string[], encoders: readonly string[]): Float32Array {
  const out = new Float32Array(encoders.length * VECTOR_LENGTH);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const [to, name] of encoders.entries()) {
    const from = banked.indexOf(name);
    if (from < 0) throw new RangeError(`a banked set has no vector of encoder ${name}`);
    for (let i = 0; i < VECTOR_LENGTH; i++)
      out[to * VECTOR_LENGTH + i] = view.getFloat32(4 * (from * VECTOR_LENGTH + i), true);
  }
  return out;
}
