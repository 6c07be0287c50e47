/** Answers when the service itself is at fault, or too busy. */
import { StoreUnavailable, WrongExpectedRevision } from '#kit/log/port';
import { ScoringUnavailable, type UnavailableReason } from '#kit/queue/port';
import { claimOf, TestService } from '../../../apps/server/test/fixture.js';
import { until } from '../../../test/until.js';

let service: TestService;
const undo: (() => void)[] = [];
beforeAll(async () => {
  service = await TestService.start({}, undefined, { ofModules: true });
});
afterEach(() => {
  for (const step of undo.splice(0)) step();
});
afterAll(() => service.stop());

/** Makes one method of a part fail until the test's end. */
function failing<T extends object>(part: T, method: keyof T, error: Error): void {
  const own = part[method];
  Object.assign(part, { [method]: () => Promise.reject(error) });
  undo.push(() => Object.assign(part, { [method]: own }));
}

const claim = claimOf(1);
const FAULT = 'internal error; this request will fail again unchanged';
const admin = () => ({ headers: service.operator });
const endpoints: [string, () => Promise<{ status: number; body: unknown; headers: Headers }>][] = [
  ['POST /api/v1/verify-match', () => service.verify(claim)],
  ['POST /api/v1/expected', () => service.json('POST', '/api/v1/expected', [], { 'x-api-key': service.apiKey })],
  ['POST /api/v1/keys', () => service.json('POST', '/api/v1/keys', { name: 'x' }, service.operator)],
  ['GET /api/v1/keys', () => service.call('GET', '/api/v1/keys', admin())],
  ['DELETE /api/v1/keys/{key_prefix}', () => service.call('DELETE', '/api/v1/keys/mvs_live_', admin())],
  ['GET /api/v1/claims', () => service.call('GET', '/api/v1/claims', admin())],
];

describe.each(endpoints)('%s', (_, call) => {
  it('500: the contract text, no internals; the log has the request id and the cause', async () => {
    const fault = new TypeError('inner secret /srv/data/events.db');
    for (const method of ['append', 'head', 'readStream'] as const) failing(service.service.store, method, fault);
    const { status, body, headers } = await call();
    const told = { detail: FAULT, code: 'fault', docs: '/api/v1/docs#description/fault' };
    expect([status, body]).toEqual([500, { ...told, request_id: headers.get('x-request-id') }]);
    const lines = service.lines.map((line) => JSON.parse(line));
    const id = headers.get('x-request-id');
    const logged = lines.find(({ msg, request }) => msg === 'fault' && request === id);
    expect(logged.err.message).toContain('inner secret');
    expect(lines.find(({ msg, request }) => msg === 'answered' && request === id)).toMatchObject({ level: 50 });
  });

  it('503 with Retry-After: the event log is away', async () => {
    const away = new StoreUnavailable('the event log cannot be reached', 3, { cause: 'ECONNREFUSED 10.0.0.7' });
    for (const method of ['append', 'head', 'readStream'] as const) failing(service.service.store, method, away);
    const { status, body, headers } = await call();
    const detail = 'the service is busy: the event log cannot be used now';
    expect([status, body]).toMatchObject([503, { detail, code: 'store_unavailable' }]);
    expect(headers.get('retry-after')).toBe('3');
    expect(service.lines.join('')).toContain('ECONNREFUSED 10.0.0.7');
  });
});

describe('POST /api/v1/verify-match', () => {
  it('says that the log is away once a second, for however many claims; without a cause where there is none', async () => {
    const before = service.lines.length;
    const away = new StoreUnavailable('the event log stands still');
    for (const method of ['append', 'readStream'] as const) failing(service.service.store, method, away);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => service.verify(claimOf(n))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    const said = () =>
      service.lines
        .slice(before)
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg !== 'answered');
    // The first at once, unless one was said just before, and the others together; a slow machine may need another second.
    const told = () => said().reduce((sum, { count = 1 }) => sum + count, 0);
    await until(() => told() >= 12);
    expect(new Set(said().map(({ msg }) => msg))).toEqual(new Set(['event log away']));
    expect(said().length).toBeLessThan(12);
    expect(said().at(-1)).not.toHaveProperty('cause');
  });

  it('503 with Retry-After: another request won the race, and what it wrote is not to be found', async () => {
    failing(service.service.store, 'append', new WrongExpectedRevision('claim-1', 'no_stream', 0n));
    const { status, body, headers } = await service.verify(claimOf(2));
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'store_unavailable', '1']);
  });

  it.each<[UnavailableReason, string]>([
    ['full', 'too many claims are waiting to be scored'],
    ['timed_out', 'scoring took too long'],
    ['worker_lost', 'the worker that scored this claim was lost'],
    ['unreachable', 'the scoring workers cannot be reached'],
    ['other_model', 'the scoring workers hold another model'],
    ['closed', 'the service is stopping'],
  ])('503 with Retry-After: scoring is %s', async (reason, words) => {
    failing(service.service.scoring, 'readAndScore', new ScoringUnavailable(reason));
    const { status, body, headers } = await service.verify(claim);
    expect([status, body]).toMatchObject([503, { detail: `the service is busy: ${words}`, code: `scoring_${reason}` }]);
    expect(headers.get('retry-after')).toBe('1');
  });

  it('503: the event log goes away during a claim, whose refusal it may never store', async () => {
    const { store } = service.service;
    const { append } = store;
    undo.push(() => Object.assign(store, { append }));
    const streams: string[] = [];
    store.append = (stream) => {
      streams.push(stream.split('-')[0]);
      return streams.length === 1 ? Promise.reject(new StoreUnavailable('away')) : new Promise(() => {});
    };
    expect((await service.verify(claim)).status).toBe(503);
    expect(streams).toEqual(['claim', 'telemetry']);
  });

  it('500: a fault of scoring', async () => {
    failing(service.service.scoring, 'readAndScore', new Error('kernel at 0x7f'));
    expect(await service.verify(claim)).toMatchObject({ status: 500, body: { detail: FAULT } });
  });

  it('503 and then 200: as many uploads wait as may', async () => {
    const small = await TestService.start({ MVS_MAX_WAITING: '1', MVS_THREADS: '1' });
    try {
      const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => small.verify(claimOf(i % 6))));
      const busy = answers.filter(({ status }) => status === 503);
      expect(busy.length).toBeGreaterThan(0);
      for (const { body, headers } of busy) {
        expect([body.detail, headers.get('retry-after')]).toEqual([expect.stringContaining('too many claims'), '1']);
      }
      expect((await small.verify(claim)).status).toBe(200);
    } finally {
      await small.stop();
    }
  });
});

describe('an event log that is busy without end', () => {
  const busy = () => new Promise<never>(() => {});

  it('is answered 503 when the time of the request is over', async () => {
    const brief = await TestService.start({ MVS_MAX_REQUEST_MS: '6000' });
    try {
      const { store } = brief.service;
      const { append } = store;
      Object.assign(store, { append: busy });
      const { status, headers } = await brief.verify(claimOf(3));
      Object.assign(store, { append });
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    } finally {
      await brief.stop();
    }
  });

  it('keeps no probe waiting', async () => {
    const { store } = service.service;
    const { head } = store;
    Object.assign(store, { head: busy });
    undo.push(() => Object.assign(store, { head }));
    const { status, body } = await service.call('GET', '/health/ready');
    expect([status, body.parts.event_log]).toEqual([503, { status: 'unavailable' }]);
  });
});
