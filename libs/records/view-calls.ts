/**
 * Every call that ended, as a record: answered, repeated, replayed or refused. Besides them what only the log as a whole
 * shows: keys and their last use, models of the banked sets, steps of the clock.
 */

import {
  type ClaimRepeated,
  type ClaimScored,
  type ClaimSubmitted,
  rawScoreOf,
  type Sent,
  type SideFacts,
} from '#claims/events';
import type { ScanSetBanked } from '#claims/events-bank';
import type { ClaimRefused, ClaimReplayed, RefusalsCounted } from '#claims/events-calls';
import { type KeyEvent, type KeyFacts, type KeyLife, shownPrefix } from '#keys/events';
import type { Stored } from '#kit/log/stored-events';
import { projection } from '#kit/views/projection';
import { SPANS_TABLE, spansIn } from '#kit/views/spans';
import type { Row, Tables } from '#kit/views/tables';
import type { LabelEvent } from '#labels/events';
import { WARNING_KINDS, type WarningKind, warningKind } from '#science/matching/warnings';
import { TALLIES_TABLE, talliesIn } from './call-counts.js';

/** Backward steps of the log's clock that are reported: what time servers correct is less. */
export const CLOCK_STEP_MS = 2000;

const FACTS = `
  rough_scans INTEGER, polish_scans INTEGER, rough_sharpness REAL, polish_sharpness REAL,
  rough_detail_residual REAL, polish_detail_residual REAL,
  rough_detail_residual_measured REAL, polish_detail_residual_measured REAL, rough_duplicates INTEGER,
  rough_references TEXT, polish_references TEXT, rough_digest TEXT, polish_digest TEXT, shared_scans INTEGER`;

const SCHEMA = `
  CREATE TABLE pending (claim_id TEXT PRIMARY KEY, position INTEGER NOT NULL, submission TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE calls (
    position INTEGER PRIMARY KEY, at TEXT NOT NULL, tag TEXT NOT NULL, request_id TEXT NOT NULL, claim_id TEXT,
    key_id TEXT, key_name TEXT, key_prefix TEXT, key_kind TEXT, population TEXT, transport TEXT,
    status INTEGER NOT NULL, reason TEXT, side TEXT, count INTEGER NOT NULL DEFAULT 1, repeat INTEGER NOT NULL DEFAULT 0,
    rung TEXT, model TEXT, engine TEXT, verdict TEXT, score REAL, raw_score REAL, probability REAL, warnings TEXT, latency TEXT,
    authorised_by TEXT, label TEXT, ${FACTS}
  );
  CREATE INDEX calls_by_time ON calls (at);
  CREATE INDEX calls_by_population ON calls (population, position);
  CREATE INDEX calls_by_key ON calls (key_id, position);
  CREATE INDEX calls_by_kind ON calls (key_kind, position);
  CREATE INDEX calls_by_request ON calls (request_id, position);
  CREATE INDEX calls_by_verdict ON calls (verdict, position) WHERE verdict IS NOT NULL;
  CREATE INDEX calls_by_reason ON calls (reason, position) WHERE reason IS NOT NULL;
  CREATE INDEX calls_refused ON calls (status, position) WHERE status <> 200;
  CREATE INDEX calls_apart ON calls (tag, position) WHERE tag <> 'verify_match';
  CREATE INDEX calls_sharing ON calls (position) WHERE shared_scans > 0;
  CREATE INDEX calls_by_claim ON calls (claim_id) WHERE claim_id IS NOT NULL AND repeat = 0;
  CREATE INDEX calls_labelled ON calls (at, rung, verdict, label, key_id, key_kind, population, repeat, tag)
    WHERE label IS NOT NULL AND repeat = 0 AND tag = 'verify_match';
  ${TALLIES_TABLE};
  ${SPANS_TABLE};
  CREATE TABLE warnings (kind TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (kind, position)) WITHOUT ROWID;
  CREATE TABLE keys (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, prefix TEXT NOT NULL, kind TEXT NOT NULL, population TEXT NOT NULL,
    created_at TEXT NOT NULL, revoked_at TEXT, used_at TEXT, expires_at TEXT, contact TEXT
  ) WITHOUT ROWID;
  CREATE TABLE banked (population TEXT, model TEXT, sets INTEGER NOT NULL, PRIMARY KEY (population, model)) WITHOUT ROWID;
  CREATE TABLE clock (latest INTEGER NOT NULL);
  INSERT INTO clock VALUES (0);
  CREATE TABLE clock_steps (
    at TEXT NOT NULL, position INTEGER NOT NULL, back_ms INTEGER NOT NULL, PRIMARY KEY (at, position)
  ) WITHOUT ROWID`;

