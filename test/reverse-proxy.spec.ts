/** The server block of docs/operate/reverse-proxy.md in a real nginx, before a real service. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Agent, type Dispatcher, fetch } from 'undici';
import { contract } from '../apps/server/test/contract.js';
import { claimOf, TestService } from '../apps/server/test/fixture.js';
import { nginxIsHere, TestNginx } from './nginx.js';

const [, block] = /```nginx\n([\s\S]*?)```/.exec(readFileSync('docs/operate/reverse-proxy.md', 'utf8'))!;
const OPERATORS = 'allow 10.0.0.0/8;';

/** Of the contract, by path: whether somebody who is no operator has business there. */
const paths = Object.entries((contract as OpenAPIObject).paths).map(([path, operations]): [string, boolean] => {
  const isOpen = ({ security }: { security?: Record<string, unknown>[] }) =>
    security === undefined || security.some((needed) => !('operator' in needed));
  return [path.replaceAll(/\{[^}]+\}/g, 'x'), Object.values(operations as object).some(isOpen)];
});
const ROUTES: [path: string, open: boolean][] = [
  ...paths,
  ['/api/v1/openapi.json', true],
  ['/api/v1/docs', true],
  ['/api/v1/docs.md', true],
  ['/api/v1/docs/', true],
  ['/api/v1/docs/reference.js', true],
  ['/api/v1/nothing', false],
  ['/api/lotscan/', false],
  ['/api/lotscan/workspaces/', false],
  ['/api/lotscan/%77orkspaces', false],
  ['/api/lotscan/lots/../workspaces', false],
  ['/api/lotscan/lots/..%2fworkspaces', false],
  ['/api/v1/docs/../keys', false],
  ['//health/detail', false],
  ['/health/live/../detail', false],
];

(nginxIsHere ? describe : describe.skip)('the nginx block of docs/operate/reverse-proxy.md', () => {
  const [outside, inside] = [new TestNginx(), new TestNginx()];
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  let service: TestService;

  beforeAll(async () => {
    expect(block).toContain(OPERATORS);
    service = await TestService.start();
    await outside.start(block, service.address);
    await inside.start(block.replace(OPERATORS, 'allow 127.0.0.0/8;'), service.address);
  });
  afterAll(async () => {
    await agent.close();
    await Promise.all([outside.stop(), inside.stop()]);
    await service.stop();
  });

  /** The path as it is written; whether the service answered, or nginx by itself. */
  async function ask(origin: string, path: string, method: Dispatcher.HttpMethod = 'GET') {
    const { statusCode, headers, body } = await agent.request({ origin, path, method });
    await body.dump();
    return { status: statusCode, passed: headers['x-request-id'] !== undefined };
  }

  it('knows paths for everybody and paths for operators', () => {
    const open = paths.filter(([, open]) => open).map(([path]) => path);
    expect(open).toEqual(
      expect.arrayContaining(['/', '/api/v1/verify-match', '/api/lotscan/lots/x/check', '/health/live']),
    );
    expect(paths.length - open.length).toBeGreaterThan(15);
  });

  it.each(ROUTES)('outside %s is open: %s', async (path, open) => {
    for (const method of ['GET', 'POST'] as const) {
      const { status, passed } = await ask(outside.address, path, method);
      expect([method, path, passed, passed || status]).toEqual([method, path, open, open || 403]);
    }
  });

  it.each(ROUTES)('operators reach %s', async (path) => {
    expect(await ask(inside.address, path)).toMatchObject({ passed: true });
  });

  it('passes a claim with its credential, and stores none of it', async () => {
    const body = JSON.stringify(claimOf(1));
    // More than what nginx keeps in memory before it writes a file.
    expect(body.length).toBeGreaterThan(16_384);
    const answer = await fetch(`${outside.address}/api/v1/verify-match`, {
      method: 'POST',
      headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
      body,
      dispatcher: agent,
    });
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ verdict: 'MATCH' })]);
    expect(readdirSync(join(outside.directory, 'kept'))).toEqual([]);
  });
});
