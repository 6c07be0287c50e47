import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { claimOf, TestService } from '../../../apps/server/test/fixture.js';
import { canLimit, ServingProcess } from '../../../apps/server/test/process.js';
import { until } from '../../../test/until.js';
import { answersHalfClosed, senderOf } from './connections.js';

let service: TestService | undefined;
let serving: ServingProcess | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service?.stop();
  await serving?.remove();
  service = undefined;
  serving = undefined;
});

/** A client that says one thing, does not end its side, and reads nothing where `reads` is false. */
function say(address: string, said: string, reads = true): Socket {
  const { hostname, port } = new URL(address);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => socket.write(said));
  sockets.push(socket);
  socket.on('error', () => {});
  if (reads) socket.resume();
  return socket;
}

const HALF = 'GET /health/live HTTP/1.1\r\nHost: x\r\nX-Half: ';
const WHOLE = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';

/** Status of a claim on a connection of its own: one that is idle may be closed while a claim is on its way to it. */
const verifyAnew = ({ address, apiKey }: ServingProcess) =>
  new Promise<number | undefined>((resolve, reject) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    request(`${address}/api/v1/verify-match`, { agent: false, method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end(JSON.stringify(claimOf(1)));
  });

const open = (of = service!) =>
  new Promise<number>((resolve, reject) =>
    of.service.api.app
      .getHttpServer()
      .getConnections((error: Error | null, count: number) => (error ? reject(error) : resolve(count))),
  );

describe('a connection that its client never ends', () => {
  let closing: TestService;
  beforeAll(async () => {
    closing = await TestService.startWithoutKey({ MVS_MAX_REQUEST_MS: '500' });
  });
  afterAll(() => closing.stop());

  it.each([
    ['half a head', HALF, true],
    ['nothing', '', true],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', true],
    ['what is no HTTP', 'hello\r\n\r\n', true],
    ['an expectation', 'POST /api/v1/keys HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\nContent-Length: 9\r\n\r\n', true],
    ['half a body that nobody waits for', 'POST /api/v1/keys HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{', true],
    [
      'for answers that it does not read',
      'GET /api/v1/docs/reference.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(30),
      false,
    ],
  ])('is closed for good: it says %s', async (_, said, reads) => {
    for (let i = 0; i < 5; i++) say(closing.address, said, reads);
    await until(async () => sockets.every(({ connecting }) => !connecting) && (await open(closing)) === 0);
  });
});

describe('a client that ends its sending side behind a request', () => {
  const body = JSON.stringify(claimOf(1));
  const claim = (apiKey: string, version = '1.1') =>
    `POST /api/v1/verify-match HTTP/${version}\r\nHost: x\r\nX-Api-Key: ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  it.each(['1.1', '1.0'])('is answered (HTTP/%s)', async (version) => {
    service = await TestService.start();
    const socket = say(service.address, claim(service.apiKey, version), false);
    let answer = '';
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text;
    });
    await once(socket, 'connect');
    socket.end();
    await once(socket, 'close');
    expect(answer).toMatch(/^(HTTP\/1.1 100 Continue\r\n\r\n)*HTTP\/1.1 200 OK\r\n/);
    expect(JSON.parse(answer.slice(answer.lastIndexOf('\r\n\r\n')))).toMatchObject({ verdict: expect.any(String) });
  });

  it('is told from one that is gone, for which nothing more is done', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    answersHalfClosed(server);
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ask = async (said: string) => {
      const asked = once(server, 'request');
      const socket = say(address, said);
      const [, response] = (await asked) as [IncomingMessage, ServerResponse];
      return { socket, response };
    };
    const waits = await ask(WHOLE);
    waits.socket.end();
    const gone = await ask(WHOLE);
    gone.socket.destroy();
    await once(gone.response, 'close');
    expect([gone.response.writableFinished, waits.response.closed]).toEqual([false, false]);
    waits.response.end('there');
    await once(waits.socket, 'end');
    expect(waits.response.writableFinished).toBe(true);
    server.close();
  });
});

describe('connections of one address', () => {
  /** Opened one after the other, in the order in which the service sees them. */
  async function next(said: string, seen: 'connection' | 'request' = 'connection'): Promise<Socket> {
    const came = once(service!.service.api.app.getHttpServer(), seen);
    const socket = say(service!.address, said);
    await came;
    return socket;
  }
  const ended = (socket: Socket) => {
    const seen = { closed: false };
    // Cut off over bytes that were not read, it has no end.
    socket
      .once('end', () => socket.destroy())
      .once('close', () => {
        seen.closed = true;
      });
    return seen;
  };

  it('give way where they are too many: the one that has been idle longest', async () => {
    service = await TestService.startWithoutKey({ MVS_MAX_CONNECTIONS: '3' });
    const asked = [await next(WHOLE), await next(WHOLE), await next(WHOLE)];
    for (const socket of asked) await once(socket, 'data');
    const [first, second, third] = asked.map(ended);
    // Asked once more, so that it is the others that have been idle longest.
    asked[0].write(WHOLE);
    await once(asked[0], 'data');
    await next('');
    await until(() => second.closed);
    await next('');
    await until(() => third.closed);
    expect(first.closed).toBe(false);
    // The client's own takes one more place, perhaps after its first answer.
    await until(async () => {
      const { body } = await service!.call('GET', '/metrics', { headers: service!.operator });
      return /^mvs_connections_closed_total (.+)$/m.exec(body)?.[1] === '3';
    });
  });

  it('never give way while they are asked or send: the new one does', async () => {
    service = await TestService.start({ MVS_MAX_CONNECTIONS: '3', MVS_MAX_REQUEST_MS: '60000' });
    const head = `POST /api/v1/verify-match HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${service.apiKey}\r\n`;
    const reading = `${head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`;
    await service.service.api.app.getHttpServer().closeAllConnections();
    await until(async () => (await open()) === 0);
    const held = [await next(reading, 'request'), await next(reading, 'request'), await next(reading, 'request')];
    const seen = held.map(ended);
    for (let n = 0; n < 5; n++) {
      const refused = ended(await next(WHOLE));
      await until(() => refused.closed);
    }
    expect(seen.map(({ closed }) => closed)).toEqual([false, false, false]);
  });

  it('give way with half a head where no other is left: who comes is answered', async () => {
    service = await TestService.startWithoutKey({ MVS_MAX_CONNECTIONS: '3' });
    for (let n = 0; n < 3; n++) await next(HALF);
    await once(await next(WHOLE), 'data');
  });

  it('are read before one is chosen: what has asked at the same time stays', async () => {
    service = await TestService.startWithoutKey({ MVS_MAX_CONNECTIONS: '2' });
    const asked = [await next(WHOLE), await next(WHOLE)];
    for (const socket of asked) await once(socket, 'data');
    const [first, second] = asked.map(ended);
    await new Promise(setImmediate);
    // Both come in one turn of the event loop, the new connection first.
    say(service.address, '');
    process.nextTick(() => asked[0].write(WHOLE));
    await once(asked[0], 'data');
    await until(() => second.closed);
    expect(first.closed).toBe(false);
  });

  it('are as many as come where the bound is 0', async () => {
    service = await TestService.startWithoutKey({ MVS_MAX_CONNECTIONS: '0' });
    for (let i = 0; i < 300; i++) say(service.address, HALF);
    await until(async () => (await open()) >= 300);
  });

  // The descriptors that the process may have are fewer than the attacker's connections.
  (canLimit ? it : it.skip)(
    'do not take all descriptors: a claim of the same address is answered meanwhile',
    async () => {
      serving = await ServingProcess.start({
        environment: { MVS_MAX_CONNECTIONS: '64' },
        wrap: ['prlimit', '--nofile=400:400'],
      });
      for (let i = 0; i < 600; i++) say(serving.address, i % 2 ? HALF : 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
      await until(() => sockets.every(({ connecting }) => !connecting));
      expect(await verifyAnew(serving)).toBe(200);
      const { address } = serving;
      // Views that are behind on a busy machine make it unready for a while.
      await until(async () => (await fetch(`${address}/health/ready`)).status === 200);
    },
  );
});

it.each([
  ['10.0.0.7', '10.0.0.7'],
  ['::ffff:10.0.0.7', '10.0.0.7'],
  ['::1', '0:0:0:0'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('%s stands for %s', (address, sender) => {
  expect(senderOf(address)).toBe(sender);
});

it('a connection that has sent nothing does not hold up the end of a service', async () => {
  service = await TestService.start();
  const silent = say(service.address, '');
  await once(silent, 'connect');
  // One that was answered shows that the silent one before it was taken.
  expect((await service.call('GET', '/health/live')).status).toBe(200);
  const ended = service.service.close().then(() => 'ended');
  // Without an end of its own the connection is kept for more than a minute.
  expect(await Promise.race([ended, sleep(30_000, 'waits', { ref: false })])).toBe('ended');
  await service.open();
});
