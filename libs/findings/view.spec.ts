import fc from 'fast-check';
import { streams } from '#domain/streams';
import { closeViews, keyOf, TestLog } from '#kit/views/test/log';
import { PANEL_ROUGHS } from './finding-rows.js';
import { NEAR, SAME_ROUGH } from './nearness.js';
import type { FindingRecord } from './queries-shapes.js';
import { all, apart, found, MATCH } from './test/found.js';

afterAll(closeViews);

const shortly = ({ kind, roughs, claims }: FindingRecord) => [kind, roughs, claims.map(({ claim_id }) => claim_id)];

describe('probing', () => {
  it('is one polish against two roughs by one key', () => {
    const log = new TestLog();
    const first = log.claim({ rough: { stone: 'A' }, polish: { stone: 'P' } });
    expect(all(log)).toEqual([]);
    const second = log.claim({ rough: { stone: 'B' }, polish: { stone: 'P' } });
    expect(all(log).map(shortly)).toEqual([['probing', 2, [second, first]]]);
    expect(all(log)[0]).toMatchObject({ status: 'open', population: 'lab-a', key: { name: 'lab-a' }, breach: null });
  });

  it('is not several claims on one pair, at whatever rung, nor a repeat, nor another key’s claim', () => {
    const log = new TestLog();
    const id = log.claim({ rough: { stone: 'A' }, polish: { stone: 'P' } });
    log.claim({ rough: { stone: 'A' }, polish: { stone: 'P' }, rung: 0.95 });
    const repeat = { claim_id: id, request_id: 'again', sent: null, latency_ms: {}, at: log.now() };
    log.append(streams.claim('x', id), { type: 'ClaimRepeated', version: 2, data: repeat });
    log.claim({ key: keyOf('lab-b'), rough: { stone: 'B' }, polish: { stone: 'P' } });
    expect(all(log)).toEqual([]);
  });

  it('grows with each further rough, once, and stays one finding', () => {
    const log = new TestLog();
    for (const stone of ['A', 'B', 'C', 'B']) log.claim({ rough: { stone }, polish: { stone: 'P' }, rung: 0.98 });
    expect(all(log).map(({ kind, roughs, claims_total }) => [kind, roughs, claims_total])).toEqual([['probing', 3, 4]]);
  });

  it('knows a polish by its reference, whatever its scans', () => {
    const log = new TestLog();
    log.claim({ rough: { stone: 'A' }, polish: { stone: 'P', reference: '7.1' } });
    log.claim({ rough: { stone: 'B' }, polish: { stone: 'Q', session: 1, reference: '7.1' } });
    log.claim({ rough: { stone: 'C' }, polish: { stone: 'R', reference: '7.2' } });
    expect(all(log)).toMatchObject([{ kind: 'probing', roughs: 2, polish: { references: ['7.1'] } }]);
  });

  it('does not take a reference that all claims of a key share for a stone', () => {
    const shared = (stone: string) => ({
      rough: { stone, reference: '2026' },
      polish: { stone: `P${stone}`, reference: '2026' },
    });
    const log = new TestLog();
    for (const stone of ['A', 'B', 'C', 'D']) log.claim({ ...shared(stone), ...MATCH });
    expect(all(log)).toEqual([]);
    // A polish that is sent again is known all the same.
    log.claim({ rough: { stone: 'E', reference: '2026' }, polish: { stone: 'PA', reference: '2026' } });
    expect(all(log)).toMatchObject([{ kind: 'probing', roughs: 2 }]);
  });

  it('knows a polish by nearly identical vectors', () => {
    const near = new TestLog();
    near.claim({ rough: { stone: 'A' }, polish: { stone: 'P' } });
    near.claim({ rough: { stone: 'B' }, polish: { stone: 'P', session: 1, angle: apart(NEAR.rescan.cosine + 0.005) } });
    expect(all(near)).toMatchObject([{ kind: 'probing', roughs: 2 }]);
    const far = new TestLog();
    far.claim({ rough: { stone: 'A' }, polish: { stone: 'P' } });
    far.claim({ rough: { stone: 'B' }, polish: { stone: 'P', session: 1, angle: apart(NEAR.rescan.cosine - 0.005) } });
    expect(all(far)).toEqual([]);
  });

  it('does not believe a mere resemblance of two polishes that were both confirmed, but does believe a copy', () => {
    for (const [cosine, findings] of [
      [NEAR.rescan.cosine + 0.005, []],
      [NEAR.copy.cosine + 0.001, ['multi_pass', 'probing']],
    ] as const) {
      const log = new TestLog();
      log.claim({ rough: { stone: 'A' }, polish: { stone: 'P' }, ...MATCH });
      log.claim({ rough: { stone: 'B' }, polish: { stone: 'P', session: 1, angle: apart(cosine) }, ...MATCH });
      expect(all(log).map(({ kind }) => kind)).toEqual(findings);
    }
  });

  it('does not believe it of two polishes that are each plausibly of their own rough, though not confirmed', () => {
    const of = (first: number, second: number) => {
      const log = new TestLog();
      const near = { stone: 'P', session: 1, angle: apart(NEAR.rescan.cosine + 0.005) };
      log.claim({ rough: { stone: 'A' }, polish: { stone: 'P' }, result: { p_match_5050: first } });
      log.claim({ rough: { stone: 'B' }, polish: near, result: { p_match_5050: second } });
      return all(log).length;
    };
    const [plausible, implausible] = [NEAR.plausible, NEAR.plausible - 0.001];
    expect([of(plausible, plausible), of(plausible, implausible), of(implausible, plausible)]).toEqual([0, 1, 1]);
  });

  it('does not take a re-scan of the rough for a second rough, nor one reference for one rough', () => {
    const rescan = new TestLog();
    rescan.claim({ rough: { stone: 'A', reference: '7' }, polish: { stone: 'P' } });
    rescan.claim({
      rough: { stone: 'A', session: 1, angle: apart(SAME_ROUGH.withReference + 0.02), reference: '7' },
      polish: { stone: 'P' },
    });
    rescan.claim({ rough: { stone: 'A', session: 2, angle: apart(SAME_ROUGH.cosine + 0.02) }, polish: { stone: 'P' } });
    expect(all(rescan)).toEqual([]);
    const panel = new TestLog();
    for (const stone of ['A', 'B', 'C']) panel.claim({ rough: { stone, reference: '7' }, polish: { stone: 'P' } });
    expect(all(panel)).toMatchObject([{ kind: 'probing', roughs: 3 }]);
  });

  it('joins two polishes that turn out to be one, under the older finding', () => {
    const log = new TestLog();
    for (const rough of ['A', 'B']) log.claim({ rough: { stone: rough }, polish: { stone: 'P', reference: '1' } });
    for (const rough of ['C', 'D']) log.claim({ rough: { stone: rough }, polish: { stone: 'Q', reference: '2' } });
    const [other, first] = all(log);
    log.claim({ rough: { stone: 'A' }, polish: { stone: 'Q', reference: '1' } });
    const findings = found(log);
    expect(findings.list({ limit: 10 }).items).toMatchObject([{ id: first.id, roughs: 4, claims_total: 5 }]);
    expect(findings.one(other.id)?.id).toBe(first.id);
  });
});