type TelemetryFolded =
  | ClaimSubmitted
  | ClaimScored
  | ClaimRepeated
  | ClaimRefused
  | ClaimReplayed
  | RefusalsCounted
  | LabelEvent
  | KeyEvent
  | ScanSetBanked;

export const telemetryProjection = projection<TelemetryFolded>({
  name: 'telemetry',
  // A further kind of warning is another fold.
  version: 6 + WARNING_KINDS.length,
  schema: SCHEMA,
  types: [
    'ClaimSubmitted',
    'ClaimScored',
    'ClaimRepeated',
    'ClaimRefused',
    'ClaimReplayed',
    'RefusalsCounted',
    'ClaimLabelled',
    'LabelAmended',
    'KeyCreated',
    'KeyChanged',
    'KeyRevoked',
    'ScanSetBanked',
  ],
  fold,
});

function fold(tables: Tables): (event: Stored<TelemetryFolded>) => void {
  const calls = tables.into('calls');
  const warn = tables.into('warnings', { conflict: 'ON CONFLICT DO NOTHING' });
  /** Submissions since the last flush that have no verdict yet: most get it before they are written. */
  const open = new Map<string, { position: number; submission: ClaimSubmitted['data'] }>();
  const pending = tables.into('pending', { conflict: 'ON CONFLICT DO NOTHING' });
  const submitted = tables.prepare('SELECT submission FROM pending WHERE claim_id = ?').raw();
  const settle = tables.prepare('DELETE FROM pending WHERE claim_id = ?');
  const scored = tables.prepare('SELECT * FROM calls WHERE claim_id = ? AND repeat = 0');
  const label = tables.prepare('UPDATE calls SET label = ? WHERE claim_id = ? AND repeat = 0');
  const amend = tables.prepare(
    'UPDATE calls SET transport = ?, rough_references = ?, polish_references = ? WHERE claim_id = ? AND repeat = 0',
  );
  const keys = keysIn(tables);
  const banked = bankedSetsIn(tables);
  const tallies = talliesIn(tables);
  const spans = spansIn(tables);
  const clock = clockIn(tables);
  tables.beforeFlush(() => {
    for (const [claimId, { position, submission }] of open)
      pending.add({ claim_id: claimId, position, submission: JSON.stringify(submission) });
    open.clear();
    keys.flush();
    banked.flush();
    tallies.flush();
    clock.flush();
  });

  /** @param kinds of its warnings */
  const record = (call: Row, kinds: readonly string[] = []) => {
    const row = { count: 1, repeat: 0, ...call };
    calls.add(row);
    tallies.add(row, kinds);
    const { key_id, at, position } = call as { key_id?: string; at: string; position: number };
    spans.add(at, position);
    if (key_id) keys.use(key_id, at);
  };
  const submissionOf = (claimId: string): ClaimSubmitted['data'] => {
    const found = open.get(claimId);
    if (found) {
      open.delete(claimId);
      return found.submission;
    }
    const [text] = (submitted.get(claimId) as [string] | undefined) ?? [];
    if (text === undefined) throw new Error(`claim ${claimId} was not submitted`);
    settle.run(claimId);
    return JSON.parse(text);
  };
  const answered = (position: number, result: ClaimScored['data']['result'], engine: string, latency: object): Row => {
    const kinds = kindsOf(result);
    for (const kind of kinds) warn.add({ position, kind });
    const { verdict, fused_score: score, p_match_5050: probability } = result;
    const texts = { warnings: JSON.stringify(kinds), latency: JSON.stringify(latency) };
    return { status: 200, verdict, score, raw_score: rawScoreOf(result), probability, engine, ...texts };
  };

  return (event) => {
    const position = Number(event.position);
    clock.pass(position, event.recordedAt);
    switch (event.type) {
      case 'ClaimSubmitted':
        // A claim is submitted once: whatever follows repeats it.
        if (!open.has(event.data.claim_id)) open.set(event.data.claim_id, { position, submission: event.data });
        break;
      case 'ClaimScored': {
        const { claim_id, request_id, result, engine, latency_ms, at } = event.data;
        const submission = submissionOf(claim_id);
        const facts = answered(position, result, engine, latency_ms);
        record({ position, ...callOf(submission), ...facts, tag: 'verify_match', request_id, at }, kindsOf(result));
        break;
      }
      case 'ClaimRepeated': {
        const { claim_id, request_id, sent, latency_ms, at } = event.data;
        const first = scored.get(claim_id) as Row | undefined;
        if (!first) throw new Error(`claim ${claim_id} was not scored`);
        if (sent && first.request_id === request_id && first.at === at) {
          // The call that finished what a crash had left: it is recorded already, and this is what it sent.
          amend.run(sent.transport, JSON.stringify(sent.rough), JSON.stringify(sent.polish), claim_id);
          break;
        }
        const latency = JSON.stringify(latency_ms);
        const own = { position, request_id, at, latency, label: null, repeat: 1 };
        record({ ...first, ...(sent && sentOf(sent, first)), ...own });
        break;
      }
      case 'ClaimReplayed': {
        const { result, engine, latency_ms, tag, authorised_by, ...submission } = event.data;
        const facts = answered(position, result, engine, latency_ms);
        record({ position, ...callOf(submission), ...facts, tag, authorised_by }, kindsOf(result));
        break;
      }
      case 'ClaimRefused':
        record({ position, ...refusalOf(event.data) });
        break;
      case 'RefusalsCounted': {
        const { status, reason, count, until } = event.data;
        record({ position, at: until, tag: 'refused_at_the_edge', request_id: '', status, reason, count });
        break;
      }
      case 'ClaimLabelled':
      case 'LabelAmended': {
        const { claim_id, label: given } = event.data;
        label.run(given.expected, claim_id);
        break;
      }
      case 'KeyCreated':
        keys.create(event.data.key, event.data.at);
        keys.change(event.data.key.id, event.data.life);
        break;
      case 'KeyChanged':
        keys.change(event.data.key_id, event.data.life);
        break;
      case 'KeyRevoked':
        keys.revoke(event.data.key_id, event.data.at);
        break;
      case 'ScanSetBanked':
        banked.count(event.data);
        break;
    }
  };
}

