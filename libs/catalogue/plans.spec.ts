import {
  CALL_LISTING,
  CLAIM_LISTING,
  CLAIM_SORTS,
  FINDING_LISTING,
  type Parameter,
  type Parameters,
} from '#kit/views/listings';
import type { Connection } from '#kit/views/projection';
import { Tables } from '#kit/views/tables';
import { closeViews, keyOf, MODEL, TestLog, viewOf } from '#kit/views/test/log';
import { PROJECTIONS } from './projections.js';
import { readModels } from './reads-thread.js';

/** Tables of which no statement may read every row: they grow with claims, calls, stones or findings. */
const GROWING = new Set([
  ...[
    'claims',
    'calls',
    'counted',
    'submissions',
    'sets',
    'findings',
    'finding_aliases',
    'labels',
    'reviews',
    'repeats',
  ],
  ...[
    'moments',
    'claim_references',
    'claim_warnings',
    'warnings',
    'pending',
    'tallies',
    'spans',
    'clock_steps',
    'stone_sets',
    'groups',
  ],
  ...['stone_references', 'polishes', 'polish_groups'],
  ...['lots', 'checks', 'rehearsals'],
]);

/** What reads all rows of such a table, or an index of it from its end, and why it may. */
const ALLOWED: readonly [what: RegExp, why: string][] = [
  [/findings_open/, 'open findings alone, counted up to 10,000'],
  [/findings_of_panels/, 'panels alone'],
  [/calls_sharing/, 'hygiene: rows with a shared scan alone'],
  [
    /^SCAN f( USING COVERING INDEX findings_by_time)?$/,
    'findings of a key, a kind of key or a reference are counted up to 10,000',
  ],
];

/** What puts rows of such a table in order when it is asked, though it answers with a page of them, and why it may. */
const SORTING: readonly [what: RegExp, why: string][] = [
  [/ORDER BY [+]/, 'sorted by a value: 5,000 claims at most, or the value’s index is named'],
  [/submitted_at >= |opened_at >= |tag <> /, 'those of a window of time'],
  [/claim_id >= /, 'a search: those whose ids or references begin so'],
  [/position IN /, 'those that are named: 1,000 at most'],
  [/stone_sets|stone_references/, 'sets and references of one polish, when a claim came to it'],
];

/** The plans of all statements that run. */
const plans: { sql: string; scan: string }[] = [];
const sorts: string[] = [];
const tablesIn = (sql: string) =>
  new Map(
    [...sql.matchAll(/(?:FROM|JOIN|,)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?/g)].map(([, table, as]) => [as ?? table, table]),
  );

/** Notes what a statement reads from end to end, or puts in order. */
function explained(db: Connection, sql: string, values: unknown[]): void {
  const tables = tablesIn(sql);
  const grows = (name: string | undefined) => GROWING.has(tables.get(name ?? '') ?? name ?? '');
  for (const { detail } of db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[]) {
    const name = /^SCAN (\w+)/.exec(detail)?.[1];
    if (name && grows(name)) plans.push({ sql, scan: detail });
    const sorting = detail === 'USE TEMP B-TREE FOR ORDER BY' && sql.includes(' LIMIT ');
    if (sorting && [...tables.keys()].some(grows)) sorts.push(sql);
  }
}

function watched(db: Connection): Connection {
  const prepare = (sql: string) => {
    const statement = db.prepare(sql);
    const asking =
      (how: 'get' | 'all') =>
      (...values: unknown[]) => {
        explained(db, sql, values);
        return statement[how](...values);
      };
    const self = {
      get: asking('get'),
      all: asking('all'),
      raw() {
        statement.raw();
        return self;
      },
    };
    return self;
  };
  return { prepare } as unknown as Connection;
}

const log = new TestLog();
for (let n = 0; n < 6; n++)
  log.claim({ key: keyOf('lab'), rough: { stone: `r${n}` }, polish: { stone: `p${n % 2}` }, verdict: 'MATCH' });
