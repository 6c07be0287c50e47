/** The vendor client against its stand-in: answers, every fault, and what is sent. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { VendorClient, type VendorOptions } from '#vendor/client';
import { VendorFault, VendorRefusal } from '#vendor/errors';
import { type Fault, SANDBOX_SECRET, Sandbox } from './sandbox.js';

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function pair(fault?: Fault, options: Partial<VendorOptions> = {}) {
  const sandbox = await Sandbox.start({ fault });
  ending.push(() => sandbox.close());
  const client = new VendorClient({
    url: sandbox.url,
    secret: SANDBOX_SECRET,
    backoffMs: [1, 2],
    retries: 2,
    ...options,
  });
  ending.push(() => client.close());
  return { sandbox, client };
}

const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'answered',
    (error) => error,
  );

describe('answers', () => {
  it('resolves a rough and a polished stone', async () => {
    const { client } = await pair();
    expect(await client.stoneOf('100001')).toEqual({ base: 'AB1001' });
    expect(await client.stoneOf('100002')).toEqual({ base: 'AB1001', part: '1' });
    expect(await client.provenanceOf('AB1001.1')).toEqual({
      stoneId: { base: 'AB1001', part: '1' },
      provenanceId: 'PR-7001',
    });
  });

  it('asks once for what it knows, and again for what was not found', async () => {
    const { client, sandbox } = await pair();
    await client.stoneOf('100001');
    await client.stoneOf('100001');
    await failure(client.stoneOf('9'));
    await failure(client.stoneOf('9'));
    expect(sandbox.seen).toEqual(['GET ?barcode=100001', 'GET ?barcode=9', 'GET ?barcode=9']);
  });

  it('sends the headers that the vendor asks for, and a query that the address holds already', async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push(request.url, request.headers);
      response.end('{"stoneId":"A1"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ending.push(() => new Promise((resolve) => server.close(() => resolve())));
    const client = new VendorClient({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x?tenant=7`,
      secret: 'very-secret',
    });
    ending.push(() => client.close());
    expect(await client.stoneOf('a&b=c')).toEqual({ base: 'A1' });
    expect(seen).toEqual([
      '/x?tenant=7&barcode=a%26b%3Dc',
      expect.objectContaining({
        'secret-key': 'very-secret',
        accept: 'application/json',
        'content-type': 'application/json',
      }),
    ]);
  });
});

describe('refusals', () => {
  it.each([
    ['an unknown barcode', (client: VendorClient) => client.stoneOf('9'), 'not-found', 404],
    ['an unknown stone', (client: VendorClient) => client.provenanceOf('ZZ1'), 'not-found', 404],
  ])('%s', async (_what, ask, reason, status) => {
    const { client, sandbox } = await pair();
    const error = await failure(ask(client));
    expect(error).toBeInstanceOf(VendorRefusal);
    expect(error).toMatchObject({ reason, status });
    expect(sandbox.seen).toHaveLength(1);
  });

  it('a wrong secret is reported without it', async () => {
    const { client } = await pair(undefined, { secret: 'wrong-secret' });
    const error = await failure(client.stoneOf('100001'));
    expect(error).toMatchObject({ name: 'VendorFault', kind: 'status', status: 401 });
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('wrong-secret');
  });

  it('sends nothing for an impossible identifier', async () => {
    const { client, sandbox } = await pair();
    expect(await failure(client.stoneOf('1'.repeat(10_000)))).toMatchObject({ name: 'IdentifierError' });
    expect(await failure(client.provenanceOf('.1'))).toMatchObject({ name: 'IdentifierError' });
    expect(await failure(client.provenanceOf({ base: '\u0410' }))).toMatchObject({ name: 'IdentifierError' });
    expect(sandbox.seen).toEqual([]);
  });
});

describe('faults are distinguished', () => {
  it.each<[Fault, string, number]>([
    ['500', 'status', 3],
    ['cut', 'network', 3],
    ['html', 'not-json', 1],
    ['shape', 'wrong-shape', 1],
    ['redirect', 'redirect', 1],
  ])('%s', async (fault, kind, attempts) => {
    const { client, sandbox } = await pair(fault);
    const error = await failure(client.stoneOf('100001'));
    expect(error).toBeInstanceOf(VendorFault);
    expect(error).toMatchObject({ kind });
    expect(sandbox.seen).toHaveLength(attempts);
  });

  it('an answer to another question', async () => {
    const { client } = await pair('other');
    expect(await failure(client.provenanceOf('AB1001'))).toMatchObject({ kind: 'wrong-answer' });
  });

  it.each<Fault>(['error-200', 'error-404'])('%s is a refusal whatever the status', async (fault) => {
    const { client } = await pair(fault);
    expect(await failure(client.stoneOf('100001'))).toMatchObject({ name: 'VendorRefusal', reason: 'not-found' });
  });

  it('a vendor that does not answer', async () => {
    const { client } = await pair('slow', { timeoutMs: 50, retries: 0 });
    expect(await failure(client.stoneOf('100001'))).toMatchObject({ kind: 'timeout' });
  });

  it('a vendor that is not there', async () => {
    const { client, sandbox } = await pair(undefined, { retries: 0 });
    await sandbox.close();
    ending.splice(0, 1);
    expect(await failure(client.stoneOf('100001'))).toMatchObject({ kind: 'network' });
  });

  it('a vendor that recovers between two attempts is not noticed', async () => {
    const { client, sandbox } = await pair('500', { backoffMs: [20, 20], retries: 50 });
    const answer = client.stoneOf('100001');
    while (sandbox.seen.length === 0) await sleep(1);
    sandbox.fault = undefined;
    expect(await answer).toEqual({ base: 'AB1001' });
  });

  it('a 429 holds all requests back until its Retry-After is over', async () => {
    const at: number[] = [];
    const server = createServer((_, response) => {
      at.push(performance.now());
      if (at.length === 1) response.writeHead(429, { 'retry-after': '1' }).end();
      else response.end('{"stoneId":"A1"}');
    }).listen(0);
    ending.push(async () => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new VendorClient({ url, secret: 's', backoffMs: [1, 2], concurrency: 1 });
    ending.push(() => client.close());
    expect(await Promise.all([client.stoneOf('1'), client.stoneOf('2')])).toEqual([{ base: 'A1' }, { base: 'A1' }]);
    expect(at).toHaveLength(3);
    // The server's clock reads a little before the client's.
    for (const later of at.slice(1)) expect(later - at[0]).toBeGreaterThanOrEqual(1_000);
  });

  it('many failures in a row open the circuit: nothing more is sent', async () => {
    const { client, sandbox } = await pair('500', { retries: 0, breakAfter: 3, openMs: 60_000 });
    for (let i = 0; i < 3; i++) await failure(client.stoneOf(String(i)));
    expect(await failure(client.stoneOf('4'))).toMatchObject({ kind: 'circuit-open' });
    expect(sandbox.seen).toHaveLength(3);
  });

  it('an abort ends the wait with its reason', async () => {
    const { client } = await pair('slow');
    const aborting = new AbortController();
    const answer = failure(client.stoneOf('100001', { signal: aborting.signal }));
    aborting.abort(new Error('the user left'));
    expect(await answer).toMatchObject({ message: 'the user left' });
  });
});

it.each([
  ['http://vendor.example/x', 'https'],
  ['ftp://vendor.example/', 'http'],
  ['nonsense', 'http'],
  ['https://name:word@vendor.example/', 'user name'],
])('does not start with %s', (url, why) => {
  expect(() => new VendorClient({ url, secret: 's' })).toThrow(why);
});

it('does not start without a secret, and names none', () => {
  expect(() => new VendorClient({ url: 'https://vendor.example/', secret: 'two words' })).not.toThrow('two words');
  expect(() => new VendorClient({ url: 'https://vendor.example/', secret: '' })).toThrow('vendor key');
});
