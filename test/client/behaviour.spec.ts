/** Retries, errors and the decision, against a service made of canned answers. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { root } from './packed.js';

// The package is built by its own configuration; its types are tested where it is packed.
const {
  BadAnswer,
  ConnectionFailed,
  CredentialRefused,
  MatchVerification,
  RequestRefused,
  TooManyRequests,
  VERSION,
  decide,
} = await import(join(root, 'packages/client/dist/index.js'));

type Canned = { status: number; body?: unknown; headers?: Record<string, string> } | 'cut' | 'silent';

function serviceOf(answers: Canned[], options: object = {}) {
  const sent: { url: string; method: string; headers: Record<string, string> }[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    sent.push({ url, method: init.method!, headers: init.headers as Record<string, string> });
    const canned = answers[Math.min(sent.length, answers.length) - 1];
    if (canned === 'cut') throw new TypeError('fetch failed');
    if (canned === 'silent') {
      return new Promise((_, reject) => init.signal!.addEventListener('abort', () => reject(init.signal!.reason)));
    }
    const text = typeof canned.body === 'string' ? canned.body : JSON.stringify(canned.body ?? {});
    return new Response(text, { status: canned.status, headers: canned.headers });
  };
  const service = new MatchVerification({
    baseUrl: 'https://match.example/',
    apiKey: 'a-secret-key',
    operatorKey: 'an-operator-key',
    backoffMs: [1, 2],
    fetch,
    ...options,
  });
  return { service, sent };
}

const numbers = { wavenumbers: [1, 2], spectra: [[0, 1]] };
const claim = { rough: numbers, polish: numbers };
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toUTCString();
const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error) => error,
  );

describe('retries', () => {
  it.each<[string, Canned[], number, string]>([
    ['503 passes', [{ status: 503 }, { status: 200, body: {} }], 2, 'answered'],
    ['a cut connection passes', ['cut', 'cut', { status: 200, body: {} }], 3, 'answered'],
    ['503 stays', [{ status: 503 }], 4, 'Unavailable'],
    ['500 is not sent again', [{ status: 500, body: { detail: 'internal error' } }], 1, 'ServiceFault'],
    ['429 passes', [{ status: 429, headers: { 'retry-after': '0' } }, { status: 200 }], 2, 'answered'],
    ['429 stays', [{ status: 429 }], 4, 'RateLimited'],
    ['429 for longer than a minute', [{ status: 429, headers: { 'retry-after': '61' } }], 1, 'RateLimited'],
    ['503 until a date far away', [{ status: 503, headers: { 'retry-after': inDays(1) } }], 1, 'Unavailable'],
    [
      '503 until a date that is over',
      [{ status: 503, headers: { 'retry-after': inDays(-1) } }, { status: 200 }],
      2,
      'answered',
    ],
    ['400 is not sent again', [{ status: 400 }], 1, 'InvalidRequest'],
    ['401 is not sent again', [{ status: 401 }], 1, 'Authentication'],
    ['403 is not sent again', [{ status: 403 }], 1, 'PermissionDenied'],
    ['422 is not sent again', [{ status: 422 }], 1, 'InvalidRequest'],
    ['a page is no answer', [{ status: 200, body: '<html>' }], 1, 'UnexpectedAnswer'],
    ['a list is no answer', [{ status: 200, body: [] }], 1, 'UnexpectedAnswer'],
    [
      'a redirect is no answer',
      [{ status: 302, headers: { location: 'https://elsewhere.invalid/' } }],
      1,
      'UnexpectedAnswer',
    ],
    ["a proxy's page with 503", [{ status: 503, body: '<html>' }], 4, 'Unavailable'],
  ])('%s', async (_what, answers, requests, end) => {
    const { service, sent } = serviceOf(answers);
    const ended = await outcome(service.verify(claim));
    expect([ended.name ?? ended, sent.length]).toEqual([end, requests]);
  });

  it('waits as long as Retry-After says, until it is aborted', async () => {
    const { service, sent } = serviceOf([{ status: 503, headers: { 'retry-after': '3600' } }], { maxRetryAfter: 3600 });
    const aborting = new AbortController();
    const ended = outcome(service.verify({ ...claim, signal: aborting.signal }));
    while (sent.length === 0) await sleep(1);
    await sleep(20);
    aborting.abort(new Error('the user left'));
    expect([(await ended).message, sent.length]).toEqual(['the user left', 1]);
  });

  it('creates nothing twice: a lost answer to createKey is reported', async () => {
    const { service, sent } = serviceOf(['cut']);
    expect([(await outcome(service.createKey({ name: 'x' }))).name, sent.length]).toEqual(['ConnectionFailed', 1]);
    expect((await outcome(serviceOf([{ status: 503 }]).service.createKey({ name: 'x' }))).name).toBe('Unavailable');
  });

  it('gives up on a silent service', async () => {
    const { service } = serviceOf(['silent'], { timeoutMs: 20, retries: 0 });
    const error = await outcome(service.summary());
    expect([error.name, error instanceof ConnectionFailed]).toEqual(['Timeout', true]);
    expect(error.message).toContain('no answer in time');
  });

  it('takes retries and time of a call before those of the client', async () => {
    const { service, sent } = serviceOf([{ status: 503 }], { maxRetries: 9 });
    expect((await outcome(service.summary({ maxRetries: 1 }))).name).toBe('Unavailable');
    expect(sent.length).toBe(2);
    const silent = serviceOf(['silent'], { maxRetries: 0 }).service;
    expect((await outcome(silent.summary({ timeout: 20 }))).name).toBe('Timeout');
  });
});

describe('errors', () => {
  it('carry detail, request id and what else the body holds, never a key', async () => {
    const body = { detail: 'rough: no parseable spectra', side: 'rough' };
    const { service } = serviceOf([{ status: 400, body, headers: { 'x-request-id': 'r-1' } }]);
    const error = await outcome(service.verify(claim));
    expect(error).toMatchObject({ status: 400, detail: body.detail, requestId: 'r-1', body: { side: 'rough' } });
    expect([error.code, error.side, error.file, error.findings]).toEqual([undefined, 'rough', undefined, []]);
    expect(JSON.stringify(error) + error.stack + inspect(error, { depth: 9 })).not.toContain('a-secret-key');
  });

  it('hold what the former names promised', async () => {
    for (const [status, Former] of [
      [401, CredentialRefused],
      [403, RequestRefused],
      [422, RequestRefused],
      [429, TooManyRequests],
    ] as const) {
      expect(await outcome(serviceOf([{ status }]).service.verify(claim))).toBeInstanceOf(Former);
    }
    expect(await outcome(serviceOf([{ status: 200, body: '<html>' }]).service.verify(claim))).toBeInstanceOf(BadAnswer);
  });

  it('an abort is Aborted, with its reason as the cause', async () => {
    const { service } = serviceOf(['silent']);
    const reason = new Error('the user left');
    expect(await outcome(service.summary(AbortSignal.abort(reason)))).toMatchObject({ name: 'Aborted', cause: reason });
  });

  it('nothing prints a key: not the client, not its hooks', async () => {
    const seen: unknown[] = [];
    const hooks = { onRequest: (one: unknown) => seen.push(one), onResponse: (one: unknown) => seen.push(one) };
    const { service } = serviceOf([{ status: 503 }, { status: 200 }], hooks);
    await service.verify(claim);
    expect(seen).toEqual([
      { method: 'POST', url: 'https://match.example/api/v1/verify-match', attempt: 1 },
      expect.objectContaining({ attempt: 1, status: 503 }),
      expect.objectContaining({ attempt: 2 }),
      expect.objectContaining({ attempt: 2, status: 200 }),
    ]);
    const printed =
      inspect(service, { depth: 9, showHidden: true }) + JSON.stringify(service) + String(service) + inspect(seen);
    expect(printed).not.toMatch(/a-secret-key|an-operator-key/);
  });

  it.each(['apiKey', 'operatorKey', 'replayKey', 'workspaceToken'] as const)(
    'a %s that no header may carry is refused by the constructor, and not told',
    (option) => {
      for (const wrong of ['SECRETSECRET\nX', 'SECRETSECRET\u2019', 'SECRET\u007f', 'SECRET\u0000', 'SECRET SECRET']) {
        let error: unknown;
        try {
          serviceOf([{ status: 200 }], { [option]: wrong });
        } catch (thrown) {
          error = thrown;
        }
        expect(error).toMatchObject({ name: 'BadInput', message: expect.stringContaining(option) });
        expect(inspect(error, { depth: 9 }) + (error as Error).stack).not.toContain('SECRET');
      }
    },
  );

  it.each([
    ['numbers besides files', { rough: numbers, polish: ['a'] }],
    ['no file', { rough: [], polish: ['a'] }],
    ['a file that is not there', { rough: ['nowhere.csv'], polish: ['nowhere.csv'] }],
    ['NaN', { rough: { ...numbers, spectra: [[0, Number.NaN]] }, polish: numbers }],
    ['a replay without its key', { ...claim, replay: true }],
  ])('%s is refused before anything is sent', async (_what, wrong) => {
    const { service, sent } = serviceOf([{ status: 200 }], { operatorKey: undefined });
    expect([(await outcome(service.verify(wrong))).name, sent.length]).toEqual(['BadInput', 0]);
  });
});

it('sends each key where it belongs', async () => {
  const { service, sent } = serviceOf([{ status: 200, body: { items: [], next_cursor: null } }]);
  await service.verify(claim);
  for await (const _ of service.claims({ p_min: 0.6, reviewed: false, key: undefined })) break;
  await service.summary();
  expect(sent.map(({ headers }) => [headers['x-api-key'], headers['x-svc-admin']])).toEqual([
    ['a-secret-key', undefined],
    [undefined, 'an-operator-key'],
    [undefined, undefined],
  ]);
  expect(sent[1].url).toBe('https://match.example/api/v1/claims?p_min=0.6&reviewed=false');
});

it('takes a stream up where it was cut off, until the credential is refused', async () => {
  const event = (id: number) => `id: ${id}\nevent: claim\ndata: {"claim_id":"c${id}"}\n\n`;
  const body = (text: string) => ({ status: 200, body: text });
  const { service, sent } = serviceOf([
    body('retry: 2000\nid: 4\n\n'),
    body(`${event(5)}:\n\n${event(7)}`),
    { status: 401 },
  ]);
  const seen: unknown[] = [];
  const all = (async () => {
    for await (const { id, claim } of service.claimStream()) seen.push([id, claim.claim_id]);
  })();
  expect((await outcome(all)).name).toBe('Authentication');
  expect(seen).toEqual([
    ['5', 'c5'],
    ['7', 'c7'],
  ]);
  expect(sent.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '4', '7']);
});

it('gets one page, with its total', async () => {
  const body = { items: [], next_cursor: null, total: 12, total_exact: true };
  const { service, sent } = serviceOf([{ status: 200, body }]);
  expect(await service.claimRowsPage({ limit: 50, sort: 'distance', p_max: 0.8, total: true })).toEqual(body);
  expect(await service.findingsPage({ status: 'open', total: true })).toEqual(body);
  expect(sent.map(({ url }) => url.slice(url.indexOf('/api')))).toEqual([
    '/api/v1/claims/rows?limit=50&sort=distance&p_max=0.8&total=true',
    '/api/v1/findings?status=open&total=true',
  ]);
});

it('walks all pages of a listing', async () => {
  const page = (items: number[], next_cursor: string | null) => ({ status: 200, body: { items, next_cursor } });
  const { service, sent } = serviceOf([page([1, 2], 'c'), page([], 'd'), page([3], null)]);
  const items = [];
  for await (const item of service.findings({ limit: 2 })) items.push(item);
  expect([items, sent.map(({ url }) => new URL(url).search)]).toEqual([
    [1, 2, 3],
    ['?limit=2', '?limit=2&cursor=c', '?limit=2&cursor=d'],
  ]);
});

describe('decide', () => {
  it.each([
    ['MATCH', 0.2, {}, { action: 'accept' }],
    ['NO_MATCH', 0.995, {}, { action: 'review' }],
    ['NO_MATCH', 0.6, {}, { action: 'review' }],
    ['NO_MATCH', 0.59, {}, { action: 'reject' }],
    ['NO_MATCH', 0.7, { reviewAt: 0.8 }, { action: 'reject' }],
    ['NO_MATCH', 0.75, { prior: 0.95 }, { action: 'review', p_real: (0.75 * 0.95) / (0.75 * 0.95 + 0.25 * 0.05) }],
    ['NO_MATCH', 0.3, { prior: 0.999 }, { action: 'reject', p_real: expect.closeTo(0.9977, 4) }],
  ])('%s at %d with %j', (verdict, p_match_5050, options, decision) => {
    expect(decide({ verdict, p_match_5050 }, options)).toEqual(decision);
  });

  it('reads the action of the service, and reviews sides that share a scan', () => {
    const shared = { verdict: 'MATCH', p_match_5050: 0.99, shared_scans: 1 } as const;
    expect([decide(shared), decide(shared, { reviewAt: 0.9 })]).toEqual([{ action: 'review' }, { action: 'review' }]);
    const doubted = {
      verdict: 'MATCH',
      p_match_5050: 0.99,
      action_reasons: [{ code: 'off_manifold', text: '' }],
    } as const;
    expect(decide({ ...doubted, action_reasons: [...doubted.action_reasons] }, { reviewAt: 0.9 }).action).toBe(
      'review',
    );
    const recommended = { verdict: 'NO_MATCH', p_match_5050: 0.7, action: 'reject' } as const;
    expect(decide(recommended).action).toBe('reject');
    expect(decide(recommended, { reviewAt: 0.65 }).action).toBe('review');
  });

  it.each([{ prior: 0 }, { prior: 1 }, { prior: Number.NaN }, { reviewAt: 2 }])('refuses %j', (options) => {
    expect(() => decide({ verdict: 'NO_MATCH', p_match_5050: 0.5 }, options)).toThrow(RangeError);
  });
});

it('answers as it comes where that is asked for', async () => {
  const { service } = serviceOf([{ status: 503 }, { status: 200, body: 'x 1', headers: { 'x-request-id': 'r-7' } }]);
  const response = await service.raw('readMetrics');
  expect([response.status, response.headers.get('x-request-id'), await response.text()]).toEqual([200, 'r-7', 'x 1']);
});

it('says which version it is, and warns once where the service is older', async () => {
  const { service, sent } = serviceOf([{ status: 200, body: {}, headers: { 'x-svc-version': '0.0.9' } }]);
  const warned: unknown[] = [];
  const { warn } = console;
  console.warn = (text) => warned.push(text);
  await service.summary();
  await service.verify(claim);
  console.warn = warn;
  expect(warned).toEqual([expect.stringContaining('the service is 0.0.9, older than')]);
  const { version } = JSON.parse(readFileSync(join(root, 'packages/client/package.json'), 'utf8'));
  expect(sent[0].headers['user-agent']).toBe(`match-verification-client/${version}`);
  expect(VERSION).toBe(version);
});
