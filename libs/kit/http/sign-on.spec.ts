import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { readConfiguration } from '#config/environment';
import { eyeOf } from '#domain/approval';
import { sha256Hex } from '#kit/log/secrets';
import { TestService } from '../../../apps/server/test/fixture.js';
import { until } from '../../../test/until.js';
import { SignOn } from './sign-on.js';

/** A provider that answers as a test wants: its discovery document and its keys. */
class Provider {
  readonly server: Server;
  asked = 0;
  /** In place of the keys. */
  instead: ((response: ServerResponse) => void) | undefined;
  keys: object[] = [];

  constructor() {
    this.server = createServer(({ url }, response) => {
      if (url?.endsWith('openid-configuration'))
        return void response.end(
          JSON.stringify({
            ...{ issuer: this.issuer, jwks_uri: `${this.issuer}/jwks`, response_types_supported: ['code'] },
            ...{ authorization_endpoint: `${this.issuer}/auth`, token_endpoint: `${this.issuer}/token` },
          }),
        );
      this.asked++;
      if (this.instead) return this.instead(response);
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: this.keys }));
    });
  }
  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
  start = () => new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const provider = new Provider();
const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
const other = await generateKeyPair('RS256');
const now = () => Math.floor(Date.now() / 1000);
const claims = (more: JWTPayload = {}): JWTPayload => ({
  ...{ iss: provider.issuer, aud: 'mvs', sub: '1234', name: 'Olga', roles: ['operate'], iat: now(), exp: now() + 300 },
  ...more,
});
const signed = (payload: JWTPayload, key: Parameters<SignJWT['sign']>[0] = privateKey, header = {}) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'k', ...header }).sign(key);
const part = (of: object) => Buffer.from(JSON.stringify(of)).toString('base64url');

const settings = () => ({
  ...{ MVS_OIDC_ISSUER: provider.issuer, MVS_OIDC_CLIENT_ID: 'console', MVS_OIDC_AUDIENCE: 'mvs' },
  MVS_PUBLIC_URL: 'http://localhost:3000',
});
const fresh = () => new SignOn(readConfiguration(settings()), () => new Date());

beforeAll(async () => {
  await provider.start();
  provider.keys = [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' }];
});
afterAll(() => provider.stop());
afterEach(() => {
  provider.instead = undefined;
});

describe('a token of the identity provider', () => {
  it('names its holder by name, issuer and subject, and its roles', async () => {
    expect(await fresh().holder(await signed(claims()), 'bearer')).toEqual({
      name: `Olga <${provider.issuer}#1234>`,
      scopes: ['operate'],
    });
    const audit = await fresh().holder(await signed(claims({ roles: 'audit other' })), 'bearer');
    expect(audit?.scopes).toEqual(['audit']);
    expect((await fresh().holder(await signed(claims({ roles: undefined })), 'bearer'))?.scopes).toEqual([]);
  });

  it('is two eyes by its subject, whatever the name', () => {
    const of = (name: string, sub: string) => `${name} <https://idp.example#${sub}>`;
    expect(eyeOf(of('Olga', '1'))).toBe(eyeOf(of('Otto', '1')));
    expect(eyeOf(of('Olga', '1'))).not.toBe(eyeOf(of('Olga', '2')));
    expect(eyeOf('olga')).toBe('olga');
  });

  it.each([
    ['of another issuer', async () => signed(claims({ iss: 'https://other.example' }))],
    ['for another audience', async () => signed(claims({ aud: 'console' }))],
    ['expired by a second', async () => signed(claims({ exp: now() - 1 }))],
    ['that never ends', async () => signed(claims({ exp: undefined }))],
    ['of nobody', async () => signed(claims({ sub: undefined }))],
    ['that begins in an hour', async () => signed(claims({ nbf: now() + 3600 }))],
    ['signed by another key', async () => signed(claims(), other.privateKey)],
    ['of a key that is not known', async () => signed(claims(), other.privateKey, { kid: 'x' })],
    ['without a signature', async () => `${part({ alg: 'none' })}.${part(claims())}.`],
    ['signed by the public key as a secret', hs256],
    ['whose subject closes the name', async () => signed(claims({ sub: '1> x' }))],
    ['that is none', async () => 'a.b.c'],
    ['that has two parts', async () => 'a.b'],
  ])('%s is refused', async (_, make) => {
    expect(await fresh().holder(await make(), 'bearer')).toBeUndefined();
  });
  async function hs256() {
    const secret = new TextEncoder().encode(await exportSPKI(publicKey));
    return new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'k' }).sign(secret);
  }

  it('of a browser is for the console, and where it is for several, was given to it', async () => {
    const session = async (more: JWTPayload) => fresh().holder(await signed(claims(more)), 'session');
    expect(await session({ aud: 'console' })).toBeDefined();
    expect(await session({ aud: ['console', 'x'], azp: 'console' })).toBeDefined();
    expect(await session({ aud: 'mvs' })).toBeUndefined();
    expect(await session({ aud: ['console', 'x'] })).toBeUndefined();
    expect(await session({ aud: ['console', 'x'], azp: 'x' })).toBeUndefined();
  });

  it('may begin within the difference of two clocks', async () => {
    expect(await fresh().holder(await signed(claims({ nbf: now() + 30 })), 'bearer')).toBeDefined();
  });

  it.each([
    ['10 MB of keys', (response: ServerResponse) => void response.end(`{"keys":[],"x":"${'y'.repeat(10_000_000)}"}`)],
    [
      'a redirect to another host',
      (response: ServerResponse) => void response.writeHead(302, { location: 'http://localhost:9/jwks' }).end(),
    ],
    ['no keys', (response: ServerResponse) => void response.writeHead(500).end()],
  ])('is refused with 503 where the provider answers with %s', async (_, instead) => {
    provider.instead = instead;
    await expect(fresh().holder(await signed(claims()), 'bearer')).rejects.toMatchObject({ status: 503 });
  });

  it('is taken while the provider is away, once its keys are known', async () => {
    const known = fresh();
    expect(await known.holder(await signed(claims()), 'bearer')).toBeDefined();
    provider.instead = (response) => void response.destroy();
    expect(await known.holder(await signed(claims()), 'bearer')).toBeDefined();
  });
});

