/**
 * Finds the claims of one key, and of the production keys of one population, on one polish, and counts their roughs: two or
 * more are `probing`, two or more confirmed ones `multi_pass`. Counted when a claim is scored, as only a
 * verdict shows a prober anything; repeats and replays count nothing.
 */
import type { ClaimScored, ClaimSubmitted } from '#claims/events';
import type { ScanSetBanked } from '#claims/events-bank';
import { type KeyCreated, shownPrefix } from '#keys/events';
import type { Stored } from '#kit/log/stored-events';
import { MODELS_TABLE, ModelIds, TEXTS_TABLE, Texts } from '#kit/views/numbered';
import { projection } from '#kit/views/projection';
import type { Row, Tables, Value } from '#kit/views/tables';
import type { LabelEvent } from '#labels/events';
import { COUNT_TABLES, Counting } from './counting.js';
import type { FindingReviewed } from './events.js';
import { FINDING_TABLES } from './finding-rows.js';
import { GROUP_TABLES, Groups } from './groups.js';
import { newStone, type ScoredClaim, STONE_TABLES, Stones } from './stones.js';

const SCHEMA = `
  CREATE TABLE keys (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, prefix TEXT NOT NULL, kind TEXT NOT NULL, population TEXT NOT NULL
  );
  CREATE INDEX keys_by_population ON keys (population, kind);
  ${MODELS_TABLE};
  ${TEXTS_TABLE};
  CREATE TABLE claims (
    position INTEGER PRIMARY KEY, claim_id TEXT NOT NULL UNIQUE, key_id TEXT NOT NULL, population TEXT NOT NULL,
    model_id INTEGER NOT NULL, rung TEXT NOT NULL, submitted_at TEXT NOT NULL,
    rough INTEGER NOT NULL, polish INTEGER NOT NULL, rough_references TEXT NOT NULL, polish_references TEXT NOT NULL,
    rough_id INTEGER, polish_id INTEGER, verdict TEXT, score REAL, probability REAL, label TEXT,
    production INTEGER NOT NULL, probing INTEGER NOT NULL, multi_pass INTEGER NOT NULL
  );
  CREATE INDEX claims_by_polish ON claims (polish_id, rough_id, verdict) WHERE polish_id IS NOT NULL;
  CREATE INDEX claims_of_polish ON claims (polish_id) WHERE polish_id IS NOT NULL;
  CREATE INDEX claims_by_rough ON claims (rough_id) WHERE rough_id IS NOT NULL;
  CREATE INDEX claims_labelled ON claims (polish_id, rough_id) WHERE label IS NOT NULL;
  CREATE INDEX claims_by_label ON claims (label, probability) WHERE label IS NOT NULL;
  CREATE INDEX claims_probing ON claims (probing) WHERE probing = 1;
  CREATE INDEX claims_multi_pass ON claims (multi_pass) WHERE multi_pass = 1;
  CREATE INDEX claims_unfinished ON claims (submitted_at) WHERE verdict IS NULL;
  ${STONE_TABLES};
  ${GROUP_TABLES};
  ${COUNT_TABLES};
  ${FINDING_TABLES}`;

type FindingsEvent = ClaimSubmitted | ClaimScored | ScanSetBanked | LabelEvent | KeyCreated | FindingReviewed;

export const findingsProjection = projection<FindingsEvent>({
  name: 'findings',
  version: 11,
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

function fold(tables: Tables): (event: Stored<FindingsEvent>) => void {
  const claims = tables.into('claims', { key: ['claim_id'] });
  const claimOf = claims.reader('*');
  const createKey = tables.prepare('INSERT OR IGNORE INTO keys VALUES (?, ?, ?, ?, ?)');
  const models = new ModelIds(tables);
  const digests = new Texts(tables);
  const groups = new Groups(tables);
  const stones = new Stones(tables, groups);
  const counting = new Counting(tables, groups);

  const label = (polish: Value | undefined) => {
    if (polish) counting.label(Number(polish));
  };
  const score = ({ data: { claim_id, result, at } }: Stored<ClaimScored>) => {
    const row = claimOf(claim_id);
    if (!row) throw new Error(`claim ${claim_id} was not submitted`);
    if (row.verdict) return;
    const { verdict, fused_score, p_match_5050: probability } = result;
    const claim = scoredClaim(row, probability);
    const merging = (side: 'rough' | 'polish') => (from: number, into: number) => {
      stones.rename(from, into);
      counting.merge(side, from, into);
    };
    const polish = stones.identify('polish', claim, newStone(claim, 'polish'), merging('polish'));
    const rough = stones.identify('rough', claim, polish.stone, merging('rough'));
    for (const shown of [polish, rough]) {
      for (const group of stones.othersOf(shown, polish.stone)) {
        const own = groups.of(shown.stone);
        if (own !== group) counting.join(shown.side, own, group);
      }
    }
    claims.change(
      { rough_id: rough.stone, polish_id: polish.stone, verdict, score: fused_score, probability },
      claim_id,
    );
    if (row.label) label(polish.stone);
    counting.count(claim, { polish: polish.stone, rough: rough.stone }, verdict === 'MATCH', at);
  };

  return (event) => {
    switch (event.type) {
      case 'ClaimSubmitted': {
        const { claim_id, key, model, reject_target, at, rough, polish } = event.data;
        const references = (side: { references: string[] }) => JSON.stringify(side.references);
        claims.add({
          ...{ position: Number(event.position), claim_id, key_id: key.id, population: key.population },
          ...{ model_id: models.of(key.population, model), rung: reject_target.toFixed(2), submitted_at: at },
          ...{ rough: digests.idOf(rough.digest), polish: digests.idOf(polish.digest) },
          ...{ rough_references: references(rough), polish_references: references(polish) },
          ...{ production: key.kind === 'production' ? 1 : 0, probing: 0, multi_pass: 0 },
        });
        break;
      }
      case 'ScanSetBanked': {
        const { population, model, digest, vectors } = event.data;
        stones.bank(models.of(population, model), digests.idOf(digest), vectors);
        break;
      }
      case 'ClaimScored':
        score(event);
        break;
      case 'ClaimLabelled':
      case 'LabelAmended':
        claims.change({ label: event.data.label.expected }, event.data.claim_id);
        label(claimOf(event.data.claim_id)?.polish_id);
        break;
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

interface ClaimRow {
  position: number;
  claim_id: string;
  key_id: string;
  population: string;
  model_id: number;
  rough: number;
  polish: number;
  rough_references: string;
  polish_references: string;
  production: number;
}

function scoredClaim(row: Readonly<Row>, probability: number): ScoredClaim {
  const { position, claim_id, key_id, population, model_id, rough, polish, ...rest } = row as Row & ClaimRow;
  return {
    ...{ position, claim_id, key_id, population, model: model_id, probability },
    production: rest.production === 1,
    rough: { digest: rough, references: JSON.parse(rest.rough_references) },
    polish: { digest: polish, references: JSON.parse(rest.polish_references) },
  };
}
