import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { dumpView, openView, rebuildViews } from '#catalogue/rebuild';
import { isKnownEvent } from '#catalogue/upcast';
import { streams } from '#domain/streams';
import type { EventStore, RecordedEvent } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { until } from '../../../test/until.js';
import { PoisonedEvent, type Projection } from './projection.js';
import { type ViewAlarm, Views } from './runner.js';
import { counting, gathering, seen } from './test/refusals.js';

let directory: string;
let store: EventStore;
let views: Views | undefined;
let alarms: ViewAlarm[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mvs-views-'));
  store = await openSqliteEventStore({ directory: join(directory, 'log') });
  alarms = [];
});
afterEach(async () => {
  await views?.close();
  views = undefined;
  await store.close();
  rmSync(directory, { recursive: true });
});

/** Takes what `gathering` refuses. */
const calm: Projection = { ...gathering, name: 'calm', schema: counting('calm').schema };

const refusal = (reason: string) => ({ id: randomUUID(), type: 'RefusalsCounted', version: 1, data: { reason } });
const append = (reason: string, type = 'RefusalsCounted', version = 1, stream = 'edge') =>
  store.append(stream, [{ id: randomUUID(), type, version, data: { reason } }], 'any');
/** As an operator does for all that has stopped there. */
const skip = (position: bigint, stream = 'edge') => {
  const data = { position: String(position), stream, views: views!.stoppedAt(String(position))!.views };
  return store.append('views', [{ id: randomUUID(), type: 'ViewSkipped', version: 1, data }], 'any');
};
/** What a rebuild makes of the views: the same as they are. */
const sameRebuilt = async (projections: Projection[]) => {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-rebuilt-'));
  await rebuildViews({ reader: store, projections, directory });
  const rebuilt = projections.map((projection) => {
    const view = openView(directory, projection)!;
    const lines = [...dumpView(view)];
    view.close();
    return lines;
  });
  rmSync(directory, { recursive: true });
  expect(projections.map(({ name }) => [...dumpView(views!.file(name))])).toEqual(rebuilt);
  return rebuilt;
};
const start = (projections: Projection[], from = store) => {
  views = new Views({
    directory: join(directory, 'views'),
    store: from,
    projections,
    isKnown: isKnownEvent,
    onAlarm: (alarm) => alarms.push(alarm),
    retryMs: 20,
  });
  return views;
};

/** Views that have folded up to there, and are closed. */
const folded = async (projections: Projection[], position: bigint) => {
  const first = start(projections);
  for (const { name } of projections) await first.file(name).waitFor(position, 60_000);
  await first.close();
};

