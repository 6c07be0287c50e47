import { expectContract } from '../../apps/server/test/contract.js';
import { TestService } from '../../apps/server/test/fixture.js';
import { lotEvents, plainLot, type SentLot, sentLot, stonesOf, Trader } from '../../apps/server/test/lots.js';
import { zipOf } from '../../apps/server/test/zip.js';
import { lotFiles } from '../../lab/lots/lot-files.js';

const LOTS = '/api/lotscan/lots';
let service: TestService;
let trader: Trader;
let other: Trader;
let lot: SentLot;
/** Enrolled before every test. */
let lotId: string;
beforeAll(async () => {
  lot = await plainLot();
  service = await TestService.start();
  trader = await Trader.in(service, 'trader');
  other = await Trader.in(service, 'another trader');
  const enrolled = await trader.enrol(lot.enrol, { name: ' spring ', session_type: 'shaken' });
  expectContract(LOTS, 'post', enrolled);
  expect([enrolled.status, enrolled.body.name, enrolled.body.stones.length]).toEqual([201, 'spring', 20]);
  lotId = enrolled.body.lot_id;
});
afterAll(() => service.stop());

describe('a trader’s lot', () => {
  it('returns with four stones exchanged: the four are not confirmed, the sixteen are named', async () => {
    const back = [...lot.back].reverse();
    const checked = await trader.check(lotId, back, { session_type: 'shaken' });
    expectContract(`${LOTS}/{lot_id}/check`, 'post', checked);
    const { stones, members, counts } = checked.body;
    const answered = stones.map(({ stone, member }: { stone: string; member: string | null }) => [
      stone,
      member ?? 'substitute',
    ]);
    expect(Object.fromEntries(answered)).toEqual(lot.truth);
    expect(counts).toEqual({ returned: 20, confirmed: 16, not_confirmed: 4, members_unaccounted: 4 });
    for (const { confirmed, member, score, bar, margin } of stones) {
      expect([confirmed, margin > 0 || !confirmed]).toEqual([member !== null, true]);
      expect(margin).toBeCloseTo(score - bar, 9);
    }
    for (const { stone, accounted, by } of members)
      expect([stone, accounted ? lot.truth[by] : null]).toEqual([stone, accounted ? stone : null]);
  });

  it('may be zipped, may declare nothing, and may hold fewer stones than there are members, or more', async () => {
    const few = stonesOf(lot.back, 3);
    const [one, ...files] = few;
    const zip = await zipOf([
      { name: '__MACOSX/._x', data: 'x' },
      ...files.map((file) => ({ ...file, name: `lot/${file.name}` })),
    ]);
    const zipped = await trader.check(lotId, [one, { name: 'lot.zip', data: zip }]);
    expect([zipped.status, zipped.body.session_type_source]).toEqual([200, 'estimated']);
    expect(zipped.body.warnings.join()).toContain('Session type estimated');
    expect(zipped.body.counts.returned).toBe(3);
    const more = await trader.check(lotId, [...lot.back, ...stonesOf(sentLot(1).back, 20, 'X')], {
      session_type: 'shaken',
    });
    expect(more.body.counts).toMatchObject({ returned: 40, confirmed: expect.any(Number) });
    expect(more.body.counts.confirmed).toBeLessThanOrEqual(20);
    expect(more.body.warnings.join()).toContain('More stones than members: 20');
  });

  it('is rehearsed: the same seed, the same answer; with own lots it says by how much the cohort flatters', async () => {
    const first = await trader.rehearse(lotId, { seed: 7, draws: 50 });
    expectContract(`${LOTS}/{lot_id}/rehearse`, 'post', first);
    expect(first.body.fit.usual).toBe(true);
    expect((await trader.rehearse(lotId, { substitution: 0 })).body).toMatchObject({
      vacated: 0,
      offered: 0,
      caught: null,
    });
    expect(first.body).toMatchObject({
      substitution: 0.2,
      vacated: 4,
      offered: 200,
      source: 'cohort',
    });
    const { measured } = (await trader.get('/bounds')).body;
    const flattery = measured?.rehearsal.find(
      ({ session_type, lot_size }: Record<string, unknown>) => session_type === 'shaken' && lot_size === 20,
    );
    expect(first.body.cohort_flatters_by).toBe(flattery?.flatters_by.share ?? null);
    const lowest = Math.min(...first.body.tried.map(({ caught }: { caught: { share: number } }) => caught.share));
    const { count, share, interval } = first.body.caught;
    expect(share).toBe(lowest);
    expect([share, interval[0] <= share, share <= interval[1]]).toEqual([count / 200, true, true]);
    expect((await trader.rehearse(lotId, { draws: 50, seed: 7, source: 'cohort' })).body).toEqual(first.body);
    const another = await trader.enrol(stonesOf(sentLot(2).enrol, 10), { name: 'like goods', session_type: 'shaken' });
    const own = await trader.rehearse(lotId, { seed: 7, draws: 50, source: [another.body.lot_id] });
    expectContract(`${LOTS}/{lot_id}/rehearse`, 'post', own);
    const [cohort, lots] = [first, own].map(({ body }) => body.tried[0].caught.share);
    expect(own.body.cohort_flatters_by).toBeCloseTo(cohort - lots, 9);
    expect((await service.call('POST', `${LOTS}/${lotId}/rehearse`, { headers: trader.headers })).body).toMatchObject({
      draws: 200,
      seed: 1,
    });
  });

  it('is listed with its checks, newest first; bounds come with what was measured apart', async () => {
    const list = await trader.get('/lots?limit=1');
    expectContract(LOTS, 'get', list);
    const rest = await trader.get(`/lots?limit=100&cursor=${list.body.next_cursor ?? ''}`);
    expect([...list.body.items, ...rest.body.items].map(({ name }) => name)).toEqual(['like goods', 'spring']);
    const shown = await trader.get(`/lots/${lotId}`);
    expectContract(`${LOTS}/{lot_id}`, 'get', shown);
    expect(shown.body.checks).toHaveLength(shown.body.check_count);
    expect(shown.body.checks.at(-1)).toMatchObject({ counts: { confirmed: 16 }, not_confirmed: { length: 4 } });
    const summary = await service.call('GET', '/api/telemetry/summary', { headers: service.operator });
    expectContract('/api/telemetry/summary', 'get', summary);
    const types = (await lotEvents(service)).map(({ type }) => type);
    expect(summary.body.lots).toMatchObject({
      workspaces: { created: 2, revoked: 0 },
      enrolled: 2,
      checked: types.filter((type) => type === 'LotChecked').length,
      rehearsed: types.filter((type) => type === 'LotRehearsed').length,
      stones: { enrolled: 30 },
    });
    const bounds = await trader.get('/bounds');
    expectContract('/api/lotscan/bounds', 'get', bounds);
    expect(bounds.body).toMatchObject({ version: '2026-09-10', stamped: '2026-09-10' });
    expect(bounds.body.specified.not_covered).toHaveLength(4);
    expect(bounds.body.measured === null || bounds.body.measured.simulated === true).toBe(true);
    const used = (await service.call('GET', '/api/lotscan/workspaces', { headers: service.operator })).body.items;
    expect(used.map(({ last_used_at }: { last_used_at: string | null }) => last_used_at !== null)).toEqual([
      true,
      false,
    ]);
  });
});

