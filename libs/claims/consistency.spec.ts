import { request as httpRequest } from 'node:http';
import { streamPrefixes, streams } from '#domain/streams';
import { credentialId } from '#keys/decide';
import type { RecordedEvent } from '#kit/log/port';
import { sha256 } from '#kit/log/secrets';
import { claimOf, filesOf, formOf, TestService } from '../../apps/server/test/fixture.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

const labA = credentialId((text) => sha256(text).toString('hex'), 'lab-a');
async function events(prefix: string, of = service): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  for await (const event of of.service.store.readAll({ streamPrefixes: [prefix] })) found.push(event);
  return found;
}
const types = (found: RecordedEvent[]) => found.map(({ type }) => type);
/** A scored claim's stream begins so: the verdict and what it rests on in one append. */
const SCORED = ['ClaimSubmitted', 'ScanSetBanked', 'ScanSetBanked', 'ClaimScored'];
const stream = (claimId: string) => service.service.store.readStream(streams.claim(labA, claimId));
const ledger = (path = '', of = service) => of.call('GET', `/api/v1/claims${path}`, { headers: of.operator });
const dataOf = <T>({ data }: RecordedEvent) => data as T;

describe('a claim', () => {
  it('is stored before it is answered: submitted, both vectors, scored', async () => {
    const before = await service.service.store.head();
    const { body, headers } = await service.verify(claimOf(1), { 'x-request-id': 'order-1' });
    const stored: RecordedEvent[] = [];
    for await (const event of service.service.store.readAll({ after: before })) stored.push(event);
    expect(types(stored)).toEqual(SCORED);
    expect(new Set(stored.map((event) => event.stream))).toEqual(new Set([streams.claim(labA, body.claim_id)]));
    // Members that follow from the verdict and the submission are not stored beside them.
    const { action, action_reasons, shared_scans, warning_kinds, receipt, stone_ids, ...result } = body;
    expect(dataOf<{ result: unknown }>(stored[3]).result).toEqual(result);
    expect({ action, shared_scans }).toEqual({ action: 'accept', shared_scans: 0 });
    expect(Buffer.from(receipt.split('.')[1], 'base64url').toString()).toContain(body.claim_id);
    const { rough, polish } = dataOf<Record<'rough' | 'polish', { references: string[] }>>(stored[0]);
    expect(stone_ids).toEqual({ rough: rough.references, polish: polish.references });
    expect([stored[3].data.action_reasons, action_reasons]).toEqual([[], []]);
    expect(warning_kinds).toHaveLength(body.warnings.length);
    expect(stored[3].data).toMatchObject({ claim_id: body.claim_id, request_id: 'order-1', engine: 'simd' });
    expect(stored[3].metadata).toMatchObject({ correlationId: 'order-1' });
    for (const { data } of [stored[0], stored[1]]) expect(data.model).toMatch(/^[0-9a-f]{64}$/);
    expect(headers.get('x-request-id')).toBe('order-1');
  });

  it('sent again has the same claim_id and the stored verdict; another rung or key is another claim', async () => {
    const claim = claimOf(2);
    const first = await service.verify(claim);
    expect((await service.verify(formOf(claim))).body).toEqual(first.body);
    expect(types(await stream(first.body.claim_id))).toEqual([...SCORED, 'ClaimRepeated']);
    expect((await service.verify({ ...claim, reject_target: 0.97 })).body.claim_id).not.toBe(first.body.claim_id);
    const stranger = await service.createKey('another lab');
    expect((await service.verify(claim, { 'x-api-key': stranger })).body.claim_id).not.toBe(first.body.claim_id);
  });

  it('sent again under other references gets its own warning, and is found by both', async () => {
    const claim = claimOf(25);
    const first = await service.verify(claim);
    const form = formOf(claim);
    form.delete('rough_files');
    for (const [i, { text }] of filesOf(claim.rough).entries())
      form.append('rough_files', new Blob([text]), `${i === 0 ? '7001' : '7002'}_${i}.csv`);
    const again = await service.verify(form);
    const stones = (warnings: string[]) => warnings.filter((warning) => warning.includes('stone ids detected'));
    const kinds = [...first.body.warning_kinds, 'multiple_stone_ids'];
    const stone_ids = { ...first.body.stone_ids, rough: ['7001', '7002'] };
    expect(again.body).toEqual({ ...first.body, warnings: expect.any(Array), warning_kinds: kinds, stone_ids });
    expect(stones(first.body.warnings)).toEqual([]);
    expect(stones(again.body.warnings)).toEqual(['2 rough / 1 polish stone ids detected — pooling all scans per side']);
    const [repeated] = (await stream(first.body.claim_id)).filter(({ type }) => type === 'ClaimRepeated');
    const { stone_id } = claim.polish;
    expect(repeated.data.sent).toEqual({ transport: 'multipart', rough: ['7001', '7002'], polish: [stone_id] });
    // The first call's own references are shown to no one else.
    expect((await service.verify(claim)).body).toEqual(first.body);
    for (const reference of [claim.rough.stone_id, '7001', '7002'])
      expect((await ledger(`?reference=${reference}`)).body.items).toMatchObject([{ claim_id: first.body.claim_id }]);
  });

  it('sent many times at the same instant gets one stored verdict', async () => {
    const claim = claimOf(3);
    const answers = await Promise.all(Array.from({ length: 12 }, () => service.verify(claim)));
    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0].body]);
    const stored = types(await stream(answers[0].body.claim_id));
    expect(stored.slice(0, 4)).toEqual(SCORED);
    expect(stored.slice(4)).toEqual(Array(11).fill('ClaimRepeated'));
    expect((await ledger(`/${answers[0].body.claim_id}`)).body.repeats).toBe(11);
  });

  it('that a crash left unfinished is shown so, and finished by a retry under the same claim_id', async () => {
    const other = await TestService.start();
    try {
      const claim = claimOf(6);
      const { body } = await other.verify(claim);
      const [submitted] = await other.service.store.readStream(streams.claim(labA, body.claim_id));
      const { id, type, version, data } = submitted;
      await service.service.log.append(submitted.stream, [{ id, type, version, data }], 'no_stream');
      expect((await ledger(`/${body.claim_id}`)).body).toMatchObject({ status: 'unfinished', verdict: null });
      expect((await ledger('?status=unfinished')).body.items).toHaveLength(1);
      expect((await service.verify(claim)).body.claim_id).toBe(body.claim_id);
      expect(types(await stream(body.claim_id))).toEqual(SCORED);
      expect((await ledger('?status=unfinished')).body.items).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  it('survives a restart: the same verdict, the same ledger', async () => {
    const claim = claimOf(7);
    const first = await service.verify(claim);
    const listed = (await ledger()).body;
    await service.service.close();
    await service.open();
    expect((await service.verify(claim)).body).toEqual(first.body);
    const [again] = (await ledger(`?limit=1`)).body.items;
    expect({ ...again, repeats: 0 }).toEqual(listed.items[0]);
  });
});

describe('revocation', () => {
  it('401: reaches a request whose body is still on its way', async () => {
    const key = await service.createKey('slow line');
    const body = JSON.stringify(claimOf(8));
    const { hostname, port } = new URL(service.service.address);
    const answer = new Promise<number>((resolve, reject) => {
      const sent = httpRequest(
        {
          hostname,
          port,
          method: 'POST',
          path: '/api/v1/verify-match',
          headers: { 'x-api-key': key, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        },
        (response) => resolve(response.resume().statusCode ?? 0),
      );
      sent.on('error', reject);
      sent.write(body.slice(0, 1000));
      setTimeout(async () => {
        await service.call('DELETE', `/api/v1/keys/${key.slice(0, -44)}`, { headers: service.operator });
        sent.end(body.slice(1000));
      }, 100);
    });
    expect(await answer).toBe(401);
    expect((await ledger('?key=slow line')).body.items).toEqual([]);
  });
});

describe('a refused call', () => {
  it('leaves its telemetry: status and reason, nothing of what was sent', async () => {
    await service.verify('{"rough": 12345.678', { 'x-request-id': 'refused-1' });
    const found = (await events(streamPrefixes.telemetry)).find(({ data }) => data.request_id === 'refused-1');
    expect(found).toMatchObject({
      type: 'ClaimRefused',
      data: { status: 400, reason: 'invalid_json', transport: 'json' },
    });
    expect(JSON.stringify(found?.data)).not.toContain('12345');
  });
});

describe('a call refused for one side', () => {
  it('leaves the rung and the facts of the side that could be read', async () => {
    const claim = claimOf(20);
    claim.polish.spectra[0].fill(0.5);
    const sent = { ...claim, reject_target: 0.96 };
    expect((await service.verify(sent, { 'x-request-id': 'refused-2' })).status).toBe(400);
    const found = (await events(streamPrefixes.telemetry)).find(({ data }) => data.request_id === 'refused-2');
    expect(found?.data).toMatchObject({
      side: 'polish',
      reason: 'flat',
      reject_target: 0.96,
      rough: { digest: expect.stringMatching(/^[0-9a-f]{64}$/), scans: 3, sharpness: expect.any(Number) },
    });
    expect(found?.data.polish).toEqual({ scans: 1, references: [claim.polish.stone_id] });
  });

  it('leaves the facts of the refused side too, and of the side that nobody looked at', async () => {
    const claim = claimOf(21);
    const { wavenumbers, spectra } = claim.rough;
    const smoothed = spectra.map((values) =>
      values.map((_, i) => {
        const window = values.slice(Math.max(0, i - 6), i + 7);
        return window.reduce((sum, value) => sum + value, 0) / window.length;
      }),
    );
    const sent = { ...claim, rough: { ...claim.rough, wavenumbers, spectra: smoothed } };
    const { status } = await service.verify(sent, { 'x-request-id': 'refused-3' });
    expect(status).toBe(400);
    const found = (await events(streamPrefixes.telemetry)).find(({ data }) => data.request_id === 'refused-3');
    const measured = {
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      sharpness: expect.any(Number),
      detail_residual: expect.any(Number),
      detail_residual_measured: expect.any(Number),
    };
    expect(found?.data).toMatchObject({
      side: 'rough',
      reason: 'noise_character',
      rough: { ...measured, scans: 3, references: [claim.rough.stone_id] },
      polish: { ...measured, scans: 1, references: [claim.polish.stone_id] },
    });
    const records = await service.call('GET', '/api/telemetry/events?request_id=refused-3', {
      headers: service.operator,
    });
    expect(records.body.items[0]).toMatchObject({ rough: { scans: 3, detail_residual: expect.any(Number) } });
    const wrong = { ...claimOf(21), reject_target: 0.5 };
    await service.verify(wrong, { 'x-request-id': 'refused-4' });
    const rung = (await events(streamPrefixes.telemetry)).find(({ data }) => data.request_id === 'refused-4');
    expect(rung?.data).toMatchObject({ reason: 'reject_target', rough: { ...measured, scans: 3 }, polish: measured });
  });
});

describe('a replay', () => {
  const replayed = (claim: Parameters<TestService['verify']>[0], headers: Record<string, string>) =>
    service.verify(claim, { 'x-svc-replay': '1', ...headers });
  const token = () => ({ 'x-svc-replay-key': service.service.secrets!.replayToken });

  it('200: writes no claim history, one record a scan set, tagged telemetry; its claim_id labels as rejected', async () => {
    const claim = claimOf(9);
    const [before, banked] = [await events(streamPrefixes.claims), await events('bank-')];
    const first = await replayed(claim, token());
    const second = await replayed(claim, service.operator);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body.warnings.join()).not.toMatch(/replay/i);
    expect(await events(streamPrefixes.claims)).toHaveLength(before.length);
    expect(await events('bank-')).toHaveLength(banked.length + 2);
    const replays = (await events(streamPrefixes.telemetry)).filter(({ type }) => type === 'ClaimReplayed');
    expect(replays.map(({ data }) => [data.tag, data.authorised_by])).toEqual([
      ['verify_match_replay', 'replay-token'],
      ['verify_match_replay', 'operator'],
    ]);
    for (const { body } of [first, second]) {
      const items = [{ claim_id: body.claim_id, expected: 'match' }];
      const labelled = await service.json('POST', '/api/v1/expected', items, { 'x-api-key': service.apiKey });
      expect(labelled.body.results[0].status).toBe('rejected');
      expect((await ledger(`/${body.claim_id}`)).status).toBe(404);
    }
    const real = await service.verify(claim);
    // A replay has no receipt.
    const { claim_id, receipt, ...verdict } = real.body;
    expect({ claim_id: first.body.claim_id, ...verdict }).toEqual(first.body);
    expect(receipt).toMatch(/^eyJ/);
    expect(await events('bank-')).toHaveLength(banked.length + 2);
  });

  it.each<[string, Record<string, string>]>([
    ['no credential', {}],
    ['a wrong token', { 'x-svc-replay-key': 'guess' }],
    ['the API key as token', { 'x-svc-replay-key': 'key' }],
  ])('200: with %s the flag is ignored, and the warnings say so', async (_, headers) => {
    const sent = headers['x-svc-replay-key'] === 'key' ? { 'x-svc-replay-key': service.apiKey } : headers;
    const { status, body } = await replayed(claimOf(10), sent);
    expect(status).toBe(200);
    expect(body.warnings.filter((warning: string) => /replay flag ignored/i.test(warning))).toHaveLength(1);
    expect((await ledger(`/${body.claim_id}`)).status).toBe(200);
  });

  it('200: is asked for by `true` as by `1`, and by nothing else', async () => {
    for (const [flag, ignored] of [
      ['true', true],
      ['TRUE', true],
      ['0', false],
      ['yes', false],
    ] as const) {
      const { body } = await service.verify(claimOf(10), { 'x-svc-replay': flag });
      expect(/replay flag ignored/i.test(body.warnings.join())).toBe(ignored);
    }
  });

  it('401: needs an API key too', async () => {
    expect((await replayed(claimOf(9), { ...token(), 'x-api-key': '' })).status).toBe(401);
  });
});