describe('the rule of a finding', () => {
  it.each<[string, object, object, object]>([
    ['same scans', {}, {}, { rule: 'same_scans', cosine: null }],
    ['same reference', { reference: '7' }, { stone: 'Q', reference: '7' }, { rule: 'same_reference', cosine: null }],
    ['likeness', {}, { session: 1, angle: apart(0.9985) }, { rule: 'likeness', cosine: expect.closeTo(0.9985, 2) }],
  ])('is %s', (_, first, second, rule) => {
    const log = new TestLog();
    log.claim({ rough: { stone: 'A' }, polish: { stone: 'P', ...first } });
    log.claim({ rough: { stone: 'B' }, polish: { stone: 'P', ...second } });
    expect(all(log)).toMatchObject([rule]);
  });

  it('is the surest one that two roughs have, though more came by likeness', () => {
    const log = new TestLog();
    log.claim({ rough: { stone: 'A' }, polish: { stone: 'P' } });
    log.claim({ rough: { stone: 'B' }, polish: { stone: 'P', session: 1, angle: apart(0.9985) } });
    expect(all(log)).toMatchObject([{ rule: 'likeness' }]);
    log.claim({ rough: { stone: 'C' }, polish: { stone: 'P' } });
    expect(all(log)).toMatchObject([{ rule: 'same_scans', cosine: null }]);
  });

  it('is of confirmed claims alone where these make the finding', () => {
    const log = new TestLog();
    log.claim({ rough: { stone: 'A' }, polish: { stone: 'P', reference: '7' }, ...MATCH });
    log.claim({ rough: { stone: 'B' }, polish: { stone: 'P' } });
    log.claim({ rough: { stone: 'C' }, polish: { stone: 'Q', reference: '7' }, ...MATCH });
    expect(all(log)).toMatchObject([
      { kind: 'multi_pass', rule: 'same_reference' },
      { kind: 'probing', rule: 'same_scans' },
    ]);
  });
});

