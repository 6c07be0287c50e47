/**
 * Finds the claims of one key, and of the production keys of one population, on one polish, and counts their roughs: two or
 * more are `probing`, two or more confirmed ones `multi_pass`. Counted when a claim is scored, as only a
 * verdict shows a prober anything; repeats and replays count nothing.
 */
import {
  type ClaimScored,
  type ClaimSubmitted,
  type FindingReviewed,
  type KeyCreated,
  type LabelEvent,
  type ScanSetBanked,
  shownPrefix,
} from '#domain';
import type { Stored } from '#event-store';
import { MODELS_TABLE } from '../model-ids.js';
import { type Connection, projection } from '../projection.js';
import type { Row, Writer } from '../rows.js';
import { Counters } from './counters.js';
import { COUNTING_TABLES, Counting } from './counting.js';
import { Identity, type ScoredClaim } from './identity.js';
import { sketchOf } from './nearness.js';
import { GROUP_TABLES, Groups, PopulationStones } from './population.js';
import { ScanSets } from './sets.js';
import { KeyStones } from './stones.js';
import { NearWindows } from './windows.js';

const SCHEMA = `
  CREATE TABLE keys (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, prefix TEXT NOT NULL, kind TEXT NOT NULL, population TEXT NOT NULL
  );
  ${MODELS_TABLE};
  CREATE TABLE sets (
    id INTEGER PRIMARY KEY, model_id INTEGER NOT NULL, digest TEXT NOT NULL,
    low INTEGER, high INTEGER, vector BLOB, UNIQUE (model_id, digest)
  );
  CREATE TABLE claims (
    position INTEGER PRIMARY KEY, claim_id TEXT NOT NULL UNIQUE, key_id TEXT NOT NULL, population TEXT NOT NULL,
    model TEXT NOT NULL, rung TEXT NOT NULL, submitted_at TEXT NOT NULL,
    rough TEXT NOT NULL, polish TEXT NOT NULL, rough_references TEXT NOT NULL, polish_references TEXT NOT NULL,
    rough_id INTEGER, polish_id INTEGER, verdict TEXT, score REAL, probability REAL, label TEXT,
    production INTEGER NOT NULL
  );
  CREATE INDEX claims_by_polish ON claims (polish_id, position) WHERE polish_id IS NOT NULL;
  CREATE INDEX claims_by_rough ON claims (rough_id) WHERE rough_id IS NOT NULL;
  CREATE INDEX claims_labelled ON claims (polish_id, rough_id) WHERE label IS NOT NULL;
  CREATE TABLE stone_sets (
    seq INTEGER PRIMARY KEY, key_id TEXT NOT NULL, side TEXT NOT NULL, model_id INTEGER NOT NULL,
    stone_id INTEGER NOT NULL, set_id INTEGER NOT NULL
  );
  CREATE INDEX stone_sets_by_set ON stone_sets (set_id);
  CREATE INDEX stone_sets_by_stone ON stone_sets (stone_id);
  CREATE INDEX stone_sets_latest ON stone_sets (key_id, side, model_id, seq);
  CREATE TABLE stone_references (
    key_id TEXT NOT NULL, side TEXT NOT NULL, reference TEXT NOT NULL, stone_id INTEGER NOT NULL,
    set_id INTEGER NOT NULL, PRIMARY KEY (key_id, side, reference, stone_id)
  ) WITHOUT ROWID;
  CREATE INDEX stone_references_by_stone ON stone_references (stone_id);
  CREATE INDEX stone_references_by_name ON stone_references (reference, side, stone_id);
  ${GROUP_TABLES};
  ${COUNTING_TABLES}`;

type FindingsEvent = ClaimSubmitted | ClaimScored | ScanSetBanked | LabelEvent | KeyCreated | FindingReviewed;

export const findingsProjection = projection<FindingsEvent>({
  name: 'findings',
  version: 5,
  schema: SCHEMA,
  types: [
    'ClaimSubmitted',
    'ClaimScored',
    'ScanSetBanked',
    'ClaimLabelled',
    'LabelAmended',
    'KeyCreated',
    'FindingReviewed',
  ],
  fold,
});

