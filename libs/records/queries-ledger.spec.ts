import { catalogue } from '#catalogue/catalogue';
import type { ClaimReviewed } from '#claims/events';
import { streams } from '#domain/streams';
import { Findings } from '#findings/queries';
import { findingsProjection } from '#findings/view';
import { BadCursor, COUNTED_UP_TO, totalOf } from '#kit/views/page';
import { closeViews, TestLog, viewOf } from '#kit/views/test/log';
import { Ledger } from './queries-ledger.js';
import { ledgerProjection } from './view-ledger.js';

const projectionOfLedger = ledgerProjection(Object.keys(catalogue));

afterAll(closeViews);

const ledgerOf = ({ events }: TestLog) =>
  new Ledger(viewOf(projectionOfLedger, events), new Findings(viewOf(findingsProjection, events)));

const claim = (log: TestLog, stone: string, probability: number, verdict: 'MATCH' | 'NO_MATCH' = 'NO_MATCH') =>
  log.claim({ rough: { stone }, polish: { stone }, verdict, result: { p_match_5050: probability } });

describe('claims that wait for a review', () => {
  it('are a MATCH with reasons too, from the version that keeps them; of before, the contract’s pattern holds', () => {
    const log = new TestLog();
    const of = (stone: string) => ({ rough: { stone }, polish: { stone }, verdict: 'MATCH' as const });
    const doubted = log.claim({ ...of('F'), action_reasons: ['near_threshold'] });
    const plain = log.claim({ ...of('G'), action_reasons: [] });
    const before = log.claim(of('H'));
    const ledger = ledgerOf(log);
    expect(ledger.waiting()).toEqual({ total: 1, total_exact: true });
    expect(ledger.claim(doubted)).toMatchObject({ action: 'review', action_reasons: [{ code: 'near_threshold' }] });
    for (const claim of [plain, before])
      expect(ledger.claim(claim)).toMatchObject({ action: 'accept', action_reasons: [] });
  });

  it('are answered NO_MATCH and at least 0.60 probable, or share a scan, and are not reviewed', () => {
    const log = new TestLog();
    claim(log, 'A', 0.599);
    const reviewed = claim(log, 'B', 0.6);
    const near = claim(log, 'C', 0.8);
    claim(log, 'D', 0.8, 'MATCH');
    const shared = { rough: { stone: 'E' }, polish: { stone: 'E' }, shared_scans: 1 };
    const same = log.claim({ ...shared, verdict: 'MATCH' });
    log.claim({ ...shared, rough: { stone: 'F' }, unscored: true });
    expect(ledgerOf(log).waiting()).toEqual({ total: 3, total_exact: true });
    const note = (outcome: ClaimReviewed['data']['outcome']) =>
      log.append(streams.review(reviewed), {
        type: 'ClaimReviewed',
        version: 3,
        data: { claim_id: reviewed, note: 'seen', outcome, operator: 'ada', request_id: 'r', at: log.now() },
      });
    note(null);
    const ledger = ledgerOf(log);
    expect(ledger.waiting()).toEqual({ total: 2, total_exact: true });
    const rows = ledger.claimRows({ limit: 9, action: 'review', reviewed: false }).items;
    expect(rows).toMatchObject([
      { claim_id: same, action: 'review', shared_scans: 1 },
      { claim_id: near, action: 'review', shared_scans: 0 },
    ]);
    expect(ledger.claims({ limit: 9, action: 'accept' }).items).toMatchObject([{ verdict: 'MATCH', shared_scans: 0 }]);
    note('taken_back');
    expect(ledgerOf(log).waiting()).toEqual({ total: 3, total_exact: true });
    note('wrong');
    expect(ledgerOf(log).waiting()).toEqual({ total: 2, total_exact: true });
  });
});

