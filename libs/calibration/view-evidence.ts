/**
 * Counted claims and banked vectors by population and model (docs/concepts/calibration-method.md, section 1), in the log's order;
 * and what the populations are called.
 */

import {
  type ClaimScored,
  type ClaimShadowScored,
  type ClaimSubmitted,
  countsAsEvidence,
  rawScoreOf,
} from '#claims/events';
import type { ScanSetBanked } from '#claims/events-bank';
import { populationOf } from '#domain/streams';
import { vectorBytes } from '#domain/vectors';
import type { KeyCreated } from '#keys/events';
import type { Stored } from '#kit/log/stored-events';
import { MODELS_TABLE, ModelIds } from '#kit/views/model-ids';
import { type Connection, projection } from '#kit/views/projection';
import type { Tables, Value } from '#kit/views/tables';
import { bankedVectors } from '#kit/views/vectors';
import type { LabelEvent } from '#labels/events';
import { calibrationChain } from './chain.js';
import type { CalibrationEvent } from './events.js';
import { isOfChainingProgram, type LogFacts, nothingObeyed, type Obeyed, obey } from './obey.js';

const SCHEMA = `
  CREATE TABLE populations (name TEXT PRIMARY KEY) WITHOUT ROWID;
  ${MODELS_TABLE};
  CREATE TABLE sets (
    id INTEGER PRIMARY KEY, model_id INTEGER NOT NULL, digest TEXT NOT NULL, encoders TEXT NOT NULL,
    vectors BLOB NOT NULL, UNIQUE (model_id, digest)
  );
  CREATE TABLE submissions (
    id INTEGER PRIMARY KEY, claim_id TEXT NOT NULL UNIQUE, model_id INTEGER NOT NULL, rough TEXT NOT NULL,
    polish TEXT NOT NULL, rough_references TEXT NOT NULL, polish_references TEXT NOT NULL, key_name TEXT NOT NULL
  );
  CREATE TABLE counted (
    model_id INTEGER NOT NULL, ordinal INTEGER NOT NULL, position INTEGER NOT NULL, submission INTEGER NOT NULL,
    rough_set INTEGER NOT NULL, polish_set INTEGER NOT NULL, score REAL NOT NULL, at TEXT NOT NULL, label TEXT,
    PRIMARY KEY (model_id, ordinal), UNIQUE (rough_set, polish_set)
  ) WITHOUT ROWID;
  CREATE INDEX counted_by_score ON counted (model_id, score);
  CREATE TABLE approved (
    population TEXT NOT NULL, model TEXT NOT NULL, scorer TEXT NOT NULL, rung TEXT NOT NULL,
    UNIQUE (population, model, scorer, rung)
  );
  CREATE TABLE scorers (
    population TEXT NOT NULL, model TEXT NOT NULL, scorer TEXT NOT NULL, UNIQUE (population, model)
  );
  CREATE TABLE calibrations (stream TEXT PRIMARY KEY, obeyed TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE passed_over (
    position INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL, type TEXT NOT NULL,
    population TEXT NOT NULL, problem TEXT NOT NULL
  );
  CREATE TABLE chained_from (position INTEGER PRIMARY KEY)`;

/** In place of a digest where raw scores decide. */
export const RAW = 'raw';

type EvidenceEvent =
  | KeyCreated
  | ScanSetBanked
  | ClaimSubmitted
  | ClaimScored
  | ClaimShadowScored
  | LabelEvent
  | CalibrationEvent;

export const evidenceProjection = projection<EvidenceEvent>({
  name: 'evidence',
  version: 6,
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
    'ApprovalRequested',
    'RungApproved',
    'RungWithdrawn',
    'ScorerRequested',
    'ScorerApproved',
    'ScorerWithdrawn',
  ],
  fold,
});

/** The view's facts about the log, as far as it goes. */
export const factsIn = (db: Connection | Tables): Omit<LogFacts, 'position'> => ({
  chainedFrom() {
    const found = db.prepare('SELECT position FROM chained_from').raw().get() as [number] | undefined;
    return found && BigInt(found[0]);
  },
  claimAt(population, model, n) {
    const found = db
      .prepare(
        `SELECT position FROM counted WHERE ordinal = ?
         AND model_id = (SELECT id FROM models WHERE population = ? AND model = ?)`,
      )
      .raw()
      .get(n, population, model) as [number] | undefined;
    return found && BigInt(found[0]);
  },
});

