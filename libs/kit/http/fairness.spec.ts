/** One key's flood and another key's claims. */
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { claimOf, TestService } from '../../../apps/server/test/fixture.js';

const LIMIT = 1_000_000;
let service: TestService;
let flooder: string;
beforeAll(async () => {
  service = await TestService.start({
    MVS_MAX_INFLIGHT_BYTES: String(LIMIT),
    MVS_MIN_UPLOAD_RATE: '1000000',
    MVS_MAX_WAITING: '20',
    MVS_THREADS: '1',
  });
  flooder = await service.createKey('flooder');
});
afterAll(() => service.stop());

/** An upload that sends a part of its body and then nothing. */
function stalled(bytes: number): { socket: Socket; answer: Promise<string> } {
  const { hostname, port } = new URL(service.address);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /api/v1/verify-match HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${flooder}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${2 * bytes}\r\n\r\n`,
  );
  socket.write(' '.repeat(bytes));
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  socket.on('error', () => {});
  return { socket, answer: new Promise((resolve) => socket.on('close', () => resolve(text))) };
}

describe("one key's flood", () => {
  it('of uploads that stall takes no memory from another key, and ends with 408', async () => {
    const uploads = Array.from({ length: 12 }, () => stalled(100_000));
    // As many of them as there is memory for are held: the others are refused.
    await Promise.race(uploads.map(({ answer }) => answer));
    for (let n = 0; n < 5; n++) expect((await service.verify(claimOf(n))).status).toBe(200);
    const answers = await Promise.all(uploads.map(({ answer }) => answer));
    const codes = answers.map((text) => /"code":"([a-z_]+)"/.exec(text)?.[1]);
    expect(new Set(codes)).toEqual(new Set(['bodies_full', 'slow_request']));
    expect(answers.find((text) => text.includes('slow_request'))).toMatch(/408 .*less than 1000000 bytes a second/s);
    expect((await service.verify(claimOf(6))).status).toBe(200);
  });

  it('of claims costs another key none of its own', async () => {
    const own = { 'x-api-key': flooder };
    const flood = Array.from({ length: 60 }, (_, n) => service.verify(claimOf(n % 6), own));
    const mine = await Promise.all([1, 2, 3].map((n) => service.verify(claimOf(n))));
    expect(mine.map(({ status }) => status)).toEqual([200, 200, 200]);
    const refused = (await Promise.all(flood)).filter(({ status }) => status !== 200);
    for (const { status, body } of refused) {
      expect(status).toBe(503);
      expect(['scoring_full', 'bodies_full']).toContain(body.code);
    }
  });

  it('of bodies that are not read is not read for long', async () => {
    const { hostname, port } = new URL(service.address);
    let sent = 0;
    const closed = await new Promise<boolean>((resolve) => {
      const upload = request({
        hostname,
        port,
        method: 'POST',
        path: '/api/v1/verify-match',
        headers: { 'x-api-key': 'none', 'content-length': 64 * 2 ** 20 },
      });
      upload.on('response', (response) => {
        expect([response.statusCode, response.headers.connection]).toEqual([401, 'close']);
        response.resume();
      });
      upload.on('error', () => {});
      upload.on('close', () => resolve(true));
      const more = () => {
        while (!upload.destroyed && sent < 64 * 2 ** 20) {
          sent += 2 ** 16;
          if (!upload.write(Buffer.alloc(2 ** 16, ' '))) return void upload.once('drain', more);
        }
      };
      more();
    });
    expect(closed).toBe(true);
    expect(sent).toBeLessThan(32 * 2 ** 20);
  });
});

it('says with each answer what a key may send', async () => {
  const { headers } = await service.verify('{');
  expect([headers.get('ratelimit-limit'), headers.get('ratelimit-policy')]).toEqual(['2000', '2000;w=2']);
  expect(Number(headers.get('ratelimit-remaining'))).toBeGreaterThan(1900);
  expect(headers.get('ratelimit-reset')).toMatch(/^[01]$/);
});
