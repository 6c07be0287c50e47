import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { newEventId } from '#kit/log/event-id';
import type { EventStore } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { LOG_SECRET, startDouble } from '../../test/eventstoredb/double.js';
import { openDoubleLog } from '../../test/eventstoredb/log.js';
import { program } from '../../test/programs.js';
import { generateStreams, type StreamEvent } from '../../test/streams.js';
import { mvs as runMvs } from './test/mvs.js';

const MAIN = program('mvs');

const environment = { ...process.env, MVS_DATA_DIR: '', EVENTSTORE_URL: '' };
const mvs = (...args: string[]) => mvsIn({}, ...args);
const mvsIn = (more: Record<string, string>, ...args: string[]) =>
  runMvs(['events', ...args], {
    env: { ...environment, ...(args.includes('--eventstore') && { MVS_LOG_SECRET: LOG_SECRET }), ...more },
  });
const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('mvs events', () => {
  let folder: string;
  let live: EventStore;
  const written: StreamEvent[] = [...generateStreams(60)];
  const at = (...parts: string[]) => join(folder, ...parts);
  const write = async (store: EventStore, events: StreamEvent[]) => {
    for (const { stream, revision, ...event } of events) {
      await store.append(stream, [event], revision === 0 ? 'no_stream' : BigInt(revision - 1));
    }
  };

  // The log is open in this process all the while, as the service holds it.
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mvs-events-'));
    live = await openSqliteEventStore({ directory: at('live') });
    await write(live, written);
  });
  afterAll(async () => {
    await live.close();
    rmSync(folder, { recursive: true });
  });

  it('list shows every stream with its events', async () => {
    const { code, out } = await mvs('list', '--data', at('live'), '--json');
    expect(code).toBe(0);
    const listed = JSON.parse(out);
    expect(listed.map(({ stream }: { stream: string }) => stream)).toEqual([
      ...new Set(written.map(({ stream }) => stream)),
    ]);
    expect(listed.reduce((sum: number, { events }: { events: number }) => sum + events, 0)).toBe(written.length);
    expect(listed[0]).toEqual({
      stream: written[0].stream,
      events: 2,
      last_revision: 1,
      first_position: '1',
      last_position: String(written.length),
      last_recorded_at: written[written.length - 1].recordedAt.toISOString(),
    });
    const forPeople = await mvs('list', '--data', at('live'), '--prefix', 'key-');
    expect(forPeople.out.trimEnd().split('\n').pop()).toMatch(/^5 streams/);
  });

  it('show prints a stream, or the log by place and type, as it is stored', async () => {
    const { stream } = written.find(({ type }) => type === 'ClaimScored')!;
    const own = written.filter((event) => event.stream === stream);
    const one = lines((await mvs('show', stream, '--data', at('live'))).out);
    expect(one).toEqual(
      own.map(({ recordedAt, ...event }) => ({
        ...event,
        position: String(written.indexOf(own.find(({ id }) => id === event.id)!) + 1),
        recorded_at: recordedAt.toISOString(),
      })),
    );
    const some = lines(
      (await mvs('show', '--data', at('live'), '--after', '10', '--limit', '7', '--type', 'ClaimScored')).out,
    );
    expect(some.map(({ id }) => id)).toEqual(
      written
        .slice(10)
        .filter(({ type }) => type === 'ClaimScored')
        .slice(0, 7)
        .map(({ id }) => id),
    );
    const absent = await mvs('show', 'none', '--data', at('live'));
    expect([absent.code, absent.out]).toEqual([2, '']);
    expect(absent.error).toMatch(/^mvs: there is no stream none: .*\n$/);
  });

  it('tail prints the newest events and follows the log', async () => {
    const { out } = await mvs('tail', '--data', at('live'), '-n', '3');
    expect(lines(out).map(({ id }) => id)).toEqual(written.slice(-3).map(({ id }) => id));
    const child: ChildProcess = spawn(process.execPath, [
      MAIN,
      'events',
      'tail',
      '-f',
      '-n',
      '1',
      '--data',
      at('live'),
    ]);
    let seen = '';
    const until = (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => seen.split('\n').length > count && resolve();
        child.stdout!.on('data', (chunk: Buffer) => {
          seen += chunk;
          look();
        });
        look();
      });
    await until(1);
    const id = newEventId();
    const now = new Date().toISOString();
    const counted = { status: 429, reason: 'rate', count: 1, from: now, until: now };
    const { revision } = written.findLast(({ stream }) => stream === 'edge') ?? { revision: -1 };
    const event: StreamEvent = {
      stream: 'edge',
      revision: revision + 1,
      id,
      type: 'RefusalsCounted',
      version: 1,
      data: counted,
      recordedAt: new Date(),
    };
    await write(live, [event]);
    written.push(event);
    await until(2);
    expect(lines(seen)[1]).toMatchObject({ id, position: String(written.length) });
    const ended = new Promise((resolve) => child.on('close', resolve));
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });

  it('imports by the seal of the log that an export comes from, or at the word of who imports, and records which', async () => {
    await mvs('export', '--data', at('live'), '--out', at('sealed.ndjson'));
    const recorded = async (folder: string) =>
      lines((await mvs('show', 'log', '--data', at(folder))).out).find(({ type }) => type === 'LogImported')!.data;
    const sender = { MVS_SENDER_SECRET_FILE: at(join('live', 'log.secret')) };
    expect((await mvsIn(sender, 'import', at('sealed.ndjson'), '--data', at('trusted'))).out).toMatch(/Its seal fits/);
    expect(await recorded('trusted')).toMatchObject({ sealed_by: expect.stringMatching(/^[0-9a-f]{8}$/) });
    const asked = await mvs('import', at('sealed.ndjson'), '--data', at('word'), '--operator', 'ada');
    expect([asked.code, asked.error]).toEqual([2, expect.stringMatching(/MVS_SENDER_SECRET, or --unchecked REASON/)]);
    const unchecked = ['--operator', 'ada', '--unchecked', 'its secret is elsewhere'];
    const word = await mvs('import', at('sealed.ndjson'), '--data', at('word'), ...unchecked);
    expect(word.out).toMatch(/No seal was checked: taken at the word of ada/);
    expect(await recorded('word')).toMatchObject({ sealed_by: null, operator: 'ada', unchecked: unchecked[3] });

    const other = { MVS_SENDER_SECRET: 'the-secret-of-yet-another-log-of-32-or-more' };
    const refused = await mvsIn(other, 'import', at('sealed.ndjson'), '--data', at('refused'));
    expect([refused.code, refused.error]).toEqual([
      2,
      expect.stringMatching(/is sealed by secret [0-9a-f]{8}, which is not/),
    ]);
    // Another hand takes an event away, and counts anew.
    const [header, ...rest] = readFileSync(at('sealed.ndjson'), 'utf8').trimEnd().split('\n');
    const kept = rest.slice(0, -2);
    const sha256 = createHash('sha256')
      .update(kept.map((line) => `${line}\n`).join(''))
      .digest('hex');
    const { end } = JSON.parse(rest.at(-1) as string);
    const cut = [header, ...kept, JSON.stringify({ end: { ...end, events: kept.length, sha256 } })];
    writeFileSync(at('cut.ndjson'), `${cut.join('\n')}\n`);
    for (const secret of [sender, { MVS_LOG_SECRET_FILE: at(join('live', 'log.secret')) }]) {
      const changed = await mvsIn(secret, 'import', at('cut.ndjson'), '--data', at('refused'), ...unchecked);
      expect([changed.code, changed.error]).toEqual([2, expect.stringMatching(/has a seal that does not fit/)]);
    }
    expect(existsSync(at('refused'))).toBe(false);
  });

  it('exports, imports into EventStoreDB and back, and finds the same digest everywhere', async () => {
    const exported = await mvs('export', '--data', at('live'), '--out', at('log.ndjson'), '--json');
    expect(exported.code).toBe(0);
    expect(existsSync(at('log.ndjson.part'))).toBe(false);
    const text = readFileSync(at('log.ndjson'), 'utf8');
    const double = await startDouble(openDoubleLog(at('double.db')));
    const server = ['--eventstore', double.connectionString];
    try {
      const there = await mvs('import', at('log.ndjson'), ...server, '--json', '--unchecked', 'my own');
      expect([there.code, JSON.parse(there.out)]).toMatchObject([0, { events: written.length, present: 0 }]);
      const { out } = await mvs('export', ...server);
      // Each log's secret seals an export of its own.
      const unsealed = (exported: string) => exported.replace(/,"seal":"[^"]*"\}\}\n$/, '}}\n');
      expect(unsealed(out)).toBe(unsealed(text));
      expect(unsealed(out)).not.toBe(out);
      writeFileSync(at('back.ndjson'), out);
      const sender = { MVS_SENDER_SECRET: LOG_SECRET };
      const back = await mvsIn(sender, 'import', at('back.ndjson'), '--data', at('back'));
      expect(back.out).toMatch(new RegExp(`^Imported ${written.length} events: `));
      expect((await mvsIn(sender, 'import', at('back.ndjson'), '--data', at('back'))).out).toMatch(
        /^Imported 0 events, /,
      );
      const digests = await Promise.all(
        [['--data', at('live')], server, ['--data', at('back')]].map(async (log) => {
          const { code, out } = await mvs('verify', ...log, '--json');
          expect(code).toBe(0);
          return JSON.parse(out).sha256;
        }),
      );
      expect(new Set(digests).size).toBe(1);
      expect(text).toContain(digests[0]);
      expect(JSON.parse(exported.out)).toEqual({ file: at('log.ndjson'), events: written.length, sha256: digests[0] });
      expect(lines((await mvs('tail', '-n', '2', ...server)).out)).toHaveLength(2);
    } finally {
      await double.close();
    }
    // Ten processes one after the other, on a busy machine.
  });

  it('verify exits 1 and names what breaks an invariant', async () => {
    const store = await openSqliteEventStore({ directory: at('broken') });
    const event = (type: string, data: Record<string, unknown>, version = 1) => ({
      id: newEventId(),
      type,
      version,
      data,
    });
    await write(store, written.slice(0, 30));
    const now = new Date(0).toISOString();
    const counted = { status: 401, reason: 'x', count: 1, from: now, until: now };
    const scored = written.find(({ type }) => type === 'ClaimScored')!;
    await store.append('claim-k-c', [event('ClaimScored', scored.data, scored.version)], 'no_stream');
    await store.append('drift-x', [event('Surprise', {}), event('RefusalsCounted', {}, 7)], 'no_stream');
    // Extra members of a forger: reported, and nothing else.
    await store.append('drift-y', [event('RefusalsCounted', { ...counted, event: 'RungWithdrawn' })], 'any');
    await store.append('drift-z', [event('RefusalsCounted', { ...counted, reason: 'damaged' })], 'any');
    await store.append('drift-z', [event('RefusalsCounted', { ...counted, reason: 'whole' })], 0n);
    // Events of another application in the same log are its own business.
    await store.append('orders-1', [event('OrderPlaced', {})], 'any');
    await store.close();
    // A byte changed on the disk, in all copies of the page.
    const file = at('broken', 'events.db');
    const bytes = readFileSync(file);
    for (let i = bytes.indexOf('"damaged"'); i >= 0; i = bytes.indexOf('"damaged"', i)) bytes.write('"DAMAGED"', i);
    writeFileSync(file, bytes);
    const { code, out } = await mvs('verify', '--data', at('broken'));
    expect(code).toBe(1);
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^event 35 \(RefusalsCounted, revision 0 of stream drift-z\) has a seal that does not fit/),
      expect.stringMatching(/^event 31 .* belongs into a stream claim-/),
      expect.stringMatching(/^event 31 \(ClaimScored, revision 0 of stream claim-k-c\) scores .* never submitted$/),
      expect.stringMatching(/^event 32 \(Surprise, .* unknown type Surprise$/),
      expect.stringMatching(/^event 33 \(RefusalsCounted, .* is of version 7, which is unknown$/),
      expect.stringMatching(/^event 34 .* holds data[.]event, which is no member of it$/),
      expect.stringMatching(/^event 36 .* belongs into a stream edge$/),
      expect.stringMatching(/^36 events in .* streams, digest [0-9a-f]{64}: 7 violations$/),
    ]);
    const shown = JSON.parse((await mvs('verify', '--data', at('broken'), '--json')).out);
    expect(shown).toMatchObject({ events: 36, violations: 7 });

    // The other commands do not stop at it; an export needs the operator's word.
    const broken = ['--data', at('broken')];
    const listed = JSON.parse((await mvs('list', '--prefix', 'drift-z', '--json', ...broken)).out);
    expect(listed).toMatchObject([{ events: 2, unreadable: 1, last_revision: 1 }]);
    expect(lines((await mvs('show', 'drift-z', ...broken)).out)).toMatchObject([
      { position: '35', revision: 0, unreadable: expect.stringMatching(/^has a seal that does not fit/) },
      { position: '36', revision: 1, data: { reason: 'whole' } },
    ]);
    const refused = await mvs('export', ...broken);
    expect([refused.code, refused.error]).toEqual([2, expect.stringMatching(/^mvs: event 35 .* --replace-unreadable/)]);
    const replaced = lines((await mvs('export', '--replace-unreadable', ...broken)).out);
    expect(replaced[35]).toMatchObject({ stream: 'drift-z', revision: 0, type: 'EventLost', data: { position: '35' } });
    expect(replaced[38].end.events).toBe(37);
  });

  it('verify names a row whose time was altered, and one below position 1', async () => {
    const store = await openSqliteEventStore({ directory: at('altered') });
    await write(store, written.slice(0, 30));
    await store.close();
    const db = new Database(at('altered', 'events.db'));
    db.exec(
      'UPDATE events SET recorded_at = recorded_at + 1 WHERE position = 12; UPDATE events SET position = -3 WHERE position = 30',
    );
    db.close();
    const { code, out } = await mvs('verify', '--data', at('altered'));
    expect(code).toBe(1);
    expect(out).toMatch(/^event 12 \(.*has a seal that does not fit/m);
    expect(out).toMatch(/^event -3: it does not follow the event before it/m);
  });

  it('verify names an event that an index does not lead to', async () => {
    const store = await openSqliteEventStore({ directory: at('index') });
    await write(store, written.slice(0, 30));
    const [{ id }] = await store.readLast(1, {});
    await store.close();
    const file = at('index', 'events.db');
    const bytes = readFileSync(file);
    const found: string[] = [];
    for (let place = bytes.indexOf(id); place >= 0; place = bytes.indexOf(id, place + 1)) {
      const changed = Buffer.from(bytes);
      changed[place] ^= 1;
      writeFileSync(file, changed);
      const { code, out } = await mvs('verify', '--data', at('index'));
      expect(code).toBe(1);
      found.push(out);
    }
    expect(found.join('')).toMatch(/^the file is damaged: row \d+ missing from index /m);
    writeFileSync(file, bytes);
    expect((await mvs('verify', '--data', at('index'))).code).toBe(0);
  });

  it('import refuses an event of a shape that no program writes, and takes what a later one may have written', async () => {
    const log = async (name: string, at: string) => {
      const store = await openSqliteEventStore({ directory: join(folder, name) });
      const data = { status: 401, reason: 'x', count: 1, from: at, until: '2026-11-01T00:01:00.000Z' };
      await store.append('edge', [{ id: newEventId(), type: 'RefusalsCounted', version: 1, data }], 'no_stream');
      await store.append('edge', [{ id: newEventId(), type: 'RefusalsCounted', version: 9, data: {} }], 0n);
      await store.append('edge', [{ id: newEventId(), type: 'Later', version: 1, data: {} }], 1n);
      await store.append('foreign', [{ id: newEventId(), type: 'RefusalsCounted', version: 1, data: {} }], 'no_stream');
      await store.close();
      await mvs('export', '--data', join(folder, name), '--out', join(folder, `${name}.ndjson`));
      return mvs(
        'import',
        join(folder, `${name}.ndjson`),
        '--data',
        join(folder, `${name} again`),
        '--unchecked',
        'my own',
      );
    };
    expect((await log('month', '2026-11-01T00:00:00.000Z')).code).toBe(0);
    const { code, error } = await log('no month', '2026-99-01T00:00:00.000Z');
    expect([code, error]).toEqual([
      2,
      expect.stringMatching(
        /: line 2 of the export \(RefusalsCounted of stream edge\) has another text than .* data\.from/,
      ),
    ]);
    expect(existsSync(at('no month again'))).toBe(false);
  });

  it.each<[string, number, RegExp, () => string[]]>([
    ['no log', 3, /^mvs: no event log at /, () => ['list', '--data', at('nowhere')]],
    [
      'two logs',
      3,
      /^mvs: give --data or --eventstore, not both/,
      () => ['list', '--data', 'x', '--eventstore', 'esdb://x'],
    ],
    ['no address', 3, /^mvs: --eventstore: /, () => ['list', '--eventstore', 'nonsense']],
    ['no server', 4, /^mvs: /, () => ['list', '--eventstore', 'esdb://127.0.0.1:9?tls=false']],
    ['no file', 3, /^mvs: .*gone.ndjson cannot be read/, () => ['import', at('gone.ndjson'), '--data', at('new')]],
    ['no export', 2, /^mvs: .*live.events.db: /, () => ['import', at('live', 'events.db'), '--data', at('new')]],
    ['a live log', 4, /^mvs: .* is in use by process/, () => ['import', at('log.ndjson'), '--data', at('live')]],
    ['no place', 3, /^mvs: .*cannot be written/, () => ['export', '--data', at('live'), '--out', at('none', 'x')]],
    ['no position', 3, /whole number/, () => ['show', '--data', at('live'), '--after', 'x']],
    ['no command', 3, /Usage: mvs events/, () => []],
  ])('says in one sentence what is wrong: %s', async (_, code, sentence, args) => {
    const answer = await mvs(...args());
    expect([answer.code, answer.out]).toEqual([code, '']);
    expect(answer.error).toMatch(sentence);
    if (answer.error.startsWith('mvs: ')) expect(answer.error.trimEnd().split('\n')).toHaveLength(1);
  });
});