function fold(tables: Tables): (event: Stored<EvidenceEvent>) => void {
  const names = namesIn(tables);
  const counted = countedIn(tables);
  const calibration = calibrationIn(tables, names);
  return (event) => {
    calibration.chain(event);
    switch (event.type) {
      case 'KeyCreated':
        names.add(event.data.key.population);
        break;
      case 'ScanSetBanked':
        counted.bank(event);
        break;
      case 'ClaimSubmitted':
        names.add(event.data.key.population);
        counted.submit(event);
        break;
      case 'ClaimScored': {
        const { claim_id, result, at } = event.data;
        counted.count(claim_id, { position: Number(event.position), score: rawScoreOf(result), at });
        break;
      }
      case 'ClaimShadowScored': {
        const { claim_id, model, fused_score, at } = event.data;
        counted.count(claim_id, { position: Number(event.position), score: fused_score, at }, model);
        break;
      }
      case 'ClaimLabelled':
      case 'LabelAmended':
        counted.label(event.data.claim_id, event.data.label.expected);
        break;
      case 'ApprovalRequested':
      case 'RungApproved':
      case 'RungWithdrawn':
      case 'ScorerRequested':
      case 'ScorerApproved':
      case 'ScorerWithdrawn':
        calibration.judge(event);
        break;
    }
  };
}

/** Populations, in the order of their first mention. */
function namesIn(tables: Tables) {
  const names = new Set(
    (tables.prepare('SELECT name FROM populations').raw().all() as [string][]).map(([name]) => name),
  );
  const insert = tables.prepare('INSERT INTO populations VALUES (?)');
  return {
    add(population: string): void {
      if (names.has(population)) return;
      insert.run(population);
      names.add(population);
    },
  };
}

/** Banked sets, submissions, and the pairs of sets that count, each once a model. */
function countedIn(tables: Tables) {
  const models = new ModelIds(tables);
  const sets = tables.into('sets', { key: ['model_id', 'digest'] });
  const setOf = sets.reader('id');
  const submissions = tables.into('submissions', { key: ['claim_id'] });
  const submissionOf = submissions.reader('id', 'model_id', 'rough', 'polish');
  const counted = tables.into('counted', { key: ['rough_set', 'polish_set'] });
  const labelOf = counted.reader('label');
  const lastOrdinal = tables.prepare('SELECT coalesce(max(ordinal), 0) FROM counted WHERE model_id = ?').raw();
  const ordinals = new Map<number, number>();

  const submitted = (claimId: string) =>
    submissionOf(claimId) as { id: number; model_id: number; rough: string; polish: string } | undefined;
  const setIn = (model: number, digest: string) => setOf(model, digest)?.id as number | undefined;
  /** The banked sets of a pair under a model, where both are. */
  const pairOf = (model: number, rough: string, polish: string): [rough: number, polish: number] | undefined => {
    const [first, second] = [setIn(model, rough), setIn(model, polish)];
    return first === undefined || second === undefined ? undefined : [first, second];
  };
  /** The label of a pair that has been counted; undefined if it has not. */
  const countedAs = (pair: [number, number]) => labelOf(...pair) as { label: Value } | undefined;

  return {
    bank({ data, position, revision }: Stored<ScanSetBanked>): void {
      const { population, model, digest, vectors } = data;
      const banked = bankedVectors(vectors);
      if (!banked) return;
      const id = models.of(population, model);
      // A set is banked once: whatever follows in its stream repeats it.
      if (revision > 0n && setIn(id, digest) !== undefined) return;
      const encoders = JSON.stringify(Object.keys(vectors));
      sets.add({ id: Number(position), model_id: id, digest, encoders, vectors: vectorBytes(banked) });
    },

    submit({ data, position }: Stored<ClaimSubmitted>): void {
      if (!countsAsEvidence(data)) return;
      const { claim_id, key, model, rough, polish } = data;
      submissions.add({
        ...{ id: Number(position), claim_id, model_id: models.of(key.population, model) },
        ...{ rough: rough.digest, polish: polish.digest },
        rough_references: JSON.stringify(rough.references),
        polish_references: JSON.stringify(polish.references),
        key_name: key.name,
      });
    },

    /** Under the claim's own model, or the shadow model that scored it. */
    count(claimId: string, scored: { position: number; score: number; at: string }, under?: string): void {
      const submission = submitted(claimId);
      if (!submission) return;
      const { id, model_id: own, rough, polish } = submission;
      const model = under === undefined ? own : models.of(models.populationOf(own), under);
      const pair = pairOf(model, rough, polish);
      if (!pair || countedAs(pair)) return;
      // A pair's label is the same under each model.
      const others = models.others(model).map((other) => pairOf(other, rough, polish));
      const label = others.map((other) => other && countedAs(other)).find((other) => other)?.label ?? null;
      const ordinal = (ordinals.get(model) ?? (lastOrdinal.get(model) as [number])[0]) + 1;
      ordinals.set(model, ordinal);
      const [rough_set, polish_set] = pair;
      counted.add({ model_id: model, ordinal, ...scored, submission: id, rough_set, polish_set, label });
    },

    label(claimId: string, expected: string): void {
      const submission = submitted(claimId);
      if (!submission) return;
      const { model_id: own, rough, polish } = submission;
      for (const model of [own, ...models.others(own)]) {
        const pair = pairOf(model, rough, polish);
        if (pair) counted.change({ label: expected }, ...pair);
      }
    },
  };
}

