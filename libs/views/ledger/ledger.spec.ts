import { afterAll, describe, expect, it } from '@jest/globals';
import { streams } from '#domain';
import { Findings } from '../findings/findings.js';
import { findingsProjection } from '../findings/fold.js';
import { COUNTED_UP_TO, totalOf } from '../page.js';
import { closeViews, TestLog, viewOf } from '../test/log.js';
import { ledgerProjection } from './fold.js';
import { Ledger } from './ledger.js';

afterAll(closeViews);

const ledgerOf = ({ events }: TestLog) =>
  new Ledger(viewOf(ledgerProjection, events), new Findings(viewOf(findingsProjection, events)));

const claim = (log: TestLog, stone: string, probability: number, verdict: 'MATCH' | 'NO_MATCH' = 'NO_MATCH') =>
  log.claim({ rough: { stone }, polish: { stone }, verdict, result: { p_match_5050: probability } });

describe('claims that wait for a review', () => {
  it('are answered NO_MATCH, at least 0.60 probable, and not reviewed', () => {
    const log = new TestLog();
    claim(log, 'A', 0.599);
    const reviewed = claim(log, 'B', 0.6);
    claim(log, 'C', 0.8);
    claim(log, 'D', 0.8, 'MATCH');
    log.claim({ rough: { stone: 'E' }, polish: { stone: 'E' }, unscored: true });
    expect(ledgerOf(log).waiting()).toEqual({ total: 2, total_exact: true });
    log.append(streams.review(reviewed), {
      type: 'ClaimReviewed',
      version: 2,
      data: { claim_id: reviewed, note: 'seen', outcome: null, operator: 'ada', request_id: 'r', at: log.now() },
    });
    expect(ledgerOf(log).waiting()).toEqual({ total: 1, total_exact: true });
  });
});

describe('a total', () => {
  it('is exact up to its bound, then says that there is more', () => {
    const view = viewOf(ledgerProjection, []);
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