describe('a lot of stones that nothing was fitted on', () => {
  it('says by itself that it cannot be relied on: enrolled, checked, rehearsed', async () => {
    const order = { family: 'second' as const, seed: 9, parcel: 0, session: 'shaken' as const, scans: 3, twins: false };
    const { files } = lotFiles({ ...order, stones: 20, substitution: 0.2 });
    const under = (folder: string) =>
      files
        .filter(({ name }) => name.startsWith(folder))
        .map(({ name, data }) => ({ name, data: Uint8Array.from(data) }));
    const enrolled = await trader.enrol(under('enrol/'), { name: 'elsewhere', session_type: 'shaken' });
    expect(enrolled.body).toMatchObject({ fit: { usual: false, says: expect.stringContaining('Do not rely') } });
    const { lot_id } = enrolled.body;
    const { body } = await trader.check(lot_id, under('return/'), { session_type: 'shaken' });
    expect(body).toMatchObject({ fit: { usual: false }, false_accept: { measured: null } });
    expect(body.verdict).toMatch(/^Not to be relied on/);
    expect(body.warnings[0]).toBe(body.fit.says);
    expect(body.false_accept.own.share).toBeGreaterThan(0.3);
    const rehearsed = (await trader.rehearse(lot_id, { draws: 50 })).body;
    expect(rehearsed).toMatchObject({ caught: null, fit: { usual: false } });
    expect(rehearsed.notes[0]).toBe(rehearsed.fit.says);
  });
});

