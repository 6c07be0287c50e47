import { streams } from '#domain/streams';
import { Findings } from '#findings/queries';
import { closeViews, dump, keyOf, TestLog, viewOf } from '#kit/views/test/log';
import { shippedEntry } from '#science/calibration/asset';
import { warningKind, warningsOf } from '#science/matching/warnings';
import { Telemetry, TooManyBuckets } from './queries-calls.js';
import { telemetryProjection } from './view-calls.js';

afterAll(closeViews);

/** Calls are told without them. */
const noFindings = new Findings({
  get db(): never {
    throw new Error('findings were asked for');
  },
});
const telemetry = (log: TestLog) => new Telemetry(viewOf(telemetryProjection, log.events), noFindings);
const key = keyOf('lab-a');
const refuse = (log: TestLog, status: number, reason: string, more: object = {}) =>
  log.append(streams.telemetry(key.id), {
    type: 'ClaimRefused',
    version: 2,
    data: {
      request_id: `refused ${reason}`,
      key,
      transport: 'json',
      status,
      reason,
      latency_ms: { body: 1 },
      at: log.now(),
      ...more,
    },
  });

function busyLog(): TestLog {
  const log = new TestLog();
  const warnings = ['Uncalibrated population: x', 'only 1 rough scans; y'];
  const first = log.claim({
    rough: { stone: 'A', reference: '1' },
    polish: { stone: 'A' },
    verdict: 'MATCH',
    result: { warnings },
  });
  const second = log.claim({ rough: { stone: 'B', facts: { scans: 1 } }, polish: { stone: 'B' }, rung: 0.95 });
  log.claim({ key: keyOf('lab-b', { kind: 'test' }), rough: { stone: 'C' }, polish: { stone: 'C' }, verdict: 'MATCH' });
  const repeat = { claim_id: first, request_id: 'again', sent: null, latency_ms: { body: 9 }, at: log.now() };
  log.append(streams.claim(key.id, first), { type: 'ClaimRepeated', version: 2, data: repeat });
  refuse(log, 400, 'flat', { side: 'rough' });
  refuse(log, 503, 'scoring_full', { claim_id: second });
  log.append(streams.edge(), {
    type: 'RefusalsCounted',
    version: 1,
    data: { status: 401, reason: 'credential_api_key', count: 17, from: log.now(), until: log.now() },
  });
  const replayed = log.events.find(({ type }) => type === 'ClaimSubmitted')!.data;
  const result = log.events.find(({ type }) => type === 'ClaimScored')!.data.result;
  log.append(streams.telemetry(key.id), {
    type: 'ClaimReplayed',
    version: 2,
    data: {
      ...replayed,
      claim_id: 'clm_replay',
      tag: 'verify_match_replay',
      authorised_by: 'ada',
      result,
      engine: 'simd',
      latency_ms: {},
    },
  });
  log.label(first, 'match', 'MATCH');
  log.label(second, 'match', 'NO_MATCH');
  return log;
}

describe('the summary', () => {
  it('counts calls by status and reason, verdicts once a claim, warnings, scans, and replays apart', () => {
    const view = telemetry(busyLog());
    expect(view.summary({})).toMatchObject({
      calls: 3 + 1 + 2 + 17,
      repeats: 1,
      by_status: { 200: 4, 400: 1, 401: 17, 503: 1 },
      by_reason: { flat: 1, scoring_full: 1, credential_api_key: 17 },
      verdicts: { MATCH: 2, NO_MATCH: 1 },
      warnings: { uncalibrated_population: 1, too_few_rough_scans: 1 },
      rough_scans: { 1: 1, 6: 2 },
      latency_ms: { body: { count: 4, least: 1, most: 9 }, prepare: { p50: 2 }, score: { p50: 3 } },
      quantiles: { score: { count: 3, least: 0.2, most: 0.85 }, rough_sharpness: { p50: 0.05 } },
    });
    expect(view.summary({}).replay).toMatchObject({
      calls: 1,
      by_status: { 200: 1 },
      verdicts: { MATCH: 1 },
    });
  });

  it('counts each hour or day of a window, empty ones too', () => {
    const log = busyLog();
    const view = telemetry(log);
    const { at } = view.calls({ limit: 1 }).items[0] as { at: string };
    const [day, hour] = [`${at.slice(0, 10)}T00:00:00.000Z`, `${at.slice(0, 13)}:00:00.000Z`];
    const begin = new Date(Date.parse(day) - 86_400_000).toISOString();
    const end = new Date(Date.parse(day) + 86_400_000).toISOString();
    const nothing = { calls: 0, repeats: 0, refused: 0, verdicts: { MATCH: 0, NO_MATCH: 0 }, match_share: null };
    expect(view.buckets({ from: begin, to: end }, 'day')).toEqual([
      { from: begin, ...nothing },
      { from: day, calls: 23, repeats: 1, refused: 19, verdicts: { MATCH: 2, NO_MATCH: 1 }, match_share: 2 / 3 },
    ]);
    const hours = view.buckets({ from: begin, to: end }, 'hour');
    expect(hours).toHaveLength(48);
    expect(hours.find(({ calls }) => calls > 0)).toMatchObject({ from: hour, calls: 23 });
    expect(view.buckets({ from: begin, to: end, population: 'lab-b' }, 'day')[1]).toMatchObject({ calls: 1 });
    expect(view.buckets({ from: end, to: begin }, 'day')).toEqual([]);
    expect(() => view.buckets({ from: '2020-01-01T00:00:00.000Z', to: end }, 'hour')).toThrow(TooManyBuckets);
  });

  it('is of a window, a population or a key', () => {
    const log = busyLog();
    const view = telemetry(log);
    expect(view.summary({ population: 'lab-b' })).toMatchObject({ calls: 1, verdicts: { MATCH: 1 } });
    expect(view.summary({ key: 'lab-a' })).toMatchObject({ calls: 5 });
    expect(view.summary({ key_kind: 'test' })).toMatchObject({ calls: 1 });
    expect(view.summary({ to: '2026-01-01' })).toMatchObject({
      calls: 0,
      quantiles: { score: { count: 0 } },
    });
  });

  it('holds labels against verdicts by rung', () => {
    expect(telemetry(busyLog()).agreement({})).toEqual([
      {
        reject_target: 0.98,
        labelled: 1,
        ...{ true_accept: 1, false_accept: 0, true_reject: 0, false_reject: 0 },
        confirmed_right: 1,
        confirmed_wrong: 0,
        rejected_right: 0,
        rejected_wrong: 0,
      },
      {
        reject_target: 0.95,
        labelled: 1,
        ...{ true_accept: 0, false_accept: 0, true_reject: 0, false_reject: 1 },
        confirmed_right: 0,
        confirmed_wrong: 0,
        rejected_right: 0,
        rejected_wrong: 1,
      },
    ]);
  });
});