function fold(db: Connection, writer: Writer): (event: Stored<FindingsEvent>) => void {
  const claims = writer.into('claims');
  const claimOf = db.prepare('SELECT * FROM claims WHERE claim_id = ?');
  const score = db.prepare(
    'UPDATE claims SET rough_id = ?, polish_id = ?, verdict = ?, score = ?, probability = ? WHERE claim_id = ?',
  );
  const label = db.prepare('UPDATE claims SET label = ? WHERE claim_id = ?');
  const createKey = db.prepare('INSERT OR IGNORE INTO keys VALUES (?, ?, ?, ?, ?)');
  const counters = new Counters(db, writer);
  const windows = new NearWindows();
  const groups = new Groups(db);
  const sets = new ScanSets(db, writer);
  const identity = new Identity(sets, counters);
  const counting = new Counting(db, writer, { counters, groups, windows });
  const merge = counting.merge.bind(counting);
  const ofKey = new KeyStones(db, writer, { counters, windows, sets, identity, merge });
  const joined = counting.joined.bind(counting);
  const ofPopulation = new PopulationStones(db, writer, { claims, groups, windows, sets, identity, joined });

  return (event) => {
    const position = Number(event.position);
    switch (event.type) {
      case 'ClaimSubmitted': {
        const { claim_id, key, model, reject_target, at, rough, polish } = event.data;
        const references = (side: { references: string[] }) => JSON.stringify(side.references);
        claims.add(
          {
            ...{ position, claim_id, key_id: key.id, population: key.population, model, submitted_at: at },
            rung: reject_target.toFixed(2),
            ...{ rough: rough.digest, polish: polish.digest },
            ...{ rough_references: references(rough), polish_references: references(polish) },
            production: key.kind === 'production' ? 1 : 0,
          },
          claim_id,
        );
        break;
      }
      case 'ScanSetBanked': {
        // A set is banked once: whatever follows in its stream repeats it.
        if (event.revision > 0n) break;
        const { population, model, digest, vectors } = event.data;
        sets.bank(population, model, digest, sketchOf(vectors), position);
        break;
      }
      case 'ClaimScored': {
        const { claim_id, result, at } = event.data;
        const waiting = claims.waiting(claim_id);
        const row = waiting ?? (claimOf.get(claim_id) as Row | undefined);
        if (!row) throw new Error(`claim ${claim_id} was not submitted`);
        if (row.verdict) break;
        const claim = scoredClaim(row);
        const { verdict, fused_score, p_match_5050 } = result;
        const confirmed = verdict === 'MATCH';
        const polish = ofKey.identify('polish', claim, { confirmed });
        const rough = ofKey.identify('rough', claim, { confirmed, polish: polish.stone });
        ofPopulation.link(claim, polish, rough);
        // All rows that merging has written are in the table.
        if (waiting && claims.waiting(claim_id)) {
          const ids = { rough_id: rough.stone, polish_id: polish.stone };
          Object.assign(row, ids, { verdict, score: fused_score, probability: p_match_5050 });
        } else score.run(rough.stone, polish.stone, verdict, fused_score, p_match_5050, claim_id);
        counting.count(claim, { rough: rough.stone, polish: polish.stone }, { confirmed, position, at });
        break;
      }
      case 'ClaimLabelled':
      case 'LabelAmended': {
        const { claim_id, label: given } = event.data;
        const row = claims.waiting(claim_id);
        if (row) row.label = given.expected;
        else label.run(given.expected, claim_id);
        break;
      }
      case 'KeyCreated': {
        const { key } = event.data;
        createKey.run(key.id, key.name, shownPrefix(key), key.kind, key.population);
        break;
      }
      case 'FindingReviewed':
        counting.findings.review(event.data);
        break;
    }
  };
}

const scoredClaim = (row: Row): ScoredClaim => {
  const { position, claim_id, key_id, population, model, rough, polish, ...rest } = row as Row & ClaimRow;
  return {
    ...{ position, claim_id, key_id, population, model },
    production: rest.production === 1,
    rough: { digest: rough, references: JSON.parse(rest.rough_references) },
    polish: { digest: polish, references: JSON.parse(rest.polish_references) },
  };
};

interface ClaimRow {
  position: number;
  claim_id: string;
  key_id: string;
  population: string;
  model: string;
  rough: string;
  polish: string;
  rough_references: string;
  polish_references: string;
  production: number;
}