describe('a sorted listing', () => {
  it('breaks ties by the position, takes no unfinished claim, and is not shifted by what comes', () => {
    const log = new TestLog();
    const [a, b, c, d] = [0.2, 0.9, 0.2, 0.5].map((p, i) => claim(log, `S${i}`, p));
    log.claim({ rough: { stone: 'E' }, polish: { stone: 'E' }, unscored: true });
    const asked = { limit: 2, sort: 'p_match_5050' } as const;
    const first = ledgerOf(log).claims(asked);
    claim(log, 'between', 0.6);
    const ledger = ledgerOf(log);
    const second = ledger.claims({ ...asked, cursor: first.next_cursor! });
    expect([...first.items, ...second.items].map(({ claim_id }) => claim_id)).toEqual([b, d, c, a]);
    expect(second.next_cursor).toBeNull();
    expect(ledger.claims({ ...asked, p_max: 0.2, total: true })).toMatchObject({ total: 2, items: [{}, {}] });
  });

  it('refuses a cursor of another order', () => {
    const log = new TestLog();
    for (const stone of ['A', 'B']) claim(log, stone, 0.3);
    const ledger = ledgerOf(log);
    const { next_cursor } = ledger.claims({ limit: 1 });
    expect(() => ledger.claims({ limit: 1, cursor: next_cursor!, sort: 'distance' })).toThrow(BadCursor);
    const sorted = ledger.claims({ limit: 1, sort: 'distance' }).next_cursor!;
    expect(() => ledger.claims({ limit: 1, cursor: sorted })).toThrow(BadCursor);
  });
});

describe('a range of probabilities', () => {
  it('is counted by its own bounds, so that many are not put in order', () => {
    const log = new TestLog();
    for (const [i, p] of [0.2, 0.5, 0.7, 0.9].entries()) claim(log, `S${i}`, p);
    const { db } = viewOf(projectionOfLedger, log.events);
    const counts: unknown[] = [];
    const prepare = (sql: string) => {
      const statement = db.prepare(sql).raw();
      const raw = () => ({
        all: (...values: unknown[]) => statement.all(...values),
        get(...values: unknown[]) {
          const row = statement.get(...values);
          if (sql.startsWith('SELECT count(*)')) counts.push(row);
          return row;
        },
      });
      return { raw };
    };
    const ledger = new Ledger({ db: { prepare } as never }, new Findings(viewOf(findingsProjection, log.events)));
    for (const [query, found] of [
      [{ p_min: 0.5 }, 3],
      [{ p_max: 0.5 }, 2],
      [{ p_min: 0.5, p_max: 0.7 }, 2],
    ] as const) {
      expect(ledger.claimRows({ limit: 9, ...query }).items).toHaveLength(found);
      expect(counts.pop()).toEqual([found]);
    }
  });
});

describe('a search', () => {
  it('finds by the start of an id or of a stone reference of either side, in any case', () => {
    const log = new TestLog();
    const named = (rough: string, polish: string) =>
      log.claim({
        rough: { stone: rough, reference: rough },
        polish: { stone: polish, reference: polish },
        verdict: 'MATCH',
      });
    const lower = named('A', 'ring-7');
    const upper = named('B', 'RING-70');
    const sides = named('ring_7', 'Käte');
    const found = (search: string) =>
      ledgerOf(log)
        .claimRows({ limit: 10, search, total: true })
        .items.map(({ claim_id }) => claim_id);
    expect(found('Ring-7')).toEqual([upper, lower]);
    expect(found('ring-70')).toEqual([upper]);
    expect(found('kä')).toEqual([sides]);
    // Signs that mean something to patterns of the database are signs here.
    for (const none of ['ring%', '%', '7', "'"]) expect(found(none)).toEqual([]);
    expect(found(lower.slice(0, 12).toUpperCase())).toContain(lower);
    expect(found(lower)).toEqual([lower]);
  });
});

describe('a total', () => {
  it('is exact up to its bound, then says that there is more', () => {
    const view = viewOf(projectionOfLedger, []);
    const upTo = (rows: number) =>
      totalOf(
        view,
        '(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n)',
        rows,
      );
    expect(upTo(COUNTED_UP_TO)).toEqual({ total: COUNTED_UP_TO, total_exact: true });
    expect(upTo(COUNTED_UP_TO + 1)).toEqual({ total: COUNTED_UP_TO, total_exact: false });
  });
});
