/**
 * The ledger's tables and how events fill them. They hold only facts of events: a rebuilt file gives the same answers
 * byte for byte. A changing value is kept with the position since which it holds, so that the ledger can answer as of any time.
 */
import type { ClaimEvent, ClaimResult, ClaimReviewed, ScoringResult, SideFacts, Submission } from '#claims/events';
import { type KeyEvent, shownPrefix } from '#keys/events';
import type { Stored } from '#kit/log/stored-events';
import { TEXTS_TABLE, Texts } from '#kit/views/numbered';
import { LATEST, projection } from '#kit/views/projection';
import { scores } from '#kit/views/shapes';
import { SPANS_TABLE, spansIn } from '#kit/views/spans';
import type { Tables } from '#kit/views/tables';
import type { LabelEvent } from '#labels/events';
import { adviceOf } from '#science/matching/action';
import { WARNING_KINDS, warningKind } from '#science/matching/warnings';

const SCHEMA = `
  CREATE TABLE claims (
    position INTEGER PRIMARY KEY,
    claim_id TEXT NOT NULL UNIQUE,
    key_id TEXT NOT NULL,
    key_kind TEXT NOT NULL,
    population TEXT NOT NULL,
    rung TEXT NOT NULL,
    submitted_at TEXT NOT NULL,
    origin INTEGER NOT NULL,
    submission TEXT NOT NULL,
    scored INTEGER,
    verdict TEXT,
    shared INTEGER NOT NULL,
    action TEXT,
    scoring TEXT,
    warnings INTEGER,
    probability REAL,
    distance REAL,
    labelled INTEGER,
    reviewed INTEGER NOT NULL
  );
  ${TEXTS_TABLE};
  CREATE INDEX claims_by_key ON claims (key_id);
  CREATE INDEX claims_by_kind ON claims (key_kind);
  CREATE INDEX claims_by_population ON claims (population);
  CREATE INDEX claims_by_rung ON claims (rung);
  CREATE INDEX claims_by_verdict ON claims (verdict) WHERE verdict IS NOT NULL;
  CREATE INDEX claims_by_action ON claims (action) WHERE action IS NOT NULL;
  CREATE INDEX claims_unfinished ON claims (scored) WHERE scored IS NULL;
  CREATE INDEX claims_unlabelled ON claims (labelled) WHERE labelled IS NULL;
  CREATE INDEX claims_reviewed ON claims (reviewed) WHERE reviewed = 1;
  CREATE INDEX claims_waiting ON claims (reviewed) WHERE action = 'review' AND reviewed = 0;
  CREATE INDEX claims_to_review ON claims (probability) WHERE verdict = 'NO_MATCH';
  CREATE INDEX claims_by_probability ON claims (probability) WHERE scored IS NOT NULL;
  CREATE INDEX claims_by_distance ON claims (distance) WHERE scored IS NOT NULL;
  CREATE INDEX claims_by_scoring ON claims (scored) WHERE scored IS NOT NULL;
  CREATE TABLE claim_warnings (kind TEXT NOT NULL, claim INTEGER NOT NULL, PRIMARY KEY (kind, claim)) WITHOUT ROWID;
  CREATE TABLE reviews (
    claim INTEGER NOT NULL, position INTEGER NOT NULL, counts INTEGER NOT NULL, review TEXT NOT NULL,
    PRIMARY KEY (claim, position)
  ) WITHOUT ROWID;
  CREATE TABLE repeats (claim INTEGER NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (claim, position)) WITHOUT ROWID;
  CREATE TABLE labels (
    claim INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL DEFAULT ${LATEST + 1},
    revision INTEGER NOT NULL,
    label TEXT NOT NULL,
    labelling TEXT NOT NULL,
    PRIMARY KEY (claim, since)
  ) WITHOUT ROWID;
  CREATE INDEX labels_by_label ON labels (label, claim, since, until);
  CREATE TABLE moments (time INTEGER PRIMARY KEY, position INTEGER NOT NULL);
  CREATE TABLE claim_references (reference TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (reference, position)) WITHOUT ROWID;
  CREATE INDEX references_in_any_case ON claim_references (reference COLLATE NOCASE);
  ${SPANS_TABLE};
  CREATE TABLE keys (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    population TEXT NOT NULL,
    created_at TEXT NOT NULL,
    created_by TEXT NOT NULL,
    life TEXT NOT NULL,
    revoked_at TEXT,
    revoked_by TEXT
  )`;

/** The contract shows 16 hex digits of a digest. */
const shownSide = ({ digest, ...facts }: SideFacts) => ({ digest: digest.slice(0, 16), ...facts });

/** What many claims have alike: stored once. */
const originOf = ({ key, transport, reject_target, model }: Submission) => ({
  transport,
  reject_target,
  model,
  key: { name: key.name, prefix: shownPrefix(key), kind: key.kind },
  population: key.population,
});
const submissionOf = ({ request_id, shared_scans, rough, polish }: Submission) => ({
  request_id,
  shared_scans,
  rough: shownSide(rough),
  polish: shownSide(polish),
});

const SCORES = Object.keys(scores.properties) as (keyof typeof scores.properties)[];
const scoresOf = (result: ClaimResult) =>
  Object.fromEntries(SCORES.map((name) => [name, result[name]])) as Pick<ClaimResult, (typeof SCORES)[number]>;

const scoringOf = ({ result, action_reasons, engine, latency_ms, at }: ScoringResult) => ({
  verdict: result.verdict,
  action_reasons,
  ...scoresOf(result),
  engine,
  latency_ms,
  scored_at: at,
});

export type StoredOrigin = ReturnType<typeof originOf>;
export type StoredSubmission = ReturnType<typeof submissionOf>;
export type StoredScoring = ReturnType<typeof scoringOf>;

