import { scrambled } from '#science/numerics/test/scrambled';
import { expectContract } from '../../apps/server/test/contract.js';
import { TestService } from '../../apps/server/test/fixture.js';
import {
  type LotFile,
  lotEvents,
  lotForm,
  plainLot,
  type SentLot,
  sentLot,
  stonesOf,
  Trader,
} from '../../apps/server/test/lots.js';

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
  lotId = (await trader.enrol(lot.enrol, { name: 'spring', session_type: 'shaken' })).body.lot_id;
});
afterAll(() => service.stop());

describe('credentials', () => {
  const routes: [string, string][] = [
    ['GET', '/api/lotscan/bounds'],
    ['GET', LOTS],
    ['POST', LOTS],
    ['GET', `${LOTS}/x`],
    ['PATCH', `${LOTS}/x`],
    ['DELETE', `${LOTS}/x`],
    ['GET', `${LOTS}/x/checks`],
    ['GET', `${LOTS}/x/checks/y`],
    ['GET', `${LOTS}/x/checks/y/tray.svg`],
    ['GET', `${LOTS}/x/checks/y/report`],
    ['POST', `${LOTS}/x/check`],
    ['POST', `${LOTS}/x/rehearse`],
  ];

  it.each(routes)('401: %s %s without a token, or with any other credential', async (method, path) => {
    const { secrets } = service.service;
    const wrong: Record<string, string>[] = [
      {},
      { 'x-svc-token': 'guess' },
      { 'x-svc-token': service.apiKey },
      { 'x-svc-token': service.operatorKey },
      { 'x-svc-token': `${trader.token.slice(0, -1)}${trader.token.endsWith('A') ? 'B' : 'A'}` },
      { 'x-api-key': service.apiKey },
      { 'x-api-key': trader.token },
      { 'x-svc-admin': service.operatorKey },
      { 'x-svc-replay-key': secrets!.replayToken },
    ];
    for (const headers of wrong) {
      const answer = await service.call(method, path, { headers });
      expect([answer.status, answer.body.detail]).toEqual([401, 'valid X-Svc-Token header required']);
      expect(answer.headers.get('www-authenticate')).toMatch('X-Svc-Token');
    }
  });

  it('a token opens nothing but the lot product', async () => {
    const served = service.service.api.routes().map((route) => route.split(' ') as [string, string]);
    const opened: string[] = [];
    for (const [method, path] of served) {
      if (path.startsWith('/api/lotscan/') && !path.includes('workspaces')) continue;
      const filled = path.replace(/:[a-z_]+/g, 'x');
      const token = await service.call(method, filled, { headers: trader.headers });
      const nothing = await service.call(method, filled);
      if (token.status !== nothing.status) opened.push(path);
    }
    expect(opened).toEqual([]);
  });

  it('404: another workspace sees and uses nothing of it', async () => {
    expect((await other.get(`/lots/${lotId}`)).status).toBe(404);
    expect((await other.check(lotId, lot.back)).status).toBe(404);
    expect((await other.rehearse(lotId, {})).status).toBe(404);
    const { body } = await other.enrol(stonesOf(sentLot(3).enrol, 10), { name: 'own' });
    expect((await other.rehearse(body.lot_id, { source: [lotId] })).status).toBe(404);
    const names = (await other.get('/lots')).body.items.map(({ name }: { name: string }) => name);
    expect(names).toContain('own');
    expect((await other.get('/lots')).body.items.map(({ lot_id }: { lot_id: string }) => lot_id)).not.toContain(lotId);
  });

  it('401: at once after revocation, also for an upload that is under way', async () => {
    const leaving = await Trader.in(service, 'leaving');
    const answer = leaving.enrol(sentLot(4, { stones: 40 }).enrol, { name: 'too late' });
    const prefix = leaving.token.slice(0, -44);
    const revoked = await service.call('DELETE', `/api/lotscan/workspaces/${prefix}`, { headers: service.operator });
    expect(revoked.status).toBe(200);
    expect((await answer).status).toBe(401);
    expect((await leaving.get('/bounds')).status).toBe(401);
    expect((await lotEvents(service)).filter(({ data }) => data.workspace.name === 'leaving')).toEqual([]);
  });
});

