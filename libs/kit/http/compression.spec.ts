/** Listings over HTTP, compressed where asked for. */
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { claimOf, TestService } from '../../../apps/server/test/fixture.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
  for (const stone of [1, 2, 3, 4]) await service.verify(claimOf(stone));
});
afterAll(() => service.stop());

/** The bytes as they were sent: fetch would undo the coding. */
const sent = (path: string, accepted?: string, method = 'GET') =>
  new Promise<{ coding?: string; vary?: string; length?: string; bytes: Buffer }>((resolve, reject) => {
    const headers = { ...service.operator, ...(accepted !== undefined && { 'accept-encoding': accepted }) };
    request(service.address + path, { method, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part) => parts.push(part)).on('error', reject);
      answer.on('end', () => {
        const { vary, 'content-encoding': coding, 'content-length': length } = answer.headers;
        resolve({ coding, vary, length, bytes: Buffer.concat(parts) });
      });
    })
      .on('error', reject)
      .end();
  });

const DECODED = { br: brotliDecompressSync, gzip: gunzipSync };

it.each(['/api/v1/claims', '/api/v1/claims/rows?limit=100', '/api/telemetry/events'])(
  '%s comes as br or gzip where asked for, and holds the same',
  async (path) => {
    const plain = await sent(path);
    expect([plain.coding, plain.length]).toEqual([undefined, String(plain.bytes.length)]);
    for (const [accepted, coding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, *', 'gzip'],
    ] as const) {
      const coded = await sent(path, accepted);
      expect([coded.coding, coded.length]).toEqual([coding, String(coded.bytes.length)]);
      expect(coded.vary?.split(', ')).toEqual(plain.vary?.split(', '));
      expect(coded.vary?.split(', ')).toContain('accept-encoding');
      expect(DECODED[coding](coded.bytes)).toEqual(plain.bytes);
      expect(coded.bytes.length).toBeLessThan(plain.bytes.length / 2);
    }
  },
);

it('leaves alone what is short, refused codings, and what a caller did not ask for', async () => {
  for (const accepted of ['identity', 'gzip;q=0, br;q=0', 'deflate', ''])
    expect((await sent('/api/v1/claims', accepted)).coding).toBeUndefined();
  expect((await sent('/health/live', 'br, gzip')).coding).toBeUndefined();
});

it('leaves the stream of claims alone: nothing of it would come before it ends', async () => {
  const leaving = new AbortController();
  const answer = await fetch(`${service.address}/api/v1/claims/stream`, {
    headers: { ...service.operator, 'accept-encoding': 'br, gzip' },
    signal: leaving.signal,
  });
  expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, null]);
  leaving.abort();
});