/** Keys; the last use of each is written at a flush. */
function keysIn(tables: Tables) {
  const created = tables.prepare('INSERT OR IGNORE INTO keys VALUES (?, ?, ?, ?, ?, ?, NULL, NULL, NULL, NULL)');
  const changed = tables.prepare('UPDATE keys SET expires_at = ?, contact = ? WHERE id = ?');
  const revoked = tables.prepare('UPDATE keys SET revoked_at = ? WHERE id = ?');
  const lastUse = tables.prepare("UPDATE keys SET used_at = max(coalesce(used_at, ''), ?) WHERE id = ?");
  const used = new Map<string, string>();
  return {
    create(key: KeyFacts, at: string): void {
      created.run(key.id, key.name, shownPrefix(key), key.kind, key.population, at);
    },
    change(id: string, { expires_at, contact }: KeyLife): void {
      changed.run(expires_at, contact, id);
    },
    revoke(id: string, at: string): void {
      revoked.run(at, id);
    },
    use(id: string, at: string): void {
      if (at > (used.get(id) ?? '')) used.set(id, at);
    },
    flush(): void {
      for (const [id, at] of used) lastUse.run(at, id);
      used.clear();
    },
  };
}

const kindsOf = ({ warnings }: { warnings: readonly string[] }) => [...new Set(warnings.map(warningKind))];

