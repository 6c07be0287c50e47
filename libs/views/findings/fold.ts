/**
 * Which claims of one key were made on one polish, and on how many roughs: two or more are `probing`, two or more
 * confirmed ones `multi_pass` (specification 3). Counted when a claim is scored, as only a verdict tells a prober
 * anything; repeats and replays count nothing.
 */
import { createHash } from 'node:crypto';
import {
  type ClaimScored,
  type ClaimSubmitted,
  FINDINGS,
  type Finding,
  type FindingReviewed,
  type KeyCreated,
  type LabelEvent,
  type ScanSetBanked,
  shownPrefix,
} from '#domain';
import type { RecordedEvent } from '#event-store';
import { MODELS_TABLE } from '../model-ids.js';
import type { Connection, Projection } from '../projection.js';
import type { Rows, Value, Writer } from '../rows.js';
import { sketchOf } from './nearness.js';
import { identities, newStone, type ScoredClaim, type Side } from './stones.js';

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
    rough_id INTEGER, polish_id INTEGER, verdict TEXT, score REAL, probability REAL, label TEXT
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
  CREATE TABLE polishes (
    id INTEGER PRIMARY KEY, key_id TEXT NOT NULL, claim_id TEXT NOT NULL,
    roughs INTEGER NOT NULL, confirmed INTEGER NOT NULL, claims INTEGER NOT NULL, confirmed_claims INTEGER NOT NULL
  );
  CREATE TABLE pairs (
    polish_id INTEGER NOT NULL, rough_id INTEGER NOT NULL, confirmed INTEGER NOT NULL, PRIMARY KEY (polish_id, rough_id)
  ) WITHOUT ROWID;
  CREATE TABLE findings (
    opened INTEGER PRIMARY KEY, kind TEXT NOT NULL, polish_id INTEGER NOT NULL, id TEXT NOT NULL UNIQUE,
    key_id TEXT NOT NULL, population TEXT NOT NULL, opened_at TEXT NOT NULL, last_at TEXT NOT NULL,
    review TEXT, reviewed_claims INTEGER, UNIQUE (kind, polish_id)
  );
  CREATE TABLE finding_aliases (id TEXT PRIMARY KEY, kind TEXT NOT NULL, polish_id INTEGER NOT NULL);
  CREATE INDEX finding_aliases_by_polish ON finding_aliases (polish_id)`;

type FindingsEvent = ClaimSubmitted | ClaimScored | ScanSetBanked | LabelEvent | KeyCreated | FindingReviewed;

export const findingsProjection: Projection = {
  name: 'findings',
  version: 2,
  schema: SCHEMA,
  types: [
    'ClaimSubmitted',
    'ClaimScored',
    'ScanSetBanked',
    'ClaimLabelled',
    'LabelAmended',
    'KeyCreated',
    'FindingReviewed',
  ] satisfies FindingsEvent['type'][],
  fold,
};

/** Places of the columns of a claim that events after its submission fill. */
const ROUGH_ID = 11;
const LABEL = 16;
const UNSCORED = [null, null, null, null, null, null];

function fold(db: Connection, writer: Writer): (event: RecordedEvent) => void {
  const claims = writer.into('claims');
  const claimOf = db.prepare('SELECT * FROM claims WHERE claim_id = ?').raw();
  const score = db.prepare(
    'UPDATE claims SET rough_id = ?, polish_id = ?, verdict = ?, score = ?, probability = ? WHERE claim_id = ?',
  );
  const label = db.prepare('UPDATE claims SET label = ? WHERE claim_id = ?');
  const createKey = db.prepare('INSERT OR IGNORE INTO keys VALUES (?, ?, ?, ?, ?)');
  const polishes = writer.into('polishes');
  const stones = identities(db, writer, polishes);
  const counters = counting(db, writer, polishes);

  return (recorded) => {
    const event = recorded as unknown as FindingsEvent;
    const position = Number(recorded.position);
    switch (event.type) {
      case 'ClaimSubmitted': {
        const { claim_id, key, model, reject_target, at, rough, polish } = event.data;
        const references = (side: { references: string[] }) => JSON.stringify(side.references);
        claims.add(
          [
            position,
            claim_id,
            key.id,
            key.population,
            model,
            reject_target.toFixed(2),
            at,
            rough.digest,
            polish.digest,
            references(rough),
            references(polish),
            ...UNSCORED,
          ],
          claim_id,
        );
        break;
      }
      case 'ScanSetBanked': {
        // A set is banked once: whatever follows in its stream repeats it.
        if (recorded.revision > 0n) break;
        const { population, model, digest, vectors } = event.data;
        stones.bank(population, model, digest, sketchOf(vectors), position);
        break;
      }
      case 'ClaimScored': {
        const { claim_id, result, at } = event.data;
        const waiting = claims.waiting(claim_id);
        const row = waiting ?? (claimOf.get(claim_id) as Value[] | undefined);
        if (!row) throw new Error(`claim ${claim_id} was not submitted`);
        if (row[ROUGH_ID] !== null) break;
        const claim = scoredClaim(row);
        const { verdict, fused_score, p_match_5050 } = result;
        const { merge } = counters;
        const confirmed = verdict === 'MATCH';
        const polish = stones.identify('polish', claim, { confirmed, merge });
        const rough = stones.identify('rough', claim, { confirmed, polish, merge });
        const scored = [rough, polish, verdict, fused_score, p_match_5050];
        // Whatever merging has written is in the table.
        if (waiting && claims.waiting(claim_id)) row.splice(ROUGH_ID, scored.length, ...scored);
        else score.run(...scored, claim_id);
        counters.count(claim, rough, polish, confirmed, position, at);
        break;
      }
      case 'ClaimLabelled':
      case 'LabelAmended': {
        const { claim_id, label: given } = event.data;
        const row = claims.waiting(claim_id);
        if (row) row[LABEL] = given.expected;
        else label.run(given.expected, claim_id);
        break;
      }
      case 'KeyCreated': {
        const { key } = event.data;
        createKey.run(key.id, key.name, shownPrefix(key), key.kind, key.population);
        break;
      }
      case 'FindingReviewed':
        counters.review(event.data);
        break;
    }
  };
}

const scoredClaim = (row: Value[]): ScoredClaim => {
  const [position, claim_id, key_id, population, model, , , rough, polish, roughs, polishes] = row as [
    number,
    ...string[],
  ];
  return {
    position,
    claim_id,
    key_id,
    population,
    model,
    rough: { digest: rough, references: JSON.parse(roughs) },
    polish: { digest: polish, references: JSON.parse(polishes) },
  };
};

/** The same for the same polish of the same key in every replica and rebuild. */
const findingId = (kind: Finding, keyId: string, firstClaim: string): string =>
  `fnd_${createHash('sha256')
    .update(JSON.stringify([kind, keyId, firstClaim]))
    .digest('hex')
    .slice(0, 32)}`;

interface PolishRow {
  id: number;
  key_id: string;
  claim_id: string;
  roughs: number;
  confirmed: number;
  claims: number;
  confirmed_claims: number;
}

/** Roughs and claims behind a finding of this kind. */
export const countsOf = (
  kind: Finding,
  polish: Pick<PolishRow, 'roughs' | 'confirmed' | 'claims' | 'confirmed_claims'>,
) =>
  kind === 'probing'
    ? { roughs: polish.roughs, claims: polish.claims }
    : { roughs: polish.confirmed, claims: polish.confirmed_claims };

/** Room for one finding of each kind at one position; a position is an event's, so that listings keep their order. */
const place = (position: number, kind: Finding) => position * FINDINGS.length + FINDINGS.indexOf(kind);

/** The first place that is none of a finding opened up to the position. */
export const placesUpTo = (position: number) => (position + 1) * FINDINGS.length;

/** Counters of each polish, and the findings that follow from them. Each step touches a few rows, however many there are. */
function counting(db: Connection, writer: Writer, polishes: Rows) {
  const pairs = writer.into('pairs');
  const polishOf = db.prepare('SELECT * FROM polishes WHERE id = ?');
  const setCounts = db.prepare(
    'UPDATE polishes SET roughs = ?, confirmed = ?, claims = ?, confirmed_claims = ? WHERE id = ?',
  );
  const pairOf = db.prepare('SELECT confirmed FROM pairs WHERE polish_id = ? AND rough_id = ?').raw();
  const setPair = db.prepare('INSERT OR REPLACE INTO pairs VALUES (?, ?, ?)');
  const findingOf = db.prepare('SELECT opened, id, opened_at, last_at FROM findings WHERE kind = ? AND polish_id = ?');
  const openFinding = db.prepare(
    `INSERT INTO findings (opened, kind, polish_id, id, key_id, population, opened_at, last_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const touchFinding = db.prepare('UPDATE findings SET last_at = ? WHERE kind = ? AND polish_id = ?');

  const raise = (
    polish: PolishRow,
    population: string,
    position: number,
    at: string,
    grown: (kind: Finding) => boolean,
  ) => {
    for (const kind of FINDINGS) {
      if (countsOf(kind, polish).roughs < 2) continue;
      if (findingOf.get(kind, polish.id)) {
        if (grown(kind)) touchFinding.run(at, kind, polish.id);
      } else {
        const id = findingId(kind, polish.key_id, polish.claim_id);
        openFinding.run(place(position, kind), kind, polish.id, id, polish.key_id, population, at, at);
      }
    }
  };

  const count = (
    claim: ScoredClaim,
    rough: number,
    polishId: number,
    confirmed: boolean,
    position: number,
    at: string,
  ) => {
    const one = confirmed ? 1 : 0;
    if (polishId === newStone(claim, 'polish')) {
      polishes.add([polishId, claim.key_id, claim.claim_id, 1, one, 1, one], String(polishId));
      pairs.add([polishId, rough, one]);
      return;
    }
    writer.flush();
    const polish = polishOf.get(polishId) as PolishRow;
    const pair = pairOf.get(polishId, rough) as [number] | undefined;
    if (!pair) polish.roughs++;
    if (confirmed && pair?.[0] !== 1) polish.confirmed++;
    if (!pair || (confirmed && pair[0] !== 1)) setPair.run(polishId, rough, one);
    polish.claims++;
    if (confirmed) polish.confirmed_claims++;
    setCounts.run(polish.roughs, polish.confirmed, polish.claims, polish.confirmed_claims, polishId);
    raise(polish, claim.population, position, at, (kind) => kind === 'probing' || confirmed);
  };

  /** Everything about `from` becomes `into`'s: two stones have turned out to be one. */
  const merge = (side: Side, from: number, into: number) => {
    writer.flush();
    const affected =
      side === 'polish'
        ? [into]
        : (db.prepare('SELECT DISTINCT polish_id FROM claims WHERE rough_id = ?').raw().all(from) as [number][]).map(
            ([id]) => id,
          );
    for (const table of ['stone_sets', 'stone_references']) {
      db.prepare(`UPDATE OR REPLACE ${table} SET stone_id = ? WHERE stone_id = ?`).run(into, from);
    }
    db.prepare(`UPDATE claims SET ${side}_id = ? WHERE ${side}_id = ?`).run(into, from);
    if (side === 'polish') {
      db.prepare('DELETE FROM pairs WHERE polish_id = ?').run(from);
      db.prepare('DELETE FROM polishes WHERE id = ?').run(from);
    }
    for (const polish of affected) recount(polish);
    if (side === 'polish') mergeFindings(from, into);
  };

  const recount = (polish: number) => {
    db.prepare('DELETE FROM pairs WHERE polish_id = ?').run(polish);
    db.prepare(
      `INSERT INTO pairs SELECT polish_id, rough_id, max(verdict = 'MATCH') FROM claims
       WHERE polish_id = ? GROUP BY rough_id`,
    ).run(polish);
    db.prepare(
      `UPDATE polishes SET (roughs, confirmed) = (SELECT count(*), coalesce(sum(confirmed), 0) FROM pairs WHERE polish_id = ?1),
       (claims, confirmed_claims) = (SELECT count(*), coalesce(sum(verdict = 'MATCH'), 0) FROM claims WHERE polish_id = ?1)
       WHERE id = ?1`,
    ).run(polish);
    // Roughs that have turned out to be one are no panel.
    const row = polishOf.get(polish) as PolishRow | undefined;
    for (const kind of FINDINGS) {
      if (row && countsOf(kind, row).roughs < 2) {
        db.prepare('DELETE FROM findings WHERE kind = ? AND polish_id = ?').run(kind, polish);
      }
    }
  };

  /** The older finding stays; the other's id goes on naming it. */
  const mergeFindings = (from: number, into: number) => {
    db.prepare('UPDATE finding_aliases SET polish_id = ? WHERE polish_id = ?').run(into, from);
    for (const kind of FINDINGS) {
      const other = findingOf.get(kind, from) as { id: string } | undefined;
      if (!other) continue;
      db.prepare('INSERT OR REPLACE INTO finding_aliases VALUES (?, ?, ?)').run(other.id, kind, into);
      if (findingOf.get(kind, into))
        db.prepare('DELETE FROM findings WHERE kind = ? AND polish_id = ?').run(kind, from);
      else {
        const { key_id, claim_id } = polishOf.get(into) as PolishRow;
        db.prepare('UPDATE findings SET polish_id = ?, id = ? WHERE kind = ? AND polish_id = ?').run(
          into,
          findingId(kind, key_id, claim_id),
          kind,
          from,
        );
      }
    }
  };

  const review = ({ finding_id, kind, note, operator, at }: FindingReviewed['data']) => {
    writer.flush();
    const polish = db
      .prepare(
        `SELECT p.* FROM polishes p WHERE id = coalesce((SELECT polish_id FROM findings WHERE id = ?1),
         (SELECT polish_id FROM finding_aliases WHERE id = ?1))`,
      )
      .get(finding_id) as PolishRow | undefined;
    if (!polish) return;
    db.prepare('UPDATE findings SET review = ?, reviewed_claims = ? WHERE kind = ? AND polish_id = ?').run(
      JSON.stringify({ note, operator, at }),
      countsOf(kind, polish).claims,
      kind,
      polish.id,
    );
  };

  return { count, merge, review };
}
