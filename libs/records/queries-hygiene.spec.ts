import type { SideFacts } from '#claims/events';
import { streams } from '#domain/streams';
import { findingsProjection } from '#findings/view';
import { closeViews, keyOf, MODEL, TestLog, viewOf } from '#kit/views/test/log';
import { checkHygiene } from './queries-hygiene.js';
import { telemetryProjection } from './view-calls.js';

afterAll(closeViews);

const DAY = 24 * 3600 * 1000;

function attention(log: TestLog, { later = 60_000, model = MODEL } = {}) {
  const views = {
    findings: viewOf(findingsProjection, log.events),
    telemetry: viewOf(telemetryProjection, log.events),
  };
  const checks = checkHygiene(views, new Date(log.clock + later), [model]);
  expect(checks).toHaveLength(16);
  for (const { meaning, advice } of checks) expect([meaning.length > 20, advice.length > 20]).toEqual([true, true]);
  return Object.fromEntries(
    checks.filter(({ status }) => status === 'attention').map(({ check, items }) => [check, items]),
  );
}

/** Twenty genuine claims with references; every `nth` rough is changed. */
function habits(facts: Partial<SideFacts>, nth = 2, reference = true): TestLog {
  const log = new TestLog();
  for (let i = 0; i < 20; i++) {
    const changed = i % nth === 0;
    const named = reference || !changed ? { reference: `${i}` } : {};
    log.claim({
      rough: { stone: `S${i}`, ...named, ...(changed && { facts }) },
      polish: { stone: `S${i}`, reference: `${i}.1` },
      verdict: 'MATCH',
    });
  }
  return log;
}