/** Calibration events, each obeyed or passed over, and what is approved. */
function calibrationIn(tables: Tables, names: ReturnType<typeof namesIn>) {
  const approve = tables.prepare('INSERT OR IGNORE INTO approved VALUES (?, ?, ?, ?)');
  const withdraw = tables.prepare(
    'DELETE FROM approved WHERE population = ? AND model = ? AND scorer = ? AND rung = ?',
  );
  const approveScorer = tables.prepare('INSERT OR REPLACE INTO scorers VALUES (?, ?, ?)');
  const withdrawScorer = tables.prepare('DELETE FROM scorers WHERE population = ? AND model = ?');
  const keep = tables.prepare('INSERT OR REPLACE INTO calibrations VALUES (?, ?)');
  const kept = tables.prepare('SELECT obeyed FROM calibrations WHERE stream = ?').raw();
  const passOver = tables.prepare('INSERT INTO passed_over VALUES (?, ?, ?, ?, ?, ?)');
  const keepChained = tables.prepare('INSERT INTO chained_from VALUES (?)');
  const facts = factsIn(tables);
  let chained = facts.chainedFrom();

  const obeyedOf = (stream: string): Obeyed => {
    const [found] = (kept.get(stream) as [string] | undefined) ?? [];
    return found === undefined ? nothingObeyed : JSON.parse(found);
  };

  const apply = (event: Stored<CalibrationEvent>): void => {
    const { population } = event.data;
    switch (event.type) {
      case 'RungApproved': {
        const { proposal, scorer, reject_target } = event.data;
        names.add(population);
        approve.run(population, proposal.model, scorer ?? RAW, reject_target.toFixed(2));
        break;
      }
      case 'RungWithdrawn': {
        const { model, scorer, reject_target } = event.data;
        withdraw.run(population, model, scorer ?? RAW, reject_target.toFixed(2));
        break;
      }
      case 'ScorerApproved': {
        const { model, scorer } = event.data.proposal;
        names.add(population);
        approveScorer.run(population, model, scorer);
        break;
      }
      case 'ScorerWithdrawn':
        withdrawScorer.run(population, event.data.model);
    }
  };

  return {
    /** Keeps the position from which on the log's events are chained. */
    chain(event: Stored<EvidenceEvent>): void {
      if (chained !== undefined || !isOfChainingProgram(event)) return;
      chained = event.position;
      keepChained.run(Number(chained));
    },

    judge(event: Stored<CalibrationEvent>): void {
      const { stream, revision, position, type } = event;
      const { obeyed, problem } = obey(obeyedOf(stream), event, calibrationChain, { ...facts, position });
      keep.run(stream, JSON.stringify(obeyed));
      if (problem === undefined) apply(event);
      else passOver.run(Number(position), stream, Number(revision), type, populationOf(stream), problem);
    },
  };
}