describe('multi_pass', () => {
  it('is more than one confirmed rough for a polish, counted apart from probing', () => {
    const log = new TestLog();
    const a = log.claim({ rough: { stone: 'A' }, polish: { stone: 'P' }, ...MATCH });
    log.claim({ rough: { stone: 'B' }, polish: { stone: 'P' } });
    expect(all(log).map(({ kind }) => kind)).toEqual(['probing']);
    log.claim({ rough: { stone: 'A' }, polish: { stone: 'P' }, ...MATCH, rung: 0.95 });
    expect(all(log).map(({ kind }) => kind)).toEqual(['probing']);
    const c = log.claim({ rough: { stone: 'C' }, polish: { stone: 'P' }, ...MATCH });
    const [multi] = all(log);
    expect(multi).toMatchObject({ kind: 'multi_pass', roughs: 2, claims_total: 3, breach: null });
    expect(multi.claims.map(({ claim_id }) => claim_id)).toEqual([c, expect.any(String), a]);
  });
});

describe('stones that all look alike', () => {
  const stones = 9;
  /** Each of the polishes claimed against each of the roughs; all confirmed. */
  const everyPair = (references: boolean, keys = [keyOf('lab-a')]) => {
    const log = new TestLog();
    const set = (kind: string, i: number, session: number) => ({
      ...{ stone: kind, session: 100 * i + session, angle: apart(0.999) },
      ...(references && { reference: `${kind}${i}` }),
    });
    for (let p = 0; p < stones; p++) {
      for (let r = 0; r < stones; r++) {
        const key = keys[(p + r) % keys.length];
        log.claim({ key, rough: set('R', r, p), polish: set('P', p, r), ...MATCH });
      }
    }
    return all(log).map(({ kind, roughs, claims_total }) => `${kind} ${roughs} of ${claims_total}`);
  };

  it('are as many as their references say', () => {
    const expected = (kind: string) => Array(stones).fill(`${kind} ${stones} of ${stones}`);
    expect(everyPair(true).sort()).toEqual([...expected('multi_pass'), ...expected('probing')]);
    const population = [keyOf('lab-1', { population: 'lab' }), keyOf('lab-2', { population: 'lab' })];
    expect(everyPair(true, population).sort()).toEqual([...expected('multi_pass'), ...expected('probing')]);
  });

  it('are one where none has a reference', () => {
    expect(everyPair(false)).toEqual([]);
  });

  it('are not joined by a set without a reference', () => {
    const log = new TestLog();
    const near = (session: number, reference?: string) => ({
      ...{ stone: 'R', session, angle: apart(0.9995) },
      ...(reference && { reference }),
    });
    const polish = { stone: 'P', reference: '7' };
    for (const rough of [near(1, 'A'), near(2, 'B'), near(3)]) log.claim({ rough, polish, ...MATCH });
    expect(all(log).map(({ kind, roughs, claims_total }) => [kind, roughs, claims_total])).toEqual([
      ['multi_pass', 2, 3],
      ['probing', 2, 3],
    ]);
  });
});

describe('replays', () => {
  it('make no findings', () => {
    const log = new TestLog();
    log.claim({ rough: { stone: 'A' }, polish: { stone: 'P' } });
    const source = new TestLog();
    source.claim({ rough: { stone: 'B' }, polish: { stone: 'P' }, ...MATCH });
    for (const { type, version, data } of source.events) {
      const { population, model, digest } = data as Record<string, string>;
      const stream = streams.bank(population, model, digest);
      if (type === 'ScanSetBanked') log.append(stream, { type, version, data: { ...data, by: 'replay' } });
    }
    log.append('telemetry-x', { type: 'ClaimReplayed', version: 2, data: { tag: 'verify_match_replay' } });
    expect(all(log)).toEqual([]);
  });
});