describe('a check that was made', () => {
  it('is listed and read again as it was answered, as a tray and as a page to be printed', async () => {
    const printed = (await trader.enrol(lot.enrol, { name: 'printed', session_type: 'shaken' })).body.lot_id;
    await trader.check(printed, lot.back, { session_type: 'table-up' });
    const sent = { session_type: 'shaken', operator: 'A. <Meier>', instrument: 'm2' };
    const { body } = await trader.check(printed, lot.back, sent);
    const names = body.stones.map(({ stone }: { stone: string }) => stone);
    expect(names).toEqual(expect.arrayContaining(body.own_bar.confirmed));
    expect(Number.isFinite(body.own_bar.bar)).toBe(true);
    const checks = `/lots/${printed}/checks`;
    const listed = await trader.get(`${checks}?limit=1`);
    expectContract(`${LOTS}/{lot_id}/checks`, 'get', listed);
    expect(listed.body.next_cursor).not.toBeNull();
    const all = (await trader.get(checks)).body.items;
    expect(all).toEqual((await trader.get(`/lots/${printed}`)).body.checks);
    expect(all.find(({ check_id }: { check_id: string }) => check_id === body.check_id)).toMatchObject({
      verdict: body.verdict,
      usual: true,
    });
    const again = await trader.get(`${checks}/${body.check_id}`);
    expectContract(`${LOTS}/{lot_id}/checks/{check_id}`, 'get', again);
    expect(again.body).toEqual(body);
    const textOf = async (what: string) => {
      const url = `${service.address}/api/lotscan${checks}/${body.check_id}/${what}`;
      const answer = await fetch(url, { headers: trader.headers });
      const of = (name: string) => answer.headers.get(name);
      return {
        status: answer.status,
        type: of('content-type'),
        as: of('content-disposition'),
        text: await answer.text(),
      };
    };
    const tray = await textOf('tray.svg');
    expect(tray).toMatchObject({ status: 200, type: 'image/svg+xml; charset=utf-8' });
    expect(tray.as).toBe(`inline; filename="${body.check_id}.svg"`);
    for (const part of ['width="297mm"', 'printed, ', body.verdict, '16 of 20 confirmed'])
      expect(tray.text).toContain(part);
    const report = await textOf('report');
    expect(report).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
    expect(report.as).toBe(`inline; filename="${body.check_id}.html"`);
    for (const part of [
      'printed',
      body.verdict,
      'A. &#60;Meier&#62;',
      body.model,
      body.check_id,
      '<svg',
      'mounted in jewellery',
    ])
      expect(report.text).toContain(part);
    expect(report.text).not.toMatch(/<script|<Meier/);
    for (const path of [checks, `${checks}/${body.check_id}`, `${checks}/${body.check_id}/report`])
      expect((await other.get(path)).status).toBe(404);
    expect((await trader.get(`${checks}/chk_${'0'.repeat(32)}`)).status).toBe(404);
  });
});