describe('records', () => {
  it('are there for every call that ended, by page and filter', () => {
    const view = telemetry(busyLog());
    const all = view.calls({ limit: 100 }).items;
    expect(all.map(({ tag, status }) => [tag, status])).toEqual([
      ['verify_match_replay', 200],
      ['refused_at_the_edge', 401],
      ['verify_match', 503],
      ['verify_match', 400],
      ['verify_match', 200],
      ['verify_match', 200],
      ['verify_match', 200],
      ['verify_match', 200],
    ]);
    expect(all[7]).toMatchObject({
      verdict: 'MATCH',
      label: 'match',
      rough: { references: ['1'], scans: 6 },
      key: { name: 'lab-a' },
    });
    expect(JSON.stringify(all)).not.toMatch(/[0-9a-f]{65}/);
    const page = view.calls({ limit: 5 });
    expect(page.items).toEqual(all.slice(0, 5));
    expect(view.calls({ limit: 5, cursor: page.next_cursor! }).items).toEqual(all.slice(5));
    for (const [query, count] of [
      [{ tag: 'verify_match_replay' }, 1],
      [{ status: 400 }, 1],
      [{ reason: 'scoring_full' }, 1],
      [{ verdict: 'NO_MATCH' }, 1],
      [{ warning: 'too_few_rough_scans' }, 2],
      [{ request_id: 'again' }, 1],
      [{ population: 'lab-b' }, 1],
      [{ key: 'nobody' }, 0],
    ] as const) {
      expect([query, view.calls({ limit: 100, ...query }).items.length]).toEqual([query, count]);
    }
  });

  it.each([[1000], [1]])(
    'show a claim that a crash left by what the call sent that finished it, at %i a batch',
    (batch) => {
      const log = new TestLog();
      const claim_id = log.claim({ rough: { stone: 'A', reference: '1' }, polish: { stone: 'A' }, verdict: 'MATCH' });
      const { request_id, latency_ms, at } = log.events.find(({ type }) => type === 'ClaimScored')!.data;
      const sent = { transport: 'multipart', rough: ['2'], polish: ['2.1'] };
      const data = { claim_id, request_id, latency_ms, at, sent };
      log.append(streams.claim(key.id, claim_id), { type: 'ClaimRepeated', version: 2, data });
      const { items } = new Telemetry(viewOf(telemetryProjection, log.events, batch), noFindings).calls({ limit: 10 });
      expect(items).toMatchObject([
        { request_id, transport: 'multipart', rough: { references: ['2'] }, polish: { references: ['2.1'] } },
      ]);
    },
  );

  it('are the same whatever the batches', () => {
    const log = busyLog();
    expect(dump(viewOf(telemetryProjection, log.events, 1))).toEqual(dump(viewOf(telemetryProjection, log.events)));
  });
});

describe('kinds of warnings', () => {
  it('are known for every text that the service writes', () => {
    const gauges = { sharpness: 0.05, detailResidual: 0.4, measuredResidual: 0.4, locallyPolynomial: 1e9 };
    const side = { count: 1, duplicates: 1, shortCoverage: true, references: ['1', '2'], gauges };
    const rungs = [
      {
        reject_target: 0.9 as const,
        threshold: 0.5,
        threshold_source: 'shipped-default',
        expected_genuine_accept: null,
      },
    ];
    const texts = rungs.flatMap((entry) =>
      warningsOf({ side: 'rough', ...side }, { side: 'polish', ...side }, entry as ReturnType<typeof shippedEntry>),
    );
    expect(texts.map(warningKind)).toEqual([
      'uncalibrated_population',
      'unvalidated_expected_genuine_accept',
      'too_few_rough_scans',
      'duplicate_rough_scans',
      'multiple_stone_ids',
      'insufficient_coverage',
      'off_manifold',
      'locally_polynomial',
      'experimental_rung',
    ]);
    expect(warningKind('Replay flag ignored: x')).toBe('replay_flag_ignored');
  });
});