describe('a service with an identity provider', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.startWithoutKey(settings());
  });
  afterAll(() => service.stop());
  const ask = async (payload: JWTPayload, method = 'GET', path = '/api/v1/keys', body?: object) => {
    const headers = { authorization: `Bearer ${await signed(payload)}` };
    return body ? service.json(method, path, body, headers) : service.call(method, path, { headers });
  };

  it('takes its tokens of programs, by their roles, and has no key that it made', async () => {
    expect(service.service.secrets?.operatorKey).toBeDefined();
    const made = await ask(claims(), 'POST', '/api/v1/keys', { name: 'by a token' });
    expect(made.status).toBe(201);
    const { items } = (await ask(claims({ roles: ['audit'] }))).body;
    expect(items[0].created_by).toBe(`Olga <${provider.issuer}#1234>`);
    expect((await ask(claims({ roles: ['audit'] }), 'POST', '/api/v1/keys', { name: 'no' })).status).toBe(403);
    expect((await ask(claims({ roles: ['review'] }), 'POST', '/api/v1/keys', { name: 'no' })).status).toBe(403);
    expect((await ask(claims({ roles: ['review'] }), 'POST', '/api/v1/claims/none/review', { note: 'x' })).status).toBe(
      404,
    );
    expect((await ask(claims({ roles: ['audit'] }), 'POST', '/api/v1/claims/none/review', { note: 'x' })).status).toBe(
      403,
    );
    expect((await ask(claims({ roles: [] }))).status).toBe(403);
    expect((await ask(claims({ exp: now() - 1 }))).body.code).toBe('credential_operator');
    const key = { 'x-svc-admin': service.service.secrets!.operatorKey };
    expect((await service.call('GET', '/api/v1/keys', { headers: key })).status).toBe(401);
  });

  it('takes a cookie from its own page alone', async () => {
    const token = await signed(claims({ aud: 'console' }));
    const status = async (headers: Record<string, string>) =>
      (await service.call('GET', '/api/v1/keys', { headers: { cookie: `mvs_session=${token}`, ...headers } })).status;
    expect(await status({})).toBe(200);
    expect(await status({ 'sec-fetch-site': 'same-origin', origin: 'http://localhost:3000' })).toBe(200);
    expect(await status({ 'sec-fetch-site': 'same-site' })).toBe(401);
    expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(401);
    expect(await status({ origin: 'https://other.example' })).toBe(401);
    expect(await status({ cookie: `mvs_session=${token}; mvs_session=x` })).toBe(401);
    expect((await service.call('GET', '/api/v1/keys', { headers: { authorization: `Bearer ${token}` } })).status).toBe(
      401,
    );
  });
});

describe('a file of operator keys', () => {
  const line = (name: string, key: string) => `${name}:${sha256Hex(key)}`;
  it('counts again when it changes, and one that makes no sense changes nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mvs-operators-'));
    const file = join(folder, 'operators');
    writeFileSync(file, line('olga', 'one'));
    const service = await TestService.startWithoutKey({ MVS_OPERATOR_KEYS_FILE: file });
    const status = async (key: string) =>
      (await service.call('GET', '/api/v1/operators/me', { headers: { 'x-svc-admin': key } })).status;
    try {
      expect([await status('one'), await status('two')]).toEqual([200, 401]);
      writeFileSync(file, line('otto', 'two'));
      await until(async () => (await status('two')) === 200);
      expect(await status('one')).toBe(401);
      for (const broken of ['', 'otto', `${line('otto', 'two')},${line('0tto', 'three')}`]) {
        writeFileSync(file, broken);
        const before = service.lines.length;
        await until(
          async () => (await status('two')) !== 200 || service.lines.slice(before).join().includes('operator_keys'),
        );
        expect(await status('two')).toBe(200);
      }
      expect(service.lines.join()).not.toContain(sha256Hex('two'));
    } finally {
      await service.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