describe('a panel of roughs', () => {
  const panel = (kind: 'production' | 'test') => {
    const log = new TestLog();
    const key = keyOf(`${kind} key`, { kind, population: 'lab-a' });
    for (let i = 0; i < PANEL_ROUGHS; i++) log.claim({ key, rough: { stone: `R${i}` }, polish: { stone: 'P' } });
    return log;
  };

  it('on a production key is a breach with its name', () => {
    const [finding] = all(panel('production'));
    expect(finding.breach).toContain('production key');
    expect(found(panel('production')).counts('2026', '2027')).toEqual([
      {
        kind: 'probing',
        key_kind: 'production',
        population: 'lab-a',
        key: 'production key',
        key_prefix: expect.any(String),
        findings: 1,
        open: 1,
        breaches: 1,
      },
    ]);
  });

  it('on a test key is counted apart and is none', () => {
    const findings = found(panel('test'));
    expect(findings.list({ limit: 10 }).items).toMatchObject([{ breach: null, key: { kind: 'test' } }]);
    expect(findings.list({ limit: 10, key_kind: 'production' }).items).toEqual([]);
    expect(findings.list({ limit: 10, breach: true }).items).toEqual([]);
    expect(findings.counts('2026', '2027')).toMatchObject([{ key_kind: 'test', findings: 1, breaches: 0 }]);
  });
});

describe('a review', () => {
  const review = (log: TestLog, { id, kind, claims_total }: FindingRecord) => {
    const data = {
      finding_id: id,
      kind,
      claims: claims_total,
      note: 'mixed up',
      outcome: 'confirmed',
      operator: 'ada',
      request_id: 'r',
      at: log.now(),
    };
    log.append(streams.finding(id), { type: 'FindingReviewed', version: 3, data });
  };

  it('closes a finding until more comes to it', () => {
    const log = new TestLog();
    for (const stone of ['A', 'B']) log.claim({ rough: { stone }, polish: { stone: 'P' } });
    review(log, all(log)[0]);
    expect(all(log)).toMatchObject([{ status: 'reviewed', review: { note: 'mixed up', operator: 'ada' } }]);
    expect(found(log).list({ limit: 1, status: 'open' }).items).toEqual([]);
    log.claim({ rough: { stone: 'C' }, polish: { stone: 'P' } });
    expect(all(log)).toMatchObject([{ status: 'open', review: { note: 'mixed up' } }]);
  });
});

describe('the view', () => {
  it('pages without gaps or doubles and filters', () => {
    const log = new TestLog();
    for (let p = 0; p < 7; p++) {
      for (const r of ['A', 'B'])
        log.claim({ rough: { stone: r }, polish: { stone: `P${p}`, reference: `${p}` }, ...MATCH });
    }
    const findings = found(log);
    const ids: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = findings.list({ limit: 3, cursor });
      ids.push(...page.items.map(({ id }) => id));
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(new Set(ids).size).toBe(14);
    expect(findings.list({ limit: 20, kind: 'probing' }).items).toHaveLength(7);
    expect(findings.list({ limit: 20, reference: '3' }).items).toHaveLength(2);
    expect(findings.list({ limit: 20, key: 'nobody' }).items).toEqual([]);
  });

  it('counts as anybody would, one digest a stone', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(4), fc.boolean(), fc.nat(1)), { maxLength: 25 }), (claims) => {
        const log = new TestLog();
        const roughs = new Map<string, Set<number>>();
        for (const [polish, rough, match, key] of claims) {
          const name = `lab-${key}`;
          log.claim({
            key: keyOf(name),
            rough: { stone: `R${rough}` },
            polish: { stone: `P${polish}` },
            ...(match ? MATCH : {}),
          });
          for (const kind of match ? ['probing', 'multi_pass'] : ['probing']) {
            const group = `${kind} ${name} ${polish}`;
            roughs.set(group, (roughs.get(group) ?? new Set()).add(rough));
          }
        }
        const expected = [...roughs]
          .filter(([, set]) => set.size > 1)
          .map(([group, set]) => `${group.split(' ', 2).join(' ')} ${set.size}`);
        expect(
          all(log)
            .map(({ kind, key, roughs }) => `${kind} ${key.name} ${roughs}`)
            .sort(),
        ).toEqual(expected.sort());
        closeViews();
      }),
      { numRuns: 30 },
    );
  });
});