describe('views', () => {
  it('fold what is stored and what comes, and wait for a position, within bounds', async () => {
    await append('a');
    const file = start([counting('one'), counting('two')]).file('one');
    const { position } = await append('a');
    expect(await file.waitFor(position, 60_000)).toBe(true);
    expect(seen(file)).toEqual({ a: 2 });
    expect(seen(views!.file('two'))).toEqual({ a: 2 });
    expect(await file.waitFor(position + 1000n, 20)).toBe(false);
  });

  it('report a log that is away the first time, the second, the fourth and so on, and from the first again after it was back', async () => {
    let asked = 0;
    let away = true;
    const failing = new Proxy(store, {
      get(target, name: keyof EventStore) {
        if (name !== 'readStream') return target[name].bind(target);
        return (stream: string) => {
          if (stream === streams.views()) asked++;
          return away ? Promise.reject(new Error('the log is away')) : target.readStream(stream);
        };
      },
    });
    start([counting('one')], failing);
    await until(() => asked >= 9);
    away = false;
    const { position } = await append('a');
    expect(await views!.file('one').waitFor(position, 60_000)).toBe(true);
    const expected = [undefined, 2, 4, 8].map((failures) => ({
      views: ['one'],
      reason: 'the log is away',
      ...(failures && { failures }),
    }));
    expect(alarms.slice(0, 4)).toEqual(expected);
    expect(alarms.length).toBeLessThan(asked);
  });

  it('are made again where their folder vanishes, or one file alone, and go on', async () => {
    const projections = [counting('one'), counting('two')];
    const folder = join(directory, 'views');
    const { position } = await append('a');
    start(projections);
    for (const name of ['one', 'two']) expect(await views!.file(name).waitFor(position, 60_000)).toBe(true);
    const all = readdirSync(folder).filter((name) => name.endsWith('.db'));
    rmSync(folder, { recursive: true });
    await until(() => alarms.length > 0);
    const again = { reason: 'the file was taken away: it is made again, from nothing', rebuilt: true };
    expect(alarms).toEqual([{ views: ['one', 'two'], ...again }]);
    const { position: next } = await append('b');
    for (const name of ['one', 'two']) {
      expect(await views!.file(name).waitFor(next, 60_000)).toBe(true);
      expect(seen(views!.file(name))).toEqual({ a: 1, b: 1 });
    }
    expect(readdirSync(folder).filter((name) => name.endsWith('.db'))).toEqual(all);
    for (const file of readdirSync(folder)) if (file.startsWith('two.')) rmSync(join(folder, file));
    await until(() => alarms.length > 1);
    expect(alarms[1]).toEqual({ views: ['two'], ...again });
    const { position: last } = await append('b');
    for (const name of ['one', 'two']) expect(await views!.file(name).waitFor(last, 60_000)).toBe(true);
    const rebuilt = await sameRebuilt(projections);
    await views!.close();
    views = undefined;
    // What the new files hold is on the disk.
    const view = openView(folder, projections[1])!;
    expect([...dumpView(view)]).toEqual(rebuilt[1]);
    view.close();
  });

  it('go on where they were', async () => {
    const { position } = await append('a');
    await folded([counting('one')], position);
    const again = start([counting('one')]);
    expect(again.file('one').position).toBe(position);
    const next = await append('a');
    expect(await again.file('one').waitFor(next.position, 60_000)).toBe(true);
    expect(seen(again.file('one'))).toEqual({ a: 2 });
    expect(alarms).toEqual([]);
  });

  it('all come into their files by themselves, each in a turn of its own', async () => {
    const projections = ['first', 'second', 'third'].map((name) => counting(name));
    const into = join(directory, 'views');
    views = new Views({ directory: into, store, projections, isKnown: isKnownEvent });
    const { position: before } = await append('a');
    for (const { name } of projections) await views.file(name).waitFor(before, 10_000);
    await until(() => views!.health().every(({ caughtUp }) => caughtUp));
    let turn = 0;
    const turns = projections.map(({ name }) => {
      const file = views!.file(name);
      const commit = file.commit.bind(file);
      const seen: number[] = [];
      file.commit = () => {
        seen.push(turn);
        commit();
        setImmediate(() => turn++);
      };
      return seen;
    });
    const { position } = await append('b');
    const written = (projection: Projection) => {
      const view = openView(into, projection);
      view?.close();
      return view?.position === position;
    };
    await until(() => projections.every(written));
    const all = turns.flat();
    expect(turns.every(({ length }) => length > 0)).toBe(true);
    expect(new Set(all).size).toBe(all.length);
  });

  it('are rebuilt from a damaged file', async () => {
    const { position } = await append('a');
    await folded([counting('one')], position);
    const folder = join(directory, 'views');
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'nothing that SQLite reads');
    const again = start([counting('one')]);
    expect(await again.file('one').waitFor(position, 60_000)).toBe(true);
    expect(seen(again.file('one'))).toEqual({ a: 1 });
  });
});

describe('the files of another log', () => {
  it.each<[string, (kept: RecordedEvent[], other: EventStore) => Promise<unknown>]>([
    ['shorter', (_, other) => other.append('edge', [refusal('x')], 'any')],
    ['longer', (_, other) => other.append('edge', Array(9).fill('x').map(refusal), 'any')],
    [
      'a copy with other positions',
      async (kept, other) => {
        await other.append('elsewhere', [refusal('y')], 'any');
        await other.append('edge', kept, 'no_stream');
      },
    ],
  ])('are not taken for this one’s: %s', async (_, write) => {
    for (const reason of ['a', 'b', 'b']) await append(reason);
    await folded([counting('one'), counting('two')], await store.head());
    const other = await openSqliteEventStore({ directory: join(directory, 'other') });
    await write(await store.readStream('edge'), other);
    // One of them changed meanwhile: its old file is as foreign.
    const again = start([counting('one'), counting('two', 2)], other);
    const expected: Record<string, number> = {};
    for (const { data } of await other.readStream('edge')) {
      expected[String(data.reason)] = (expected[String(data.reason)] ?? 0) + 1;
    }
    for (const name of ['one', 'two']) {
      expect(again.file(name).served).toBeUndefined();
      expect(await again.file(name).waitFor(await other.head(), 60_000)).toBe(true);
      expect(seen(again.file(name))).toEqual(expected);
    }
    const reason = expect.stringMatching(
      /^the log does not hold .* [(]revision 2 of stream edge[)] at position 3: it is/,
    );
    expect(alarms).toEqual([{ views: ['one'], reason, rebuilt: true }]);
    await again.close();
    await other.close();
    views = undefined;
  });
});

