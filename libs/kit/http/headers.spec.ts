import { TestService } from '../../../apps/server/test/fixture.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

const guards = ({ headers }: { headers: Headers }) => [
  headers.get('cache-control'),
  headers.get('x-content-type-options'),
  headers.get('vary'),
];

it('no answer to a credential is kept by a cache or taken for another type: least of all a new key', async () => {
  const { operator } = service;
  const key = { 'x-api-key': service.apiKey };
  const made = await service.json('POST', '/api/v1/keys', { name: 'shown once' }, operator);
  expect([made.status, guards(made)]).toEqual([201, ['no-store', 'nosniff', 'x-svc-admin']]);
  const workspace = await service.json('POST', '/api/lotscan/workspaces', { name: 'trader' }, operator);
  expect([workspace.status, guards(workspace)]).toEqual([201, ['no-store', 'nosniff', 'x-svc-admin']]);
  const token = { 'x-svc-token': workspace.body.token };
  const calls: [status: number, vary: string, method: string, path: string, headers: Record<string, string>][] = [
    [200, 'x-svc-admin', 'GET', '/api/v1/keys', operator],
    [200, 'x-svc-admin, accept-encoding', 'GET', '/api/v1/claims', operator],
    [404, 'x-svc-admin', 'DELETE', '/api/v1/keys/mvs_live_0', operator],
    [401, 'x-svc-admin', 'GET', '/api/v1/keys', {}],
    [200, 'x-svc-admin, authorization', 'GET', '/metrics', operator],
    [400, 'x-api-key', 'POST', '/api/v1/verify-match', { ...key, 'content-type': 'application/json' }],
    [401, 'x-api-key', 'POST', '/api/v1/verify-match', {}],
    [200, 'x-svc-token', 'GET', '/api/lotscan/lots', token],
    [401, 'x-svc-token', 'GET', '/api/lotscan/lots', {}],
  ];
  for (const [status, vary, method, path, headers] of calls) {
    const answer = await service.call(method, path, { headers });
    expect([path, answer.status, ...guards(answer)]).toEqual([path, status, 'no-store', 'nosniff', vary]);
  }
});

it('an answer open to all may be kept as it says', async () => {
  for (const [path, kept] of [
    ['/api/v1', 'no-cache'],
    ['/api/v1/docs/reference.js', 'max-age=3600'],
    ['/health/live', 'no-store'],
    ['/nothing', 'no-store'],
  ]) {
    const { headers } = await service.call('GET', path);
    expect([path, headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
      path,
      kept,
      'nosniff',
    ]);
  }
});
