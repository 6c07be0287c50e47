import { streams } from '#domain/streams';
import { expectContract } from '../../apps/server/test/contract.js';
import { claimOf, TestService } from '../../apps/server/test/fixture.js';

let service: TestService;
let claimId = '';
beforeAll(async () => {
  service = await TestService.start();
  claimId = (await service.verify(claimOf(1))).body.claim_id;
});
afterAll(() => service.stop());

const read = (stream: string, query = '', headers: Record<string, string> = service.operator) =>
  service.call('GET', `/api/v1/streams/${encodeURIComponent(stream)}${query}`, { headers });

/** Names of all streams of the log. */
async function allStreams(): Promise<string[]> {
  const names = new Set<string>();
  for await (const { stream } of service.service.log.readAll()) names.add(stream);
  return [...names];
}

describe('GET /api/v1/streams/{stream}', () => {
  it('200: a claim, oldest event first, in pages', async () => {
    const stream = (await allStreams()).find((name) => name.startsWith('claim-'))!;
    const whole = await read(stream);
    expectContract('/api/v1/streams/{stream}', 'get', whole);
    const types = whole.body.items.map(({ type }: { type: string }) => type);
    expect(types).toEqual(['ClaimSubmitted', 'ScanSetBanked', 'ScanSetBanked', 'ClaimScored']);
    expect(whole.body.items[0]).toMatchObject({ revision: 0, data: { claim_id: claimId } });
    const first = await read(stream, '?limit=1');
    const second = await read(stream, `?limit=3&cursor=${first.body.next_cursor}`);
    expect([...first.body.items, ...second.body.items]).toEqual(whole.body.items);
    expect(second.body.next_cursor).toBeNull();
  });

  it('200: shows no hash of a credential and no vector', async () => {
    const stored: string[] = [];
    for await (const { data } of service.service.log.readAll()) stored.push(JSON.stringify(data));
    const hashes = stored.flatMap((text) => /"secret_sha256":"([0-9a-f]{64})"/.exec(text)?.[1] ?? []);
    const vectors = stored.flatMap((text) => text.match(/[A-Za-z0-9+/]{200,}={0,2}/g) ?? []);
    expect([hashes.length > 0, vectors.length > 0]).toEqual([true, true]);
    const shown: string[] = [];
    for (const stream of await allStreams()) {
      const answer = await read(stream, '?limit=1000');
      expect([stream, answer.status]).toEqual([stream, 200]);
      shown.push(JSON.stringify(answer.body));
    }
    const all = shown.join();
    for (const secret of [...hashes, ...vectors]) expect(all).not.toContain(secret);
    expect(all).toContain('"secret_sha256":"masked"');
    expect(all).toMatch(/\.\.\. \(\d+ characters\)/);
  });

  it('404, 400, 401: no such stream, a cursor of no page, no operator', async () => {
    for (const stream of [streams.claim('x', 'clm_x'), '$all', 'other-stream', 'claim-'])
      expect((await read(stream)).status).toBe(404);
    expect((await read('model', '?cursor=x')).status).toBe(400);
    expect((await read('model', '', { 'x-api-key': service.apiKey })).status).toBe(401);
  });
});