describe('a changed projection', () => {
  const slowly = (): EventStore => ({
    ...store,
    readStream: (...all) => store.readStream(...all),
    subscribe(options, handlers) {
      let inner: ReturnType<EventStore['subscribe']> | undefined;
      const timer = setTimeout(() => (inner = store.subscribe(options, handlers)), 150);
      return {
        close: async () => {
          clearTimeout(timer);
          await inner?.close();
        },
      };
    },
  });

  it('is rebuilt into a new file by itself, the old one answering meanwhile', async () => {
    const { position } = await append('a');
    await folded([counting('one'), counting('two')], position);
    const changed = start([counting('one', 2, 10), counting('two')], slowly()).file('one');
    await until(() => changed.served !== undefined);
    expect([changed.served, seen(changed)]).toEqual([String(position), { a: 1 }]);
    expect(views!.health()[0]).toMatchObject({ rebuilding: { servedPosition: String(position) }, caughtUp: false });
    await until(() => changed.served === undefined);
    expect(seen(changed)).toEqual({ a: 10 });
    expect(readdirSync(join(directory, 'views')).filter((name) => /^one[.]1[.].*db$/.test(name))).toEqual([]);
  });

  it('with other tables is not answered from the old file', async () => {
    const { position } = await append('a');
    await folded([counting('one')], position);
    const other: Projection = { ...counting('one'), schema: 'CREATE TABLE seen (reason TEXT PRIMARY KEY, times REAL)' };
    const file = start([other], slowly()).file('one');
    expect(file.served).toBeUndefined();
    expect(await file.waitFor(position, 60_000)).toBe(true);
    expect(seen(file)).toEqual({ a: 1 });
  });
});

