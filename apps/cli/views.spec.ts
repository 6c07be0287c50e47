import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECTIONS } from '#catalogue/projections';
import { upcast } from '#catalogue/upcast';
import type { EventStore } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
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

  it('rebuilds twice alike from a live log, and up to a moment', async () => {
    const log = ['--data', at('var')];
    const first = await mvs('rebuild', ...log, '--json');
    expect(first.code).toBe(0);
    expect(JSON.parse(first.out)).toMatchObject({
      into: at('var', 'views'),
      position: String(events.length),
      events: events.length,
    });
    await mvs('rebuild', ...log, '--out', at('again'));
    const digests = await mvs('dump', ...log, '--digest');
    expect((await mvs('dump', '--views', at('again'), '--digest')).out).toBe(digests.out);
    expect(digests.out.trimEnd().split('\n')).toHaveLength(PROJECTIONS.length);

    const moment = events[events.length >> 1].recordedAt.toISOString();
    const until = await mvs('rebuild', ...log, '--until', moment, '--view', 'ledger', 'findings');
    expect(until.out).toMatch(/^Rebuilt ledger, findings at position \d+ in .*views-until-2026-01-05T/);
    const folder = readdirSync(at('var')).find((name) => name.startsWith('views-until'))!;
    const ledger = (...from: string[]) => mvs('dump', ...from, '--view', 'ledger', '--digest');
    const then = JSON.parse((await ledger('--views', at('var', folder))).out);
    const now = JSON.parse((await ledger(...log)).out);
    expect(then.rows).toBeGreaterThan(10);
    expect(now.rows).toBeGreaterThan(then.rows);
  });

  it('copies views that another connection holds into a new folder, which nobody else may read', async () => {
    await mvs('rebuild', '--data', at('var'), '--out', at('handed'));
    const copied = await mvs('copy', '--views', at('handed'), '--out', at('copied'), '--json');
    expect([copied.code, copied.error]).toEqual([0, '']);
    const position = String(events.length);
    const views = PROJECTIONS.map(({ name }) => ({ view: name, position }));
    expect(JSON.parse(copied.out)).toEqual({ into: at('copied'), views });
    const digests = await mvs('dump', '--views', at('handed'), '--digest');
    expect((await mvs('dump', '--views', at('copied'), '--digest')).out).toBe(digests.out);
    for (const name of readdirSync(at('copied'))) expect(statSync(at('copied', name)).mode & 0o077).toBe(0);

    const part = await mvs('copy', '--views', at('handed'), '--view', 'lots', '--out', at('lots'));
    expect(part.out).toBe(`Copied into ${at('lots')}: lots at position ${position}.\n`);
    const again = await mvs('copy', '--views', at('handed'), '--out', at('copied'));
    expect(again).toMatchObject({ code: 3, error: expect.stringMatching(/copied is there already/) });
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
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
          JSON.stringify(
            asked.length === 1 ? { position: '7', views: ['ledger'] } : { detail: 'Not found: no view has stopped' },
          ),
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
      error: expect.stringMatching(/^mvs: http:.* cannot be reached/),
    });
  });

  it.each<[string, number, RegExp, () => string[]]>([
    ['no log', 3, /^mvs: no event log at /, () => ['rebuild', '--data', at('none')]],
    [
      'no views',
      3,
      /^mvs: there is no view ledger .* mvs views rebuild makes it/,
      () => ['dump', '--views', at('none')],
    ],
    ['no moment', 3, /It is a time/, () => ['rebuild', '--until', 'yesterday']],
    ['no view of this name', 3, /There are ledger/, () => ['dump', '--view', 'legder']],
    ['no reason', 3, /--reason/, () => ['skip', '7']],
    ['no views to copy', 3, /^mvs: there is no view ledger/, () => ['copy', '--out', at('x'), '--views', at('none')]],
    ['no folder for them', 3, /--out/, () => ['copy']],
    ['no folder above it', 3, /no such file/, () => ['copy', '--out', at('no', 'x'), '--views', at('var', 'views')]],
    ['no operator key', 3, /^mvs: give the operator key/, () => ['skip', '7', '--reason', 'x']],
  ])('says in one sentence what is wrong: %s', async (_, code, sentence, args) => {
    const answer = await mvs(...args());
    expect([answer.code, answer.out]).toEqual([code, '']);
    expect(answer.error).toMatch(sentence);
  });
});
