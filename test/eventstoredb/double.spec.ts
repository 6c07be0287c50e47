/** The points at which the server was measured, asked of it with the client alone. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AllStreamResolvedEvent, EventStoreDBClient, jsonEvent, type Position } from '@eventstore/db-client';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import { type Double, LOG_SECRET, startDouble } from './double.js';
import { openDoubleLog } from './log.js';

const real = process.env.MVS_TEST_EVENTSTORE_URL;
let directory: string;
let double: Double | undefined;
let client: EventStoreDBClient;

const event = (data: object = {}, id: string = randomUUID()) => jsonEvent({ id, type: 'Tested', data: data as never });
const fresh = () => `double-${randomUUID()}`;
const read = async <T>(reading: AsyncIterable<T>) => {
  const all: T[] = [];
  for await (const one of reading) all.push(one);
  return all;
};
const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    ({ type, message, code, actualVersion }) => ({ type, message, code, actualVersion }),
  );
const streamsOf = (page: AllStreamResolvedEvent[]) => page.map(({ event }) => event?.streamId);

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mvs-double-'));
  if (!real) double = await startDouble(openDoubleLog(join(directory, 'double.db')));
  client = EventStoreDBClient.connectionString(real ?? double?.connectionString ?? '');
});
afterAll(async () => {
  await client.dispose();
  await double?.close();
  rmSync(directory, { recursive: true });
});

it('reports a wrong version by type, without a message, with the actual one', async () => {
  const stream = fresh();
  const wrong = { type: 'wrong-expected-version', message: '', code: undefined };
  expect(await failure(client.appendToStream(stream, event(), { expectedRevision: 0n }))).toEqual({
    ...wrong,
    actualVersion: 'no_stream',
  });
  await client.appendToStream(stream, [event(), event()]);
  expect(await failure(client.appendToStream(stream, event(), { expectedRevision: 'no_stream' }))).toEqual({
    ...wrong,
    actualVersion: 1n,
  });
});

it('acknowledges a known id without comparing what it comes with; takes an append of nothing', async () => {
  const stream = fresh();
  const id = randomUUID();
  const first = await client.appendToStream(stream, event({ n: 1 }, id), { expectedRevision: 'no_stream' });
  const again = await client.appendToStream(stream, event({ n: 2 }, id), { expectedRevision: 'no_stream' });
  expect([again.nextExpectedRevision, again.position]).toEqual([0n, first.position]);
  expect((await read(client.readStream(stream))).map(({ event }) => event?.data)).toEqual([{ n: 1 }]);
  const nothing = fresh();
  expect((await client.appendToStream(nothing, [])).success).toBe(true);
  expect(await failure(read(client.readStream(nothing)))).toMatchObject({ type: 'stream-not-found' });
});

it('refuses more than 1 MiB in one append', async () => {
  const half = () => event({ text: 'x'.repeat(600_000) });
  const stream = fresh();
  const refused = await failure(client.appendToStream(stream, [half(), half()]));
  expect(refused).toMatchObject({ type: 'maximum-append-size-exceeded' });
  expect((await client.appendToStream(stream, half())).success).toBe(true);
});

it('appends nothing of an append that is broken off', async () => {
  // One event a message, as the adapter appends.
  const oneByOne = EventStoreDBClient.connectionString(real ?? double?.connectionString ?? '');
  Object.assign(oneByOne, { supports: async () => false });
  const broken = new Set<string>();
  for (let deadline = 8; deadline < 200; deadline += 24) {
    const stream = fresh();
    const events = Array.from({ length: 1500 }, () => event());
    await failure(oneByOne.appendToStream(stream, events, { expectedRevision: 'no_stream', deadline }));
    broken.add(stream);
  }
  const events = Array.from({ length: 1500 }, () => event());
  const whole = fresh();
  await oneByOne.appendToStream(whole, events, { expectedRevision: 'no_stream' });
  for (const stream of [...broken, whole]) {
    const found = await read(client.readStream(stream)).catch(() => []);
    expect([0, 1500]).toContain(found.length);
  }
  await oneByOne.dispose();
});

it('reads all inclusive of a position forwards, exclusive backwards; inside a record never, beyond the end nothing', async () => {
  const [one, two] = [fresh(), fresh()];
  const { position: before } = await client.appendToStream(one, event());
  const { position } = await client.appendToStream(two, event());
  const at = position as Position;
  expect(at.commit).toBe(at.prepare);
  const from = (fromPosition: Position, direction: 'forwards' | 'backwards', maxCount = 1) =>
    read(client.readAll({ fromPosition, direction, maxCount }));
  expect(streamsOf(await from(at, 'forwards'))).toEqual([two]);
  expect(streamsOf(await from(at, 'backwards'))).toEqual([one]);
  expect(streamsOf(await from(before as Position, 'forwards', 2))).toEqual([one, two]);
  const inside = { commit: at.commit - 1n, prepare: at.prepare - 1n };
  expect(await failure(from(inside, 'forwards'))).toBeDefined();
  expect(await from({ commit: at.commit * 2n, prepare: at.prepare * 2n }, 'forwards')).toEqual([]);
  const [first] = await read(client.readAll({ maxCount: 1 }));
  expect(first.event?.streamId).toMatch(/^\$/);
});

it('shows a deleted stream in all: its metadata, and a tombstone with the last of all revisions', async () => {
  const [soft, hard] = [fresh(), fresh()];
  const { position } = await client.appendToStream(soft, event());
  await client.appendToStream(hard, event());
  await client.deleteStream(soft);
  await client.tombstoneStream(hard);
  expect(await failure(read(client.readStream(soft)))).toMatchObject({ type: 'stream-not-found' });
  expect(await failure(read(client.readStream(hard)))).toMatchObject({ type: 'stream-deleted' });
  expect(await failure(client.appendToStream(hard, event()))).toMatchObject({ type: 'stream-deleted' });
  const later = await read(client.readAll({ fromPosition: position as Position, maxCount: 5000 }));
  expect(streamsOf(later)).toContain(`$$${soft}`);
  const tombstone = later.findLast(({ event }) => event?.streamId === hard)?.event;
  expect([tombstone?.type, tombstone?.revision]).toEqual(['$streamDeleted', 2n ** 63n - 1n]);
});

it('subscribes exclusive of the position, says once that it has caught up, and of checkpoints later on', async () => {
  const stream = fresh();
  const { position } = await client.appendToStream(stream, event({ n: 0 }));
  await client.appendToStream(stream, event({ n: 1 }));
  const received: unknown[] = [];
  let wake = () => {};
  const receive = (what: unknown) => {
    received.push(what);
    wake();
  };
  const until = (what: unknown) =>
    new Promise<void>((resolve) => {
      wake = () => received.includes(what) && resolve();
      wake();
    });
  const reading = client.subscribeToAll({
    fromPosition: position,
    filter: {
      filterOn: 'streamName',
      prefixes: [stream],
      checkpointInterval: 1,
      checkpointReached: async () => receive('checkpoint'),
    },
  });
  reading.on('caughtUp', () => receive('caught up'));
  reading.on('data', ({ event }) => receive((event?.data as { n?: number } | undefined)?.n));
  await until('caught up');
  await client.appendToStream(
    fresh(),
    Array.from({ length: 64 }, () => event()),
  );
  await until('checkpoint');
  await client.appendToStream(stream, event({ n: 2 }));
  await until(2);
  expect(received.filter((what) => what !== 'checkpoint')).toEqual([1, 'caught up', 2]);
  await reading.unsubscribe();
});

(real ? it.skip : it)('is asked a few times for the head behind thousands of events about itself', async () => {
  const { connectionString, calls } = double as Double;
  const store = openEventStoreDB({
    secrets: [LOG_SECRET],
    connectionString,
    awayWithinMs: 60_000,
    answerWithinMs: 60_000,
  });
  try {
    const { position } = await store.append(
      fresh(),
      [{ id: randomUUID(), type: 'Tested', version: 1, data: {} }],
      'any',
    );
    for (let i = 0; i < 6; i++)
      await client.appendToStream(
        '$stats-127.0.0.1:2113',
        Array.from({ length: 500 }, () => event()),
      );
    const before = calls.read;
    expect(await store.head()).toBe(position);
    // 16, 64, 256, 1,000 and as many again as it takes.
    expect(calls.read - before).toBeLessThanOrEqual(7);
  } finally {
    await store.close();
  }
});

(real ? it.skip : it)('ends a subscription by an error that says why, and begins none again', async () => {
  const { faults } = double as Double;
  const why: unknown[] = [];
  for (const [fault, code] of [
    [{ dropSubscriptions: 1 }, 2],
    [{ dropSlowerThan: 1 }, 10],
  ] as const) {
    const reading = client.subscribeToAll({ fromPosition: 'end' });
    const ended = new Promise<{ type: string; code: number }>((resolve) => reading.on('error', resolve as never));
    await new Promise((resolve) => reading.on('confirmation', () => resolve(undefined)));
    Object.assign(faults, fault);
    await client.appendToStream(
      fresh(),
      Array.from({ length: 500 }, () => event({ text: 'x'.repeat(1_000) })),
    );
    const error = await ended;
    expect(error.code).toBe(code);
    why.push(error.type);
    Object.assign(faults, { dropSubscriptions: 0, dropSlowerThan: 0 });
  }
  expect(why).toEqual(['unknown', 'timeout']);
});