describe('a poisoned event', () => {
  const damaged = async (stream = 'edge') => {
    const { position } = await append('b', 'RefusalsCounted', 1, stream);
    const db = new Database(join(directory, 'log', 'events.db'));
    db.prepare("UPDATE events SET data = '{\"reason' WHERE position = ?").run(Number(position));
    db.close();
    return position;
  };

  it.each<[string, () => Promise<bigint>, string]>([
    ['of an unknown type', async () => (await append('b', 'LabelWithdrawn')).position, 'LabelWithdrawn'],
    ['of an unknown version', async () => (await append('b', 'RefusalsCounted', 99)).position, 'RefusalsCounted'],
  ])('%s stops every view at it until an operator lets it pass', async (_, poison, type) => {
    await append('a');
    const position = await poison();
    const last = await append('c');
    const file = start([counting('one'), counting('two')]).file('one');
    await until(() => file.stopped !== undefined);
    expect(seen(file)).toEqual({ a: 1 });
    expect(alarms).toEqual([{ views: ['one', 'two'], position: String(position), type, reason: expect.any(String) }]);
    expect(views!.health()[0].failure).toMatch(`position ${position} (${type} in stream edge)`);
    expect(views!.stoppedAt(String(position))).toEqual({ poison: expect.objectContaining({ type }) });
    expect(await file.waitFor(last.position, 5000)).toBe(false);
    const { position: skipped } = await skip(position);
    await until(() => file.position >= skipped);
    expect(seen(file)).toEqual({ a: 1, c: 1 });
    expect(views!.health().map(({ failure }) => failure)).toEqual([undefined, undefined]);
    // A rebuild skips it for the same reason, and is the same.
    await sameRebuilt([counting('one'), counting('two')]);
    expect(alarms).toHaveLength(1);
  });

  it('is none where its row was broken by hand: that is damage, which every view passes over', async () => {
    await append('a');
    const position = await damaged();
    const last = await append('c');
    const file = start([counting('one'), counting('two')]).file('one');
    for (const name of ['one', 'two']) expect(await views!.file(name).waitFor(last.position, 60_000)).toBe(true);
    for (const name of ['one', 'two']) expect(seen(views!.file(name))).toEqual({ a: 1, c: 1 });
    expect([file.stopped, views!.stoppedAt(String(position)), alarms]).toEqual([undefined, undefined, []]);
    await sameRebuilt([counting('one'), counting('two')]);
    await expect(store.readStream('edge')).rejects.toMatchObject({ name: 'UnreadableEvent', position });
  });

  it('of another application is none, whatever it holds', async () => {
    await append('x', 'OrderPlaced', 1, 'orders-1');
    await damaged('orders-1');
    await append('a');
    const last = await damaged('orders-1');
    const file = start([counting('one')]).file('one');
    expect(await file.waitFor(last, 60_000)).toBe(true);
    expect(seen(file)).toEqual({ a: 1 });
    expect(alarms).toEqual([]);
    await sameRebuilt([counting('one')]);
  });

  it('loses nothing of what was folded before it where the disk does not take that', async () => {
    let full = true;
    const unlucky: Projection = {
      ...gathering,
      fold(tables) {
        tables.beforeFlush(() => {
          if (!full) return;
          full = false;
          throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
        });
        return gathering.fold(tables);
      },
    };
    await append('a');
    const { position } = await append('b', 'LabelWithdrawn');
    const file = start([unlucky]).file('gathering');
    await until(() => file.stopped !== undefined);
    expect([full, file.position]).toEqual([false, 0n]);
    const { position: skipped } = await skip(position);
    await until(() => file.position >= skipped);
    expect(seen(file)).toEqual({ a: 1 });
  });

  it('that one fold cannot take stops that view alone, and nothing before it is lost', async () => {
    await append('a');
    const boom = await append('boom');
    const last = await append('c');
    let file = start([counting('one'), calm]).file('one');
    await until(() => file.stopped !== undefined);
    // Nor is it skipped after a restart, whoever read the file meanwhile.
    file.committed();
    await views!.close();
    alarms = [];
    file = start([counting('one'), calm]).file('one');
    await until(() => file.stopped !== undefined);
    expect(await views!.file('calm').waitFor(last.position, 60_000)).toBe(true);
    expect(seen(file)).toEqual({ a: 1 });
    expect((file.stopped as PoisonedEvent).position).toBe(boom.position);
    expect(alarms).toMatchObject([{ views: ['one'], position: String(boom.position), type: 'RefusalsCounted' }]);
    expect(views!.stoppedAt(String(boom.position))?.views).toEqual(['one']);
    const { position: skipped } = await skip(boom.position);
    await until(() => file.position >= skipped);
    expect(seen(file)).toEqual({ a: 1, c: 1 });
    // The other view has taken it, and takes it again.
    expect(seen(views!.file('calm'))).toEqual({ a: 1, boom: 1, c: 1 });
    await sameRebuilt([counting('one'), calm]);
  });
});

describe('a row that is refused when it is written', () => {
  it.each([
    ['at the end of a transaction', false],
    ['for a reader', true],
  ])('%s: its event is found and stops that view alone', async (_, reads) => {
    await append('a');
    const boom = await append('boom');
    const last = await append('c');
    const file = start([gathering, calm]).file('gathering');
    if (reads) expect(await file.waitFor(last.position, 5000)).toBe(false);
    await until(() => file.stopped !== undefined);
    expect(seen(file)).toEqual({ a: 1 });
    expect(alarms).toMatchObject([{ views: ['gathering'], position: String(boom.position), type: 'RefusalsCounted' }]);
    expect(await views!.file('calm').waitFor(last.position, 60_000)).toBe(true);
    expect(seen(views!.file('calm'))).toEqual({ a: 1, boom: 1, c: 1 });
    // A rebuild gives the same advice.
    await expect(sameRebuilt([gathering, calm])).rejects.toThrow(file.stopped!.message);
    const { position: skipped } = await skip(boom.position);
    await until(() => file.position >= skipped);
    expect(seen(file)).toEqual({ a: 1, c: 1 });
  });
});
