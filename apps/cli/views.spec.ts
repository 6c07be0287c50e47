import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECTIONS } from '#catalogue/projections';
import { upcast } from '#catalogue/upcast';
import type { KeyFacts } from '#keys/events';
import type { EventStore } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { CALL_LISTING, CLAIM_LISTING, FINDING_LISTING } from '#kit/views/listings';
import { endings } from '../../test/endings.js';
import { generateStreams } from '../../test/streams.js';
import { mvs as runMvs } from './test/mvs.js';

const env = { ...process.env, EVENTSTORE_URL: '', MVS_OPERATOR_KEY: '' };
const mvs = (...args: string[]) => runMvs(['views', ...args], { env });

describe('mvs views', () => {
  const atEnd = endings();
  let folder: string;
  let live: EventStore;
  const events = [...generateStreams(60, 2)];
  const at = (...parts: string[]) => join(folder, ...parts);

  // The log is open in this process all the while, as the service holds it.
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mvs-views-'));
    live = await openSqliteEventStore({ directory: at('var'), upcast });
    await Promise.all(
      events.map(({ stream, revision, ...event }) =>
        live.append(stream, [event], revision === 0 ? 'no_stream' : BigInt(revision - 1)),
      ),
    );
  });
  afterAll(async () => {
    await live.close();
    rmSync(folder, { recursive: true });
  });

  it('rebuilds twice alike from a live log, and answers as of a moment as a rebuild up to it does', async () => {
    const log = ['--data', at('var')];
    const first = await mvs('rebuild', ...log, '--json');
    expect(first.code).toBe(0);
    expect(JSON.parse(first.out)).toMatchObject({
      into: at('var', 'views'),
      position: String(events.length),
      events: events.length,
    });
    await mvs('rebuild', ...log, '--into', at('again'));
    const digests = await mvs('dump', ...log, '--digest');
    expect((await mvs('dump', '--views', at('again'), '--digest')).out).toBe(digests.out);
    expect(digests.out.trimEnd().split('\n')).toHaveLength(PROJECTIONS.length);

    const moment = events[events.length >> 1].recordedAt.toISOString();
    const until = await mvs('rebuild', ...log, '--until', moment, '--view', 'ledger', 'findings');
    expect(until.out).toMatch(/^Rebuilt ledger, findings at position \d+ in .*views-until-2026-01-05T/);
    const folder = readdirSync(at('var')).find((name) => name.startsWith('views-until'))!;
    const then = await mvs('claims', '--views', at('var', folder));
    const asOf = await mvs('claims', ...log, '--as-of', moment);
    expect(JSON.parse(then.out).items.length).toBeGreaterThan(10);
    expect(asOf.out).toBe(then.out);
    expect((await mvs('dump', '--views', at('var', folder), '--view', 'ledger', '--digest')).out).not.toBe(digests.out);
  });

  it('hands its views to another replica in one file', async () => {
    const log = ['--data', at('var')];
    await mvs('rebuild', ...log, '--out', at('handed'));
    const out = at('handed.snapshot');
    const exported = await mvs('export', '--views', at('handed'), '--out', out, '--json');
    expect([exported.code, exported.error]).toEqual([0, '']);
    const position = String(events.length);
    const views = PROJECTIONS.map(({ name }) => ({ view: name, position }));
    expect(JSON.parse(exported.out)).toEqual({ into: out, bytes: statSync(out).size, views });
    const imported = await mvs('import', out, ...log, '--views', at('taken'));
    expect(imported.out).toMatch(/^Imported into .*taken: ledger at position \d+, findings/);
    const digests = await mvs('dump', '--views', at('handed'), '--digest');
    expect((await mvs('dump', '--views', at('taken'), '--digest')).out).toBe(digests.out);

    const part = await mvs('export', '--views', at('handed'), '--view', 'lots', '--out', at('lots.snapshot'));
    expect(part.out).toBe(`Exported into ${at('lots.snapshot')}: lots at position ${position}.\n`);
    truncateSync(out, 5000);
    const cut = await mvs('import', out, ...log, '--views', at('taken'));
    expect(cut).toEqual({
      code: 2,
      out: '',
      error: expect.stringMatching(/^mvs: .*handed.snapshot: it is cut off: 5000 of/),
    });
  });

  it('lists claims, keys, findings and calls, and shows one claim with its history', async () => {
    const log = ['--data', at('var')];
    if (!existsSync(at('var', 'views'))) await mvs('rebuild', ...log);
    const some = JSON.parse((await mvs('claims', ...log, '--verdict', 'MATCH', '--limit', '2')).out);
    expect(some.items).toHaveLength(2);
    expect(some.next_cursor).toEqual(expect.any(String));
    expect(JSON.parse((await mvs('keys', ...log)).out).items).toHaveLength(5);
    const found = JSON.parse((await mvs('findings', ...log, '--no-breach', '--key-kind', 'production')).out).items;
    expect(found.length).toBeGreaterThan(0);
    for (const { breach, key } of found) expect([breach, key.kind]).toEqual([null, 'production']);
    const [{ claim_id }] = some.items;
    const { history, ...one } = JSON.parse((await mvs('claim', claim_id, ...log)).out);
    expect(one).toEqual(some.items[0]);
    const types = ['ClaimSubmitted', 'ClaimScored', 'ClaimLabelled', 'LabelAmended'];
    expect(history.map(({ type }: { type: string }) => type)).toEqual(types);
    const calls = JSON.parse((await mvs('calls', ...log, '--claim-id', claim_id, '--status', '200')).out);
    expect(calls.items).toMatchObject([{ claim_id, status: 200, verdict: 'MATCH' }]);
  });

  it('takes every parameter that the service takes', async () => {
    const listings = { claims: CLAIM_LISTING, findings: FINDING_LISTING, calls: CALL_LISTING };
    for (const [name, parameters] of Object.entries(listings)) {
      const { out } = await mvs(name, '--help');
      for (const parameter of Object.keys(parameters)) expect(out).toContain(` --${parameter.replaceAll('_', '-')}`);
    }
    const log = ['--data', at('var')];
    if (!existsSync(at('var', 'views'))) await mvs('rebuild', ...log);
    const asked = async (...args: string[]) => JSON.parse((await mvs('claims', ...log, ...args)).out);
    const all = await asked('--limit', '1000', '--sort', 'p_match_5050', '--total');
    const scored = all.items as { p_match_5050: number; verdict: string }[];
    expect(all.total).toBeGreaterThanOrEqual(scored.length);
    const [most, least] = [scored[0].p_match_5050, scored[scored.length - 1].p_match_5050];
    const queue = ['--p-min', String(least), '--p-max', String(most), '--no-reviewed', '--verdict', 'NO_MATCH'];
    const waiting = await asked('--limit', '1000', '--total', ...queue);
    expect(waiting.total).toBe(scored.filter(({ verdict }) => verdict === 'NO_MATCH').length);
    expect((await mvs('claims', ...log, '--p-min', '2')).error).toContain('It is from 0 to 1.');
  });

  it('sums up the calls of a window from the file', async () => {
    await mvs('rebuild', '--data', at('var'), '--into', at('calls'), '--view', 'telemetry', 'findings');
    const printed = async (...args: string[]) => {
      const { code, out, error } = await mvs('telemetry', '--views', at('calls'), ...args);
      expect([code, error]).toEqual([0, '']);
      return JSON.parse(out);
    };
    const whole = ['--from', '2026-01-01', '--to', '2026-12-01'];
    const claims = (holds: (key: KeyFacts) => boolean) => {
      const submitted = events.filter(({ type, data }) => type === 'ClaimSubmitted' && holds(data.key as KeyFacts));
      const ids = new Set(submitted.map(({ data }) => data.claim_id));
      return events.filter(({ type, data }) => type === 'ClaimScored' && ids.has(data.claim_id)).length;
    };
    const all = await printed(...whole);
    expect(all).toMatchObject({
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-12-01T00:00:00.000Z',
      replay: { calls: 0 },
      findings: expect.any(Array),
      label_agreement: expect.any(Array),
    });
    expect(all.verdicts.MATCH + all.verdicts.NO_MATCH).toBe(claims(() => true));
    const some = await printed(...whole, '--population', 'lab-a', '--key', 'cutter', '--key-kind', 'production');
    expect(some).toMatchObject({ population: 'lab-a', key: 'cutter', key_kind: 'production' });
    expect(claims(({ name }) => name === 'cutter')).toBeGreaterThan(0);
    expect(some.by_status[200] - some.repeats).toBe(claims(({ name }) => name === 'cutter'));
    expect(await printed('--before', '2026-01-01')).toMatchObject({ from: '2025-12-31T00:00:00.000Z', calls: 0 });
  });

  it('makes the running service let an event pass', async () => {
    const asked: unknown[] = [];
    const service = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        asked.push([request.method, request.url, request.headers['x-svc-admin'], JSON.parse(body)]);
        response.statusCode = asked.length === 1 ? 200 : 404;
        response.end(
          JSON.stringify(asked.length === 1 ? { position: '7' } : { detail: 'Not found: no view has stopped' }),
        );
      });
    });
    atEnd(service, (server) => server.close());
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const skip = () => mvs('skip', '7', '--reason', 'damaged disk', '--url', url, '--operator-key', 'secret');
    expect(await skip()).toEqual({ code: 0, out: 'The views pass over position 7.\n', error: '' });
    expect(asked).toEqual([['POST', '/api/v1/views/skip', 'secret', { position: '7', reason: 'damaged disk' }]]);
    expect(await skip()).toEqual({
      code: 2,
      out: '',
      error: 'mvs: the service refused (404): Not found: no view has stopped\n',
    });
    await new Promise((resolve) => service.close(resolve));
    expect(await skip()).toMatchObject({
      code: 4,
      error: expect.stringMatching(/^mvs: the service at .* does not answer/),
    });
  });

  it.each<[string, number, RegExp, () => string[]]>([
    ['no log', 3, /^mvs: no event log at /, () => ['rebuild', '--data', at('none')]],
    [
      'no views',
      3,
      /^mvs: there is no view ledger .* mvs views rebuild makes it/,
      () => ['claims', '--views', at('none')],
    ],
    ['no moment', 3, /It is a time/, () => ['rebuild', '--until', 'yesterday']],
    ['no kind of key', 3, /It is one of production, test/, () => ['telemetry', '--key-kind', 'other']],
    ['no view of this name', 3, /There are ledger/, () => ['dump', '--view', 'legder']],
    ['no reason', 3, /--reason/, () => ['skip', '7']],
    [
      'no views to export',
      3,
      /^mvs: there is no view ledger/,
      () => ['export', '--out', at('x'), '--views', at('none')],
    ],
    ['no file for them', 3, /--out/, () => ['export']],
    ['no folder for it', 3, /no such file/, () => ['export', '--out', at('none', 'x'), '--views', at('var', 'views')]],
    ['no snapshot', 3, /no such file/, () => ['import', at('none'), '--data', at('var')]],
    ['no snapshot but a log', 2, /it is no snapshot/, () => ['import', at('var', 'events.db'), '--data', at('var')]],
    ['no operator key', 3, /^mvs: give the operator key/, () => ['skip', '7', '--reason', 'x']],
  ])('says in one sentence what is wrong: %s', async (_, code, sentence, args) => {
    const answer = await mvs(...args());
    expect([answer.code, answer.out]).toEqual([code, '']);
    expect(answer.error).toMatch(sentence);
  });
});
