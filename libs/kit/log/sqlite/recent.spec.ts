import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import Database from 'libsql';
import { EVENT_TYPES, sampleOf } from '#catalogue/test/arbitrary';
import { newEventId } from '../event-id.js';
import type { EventStore, NewEvent, RecordedEvent, VersionedData } from '../port.js';
import { collect, event, events } from '../test/support.js';
import { RecentEvents, throughJson } from './recent.js';
import { openSqliteEventStore } from './store.js';

describe('a subscription of the process that appends', () => {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-recent-'));
  const upcast = (one: VersionedData): VersionedData =>
    one.type === 'Old' ? { type: 'Old', version: 2, data: { ...one.data, lifted: true } } : one;
  let store: EventStore;
  let file: Database.Database;
  beforeAll(async () => {
    store = await openSqliteEventStore({ directory, upcast });
    file = new Database(join(directory, 'events.db'));
  });
  afterAll(async () => {
    file.close();
    await store.close();
    rmSync(directory, { recursive: true });
  });

  /** The events heard until so many came, or an end. */
  const heard = (after: bigint, count: number) => {
    const all: (RecordedEvent | Error)[] = [];
    let settle = () => {};
    const done = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const add = (one: RecordedEvent | Error) => {
      all.push(one);
      if (all.length === count || one instanceof Error) settle();
    };
    const subscription = store.subscribe({ after }, { onEvent: add, onDropped: add });
    return { all, done: done.then(() => subscription.close()) };
  };

  it('gets every type of event as a reader of the file gets it', async () => {
    const after = await store.head();
    const given: NewEvent[] = EVENT_TYPES.map((type) => ({ ...event(type), data: sampleOf(type) }));
    const odd = { zero: -0, left: undefined, list: [undefined, 1], at: new Date(0), ['__proto__']: 1, text: '\ud800é' };
    given.push(event('Odd', odd), { ...event('Old', { n: 1 }), metadata: undefined });
    given.push({ ...event(), id: newEventId().toUpperCase(), recordedAt: new Date(5) });
    const { all, done } = heard(after, given.length + 3);
    await Promise.all(given.map((one, n) => store.append(`stream-${n % 3}`, [one], 'any')));
    await store.append('several', events(3), 'no_stream');
    await done;
    const read = await collect(store.readAll({ after }));
    expect(all).toStrictEqual(read);
    expect(read.filter(({ stored }) => stored)).toHaveLength(1);
  });

  it('does not look into the file for what this process appended, whatever becomes of what was given', async () => {
    const after = await store.head();
    const { all, done } = heard(after, 2);
    const data = { list: [1, 2], inner: { a: 1 } };
    const first = store.append('changed', [event('Tested', data)], 'any');
    data.list.push(3);
    data.inner.a = 2;
    await Promise.all([first, store.append('changed', [event('Tested', { n: 2 })], 'any')]);
    file.prepare("UPDATE events SET data = '{}' WHERE stream = 'changed'").run();
    await done;
    expect(all).toMatchObject([{ data: { list: [1, 2], inner: { a: 1 } } }, { data: { n: 2 } }]);
    await expect(store.readStream('changed')).rejects.toMatchObject({ name: 'UnreadableEvent', stream: 'changed' });
    file.prepare("DELETE FROM events WHERE stream = 'changed'").run();
  });

  it('gets what an append that is repeated had stored, not what the repetition says', async () => {
    const once = event('Tested', { n: 'first' });
    await store.append('repeated', [once], 'no_stream');
    const after = (await store.head()) - 1n;
    const { all, done } = heard(after, 3);
    await store.append('repeated', [event('Tested', { n: 'second' })], 0n);
    await store.append('repeated', [{ ...once, data: { n: 'other' } }], 'no_stream');
    await store.append('repeated', [event('Tested', { n: 'third' })], 1n);
    await done;
    expect(all.map((one) => (one as RecordedEvent).data.n)).toEqual(['first', 'second', 'third']);
  });
});

describe('recent events', () => {
  const at = (position: number, many = 1): RecordedEvent[] =>
    Array.from({ length: many }, (_, i) => ({
      ...{ ...event(), stream: 's', revision: 0n },
      ...{ position: BigInt(position + i), recordedAt: new Date(0) },
    }));
  const positions = (recent: RecentEvents, position: number) =>
    recent.after({ position }, 100)?.events.map((one) => Number(one.position));

  it('are kept for subscriptions alone, until the last of them has handed them over', () => {
    const recent = new RecentEvents();
    recent.add(at(1), 100);
    expect([recent.bytes, recent.after({ position: 0 }, 9)]).toEqual([0, undefined]);
    const [fast, slow, far] = [{ position: 4 }, { position: 4 }, { position: 1 }];
    for (const follower of [fast, slow, far]) recent.follow(follower);
    recent.add(at(5, 3), 300);
    expect(recent.after(fast, 2)).toMatchObject({ scannedTo: 6, atEnd: false });
    expect(recent.after(far, 9)).toBeUndefined();
    fast.position = 7;
    expect(recent.after(fast, 9)).toEqual({ events: [], scannedTo: 7, atEnd: true });
    expect(recent.bytes).toBe(300);
    slow.position = 6;
    recent.after(slow, 9);
    expect(recent.bytes).toBe(100);
    recent.leave(slow);
    recent.after(fast, 9);
    expect(recent.bytes).toBe(0);
  });

  it('begin again behind a gap, and after what is not known', () => {
    const recent = new RecentEvents();
    recent.follow({ position: 0 });
    recent.add(at(1, 2), 2);
    recent.add(at(4), 1);
    expect([positions(recent, 1), positions(recent, 2), positions(recent, 3)]).toEqual([undefined, undefined, [4]]);
    recent.clear();
    expect(positions(recent, 4)).toBeUndefined();
  });

  it('are bounded by their bytes: the oldest are read from the file', () => {
    const recent = new RecentEvents(1000);
    recent.follow({ position: 0 });
    for (let position = 1; position <= 50; position++) {
      recent.add(at(position), 300);
      expect(recent.bytes).toBeLessThanOrEqual(1000);
    }
    expect([positions(recent, 46), positions(recent, 47)]).toEqual([undefined, [48, 49, 50]]);
    recent.add(at(51), 2000);
    expect([recent.bytes, positions(recent, 50), positions(recent, 51)]).toEqual([0, undefined, []]);
  });

  it('copies what it is given as its JSON would read', () => {
    const any = fc.object({ withDate: true, withNullPrototype: true, withSparseArray: true, withTypedArray: true });
    fc.assert(
      fc.property(any, (value) => {
        expect(throughJson(value)).toStrictEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 500 },
    );
  });
});
