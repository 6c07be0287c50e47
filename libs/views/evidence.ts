/**
 * Counted claims and banked vectors by population and model (docs/calibration-method.md, section 1), in the log's order;
 * and what the populations are called.
 */
import {
  type CalibrationEvent,
  type ClaimScored,
  type ClaimShadowScored,
  type ClaimSubmitted,
  countsAsEvidence,
  decodeVector,
  type KeyCreated,
  type LabelEvent,
  type ScanSetBanked,
  VECTOR_LENGTH,
} from '#domain';
import type { RecordedEvent } from '#event-store';
import type { Connection, Projection } from './projection.js';
import type { ViewFile } from './view-file.js';

const SCHEMA = `
  CREATE TABLE populations (name TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE sets (
    population TEXT NOT NULL, model TEXT NOT NULL, digest TEXT NOT NULL, encoders TEXT NOT NULL, vectors BLOB NOT NULL,
    UNIQUE (population, model, digest)
  );
  CREATE TABLE submissions (
    claim_id TEXT PRIMARY KEY, population TEXT NOT NULL, model TEXT NOT NULL, rough TEXT NOT NULL, polish TEXT NOT NULL,
    rough_references TEXT NOT NULL, polish_references TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE counted (
    population TEXT NOT NULL, model TEXT NOT NULL, ordinal INTEGER NOT NULL, position TEXT NOT NULL,
    claim_id TEXT NOT NULL, rough TEXT NOT NULL, polish TEXT NOT NULL,
    rough_references TEXT NOT NULL, polish_references TEXT NOT NULL, score REAL NOT NULL, at TEXT NOT NULL, label TEXT,
    PRIMARY KEY (population, model, ordinal), UNIQUE (population, rough, polish, model)
  );
  CREATE INDEX counted_by_score ON counted (population, model, score);
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
  version: 2,
  schema: SCHEMA,
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

function fold(db: Connection): (event: RecordedEvent) => void {
  const name = db.prepare('INSERT OR IGNORE INTO populations VALUES (?)');
  const bank = db.prepare('INSERT OR IGNORE INTO sets VALUES (?, ?, ?, ?, ?)');
  const submit = db.prepare('INSERT OR IGNORE INTO submissions VALUES (?, ?, ?, ?, ?, ?, ?)');
  const model = 'coalesce(:model, s.model)';
  const banked = `EXISTS (SELECT 1 FROM sets b WHERE b.population = s.population AND b.model = ${model} AND b.digest =`;
  const next = `(SELECT COALESCE(MAX(ordinal), 0) + 1 FROM counted c WHERE c.population = s.population AND c.model = ${model})`;
  const known = `(SELECT label FROM counted l WHERE (l.population, l.rough, l.polish) = (s.population, s.rough, s.polish) LIMIT 1)`;
  /** Under the claim's own model, or another one that scored it beside. A pair's label is the same under each. */
  const count = db.prepare(
    `INSERT OR IGNORE INTO counted
     SELECT population, ${model}, ${next}, :position, claim_id, rough, polish, rough_references, polish_references,
            :score, :at, ${known}
     FROM submissions s WHERE claim_id = :claim AND ${banked} s.rough) AND ${banked} s.polish)`,
  );
  const label = db.prepare(
    `UPDATE counted SET label = ? WHERE (population, rough, polish) =
     (SELECT population, rough, polish FROM submissions WHERE claim_id = ?)`,
  );
  const approve = db.prepare('INSERT OR IGNORE INTO approved VALUES (?, ?, ?)');
  const withdraw = db.prepare('DELETE FROM approved WHERE population = ? AND model = ? AND rung = ?');

  return (recorded) => {
    const event = recorded as unknown as EvidenceEvent;
    switch (event.type) {
      case 'KeyCreated':
        name.run(event.data.key.population);
        break;
      case 'ScanSetBanked': {
        const { population, model, digest, vectors } = event.data;
        const decoded = Object.values(vectors).map(decodeVector);
        if (decoded.some((vector) => vector === undefined)) break;
        const bytes = Buffer.concat(Object.values(vectors).map((text) => Buffer.from(text, 'base64')));
        bank.run(population, model, digest, JSON.stringify(Object.keys(vectors)), bytes);
        break;
      }
      case 'ClaimSubmitted': {
        const { claim_id, key, model, rough, polish } = event.data;
        name.run(key.population);
        if (!countsAsEvidence(event.data)) break;
        const references = [rough, polish].map((side) => JSON.stringify(side.references));
        submit.run(claim_id, key.population, model, rough.digest, polish.digest, references[0], references[1]);
        break;
      }
      case 'ClaimScored': {
        const { claim_id, result, at } = event.data;
        const position = String(recorded.position);
        count.run({ model: null, position, score: result.fused_score, at, claim: claim_id });
        break;
      }
      case 'ClaimShadowScored': {
        const { claim_id, model, fused_score: score, at } = event.data;
        count.run({ model, position: String(recorded.position), score, at, claim: claim_id });
        break;
      }
      case 'ClaimLabelled':
      case 'LabelAmended':
        label.run(event.data.label.expected, event.data.claim_id);
        break;
      case 'RungApproved': {
        const { population, proposal, reject_target } = event.data;
        name.run(population);
        approve.run(population, proposal.model, reject_target.toFixed(2));
        break;
      }
      case 'RungWithdrawn':
        withdraw.run(event.data.population, event.data.model, event.data.reject_target.toFixed(2));
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
    const sql = 'SELECT MAX(ordinal) FROM counted WHERE population = ? AND model = ?';
    const [held] = this.view.db.prepare(sql).raw().get(population, model) as [number | null];
    return held ?? 0;
  }

  /** Counted claims after the first `after`, in the log's order. @param encoders the model's, in its order */
  counted(population: string, model: string, encoders: readonly string[], after: number, limit: number): CountedRow[] {
    const rows = this.view.db
      .prepare(
        `SELECT ordinal, position, claim_id, at, c.rough, rough_references, c.polish, polish_references,
                r.encoders, r.vectors, p.encoders, p.vectors
         FROM counted c
         JOIN sets r ON r.population = c.population AND r.model = c.model AND r.digest = c.rough
         JOIN sets p ON p.population = c.population AND p.model = c.model AND p.digest = c.polish
         WHERE c.population = ? AND c.model = ? AND ordinal > ? ORDER BY ordinal LIMIT ?`,
      )
      .raw()
      .all(population, model, after, limit) as [
      number,
      ...[string, string, string, string, string, string, string],
      string,
      Uint8Array,
      string,
      Uint8Array,
    ][];
    return rows.map(
      ([ordinal, position, claimId, at, rough, roughRefs, polish, polishRefs, roughBy, r, polishBy, p]) => ({
        ordinal,
        position,
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
        `SELECT position, at, claim_id, rough, polish, score FROM counted
         WHERE population = ? AND model = ? AND ordinal <= ? ORDER BY ordinal DESC LIMIT ?`,
      )
      .all(population, model, claims, limit) as ScoredRow[];
  }

  /** Of the first `claims` counted claims those with a score in (low, high], by score; and how many there are. */
  between(population: string, model: string, claims: number, [low, high]: [number, number], limit: number) {
    const where = 'WHERE population = ? AND model = ? AND ordinal <= ? AND score > ? AND score <= ?';
    const values = [population, model, claims, low, high];
    const totals = this.view.db
      .prepare(`SELECT label, COUNT(*) FROM counted ${where} GROUP BY label`)
      .raw()
      .all(...values) as [PastClaim['label'], number][];
    const rows = this.view.db
      .prepare(`SELECT claim_id, score, at, label FROM counted ${where} ORDER BY score, ordinal LIMIT ?`)
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
