import { TestService } from '../../../apps/server/test/fixture.js';

let service: TestService;
afterEach(() => service.stop());

const preflight = (origin: string) =>
  fetch(`${service.service.address}/api/v1/verify-match`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-api-key,content-type',
    },
  });

it('lets the scripts of a configured page call, and no other', async () => {
  service = await TestService.start({ MVS_CORS_ORIGINS: 'https://lab.example' });
  const allowed = await preflight('https://lab.example');
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://lab.example');
  expect(allowed.headers.get('access-control-allow-headers')).toBe('x-api-key,content-type');
  expect((await preflight('https://other.example')).headers.get('access-control-allow-origin')).toBeNull();
  const refused = await service.call('POST', '/api/v1/verify-match', { headers: { origin: 'https://lab.example' } });
  expect(refused.status).toBe(401);
  expect(refused.headers.get('access-control-allow-origin')).toBe('https://lab.example');
  expect(refused.headers.get('vary')?.toLowerCase().split(', ').sort()).toEqual(['origin', 'x-api-key']);
  const headers = { origin: 'https://lab.example', 'accept-encoding': 'gzip' };
  const document = await service.call('GET', '/api/v1', { headers });
  expect(document.headers.get('vary')?.toLowerCase().split(', ').sort()).toEqual(['accept-encoding', 'origin']);
  expect((await service.call('PUT', '/api/v1/keys')).status).toBe(405);
});

it('allows none by default', async () => {
  service = await TestService.start();
  const answer = await preflight('https://lab.example');
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([405, null]);
});
