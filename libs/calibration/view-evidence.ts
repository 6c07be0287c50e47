/**
 * Counted claims by population and model (docs/concepts/calibration-method.md, section 1), in the log's order, with the places
 * of their sides' vectors in the log; and what the populations are called.
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
import type { KeyCreated } from '#keys/events';
import type { Stored } from '#kit/log/stored-events';
import { MODELS_TABLE, ModelIds } from '#kit/views/numbered';
import { projection } from '#kit/views/projection';
import type { Tables, Value } from '#kit/views/tables';
import { bankedVectors } from '#kit/views/vectors';
import type { LabelEvent } from '#labels/events';
import type { RungApproved, RungWithdrawn, ScorerApproved, ScorerWithdrawn } from './events.js';
import type { DecisionPassedOver } from './events-rejected.js';

const SCHEMA = `
  CREATE TABLE populations (name TEXT PRIMARY KEY) WITHOUT ROWID;
  ${MODELS_TABLE};
  CREATE TABLE sets (
    model_id INTEGER NOT NULL, digest TEXT NOT NULL, id INTEGER NOT NULL, stream TEXT NOT NULL, revision INTEGER NOT NULL,
    PRIMARY KEY (model_id, digest)
  ) WITHOUT ROWID;
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
  CREATE TABLE decisions (
    population TEXT NOT NULL, revision INTEGER NOT NULL, model TEXT NOT NULL, scorer TEXT, rung TEXT,
    approves INTEGER NOT NULL, PRIMARY KEY (population, revision)
  ) WITHOUT ROWID;
  CREATE VIEW newest AS SELECT *, max(revision) FROM decisions
    GROUP BY population, model, rung, CASE WHEN rung IS NULL THEN '' ELSE scorer END;
  CREATE VIEW scorers AS SELECT population, model, scorer FROM newest WHERE rung IS NULL AND approves;
  CREATE VIEW approved AS SELECT population, model, scorer, rung FROM newest WHERE rung IS NOT NULL AND approves`;

/** In place of a digest where raw scores decide. */
export const RAW = 'raw';

type Decision = RungApproved | RungWithdrawn | ScorerApproved | ScorerWithdrawn;

type EvidenceEvent =
  | KeyCreated
  | ScanSetBanked
  | ClaimSubmitted
  | ClaimScored
  | ClaimShadowScored
  | LabelEvent
  | Decision
  | DecisionPassedOver;

export const evidenceProjection = projection<EvidenceEvent>({
  name: 'evidence',
  version: 7,
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
    'ScorerApproved',
    'ScorerWithdrawn',
    'DecisionPassedOver',
  ],
  fold,
});

function fold(tables: Tables): (event: Stored<EvidenceEvent>) => void {
  const names = namesIn(tables);
  const counted = countedIn(tables);
  const decisions = decisionsIn(tables, names);
  return (event) => {
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
      case 'RungApproved':
      case 'RungWithdrawn':
      case 'ScorerApproved':
      case 'ScorerWithdrawn':
        decisions.add(event);
        break;
      case 'DecisionPassedOver':
        decisions.passOver(event);
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
    bank({ data: { population, model, digest, vectors }, position, stream, revision }: Stored<ScanSetBanked>): void {
      const model_id = models.of(population, model);
      // Of a set that is stored several times the first one counts.
      if (!bankedVectors(vectors) || setIn(model_id, digest) !== undefined) return;
      sets.add({ model_id, digest, id: Number(position), stream, revision: Number(revision) });
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

/** Decisions about rungs, each under a scorer, and about scorers. The newest one holds, of those that count. */
function decisionsIn(tables: Tables, names: ReturnType<typeof namesIn>) {
  const insert = tables.prepare('INSERT OR REPLACE INTO decisions VALUES (?, ?, ?, ?, ?, ?)');
  const remove = tables.prepare('DELETE FROM decisions WHERE population = ? AND revision = ?');
  return {
    passOver: ({ data }: DecisionPassedOver): void => void remove.run(data.population, data.revision),
    add(event: Stored<Decision>): void {
      const population = populationOf(event.stream);
      const approves = event.type === 'RungApproved' || event.type === 'ScorerApproved';
      if (approves) names.add(population);
      insert.run(population, Number(event.revision), ...aboutOf(event), Number(approves));
    },
  };
}

/** Model, scorer and rung of a decision. */
function aboutOf(event: Decision): [model: string, scorer: string | null, rung: string | null] {
  switch (event.type) {
    case 'RungApproved':
      return [event.data.proposal.model, event.data.scorer ?? RAW, event.data.reject_target.toFixed(2)];
    case 'RungWithdrawn':
      return [event.data.model, event.data.scorer ?? RAW, event.data.reject_target.toFixed(2)];
    case 'ScorerApproved':
      return [event.data.proposal.model, event.data.proposal.scorer, null];
    case 'ScorerWithdrawn':
      return [event.data.model, null, null];
  }
}