describe('hygiene', () => {
  it('finds nothing in genuine claims', () => {
    expect(attention(habits({}))).toEqual({});
    // A habit is more than a slip.
    expect(attention(habits({ scans: 1, duplicates: 1 }, 10))).toEqual({});
  });

  it.each<[string, TestLog, object]>([
    ['few_rough_scans', habits({ scans: 2 }), { key: 'lab-a', claims: 20, affected: 10 }],
    ['duplicate_rough_scans', habits({ duplicates: 1 }), { key: 'lab-a', affected: 10 }],
    ['missing_references', habits({}, 2, false), { key: 'lab-a', affected: 10 }],
    ['sharpness_outside_band', habits({ sharpness: 0.03 }, 1), { key: 'lab-a', side: 'rough', median: 0.03 }],
  ])('lists %s by key', (check, log, item) => {
    expect(attention(log)).toEqual({ [check]: [expect.objectContaining(item)] });
  });

  it('lists a panel on a production key by the key, until it is reviewed and again when it goes on', () => {
    const log = new TestLog();
    for (const key of [keyOf('lab-a'), keyOf('trial', { kind: 'test' })]) {
      for (const stone of ['A', 'B', 'C']) log.claim({ key, rough: { stone }, polish: { stone: 'P' } });
    }
    const { panel_on_a_production_key: panels, ...others } = attention(log);
    expect([panels, others]).toEqual([
      [{ key: 'lab-a', population: 'lab-a', finding: expect.any(String), roughs: 3 }],
      {},
    ]);
    const finding_id = panels[0].finding as string;
    const review = {
      finding_id,
      kind: 'probing' as const,
      claims: 3,
      note: 'asked',
      outcome: null,
      operator: 'ada',
      request_id: 'r',
    };
    const data = { ...review, at: log.now() };
    log.append(streams.finding(finding_id), { type: 'FindingReviewed', version: 3, data });
    expect(attention(log)).toEqual({});
    log.claim({ rough: { stone: 'D' }, polish: { stone: 'P' } });
    expect(attention(log)).toEqual({ panel_on_a_production_key: [{ ...panels[0], roughs: 4 }] });
  });

  it('lists one rough under two references, and one reference for two roughs', () => {
    const two = new TestLog();
    for (const reference of ['1', '2'])
      two.claim({ rough: { stone: 'A', reference }, polish: { stone: reference, reference: `${reference}.1` } });
    expect(attention(two)).toEqual({ one_rough_under_two_references: [{ key: 'lab-a', references: ['1', '2'] }] });
    const one = new TestLog();
    for (const stone of ['A', 'B'])
      one.claim({ rough: { stone, reference: '1' }, polish: { stone, reference: `${stone}.1` } });
    expect(attention(one)).toEqual({ one_reference_for_two_roughs: [{ key: 'lab-a', reference: '1', roughs: 2 }] });
  });

  it('lists a reference that all claims of a key share, and no finding of it', () => {
    const log = new TestLog();
    for (const stone of 'ABCDEFGHIJ')
      log.claim({ rough: { stone, reference: '2026' }, polish: { stone, reference: '2026' }, verdict: 'MATCH' });
    expect(attention(log)).toMatchObject({
      one_reference_for_all_claims: [{ key: 'lab-a', claims: 10, references: ['2026'] }],
    });
    log.claim({ rough: { stone: 'K', reference: '7' }, polish: { stone: 'K', reference: '7' } });
    expect(attention(log)).not.toHaveProperty('one_reference_for_all_claims');
  });

  it('lists labels that contradict each other', () => {
    const log = new TestLog();
    const same = [0.98, 0.95].map((rung) =>
      log.claim({ rough: { stone: 'A' }, polish: { stone: 'P' }, rung, verdict: 'MATCH' }),
    );
    log.label(same[0], 'match', 'MATCH');
    log.label(same[1], 'no_match', 'MATCH');
    expect(attention(log)).toEqual({ contradicting_labels: [{ why: 'both labels for one pair', claims: same }] });
    const cut = new TestLog();
    const both = ['A', 'B'].map((stone) => cut.claim({ rough: { stone }, polish: { stone: 'P' }, verdict: 'MATCH' }));
    for (const claim of both) cut.label(claim, 'match', 'MATCH');
    expect(attention(cut)).toEqual({ contradicting_labels: [{ why: 'one polish from two roughs', claims: both }] });
  });

  it('lists labels against the certain', () => {
    const log = new TestLog();
    const sure = log.claim({
      rough: { stone: 'A' },
      polish: { stone: 'A' },
      verdict: 'MATCH',
      result: { p_match_5050: 0.999 },
    });
    const likely = log.claim({
      rough: { stone: 'B' },
      polish: { stone: 'B' },
      verdict: 'MATCH',
      result: { p_match_5050: 0.9 },
    });
    for (const claim of [sure, likely]) log.label(claim, 'no_match', 'MATCH');
    expect(attention(log)).toEqual({
      labels_against_the_certain: [expect.objectContaining({ claim_id: sure, label: 'no_match' })],
    });
  });

  it('lists keys unused for 90 days, never or since, but none that is revoked', () => {
    const log = new TestLog();
    const gone = keyOf('gone');
    for (const key of [keyOf('idle'), gone]) log.createKey(key);
    log.claim({ key: keyOf('used'), rough: { stone: 'A', reference: '1' }, polish: { stone: 'A', reference: '1.1' } });
    log.append(streams.key(gone.id), {
      type: 'KeyRevoked',
      version: 1,
      data: { key_id: gone.id, operator: 'ada', at: log.now() },
    });
    expect(attention(log, { later: 89 * DAY })).toEqual({});
    log.clock += 60 * DAY;
    log.claim({ key: keyOf('used'), rough: { stone: 'B', reference: '2' }, polish: { stone: 'B', reference: '2.1' } });
    expect(attention(log, { later: 40 * DAY })).toEqual({
      unused_keys: [expect.objectContaining({ key: 'idle', used_at: null })],
    });
  });

  it('lists unfinished claims, clock steps and vectors of an old model', () => {
    const unfinished = new TestLog();
    const claim_id = unfinished.claim({ rough: { stone: 'A' }, polish: { stone: 'A' }, unscored: true });
    expect(attention(unfinished)).toEqual({});
    expect(attention(unfinished, { later: 11 * 60_000 })).toEqual({
      unfinished_claims: [expect.objectContaining({ claim_id, key: 'lab-a' })],
    });
    const stepping = habits({});
    stepping.clock -= 3_600_000;
    stepping.claim({ rough: { stone: 'Z', reference: 'Z' }, polish: { stone: 'Z', reference: 'Z.1' } });
    const { clock_steps } = attention(stepping);
    expect(clock_steps[0]).toMatchObject({ back_ms: expect.any(Number), position: expect.any(String) });
    expect(attention(habits({}), { model: 'b'.repeat(64) })).toEqual({
      vectors_of_an_old_model: [{ population: 'lab-a', model: MODEL, sets: 40 }],
    });
  });
});