type LedgerEvent = ClaimEvent | ClaimReviewed | LabelEvent | KeyEvent;

/** @param types of all events: each has a time of its own */
export const ledgerProjection = (types: readonly string[]) =>
  projection<LedgerEvent>({
    name: 'ledger',
    // A further kind of warning is another fold.
    version: 15 + WARNING_KINDS.length,
    schema: SCHEMA,
    types: types as LedgerEvent['type'][],
    fold,
  });

function fold(tables: Tables): (event: Stored<LedgerEvent>) => void {
  const claims = tables.into('claims', { key: ['claim_id'] });
  const references = tables.into('claim_references', { conflict: 'ON CONFLICT DO NOTHING' });
  const warnings = tables.into('claim_warnings', { conflict: 'ON CONFLICT DO NOTHING' });
  const spans = spansIn(tables);
  const texts = new Texts(tables);
  const claimOf = claims.reader('position', 'shared', 'labelled');
  const found = (claimId: string) =>
    claimOf(claimId) as { position: number; shared: number; labelled?: number | null } | undefined;
  const place = (claimId: string) => found(claimId)?.position;
  const repeat = tables.prepare('INSERT INTO repeats VALUES (?, ?)');
  const review = tables.prepare('INSERT INTO reviews VALUES (?, ?, ?, ?)');
  const endLabel = tables.prepare(`UPDATE labels SET until = ? WHERE claim = ? AND until > ${LATEST}`);
  const label = tables.prepare('INSERT INTO labels (claim, since, revision, label, labelling) VALUES (?, ?, ?, ?, ?)');
  const moments = tables.into('moments', { conflict: 'ON CONFLICT DO UPDATE SET position = excluded.position' });
  let [time] = tables.prepare('SELECT coalesce(max(time), 0) FROM moments').raw().get() as [number];
  /** The last position at that time, until it is a row. */
  let last = 0;
  const keepMoment = () => {
    if (last > 0) moments.add({ time, position: last });
    last = 0;
  };
  tables.beforeFlush(keepMoment);
  const createKey = tables.prepare(
    `INSERT INTO keys (position, id, name, prefix, kind, population, created_at, created_by, life)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const changeKey = tables.prepare('UPDATE keys SET life = ? WHERE id = ?');
  const revokeKey = tables.prepare('UPDATE keys SET revoked_at = ?, revoked_by = ? WHERE id = ?');

  return (event) => {
    const position = Number(event.position);
    // Clocks step back: the latest time seen is the log's.
    const now = event.recordedAt.getTime();
    if (now > time) {
      keepMoment();
      time = now;
    }
    last = position;
    switch (event.type) {
      case 'ClaimSubmitted': {
        const { claim_id, key, reject_target, at, rough, polish } = event.data;
        claims.add({
          ...{ position, claim_id, key_id: key.id, key_kind: key.kind, population: key.population, submitted_at: at },
          reviewed: 0,
          rung: reject_target.toFixed(2),
          shared: event.data.shared_scans ?? 0,
          origin: texts.idOf(JSON.stringify(originOf(event.data))),
          submission: JSON.stringify(submissionOf(event.data)),
        });
        spans.add(at, position);
        for (const reference of new Set([...rough.references, ...polish.references])) {
          references.add({ reference, position });
        }
        break;
      }
      case 'ClaimScored': {
        const { claim_id, result, action_reasons } = event.data;
        const scoring = JSON.stringify(scoringOf(event.data));
        const { verdict, p_match_5050: probability } = result;
        const distance = Math.abs(result.fused_score - result.threshold);
        const claim = found(claim_id);
        if (claim === undefined) break;
        const { action } = adviceOf(result, claim.shared, action_reasons);
        const warned = texts.idOf(JSON.stringify(result.warnings));
        claims.change(
          { scored: position, verdict, action, scoring, warnings: warned, probability, distance },
          claim_id,
        );
        for (const warning of result.warnings) warnings.add({ kind: warningKind(warning), claim: claim.position });
        break;
      }
      case 'ClaimRepeated': {
        const claim = place(event.data.claim_id);
        if (claim === undefined) break;
        repeat.run(claim, position);
        const { sent } = event.data;
        for (const reference of sent ? new Set([...sent.rough, ...sent.polish]) : [])
          references.add({ reference, position: claim });
        break;
      }
      case 'ClaimReviewed': {
        const { claim_id, note, outcome, operator, at } = event.data;
        const claim = place(claim_id);
        const counts = Number(outcome !== 'taken_back');
        if (claim === undefined) break;
        review.run(claim, position, counts, JSON.stringify({ note, outcome, operator, at }));
        claims.change({ reviewed: counts }, claim_id);
        break;
      }
      case 'ClaimLabelled':
      case 'LabelAmended': {
        const { claim_id, agrees, label: current } = event.data;
        const claim = found(claim_id);
        if (claim === undefined) break;
        // A label may change, and stays.
        if (!claim.labelled) claims.change({ labelled: position }, claim_id);
        endLabel.run(position, claim.position);
        label.run(
          claim.position,
          position,
          Number(event.revision),
          current.expected,
          JSON.stringify({ agrees, ...current }),
        );
        break;
      }
      case 'KeyCreated': {
        const { key, life, operator, at } = event.data;
        const prefix = shownPrefix(key);
        const lasts = JSON.stringify(life);
        createKey.run(position, key.id, key.name, prefix, key.kind, key.population, at, operator, lasts);
        break;
      }
      case 'KeyChanged':
        changeKey.run(JSON.stringify(event.data.life), event.data.key_id);
        break;
      case 'KeyRevoked':
        revokeKey.run(event.data.at, event.data.operator, event.data.key_id);
        break;
    }
  };
}