describe('a lot that changes', () => {
  const patch = (lotId: string, wish: object) => service.json('PATCH', `${LOTS}/${lotId}`, wish, trader.headers);

  it('is renamed, corrected and retired; its history stays, and its names are its own', async () => {
    const files = stonesOf(sentLot(5).enrol, 10);
    const { body } = await trader.enrol(files, { name: 'to change', session_type: 'table-up' });
    const changed = await patch(body.lot_id, { name: ' changed ', session_type: 'shaken' });
    expectContract(`${LOTS}/{lot_id}`, 'patch', changed);
    expect(changed).toMatchObject({ status: 200, body: { name: 'changed', session_type: 'shaken', status: 'active' } });
    expect((await patch(body.lot_id, { name: 'changed' })).body).toEqual(changed.body);
    const byId = ({ lot_id }: { lot_id: string }) => lot_id === body.lot_id;
    expect((await trader.get('/lots')).body.items.find(byId)).toMatchObject({
      name: 'changed',
      session_type: 'shaken',
    });
    expect((await patch(lotId, { name: 'changed' })).status).toBe(409);
    expect((await patch(lotId, { name: 'to change' })).status).toBe(409);
    expect((await trader.enrol(files, { name: 'changed' })).status).toBe(409);
    const retire = () => service.call('DELETE', `${LOTS}/${body.lot_id}`, { headers: trader.headers });
    const retired = await retire();
    expectContract(`${LOTS}/{lot_id}`, 'delete', retired);
    expect(retired.body.changes.map(({ what, to }: Record<string, string>) => [what, to])).toEqual([
      ['session_type_corrected', 'shaken'],
      ['renamed', 'changed'],
      ['retired', null],
    ]);
    expect((await retire()).body).toEqual(retired.body);
    expect((await trader.get(`/lots/${body.lot_id}`)).body).toMatchObject({ status: 'retired', to_do: null });
    expect((await trader.get('/lots')).body.items.find(byId).status).toBe('retired');
    expect((await trader.check(body.lot_id, stonesOf(lot.back, 1))).status).toBe(409);
    expect((await trader.rehearse(body.lot_id, {})).status).toBe(409);
    expect((await patch(body.lot_id, { name: 'once more' })).status).toBe(409);
    for (const [wish, status] of [
      [{ session_type: 'thrown' }, 422],
      [{ name: '' }, 422],
      [{ colour: 'red' }, 422],
    ] as const)
      expect((await patch(lotId, wish)).status).toBe(status);
    const away = `${LOTS}/lot_${'0'.repeat(32)}`;
    expect((await service.json('PATCH', away, { name: 'x' }, trader.headers)).status).toBe(404);
    expect((await service.call('DELETE', away, { headers: other.headers })).status).toBe(404);
  });
});

describe('sent again', () => {
  it('200: the same files, in any order, are the same lot and the same check; nothing is stored twice', async () => {
    const enrolled = await trader.enrol([...lot.enrol].reverse(), { name: 'spring', session_type: 'table-up' });
    expect([enrolled.status, enrolled.body.lot_id, enrolled.body.session_type]).toEqual([200, lotId, 'shaken']);
    expect(enrolled.body.warnings.join()).toContain('declared table-up now');
    const before = await lotEvents(service);
    const first = await trader.check(lotId, lot.back, { session_type: 'shaken' });
    const again = await trader.check(lotId, lot.back, { session_type: 'shaken' });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await trader.check(lotId, lot.back, { session_type: 'table-up' })).body.check_id).not.toBe(
      first.body.check_id,
    );
    expect(await lotEvents(service)).toHaveLength(before.length + 1);
  });

  it('at the same instant, one lot is enrolled and both get it', async () => {
    const files = stonesOf(lot.enrol, 10);
    const answers = await Promise.all(Array.from({ length: 5 }, () => other.enrol(files, { name: 'raced' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
    for (const { body } of answers) expect(body).toEqual(answers[0].body);
    expect((await lotEvents(service)).filter(({ data }) => 'name' in data && data.name === 'raced')).toHaveLength(1);
  });

  it('409: other files under a name that is taken; another workspace may have the name', async () => {
    const files = stonesOf(lot.enrol, 11);
    expect((await trader.enrol(files, { name: 'spring' })).status).toBe(409);
    const theirs = await other.enrol(files, { name: 'spring' });
    expect([theirs.status, theirs.body.lot_id === lotId]).toEqual([201, false]);
  });
});
