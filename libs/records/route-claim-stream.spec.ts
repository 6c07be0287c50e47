import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { claimOf, TestService } from '../../apps/server/test/fixture.js';
import { until } from '../../test/until.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

/** A stream that is open, and its events as they come. */
async function listen(headers: Record<string, string> = {}) {
  const leaving = new AbortController();
  const response = await fetch(`${service.address}/api/v1/claims/stream`, {
    headers: { ...service.operator, ...headers },
    signal: leaving.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    response,
    leave: () => leaving.abort(),
    /** The next event with data. */
    async next(): Promise<{ id: string; claim: { claim_id: string; verdict: string } } | undefined> {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end >= 0) {
          const block = text.slice(0, end);
          text = text.slice(end + 2);
          const [, id] = /^id: (.*)$/m.exec(block) ?? [];
          const [, data] = /^data: (.*)$/m.exec(block) ?? [];
          if (data !== undefined) return { id, claim: JSON.parse(data) };
          continue;
        }
        const { done, value } = await reader.read();
        if (done) return undefined;
        text += value;
      }
    },
  };
}
const send = async (stone: number) => (await service.verify(claimOf(stone))).body.claim_id as string;

describe('GET /api/v1/claims/stream', () => {
  it('200: tells of each verdict that comes, and goes on after the one that was seen last', async () => {
    await send(1);
    const live = await listen();
    expect(live.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const [second, third] = [await send(2), await send(3)];
    const seen = await live.next();
    expect(seen!.claim).toMatchObject({ claim_id: second, verdict: 'MATCH' });
    expect((await live.next())!.claim.claim_id).toBe(third);
    live.leave();
    const resumed = await listen({ 'last-event-id': seen!.id });
    expect((await resumed.next())!.claim.claim_id).toBe(third);
    const rows = await service.call('GET', '/api/v1/claims/rows', { headers: service.operator });
    const whole = await listen({ 'last-event-id': '0' });
    expect((await whole.next())!.claim).toEqual(rows.body.items[2]);
    resumed.leave();
    whole.leave();
  });

  it('ends with the service, which waits for no reader', async () => {
    const live = await listen();
    const end = live.next();
    const began = performance.now();
    await service.service.close();
    expect(await end).toBeUndefined();
    // Less than a connection is kept for that is idle, or has sent nothing.
    expect(performance.now() - began).toBeLessThan(30_000);
    await service.open();
  });

  it('counts none whose client left before its first byte', async () => {
    const { hostname, port } = new URL(service.address);
    const server = service.service.api.app.getHttpServer();
    const open = () =>
      new Promise<number>((resolve) => server.getConnections((_: Error | null, count: number) => resolve(count)));
    // All of them wait for the log's end, and leave meanwhile.
    const { store } = service.service;
    const ask = store.head.bind(store);
    const waiting: (() => void)[] = [];
    store.head = async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return ask();
    };
    const head = `GET /api/v1/claims/stream HTTP/1.1\r\nHost: x\r\nX-Svc-Admin: ${service.operator['x-svc-admin']}\r\n\r\n`;
    // Connections that earlier calls keep open.
    const kept = await open();
    const sockets = Array.from({ length: 9 }, () => connect(Number(port), hostname));
    for (const socket of sockets) socket.write(head);
    await until(() => waiting.length === 9);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await open()) <= kept);
    store.head = ask;
    for (const go of waiting) go();
    const live = await listen();
    expect(live.response.status).toBe(200);
    live.leave();
  });

  it('400, 401: an id of no event, no operator', async () => {
    expect((await listen({ 'last-event-id': 'x' })).response.status).toBe(400);
    expect((await listen({ 'x-svc-admin': 'other' })).response.status).toBe(401);
  });

  it('429: more than eight of one operator, until one has left', async () => {
    const leaving = Array.from({ length: 8 }, () => new AbortController());
    const connect = ({ signal }: AbortController) =>
      fetch(`${service.address}/api/v1/claims/stream`, { headers: service.operator, signal });
    // Those of the tests before may be noticed late to have left.
    for (const one of leaving) await until(async () => (await connect(one)).status === 200);
    const ninth = await service.call('GET', '/api/v1/claims/stream', { headers: service.operator });
    expect([ninth.status, ninth.body.code]).toEqual([429, 'too_many']);
    leaving[0].abort();
    const later = new AbortController();
    for (let status = 429; status !== 200; ) {
      await sleep(20);
      const again = await connect(later);
      status = again.status;
      if (status !== 200) await again.text();
    }
    for (const one of [...leaving, later]) one.abort();
  });
});