/** Number of banked scan sets, by population and model; written at a flush. */
function bankedSetsIn(tables: Tables) {
  const add = tables.prepare(
    'INSERT INTO banked VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET sets = sets + excluded.sets',
  );
  const banked = new Map<string, { population: string; model: string; sets: number }>();
  return {
    count({ population, model }: { population: string; model: string }): void {
      const name = `${population}\n${model}`;
      banked.set(name, { population, model, sets: (banked.get(name)?.sets ?? 0) + 1 });
    },
    flush(): void {
      for (const { population, model, sets } of banked.values()) add.run(population, model, sets);
      banked.clear();
    },
  };
}

/** The latest time of the log, written at a flush, and each step back from it. */
function clockIn(tables: Tables) {
  const stepBack = tables.prepare('INSERT INTO clock_steps VALUES (?, ?, ?)');
  const setLatest = tables.prepare('UPDATE clock SET latest = ?');
  let [latest] = tables.prepare('SELECT latest FROM clock').raw().get() as [number];
  let written = latest;
  return {
    pass(position: number, at: Date): void {
      const time = at.getTime();
      if (time < latest - CLOCK_STEP_MS) stepBack.run(at.toISOString(), position, latest - time);
      latest = Math.max(latest, time);
    },
    flush(): void {
      if (latest > written) setLatest.run(latest);
      written = latest;
    },
  };
}

const keyColumns = (key: KeyFacts): Row => ({
  key_id: key.id,
  key_name: key.name,
  key_prefix: shownPrefix(key),
  key_kind: key.kind,
  population: key.population,
});

const callOf = ({
  claim_id,
  request_id,
  key,
  transport,
  reject_target,
  model,
  rough,
  polish,
  shared_scans,
  at,
}: ClaimSubmitted['data']): Row => ({
  at,
  request_id,
  claim_id,
  ...keyColumns(key),
  transport,
  rung: reject_target.toFixed(2),
  model,
  ...sideOf('rough', rough),
  ...sideOf('polish', polish),
  shared_scans,
});

const refusalOf = (refusal: ClaimRefused['data']): Row => {
  const { request_id, key, transport, status, reason, side, reject_target, replay, claim_id } = refusal;
  const { rough, polish, latency_ms, at } = refusal;
  return {
    at,
    tag: replay ? 'verify_match_replay' : 'verify_match',
    request_id,
    // The claim it left unfinished is no answer of its own.
    claim_id,
    repeat: claim_id === undefined ? 0 : 1,
    ...keyColumns(key),
    transport,
    status,
    reason,
    side,
    rung: reject_target?.toFixed(2),
    ...sideOf('rough', rough),
    ...sideOf('polish', polish),
    latency: JSON.stringify(latency_ms),
  };
};

/** The known columns of a side, which of a refused one may be any. */
const sideOf = (side: 'rough' | 'polish', facts: Partial<SideFacts> = {}): Row => ({
  [`${side}_scans`]: facts.scans,
  [`${side}_sharpness`]: facts.sharpness,
  [`${side}_detail_residual`]: facts.detail_residual,
  [`${side}_detail_residual_measured`]: facts.detail_residual_measured,
  ...(side === 'rough' && { rough_duplicates: facts.duplicates }),
  [`${side}_references`]: facts.references && JSON.stringify(facts.references),
  [`${side}_digest`]: facts.digest?.slice(0, 16),
});

/** The members that a repeat sent otherwise than the first call, and the warning that follows from it. */
const sentOf = ({ transport, rough, polish }: Sent, { warnings }: Row): Row => {
  const stones = 'multiple_stone_ids' satisfies WarningKind;
  const others = (JSON.parse(String(warnings)) as string[]).filter((kind) => kind !== stones);
  return {
    transport,
    rough_references: JSON.stringify(rough),
    polish_references: JSON.stringify(polish),
    warnings: JSON.stringify(rough.length > 1 || polish.length > 1 ? [...others, stones] : others),
  };
};
