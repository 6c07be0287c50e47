import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { PROJECTIONS } from '#catalogue/projections';
import { dumpView, openView, rebuildViews } from '#catalogue/rebuild';
import { isKnownEvent, upcast } from '#catalogue/upcast';
import type { EventStore } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { endings } from '../../../test/endings.js';
import { generateStreams } from '../../../test/streams.js';
import { until } from '../../../test/until.js';
import { fileName } from './files.js';
import { type ViewAlarm, Views } from './runner.js';
import { exportViews, importViews } from './snapshot.js';

const atEnd = endings();
const events = [...generateStreams(120, 3)];
const HALF = 200;
let folder: string;
let store: EventStore;
let views: string;
let snapshot: string;
let made = 0;

const append = (some: typeof events, into = store) =>
  Promise.all(
    some.map(({ stream, revision, ...event }) =>
      into.append(stream, [event], revision === 0 ? 'no_stream' : BigInt(revision - 1)),
    ),
  );
const dump = (directory: string) =>
  PROJECTIONS.flatMap((projection) => {
    const view = openView(directory, projection)!;
    const lines = [projection.name, ...dumpView(view)];
    view.close();
    return lines;
  });
const fresh = () => join(folder, `made-${made++}`);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mvs-snapshot-'));
  store = await openSqliteEventStore({ directory: join(folder, 'log'), upcast });
  await append(events.slice(0, HALF));
  views = join(folder, 'views');
  snapshot = join(folder, 'views.snapshot');
  await rebuildViews({ reader: store, projections: PROJECTIONS, directory: views });
  await exportViews(views, PROJECTIONS, snapshot);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A service's views, caught up. */
async function serving(directory: string) {
  const alarms: ViewAlarm[] = [];
  const onAlarm = (alarm: ViewAlarm) => void alarms.push(alarm);
  const options = { directory, store, projections: PROJECTIONS, isKnown: isKnownEvent, onAlarm };
  const running = atEnd(new Views(options), (one) => one.close());
  await until(() => running.health().every(({ caughtUp }) => caughtUp));
  return { running, alarms };
}

describe('a snapshot of views', () => {
  it('holds every row, and a service goes on from it to the same views as a rebuild', async () => {
    const directory = fresh();
    const imported = await importViews(snapshot, { directory, projections: PROJECTIONS, log: store });
    expect(imported.views).toEqual(PROJECTIONS.map(({ name }) => ({ name, position: BigInt(HALF) })));
    expect(imported.bytes).toBe(statSync(snapshot).size);
    expect(readdirSync(directory).sort()).toEqual(PROJECTIONS.map(fileName).sort());
    expect(dump(directory)).toEqual(dump(views));
    await append(events.slice(HALF));
    const { running, alarms } = await serving(directory);
    await running.close();
    expect(alarms).toEqual([]);
    const whole = fresh();
    await rebuildViews({ reader: store, projections: PROJECTIONS, directory: whole });
    expect(dump(directory)).toEqual(dump(whole));
  });

  it('is taken of views that a service keeps, as of one moment, and leaves nothing beside it', async () => {
    const directory = fresh();
    const { running } = await serving(directory);
    const out = join(folder, 'live.snapshot');
    await exportViews(directory, PROJECTIONS, out);
    expect(readdirSync(folder).filter((name) => name.startsWith('live.'))).toEqual(['live.snapshot']);
    expect(statSync(out).mode & 0o077).toBe(0);
    const refused = importViews(out, { directory, projections: PROJECTIONS, log: store });
    await expect(refused).rejects.toThrow(/is in use: stop the service/);
    const copied = fresh();
    await importViews(out, { directory: copied, projections: PROJECTIONS, log: store });
    expect(dump(copied)).toEqual(dump(directory));
    await running.close();
  });

  it('may hold some of the views', async () => {
    const [one] = PROJECTIONS.filter(({ name }) => name === 'lots');
    const out = join(folder, 'lots.snapshot');
    await exportViews(views, [one], out);
    const directory = fresh();
    await importViews(out, { directory, projections: PROJECTIONS, log: store });
    expect(readdirSync(directory)).toEqual([fileName(one)]);
  });
});

