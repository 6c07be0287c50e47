import fc from 'fast-check';
import { streams } from '#domain/streams';
import type { KeyFacts } from '#keys/events';
import { closeViews, dump, keyOf, TestLog, viewOf } from '#kit/views/test/log';
import { NEAR } from './nearness.js';
import { Findings } from './queries.js';
import type { FindingRecord } from './queries-shapes.js';
import { all, apart, found, MATCH } from './test/found.js';
import { findingsProjection } from './view.js';

afterAll(closeViews);

describe('keys of one population', () => {
  const [one, two] = ['lab-1', 'lab-2'].map((name) => keyOf(name, { population: 'lab' }));
  const names = (record: FindingRecord) => record.keys.map(({ name }) => name);
  const evidence = (record: FindingRecord) => record.evidence.map(({ by, roughs, claims }) => [by, roughs, claims]);

  it('pass one polish for two roughs together: one multi_pass that belongs to both', () => {
    const log = new TestLog();
    const a = log.claim({ key: one, rough: { stone: 'A' }, polish: { stone: 'P' }, ...MATCH });
    const b = log.claim({ key: two, rough: { stone: 'B' }, polish: { stone: 'P' }, ...MATCH });
    const [multi, probing] = all(log);
    expect([multi.kind, probing.kind]).toEqual(['multi_pass', 'probing']);
    expect(multi).toMatchObject({
      roughs: 2,
      claims_total: 2,
      key: { name: 'lab-2' },
      population: 'lab',
      breach: null,
    });
    expect(names(multi)).toEqual(['lab-1', 'lab-2']);
    expect(multi.claims.map(({ claim_id }) => claim_id)).toEqual([b, a]);
    expect(evidence(probing)).toEqual([['population', 2, 2]]);
    for (const key of ['lab-1', 'lab-2']) expect(found(log).list({ limit: 9, key }).items).toHaveLength(2);
  });

  it.each<[string, Partial<Parameters<TestLog['claim']>[0]>]>([
    ['another population', { key: keyOf('elsewhere') }],
    ['a test key', { key: keyOf('trial', { population: 'lab', kind: 'test' }) }],
    ['the same rough', { key: two, rough: { stone: 'A' } }],
    ['the same rough, measured again', { key: two, rough: { stone: 'A', session: 3, angle: apart(0.85) } }],
    ['another polish', { key: two, polish: { stone: 'Q' } }],
  ])('find nothing with %s', (_, other) => {
    const log = new TestLog();
    log.claim({ key: one, rough: { stone: 'A' }, polish: { stone: 'P' }, ...MATCH });
    log.claim({ key: two, rough: { stone: 'B' }, polish: { stone: 'P' }, ...MATCH, ...other });
    expect(all(log)).toEqual([]);
  });

  it.each<[string, { first?: object; second?: object }]>([
    ['its reference', { first: { reference: '7' }, second: { stone: 'Q', reference: '7' } }],
    ['a copy', { second: { session: 1, angle: apart(NEAR.copy.cosine + 0.001) } }],
    ['a re-scan', { second: { session: 1, angle: apart(NEAR.rescan.cosine + 0.005) } }],
  ])('know a polish by %s', (_, { first = {}, second = {} }) => {
    const log = new TestLog();
    log.claim({ key: one, rough: { stone: 'A' }, polish: { stone: 'P', ...first } });
    log.claim({ key: two, rough: { stone: 'B' }, polish: { stone: 'P', ...second } });
    expect(all(log).map(evidence)).toEqual([[['population', 2, 2]]]);
  });

  it('know a polish that each of them sent under another model, whatever the size of transactions', () => {
    const log = new TestLog();
    const polish = { stone: 'P', session: 1, angle: 0.5 };
    log.claim({ key: one, rough: { stone: 'A' }, polish });
    log.claim({ key: two, rough: { stone: 'B' }, polish, model: 'b'.repeat(64) });
    for (const batch of [1, 3, 1000]) {
      const findings = new Findings(viewOf(findingsProjection, log.events, batch));
      expect(findings.list({ limit: 9 }).items.map(evidence)).toEqual([[['population', 2, 2]]]);
    }
  });

  it('bear evidence by themselves and together, and only a key by itself breaks the operating rule', () => {
    const log = new TestLog();
    for (const rough of ['A', 'B']) log.claim({ key: one, rough: { stone: rough }, polish: { stone: 'P' } });
    for (const rough of ['C', 'D']) log.claim({ key: two, rough: { stone: rough }, polish: { stone: 'P' } });
    const [together] = all(log);
    expect(evidence(together)).toEqual([
      ['key', 2, 2],
      ['key', 2, 2],
      ['population', 4, 4],
    ]);
    expect(together.breach).toBeNull();
    log.claim({ key: two, rough: { stone: 'E' }, polish: { stone: 'P' } });
    expect(all(log)[0].breach).toContain('key lab-2 tried one polish against 3 roughs');
    expect(found(log).breaches()).toMatchObject([{ key: 'lab-2', population: 'lab', roughs: 3 }]);
  });

  it('leave a finding and its review the id that a key alone gave it, whichever key’s came first', () => {
    const alone = (key: KeyFacts, polish: string) => {
      const log = new TestLog();
      for (let before = 0; before < (key === one ? 0 : 2); before++)
        log.claim({ unscored: true, key, rough: { stone: 'x' }, polish: { stone: 'x' } });
      for (const rough of ['A', 'B']) log.claim({ key, rough: { stone: rough }, polish: { stone: polish } });
      return all(log)[0].id;
    };
    const log = new TestLog();
    for (const rough of ['A', 'B']) log.claim({ key: one, rough: { stone: rough }, polish: { stone: 'P' } });
    for (const rough of ['A', 'B']) log.claim({ key: two, rough: { stone: rough }, polish: { stone: 'P' } });
    const findings = found(log);
    const [first, second] = [alone(one, 'P'), alone(two, 'P')];
    expect(findings.list({ limit: 9 }).items.map(({ id }) => id)).toEqual([first]);
    expect(findings.one(second)?.id).toBe(first);
    const review = {
      finding_id: second,
      kind: 'probing',
      claims: 4,
      note: 'seen',
      outcome: null,
      operator: 'ada',
      request_id: 'r',
    };
    log.append(streams.finding(second), { type: 'FindingReviewed', version: 3, data: { ...review, at: log.now() } });
    expect(all(log)).toMatchObject([{ id: first, status: 'reviewed', review: { note: 'seen' } }]);
    // The review of one key's finding closes nothing that only both keys together hold.
    log.append(streams.finding(second), {
      type: 'FindingReviewed',
      version: 3,
      data: { ...review, claims: 2, at: log.now() },
    });
    expect(all(log)).toMatchObject([{ status: 'open' }]);
  });

  it('join what a later set shows to be one, and count it again', () => {
    const log = new TestLog();
    for (const rough of ['A', 'B'])
      log.claim({ key: one, rough: { stone: rough }, polish: { stone: 'P', reference: '1' } });
    for (const rough of ['C', 'D'])
      log.claim({ key: two, rough: { stone: rough }, polish: { stone: 'Q', reference: '2' } });
    const [later, older] = all(log);
    log.claim({ key: two, rough: { stone: 'A' }, polish: { stone: 'Q', reference: '1' } });
    const findings = found(log);
    expect(findings.list({ limit: 9 }).items).toMatchObject([{ id: older.id, roughs: 4, claims_total: 5 }]);
    expect(findings.one(later.id)?.id).toBe(older.id);
  });

  it('make the same view whatever the batches, when a view was closed in between or begun from nothing', () => {
    const log = new TestLog();
    const keys = [
      one,
      two,
      keyOf('lab-3', { population: 'lab' }),
      keyOf('lab-1t', { population: 'lab', kind: 'test' }),
    ];
    for (let i = 0; i < 90; i++) {
      const reference = i % 5 === 0 ? `ref ${i % 10}` : undefined;
      const polish = { stone: `P${i % 7}`, session: i % 4, angle: apart(i % 2 ? 0.99 : 0.9), reference };
      const rough = { stone: `R${i % 11}`, session: i % 3, angle: 0.2 };
      log.claim({ key: keys[(i * 7) % 4], rough, polish, ...(i % 3 ? {} : MATCH) });
    }
    const whole = viewOf(findingsProjection, log.events);
    const rows = dump(whole);
    expect(new Findings(whole).list({ limit: 99 }).items.some(({ keys }) => keys.length > 1)).toBe(true);
    // What was added up claim by claim is what the claims say.
    const listed = (sql: string) => whole.db.prepare(sql).raw().all();
    const passed = (rough: string) =>
      `count(DISTINCT CASE WHEN verdict = 'MATCH' THEN ${rough} END), sum(verdict = 'MATCH')`;
    const counts = (rough: string) => `count(DISTINCT ${rough}), count(*), ${passed(rough)}`;
    expect(listed('SELECT polish_id, roughs, claims, passed_roughs, passed FROM polishes ORDER BY 1')).toEqual(
      listed(`SELECT polish_id, ${counts('rough_id')} FROM claims GROUP BY 1 ORDER BY 1`),
    );
    expect(listed('SELECT * FROM polish_groups ORDER BY 1')).toEqual(
      listed(`SELECT p.group_id, ${counts('coalesce(r.group_id, rough_id)')} FROM claims JOIN groups p ON p.stone_id = polish_id
        LEFT JOIN groups r ON r.stone_id = rough_id GROUP BY 1 ORDER BY 1`),
    );
    const behind = `SELECT count(*) FROM claims c LEFT JOIN groups g ON g.stone_id = c.polish_id JOIN findings f
      ON f.polish_id = coalesce(g.group_id, c.polish_id) WHERE f.kind = 'probing'`;
    expect(listed(`${behind} AND c.probing = 0`)).toEqual([[0]]);
    expect(listed(behind)).not.toEqual([[0]]);
    for (const batch of [1, 7]) expect(dump(viewOf(findingsProjection, log.events, batch))).toEqual(rows);
    const reopened = viewOf(findingsProjection, log.events, 13, 61);
    expect(dump(reopened)).toEqual(rows);
  });

  it('are counted as anybody would, one digest a stone', () => {
    const claim = fc.tuple(fc.nat(3), fc.nat(3), fc.boolean(), fc.nat(2));
    fc.assert(
      fc.property(fc.array(claim, { maxLength: 25 }), (claims) => {
        const log = new TestLog();
        const roughs = new Map<string, Set<number>>();
        for (const [polish, rough, match, key] of claims) {
          const by = keyOf(`lab-${key}`, { population: 'lab' });
          log.claim({
            key: by,
            rough: { stone: `R${rough}` },
            polish: { stone: `P${polish}` },
            ...(match ? MATCH : {}),
          });
          for (const kind of match ? ['probing', 'multi_pass'] : ['probing']) {
            const group = `${kind} ${polish}`;
            roughs.set(group, (roughs.get(group) ?? new Set()).add(rough));
          }
        }
        const expected = [...roughs]
          .filter(([, set]) => set.size > 1)
          .map(([g, set]) => `${g.split(' ')[0]} ${set.size}`);
        expect(
          all(log)
            .map(({ kind, roughs }) => `${kind} ${roughs}`)
            .sort(),
        ).toEqual(expected.sort());
        closeViews();
      }),
      { numRuns: 30 },
    );
  });
});