describe('refusals', () => {
  const text = (name: string, body: string): LotFile => ({ name, data: new TextEncoder().encode(body) });
  const ten = () => stonesOf(lot.enrol, 10);
  const but = (change: (files: LotFile[]) => LotFile[]) => change(ten());
  const spoiled = (of: (line: string, i: number) => string) =>
    but(([first, ...rest]) => {
      const lines = new TextDecoder().decode(first.data).trimEnd().split('\n');
      return [text(first.name, lines.map(of).join('\n')), ...rest];
    });

  it.each<[number, string, () => LotFile[], Record<string, string>, string?]>([
    [422, 'stone_scans', () => ten().slice(1), {}, 'the stone M01 has 2'],
    [422, 'stone_count', () => stonesOf(lot.enrol, 9), {}, 'there are 9'],
    [
      422,
      'stone_count',
      () => ['', 'A', 'B', 'C'].flatMap((more) => stonesOf(lot.enrol, 20, more)),
      {},
      'there are 80',
    ],
    [422, 'stone_name', () => but(([one, ...rest]) => [{ ...one, name: 'M01.csv' }, ...rest]), {}, 'M01.csv'],
    [422, 'stone_name', () => [...ten(), { ...ten()[0], name: 'again/M01_1.dpt' }], {}, 'two scans 1 of the stone M01'],
    [400, 'unparseable', () => but(([one, ...rest]) => [text(one.name, 'no numbers'), ...rest]), {}, 'M01_1.csv'],
    [400, 'unparseable', () => [], {}, 'field files'],
    [400, 'flat', () => spoiled((line) => line.replace(/,.*/, ',0.5')), {}, 'M01_1.csv'],
    [400, 'non_finite', () => spoiled((line, i) => (i === 300 ? line.replace(/,.*/, ',NaN') : line)), {}, 'M01_1.csv'],
    [400, 'no_threshold', ten, { threshold: '0.1' }, 'threshold'],
    [400, 'no_threshold', ten, { false_accept_rate: '0.1' }],
    [422, 'unprocessable', ten, { session_type: 'thrown' }, 'shaken, table-up, culet-focus'],
    [422, 'unprocessable', ten, { name: 'a\nb' }],
    [422, 'unprocessable', ten, { name: '' }],
  ])('%i %s', async (status, code, files, fields, words = '') => {
    const answer = await trader.enrol(files(), { name: 'refused', ...fields });
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
      status,
      code,
      expect.stringContaining(words),
    ]);
    expectContract(LOTS, 'post', answer);
    expect((await trader.get('/lots')).body.items.map(({ name }: { name: string }) => name)).not.toContain('refused');
  });

  it('413 or 400: more files or scans than 1,024; 415: no form; 422: no name', async () => {
    const [one] = ten();
    const many = Array.from({ length: 1030 }, (_, i) => ({
      ...one,
      name: `S${i % 40}_${i}.csv`,
      data: new Uint8Array(1),
    }));
    expect((await trader.enrol(many, { name: 'many' })).status).toBe(413);
    expect((await service.json('POST', LOTS, {}, trader.headers)).status).toBe(415);
    expect((await trader.enrol(ten(), {})).status).toBe(422);
    const astray = lotForm(ten().slice(3), { name: 'astray' });
    for (const { name, data } of ten().slice(0, 3)) astray.append('scans', new Blob([data]), name);
    const answer = await service.call('POST', LOTS, { headers: trader.headers, body: astray });
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining('files came in scans') } });
  });

  it('400: files of the enrolment sent back as the return, under whichever name', async () => {
    const [back, ...rest] = stonesOf(lot.back, 2);
    const copied = { name: back.name, data: lot.enrol[4].data };
    const answer = await trader.check(lotId, [copied, ...rest]);
    expectContract(`${LOTS}/{lot_id}/check`, 'post', answer);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'enrolment_files', detail: expect.stringContaining('M02') },
    });
  });

  /** Absorbances of a file changed one by one. */
  const changed = ({ name, data }: LotFile, as: string, of: (absorbance: number, i: number) => number | string) => {
    const lines = new TextDecoder().decode(data).trimEnd().split('\n');
    const change = (line: string, i: number) => line.replace(/,(.*)/, (_, y: string) => `,${of(Number(y), i)}`);
    return { ...text(as, lines.map(change).join('\n')), was: name };
  };
  const noise = scrambled(5);

  it.each<[string, (absorbance: number, i: number) => number | string]>([
    ['rounded', (y) => y.toFixed(3)],
    ['scaled', (y) => 1.01 * y],
    ['shifted', (y) => y + 0.001],
    ['given some noise', (y) => y + 1.7e-4 * noise()],
  ])('400: scans of the enrolment %s and sent back; nothing is stored', async (_, of) => {
    const [first, ...rest] = stonesOf(lot.back, 3);
    const copies = stonesOf(lot.enrol, 1).map((file, i) => changed(file, `Z_${i + 1}.csv`, of));
    const before = await lotEvents(service);
    const answer = await trader.check(lotId, [...copies, first, ...rest], { session_type: 'shaken' });
    expectContract(`${LOTS}/{lot_id}/check`, 'post', answer);
    expect(answer).toMatchObject({ status: 400, body: { code: 'copied_scans' } });
    expect(answer.body.detail).toMatch(/Z_1[.]csv, Z_2[.]csv, Z_3[.]csv .* of M01 /);
    expect(await lotEvents(service)).toHaveLength(before.length);
  });

  it('422: three copies of one scan are one scan', async () => {
    const [one, ...rest] = ten();
    const copies = rest.map((file, i) => (i < 2 ? { ...file, data: one.data } : file));
    const answer = await trader.enrol([one, ...copies], { name: 'copies' });
    expect(answer).toMatchObject({ status: 422, body: { code: 'stone_scans' } });
    expect(answer.body.detail).toContain('M01 has 1 different scan');
  });

  it('400, 404, 422: of a check', async () => {
    const few = stonesOf(lot.back, 1);
    const statusOf = async (answer: ReturnType<Trader['check']>) => (await answer).status;
    expect(await statusOf(trader.check('lot_nowhere', few))).toBe(404);
    expect(await statusOf(trader.check(`lot_${'0'.repeat(32)}`, few))).toBe(404);
    expect(await statusOf(trader.check(lotId, few, { threshold: '1' }))).toBe(400);
    expect(await statusOf(trader.check(lotId, few, { name: 'spring' }))).toBe(400);
    expect((await trader.check(lotId, few.slice(1))).body).toMatchObject({ code: 'stone_scans' });
    const query = await service.call('POST', `${LOTS}/${lotId}/check?threshold=0.1`, { headers: trader.headers });
    expect([query.status, query.body.code]).toEqual([400, 'no_threshold']);
  });

  it.each<[number, unknown]>([
    [422, { substitution: 0.41 }],
    [422, { substitution: '0.2' }],
    [422, { draws: 2001 }],
    [422, { draws: 0 }],
    [422, { seed: -1 }],
    [422, { seed: 0.5 }],
    [422, { source: 'own' }],
    [422, { source: [] }],
    [422, { source: ['x'] }],
    [422, { colour: 'red' }],
    [404, { source: [`lot_${'0'.repeat(32)}`] }],
    [400, { threshold: 0.2 }],
    [400, '{'],
  ])('%i: a rehearsal of %j', async (status, wish) => {
    const answer = await trader.rehearse(lotId, wish);
    expect(answer.status).toBe(status);
    expectContract(`${LOTS}/{lot_id}/rehearse`, 'post', answer);
  });

  it('422: says of a number that came as text that it is none', async () => {
    const { body } = await trader.rehearse(lotId, { substitution: '0.2' });
    expect(body.detail).toMatch(/substitution must be a number/);
  });

  it('422: a rehearsal on the lot itself', async () => {
    expect((await trader.rehearse(lotId, { source: [lotId] })).status).toBe(422);
  });
});
