/** A log of which an event was lost in every stream, as an import of an export with `--replace-unreadable` leaves it. */
import { streams } from '#domain/streams';
import { newEventId } from '#kit/log/event-id';
import { lostEvent } from '#kit/log/events-lost';
import { claimOf, TestService } from './test/fixture.js';

let service: TestService;
let token: string;
let claimId: string;
let other: string;
beforeAll(async () => {
  service = await TestService.start();
  claimId = (await service.verify(claimOf(1))).body.claim_id;
  const label = [{ claim_id: claimId, expected: 'match' }];
  await service.json('POST', '/api/v1/expected', label, { 'x-api-key': service.apiKey });
  await service.json('POST', `/api/v1/claims/${claimId}/review`, { note: 'seen' }, service.operator);
  token = (await service.json('POST', '/api/lotscan/workspaces', { name: 'trader' }, service.operator)).body.token;
  other = await service.createKey('lab-b');
  const { log } = service.service;
  const ofPopulation = [streams.calibration, streams.drift, streams.figure, streams.rejectedDecisions];
  const names = new Set([streams.model(), ...ofPopulation.map((stream) => stream('lab-a'))]);
  for await (const { stream } of log.readAll()) {
    if (!stream.startsWith('key-')) names.add(stream);
    if (stream.startsWith('workspace-')) names.add(stream.replace('workspace', 'lotscorer'));
  }
  const lost = lostEvent({ type: 'Unknown', position: 1n, reason: 'damaged' });
  for (const stream of names) await log.append(stream, [{ ...lost, id: newEventId() }], 'any');
});
afterAll(() => service.stop());

const loseIn = (stream: string) =>
  service.service.log.append(
    stream,
    [{ ...lostEvent({ type: 'KeyRevoked', position: 2n, reason: 'damaged' }), id: newEventId() }],
    'any',
  );

describe('where an event of every stream was lost', () => {
  it('a claim is refused with the contract’s words for what an operator has to mend', async () => {
    for (const n of [1, 2]) {
      const { status, body } = await service.verify(claimOf(n));
      expect([status, body.code, body.detail]).toEqual([
        400,
        'asset',
        expect.stringMatching(/^policy or asset message: event 0 of stream \S+ was lost, .*; tell the operator$/),
      ]);
    }
  });

  it('nothing that is asked or done is answered 500', async () => {
    const token_prefix = token.slice(0, token.lastIndexOf('_'));
    const values: Record<string, string> = {
      population: 'lab-a',
      rung: '0.98',
      claim_id: claimId,
      name: 'ledger',
      token_prefix,
    };
    const asked = service.service.api
      .routes()
      .filter((route) => /^GET /.test(route) && !/stream$|console/.test(route))
      .map((route) => route.slice(4).replace(/:(\w+)/g, (_, name) => values[name] ?? 'x'));
    expect(asked.length).toBeGreaterThan(30);
    const credentials = { ...service.operator, 'x-api-key': service.apiKey, 'x-svc-token': token };
    const answered: [string, number][] = [];
    for (const path of asked) answered.push([path, (await service.call('GET', path, { headers: credentials })).status]);
    const reason = 'because';
    for (const [method, path, body] of [
      ['POST', '/api/v1/expected', [{ claim_id: claimId, expected: 'no_match' }]],
      ['POST', '/api/v1/model/switch', { model: 'a'.repeat(64), reason }],
      ['POST', '/api/v1/calibration/lab-a/rungs/0.98/approve', { reason, threshold: 0.8 }],
      ['POST', '/api/v1/calibration/lab-a/rungs/0.98/withdraw', { reason, revision: 0 }],
      ['POST', '/api/v1/calibration/lab-a/scorer/withdraw', { reason, revision: 0 }],
      ['POST', `/api/v1/claims/${claimId}/review`, { note: 'again' }],
      ['POST', '/api/v1/keys', { name: 'lab-c' }],
      ['POST', '/api/lotscan/workspaces', { name: 'trader' }],
    ] as const)
      answered.push([path, (await service.json(method, path, body, credentials)).status]);
    expect(answered.filter(([, status]) => status === 500)).toEqual([]);
  });

  it('a key opens nothing, as what was lost may be its revocation', async () => {
    const answer = () => service.verify(claimOf(3), { 'x-api-key': other });
    expect((await answer()).body.code).not.toBe('credential_api_key');
    const [, id] = /_([0-9a-f]{16})_/.exec(other)!;
    await loseIn(`key-${id}`);
    expect((await answer()).body).toMatchObject({ code: 'credential_api_key' });
    const made = await service.json('POST', '/api/v1/keys', { name: 'lab-b' }, service.operator);
    expect([made.status, made.body.code]).toEqual([400, 'asset']);
  });
});