const files = new Map(PROJECTIONS.map((projection) => [projection.name, viewOf(projection, log.events)]));
const view = (name: string) => ({ db: watched(files.get(name)!.db) });
afterAll(closeViews);

const WINDOW = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-03T00:00:00.000Z' };
const CURSOR = Buffer.from('p1000').toString('base64url');
function exampleOf(parameter: Parameter) {
  switch (parameter.kind) {
    case 'one of':
      return parameter.values[0];
    case 'flag':
      return true;
    case 'time':
      return WINDOW.from;
    case 'share':
      return 0.5;
    case 'status':
      return 200;
    case 'rung':
      return '0.98';
    case 'text':
      return 'a name';
  }
}
/** A query by each filter alone, of a later page. */
const queriesOf = (listing: Parameters) =>
  Object.entries(listing)
    .filter(([name]) => name !== 'sort')
    .map(([name, parameter]) => ({ limit: 5, cursor: CURSOR, total: true, [name]: exampleOf(parameter) }));

it('no statement of the views reads every row of what grows', () => {
  const { ledger, findings, hygiene, telemetry, evidence, lots } = readModels(view);
  for (const query of queriesOf(CLAIM_LISTING)) ledger.claims(query as never);
  for (const sort of CLAIM_SORTS) ledger.claims({ limit: 5, sort });
  for (const query of queriesOf(FINDING_LISTING)) findings.list(query as never);
  for (const query of queriesOf(CALL_LISTING)) telemetry.calls(query as never);
  ledger.claim('clm_1');
  ledger.waiting();
  ledger.scoredAfter(1, 5);
  ledger.placesOf('clm_1');
  ledger.ownClaims({ keyId: 'lab', limit: 5, from: WINDOW.from });
  findings.one('fnd_1');
  findings.open();
  findings.open({ breaches: true });
  findings.opened(WINDOW.from, WINDOW.to);
  findings.counts(WINDOW.from, WINDOW.to);
  findings.ofClaims([1, 2]);
  for (const kind of ['probing', 'multi_pass'] as const) findings.claimsBehind(kind, 1000, 5);
  telemetry.window({ ...WINDOW, bucket: 'hour' }, new Date(0));
  telemetry.outline(WINDOW);
  telemetry.driftClaims('lab', MODEL, 0, 5);
  telemetry.driftGauges(['clm_1']);
  evidence.held('lab', MODEL);
  evidence.heldByAll(MODEL);
  evidence.countedPlaces('lab', MODEL, 0, 5);
  evidence.scored('lab', MODEL, 5, 5);
  evidence.between('lab', MODEL, 5, [0, 1], 5);
  evidence.past('lab', MODEL, 5, 0);
  lots.lots('w', { limit: 5 });
  lots.history('w', MODEL);
  lots.latestChecks('w', 'l');
  lots.checks('w', 'l', { limit: 5 });
  lots.counts(WINDOW.from, WINDOW.to);
  hygiene.check(new Date(0), []);
  const found = plans.filter(({ scan }) => !ALLOWED.some(([what]) => what.test(scan)));
  expect(found).toEqual([]);
  expect(sorts.filter((sql) => !SORTING.some(([what]) => what.test(sql)))).toEqual([]);
  // Each exception is one that is there.
  for (const [what] of ALLOWED) expect([what, plans.some(({ scan }) => what.test(scan))]).toEqual([what, true]);
});

it('no statement of a fold reads every row of what grows', () => {
  plans.length = 0;
  for (const projection of PROJECTIONS) {
    const { db } = files.get(projection.name)!;
    const preparing = {
      prepare(sql: string) {
        const statement = db.prepare(sql);
        if (!/^(PRAGMA|SELECT name, "notnull")/.test(sql)) explained(db, sql, []);
        return statement;
      },
    };
    projection.fold(new Tables(preparing as unknown as Connection));
  }
  expect(plans).toEqual([]);
});
