/** Retries, errors and the decision, against a service made of canned answers. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { root } from './packed.js';

// The package is built by its own configuration; its types are tested where it is packed.
const { MatchVerification, decide } = await import(join(root, 'packages/client/dist/index.js'));

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
    ['429 is not sent again', [{ status: 429, headers: { 'retry-after': '7' } }], 1, 'TooManyRequests'],
    ['400 is not sent again', [{ status: 400 }], 1, 'RequestRefused'],
    ['422 is not sent again', [{ status: 422 }], 1, 'RequestRefused'],
    ['a page is no answer', [{ status: 200, body: '<html>' }], 1, 'BadAnswer'],
  ])('%s', async (_what, answers, requests, end) => {
    const { service, sent } = serviceOf(answers);
    const ended = await outcome(service.verify(claim));
    expect([ended.name ?? ended, sent.length]).toEqual([end, requests]);
  });

  it('waits as long as Retry-After says, until it is aborted', async () => {
    const { service, sent } = serviceOf([{ status: 503, headers: { 'retry-after': '3600' } }]);
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
  });

  it('gives up on a silent service', async () => {
    const { service } = serviceOf(['silent'], { timeoutMs: 20, retries: 0 });
    expect((await outcome(service.summary())).message).toContain('no answer in time');
  });
});

describe('errors', () => {
  it('carry detail, request id and what else the body holds, never a key', async () => {
    const body = { detail: 'rough: no parseable spectra', side: 'rough' };
    const { service } = serviceOf([{ status: 400, body, headers: { 'x-request-id': 'r-1' } }]);
    const error = await outcome(service.verify(claim));
    expect(error).toMatchObject({ status: 400, detail: body.detail, requestId: 'r-1', body: { side: 'rough' } });
    expect(JSON.stringify(error) + error.stack).not.toContain('a-secret-key');
  });

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

  it.each([{ prior: 0 }, { prior: 1 }, { prior: Number.NaN }, { reviewAt: 2 }])('refuses %j', (options) => {
    expect(() => decide({ verdict: 'NO_MATCH', p_match_5050: 0.5 }, options)).toThrow(RangeError);
  });
});