/** The snapshot with another header, and its files as they were or changed. */
function changed(header: (head: Head) => unknown, file?: (db: InstanceType<typeof Database>) => void): Buffer {
  const bytes = readFileSync(snapshot);
  const end = bytes.indexOf('\n');
  const head: Head = JSON.parse(bytes.toString('utf8', 0, end));
  let body = bytes.subarray(end + 1);
  if (file) {
    const path = fresh();
    writeFileSync(path, body.subarray(0, head.views[0].bytes));
    const db = new Database(path);
    file(db);
    db.close();
    const first = readFileSync(path);
    body = Buffer.concat([first, body.subarray(head.views[0].bytes)]);
    head.views[0].bytes = first.length;
    head.views[0].sha256 = createHash('sha256').update(first).digest('hex');
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(header(head))}\n`), body]);
}
interface Head {
  mvs_views: number;
  views: { name: string; file: string; bytes: number; sha256: string }[];
}
const same = (head: Head) => head;
const first = (change: object) => (head: Head) => ({
  ...head,
  views: head.views.map((view, i) => (i === 0 ? { ...view, ...change } : view)),
});

describe('an import refuses, and leaves what was there:', () => {
  it.each<[string, RegExp, () => Buffer]>([
    ['an empty file', /it is no snapshot of views/, () => Buffer.alloc(0)],
    ['another file', /it is no snapshot of views/, () => Buffer.from('{"mvs_events":1}\n')],
    ['no line at all', /it is no snapshot of views/, () => Buffer.alloc(100_000, 'a')],
    ['null', /it is no snapshot of views/, () => Buffer.from('null\n')],
    ['another format', /it has format 2; this release reads format 1/, () => Buffer.from('{"mvs_views":2}\n')],
    ['no views', /does not say which views follow: it lacks header.views/, () => Buffer.from('{"mvs_views":1}\n')],
    ['an empty list', /does not say which views follow/, () => Buffer.from('{"mvs_views":1,"views":[]}\n')],
    ['negative bytes', /does not say which views follow/, () => changed(first({ bytes: -1 }))],
    ['a cut file', /it is cut off: \d+ of \d+ bytes are there/, () => readFileSync(snapshot).subarray(0, -1)],
    ['a cut header', /it is no snapshot of views/, () => readFileSync(snapshot).subarray(0, 80)],
    ['bytes after its end', /1 bytes follow its end/, () => Buffer.concat([readFileSync(snapshot), Buffer.from('x')])],
    [
      'one changed byte',
      /the bytes of view lots are not those that were exported/,
      () => {
        const bytes = readFileSync(snapshot);
        bytes[bytes.length - 1000] ^= 1;
        return bytes;
      },
    ],
    [
      'another version',
      /its view ledger is of another version \(ledger.1.*; this release has ledger/,
      () => changed(first({ file: 'ledger.1.00000000.db' })),
    ],
    ['a path', /its view ledger is of another version/, () => changed(first({ file: '../../ledger.db' }))],
    ['a view that is not known', /this release has no view sales/, () => changed(first({ name: 'sales' }))],
    [
      'a view twice',
      /it holds a view twice/,
      () => {
        const bytes = readFileSync(snapshot);
        const end = bytes.indexOf('\n');
        const { views, ...head }: Head = JSON.parse(bytes.toString('utf8', 0, end));
        const body = bytes.subarray(end + 1, end + 1 + views[0].bytes);
        const line = JSON.stringify({ ...head, views: [views[0], views[0]] });
        return Buffer.concat([Buffer.from(`${line}\n`), body, body]);
      },
    ],
    [
      'no database',
      /view ledger cannot be read/,
      () => {
        const bytes = readFileSync(snapshot);
        const end = bytes.indexOf('\n');
        const head: Head = JSON.parse(bytes.toString('utf8', 0, end));
        bytes.fill('x', end + 1, end + 1 + head.views[0].bytes);
        const sha256 = createHash('sha256').update('x'.repeat(head.views[0].bytes)).digest('hex');
        return Buffer.concat([Buffer.from(`${JSON.stringify(first({ sha256 })(head))}\n`), bytes.subarray(end + 1)]);
      },
    ],
    [
      'another version inside',
      /view ledger is of version 1, not \d+/,
      () => changed(same, (db) => db.exec('PRAGMA user_version = 1')),
    ],
    [
      'a trigger',
      /view ledger has other tables than this release/,
      () =>
        changed(same, (db) =>
          db.exec('CREATE TRIGGER t AFTER UPDATE ON checkpoint BEGIN UPDATE checkpoint SET event = NULL; END'),
        ),
    ],
    ['no checkpoint', /view ledger cannot be read/, () => changed(same, (db) => db.exec('DELETE FROM checkpoint'))],
    [
      'a checkpoint that is none',
      /view ledger .*checkpoint/,
      () => changed(same, (db) => db.exec(`UPDATE checkpoint SET event = '{"stream":1}'`)),
    ],
    [
      'another log',
      /view ledger is of another log: the log does not hold the view's latest event/,
      () =>
        changed(same, (db) =>
          db.exec(`UPDATE checkpoint SET event = json_set(event, '$.id', '019aa0b0-0000-7000-8000-000000000000')`),
        ),
    ],
  ])('%s', async (_, sentence, bytes) => {
    const directory = fresh();
    await importViews(snapshot, { directory, projections: PROJECTIONS, log: store });
    const before = dump(directory);
    const file = join(folder, 'hostile.snapshot');
    writeFileSync(file, bytes());
    const importing = importViews(file, { directory, projections: PROJECTIONS, log: store });
    await expect(importing).rejects.toThrow(sentence);
    await expect(importing).rejects.toMatchObject({ name: 'BadSnapshot' });
    expect(dump(directory)).toEqual(before);
    expect(readdirSync(directory).sort()).toEqual(PROJECTIONS.map(fileName).sort());
  });

  it('a log that was put back from before', async () => {
    const older = await openSqliteEventStore({ directory: fresh(), upcast });
    await append(events.slice(0, HALF - 1), older);
    const directory = fresh();
    const importing = importViews(snapshot, { directory, projections: PROJECTIONS, log: older });
    await expect(importing).rejects.toThrow(/is of another log/);
    expect(readdirSync(directory)).toEqual([]);
    await older.close();
  });

  it('a folder, and exports no view that is not there', async () => {
    const importing = importViews(folder, { directory: fresh(), projections: PROJECTIONS, log: store });
    await expect(importing).rejects.toThrow('it is no file');
    const out = join(folder, 'none.snapshot');
    await expect(exportViews(fresh(), PROJECTIONS, out)).rejects.toThrow('there is no view ledger');
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith('none.'))).toEqual([]);
  });
});
