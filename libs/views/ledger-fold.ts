/** The ledger's tables and how events fill them. Only what stands in events: a rebuilt file answers byte for byte alike. */
import {
  type ClaimRepeated,
  type ClaimScored,
  type ClaimSubmitted,
  type KeyEvent,
  type LabelEvent,
  type Scoring,
  type SideFacts,
  type Submission,
  shownPrefix,
} from '#domain';
import type { RecordedEvent } from '#event-store';
import type { Connection, Projection } from './projection.js';

const SCHEMA = `
  CREATE TABLE claims (
    position INTEGER PRIMARY KEY,
    claim_id TEXT NOT NULL UNIQUE,
    key_id TEXT NOT NULL,
    population TEXT NOT NULL,
    rung TEXT NOT NULL,
    submitted_at TEXT NOT NULL,
    submission TEXT NOT NULL,
    verdict TEXT,
    scoring TEXT,
    repeats INTEGER NOT NULL DEFAULT 0,
    label TEXT,
    labelling TEXT
  );
  CREATE INDEX claims_by_key ON claims (key_id);
  CREATE INDEX claims_by_population ON claims (population);
  CREATE INDEX claims_by_time ON claims (submitted_at);
  CREATE INDEX claims_by_label ON claims (label) WHERE label IS NOT NULL;
  CREATE TABLE claim_references (reference TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (reference, position)) WITHOUT ROWID;
  CREATE TABLE keys (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    population TEXT NOT NULL,
    created_at TEXT NOT NULL,
    created_by TEXT NOT NULL,
    revoked_at TEXT,
    revoked_by TEXT
  )`;

/** The contract shows 16 hex digits of a digest. */
const shownSide = ({ digest, ...facts }: SideFacts) => ({ digest: digest.slice(0, 16), ...facts });

const shownSubmission = ({ key, rough, polish, ladder_revision: _, ...facts }: Submission) => ({
  ...facts,
  key: { name: key.name, prefix: shownPrefix(key), kind: key.kind },
  population: key.population,
  rough: shownSide(rough),
  polish: shownSide(polish),
});

const shownScoring = ({ result, engine, latency_ms, at }: Scoring) => ({
  verdict: result.verdict,
  fused_score: result.fused_score,
  scorer: result.scorer,
  member_scores: result.member_scores,
  member_cosines: result.member_cosines,
  threshold: result.threshold,
  threshold_source: result.threshold_source,
  expected_genuine_accept: result.expected_genuine_accept,
  p_match_5050: result.p_match_5050,
  warnings: result.warnings,
  engine,
  latency_ms,
  scored_at: at,
});

export type ShownSubmission = ReturnType<typeof shownSubmission>;
export type ShownScoring = ReturnType<typeof shownScoring>;

type LedgerEvent = ClaimSubmitted | ClaimScored | ClaimRepeated | LabelEvent | KeyEvent;

export const ledgerProjection: Projection = {
  name: 'ledger',
  version: 2,
  schema: SCHEMA,
  types: [
    'ClaimSubmitted',
    'ClaimScored',
    'ClaimRepeated',
    'ClaimLabelled',
    'LabelAmended',
    'KeyCreated',
    'KeyRevoked',
  ] satisfies LedgerEvent['type'][],
  fold,
};

function fold(db: Connection): (event: RecordedEvent) => void {
  const submit = db.prepare(
    `INSERT INTO claims (position, claim_id, key_id, population, rung, submitted_at, submission)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const refer = db.prepare('INSERT OR IGNORE INTO claim_references VALUES (?, ?)');
  const score = db.prepare('UPDATE claims SET verdict = ?, scoring = ? WHERE claim_id = ?');
  const repeat = db.prepare('UPDATE claims SET repeats = repeats + 1 WHERE claim_id = ?');
  const label = db.prepare('UPDATE claims SET label = ?, labelling = ? WHERE claim_id = ?');
  const createKey = db.prepare(
    `INSERT INTO keys (position, id, name, prefix, kind, population, created_at, created_by)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const revokeKey = db.prepare('UPDATE keys SET revoked_at = ?, revoked_by = ? WHERE id = ?');

  return (recorded) => {
    const event = recorded as unknown as LedgerEvent;
    const position = Number(recorded.position);
    switch (event.type) {
      case 'ClaimSubmitted': {
        const { claim_id, key, reject_target, at, rough, polish } = event.data;
        const shown = JSON.stringify(shownSubmission(event.data));
        const rung = reject_target.toFixed(2);
        submit.run(position, claim_id, key.id, key.population, rung, at, shown);
        for (const reference of new Set([...rough.references, ...polish.references])) refer.run(reference, position);
        break;
      }
      case 'ClaimScored': {
        const { claim_id, result } = event.data;
        score.run(result.verdict, JSON.stringify(shownScoring(event.data)), claim_id);
        break;
      }
      case 'ClaimRepeated':
        repeat.run(event.data.claim_id);
        break;
      case 'ClaimLabelled':
      case 'LabelAmended': {
        const { claim_id, agrees, label: current } = event.data;
        label.run(current.expected, JSON.stringify({ agrees, ...current }), claim_id);
        break;
      }
      case 'KeyCreated': {
        const { key, operator, at } = event.data;
        createKey.run(position, key.id, key.name, shownPrefix(key), key.kind, key.population, at, operator);
        break;
      }
      case 'KeyRevoked':
        revokeKey.run(event.data.at, event.data.operator, event.data.key_id);
        break;
    }
  };
}
