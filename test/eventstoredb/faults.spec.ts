import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EventStoreDBClient } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { newEventId } from '#kit/log/event-id';
import { type EventStoreDBOptions, openEventStoreDB } from '#kit/log/eventstoredb/store';
import { type EventStore, type SubscribeOptions, UnreadableEvent } from '#kit/log/port';
import { readThrough } from '#kit/log/read-through';
import { endings } from '../endings.js';
import { until } from '../until.js';
import { LOG_SECRET } from './double.js';
import type { Faults } from './served.js';

const event = (n: number) => ({ id: newEventId(), type: 'Tested', version: 1, data: { n } });
let directory: string;
let server: ChildProcess;
let connectionString: string;
let store: EventStore;
const atEnd = endings();

async function start(port = 0): Promise<void> {
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  server = fork(main, [join(directory, 'double.db'), String(port)], { stdio: 'ignore' });
  connectionString = await new Promise((resolve, reject) => {
    server.once('message', (message: { ready: string }) => resolve(message.ready));
    server.once('exit', () => reject(new Error('the double did not start')));
  });
}
const set = (faults: Partial<Faults> & { cut?: boolean }) =>
  new Promise<void>((resolve) => {
    server.once('message', () => resolve());
    server.send(faults);
  });
/** A store of the test's own besides the one that every test has. */
const opened = (options: Partial<EventStoreDBOptions> & { on?: string }) =>
  atEnd(
    openEventStoreDB({ secrets: [LOG_SECRET], connectionString: options.on ?? connectionString, ...options }),
    (one) => one.close(),
  );
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: Error) => error.name,
  );
const away = 'StoreUnavailable';
/** Serves again without a restart: at once, or on a busy machine a little later. */
const recovers = (work: () => Promise<unknown>) => until(async () => (await outcome(work())) === 'done');
const portOf = (url: string) => Number(new URL(url.replace('esdb:', 'http:')).port);
const endOf = (options: SubscribeOptions) =>
  new Promise<Error>((onDropped) => store.subscribe(options, { onEvent: () => {}, onDropped }));

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mvs-faults-'));
  await start();
  store = openEventStoreDB({ secrets: [LOG_SECRET], connectionString });
});
afterEach(async () => {
  server.kill('SIGCONT');
  server.kill('SIGKILL');
  await store.close();
  rmSync(directory, { recursive: true });
});

describe('a server', () => {
  it('retries an append whose connection was reset before it was stored: stored once', async () => {
    await set({ resetBeforeAppend: 1 });
    expect((await store.append('s-1', [event(1)], 'no_stream')).revision).toBe(0n);
    expect(await store.readStream('s-1')).toHaveLength(1);
  });

  it('retries an append whose answer was lost with the same ids: the same revision, stored once', async () => {
    await store.append('s-1', [event(0)], 'no_stream');
    await set({ resetAfterAppend: 1 });
    expect((await store.append('s-1', [event(1)], 0n)).revision).toBe(1n);
    expect(await store.readStream('s-1')).toHaveLength(2);
  });

  it('is unavailable when the server answers so or is killed, and recovers without a restart', async () => {
    let n = 0;
    const append = (stream = 's-1') => store.append(stream, [event(++n)], 'any');
    await set({ status: status.UNAVAILABLE });
    expect(await outcome(append())).toBe(away);
    await set({ status: 0 });
    await recovers(append);

    const port = portOf(connectionString);
    server.kill('SIGKILL');
    expect(await outcome(append('s-3'))).toBe(away);
    await start(port);
    await recovers(append);
    // A refused append may still have been stored, once: the caller learned only that the outcome is unknown.
    const stored = (await store.readStream('s-1')).map(({ data }) => data.n);
    expect(new Set(stored).size).toBe(stored.length);
    expect(stored.at(-1)).toBe(n);
  });

  it('waits for a server that stands still, longer than one may be away, and within a bound', async () => {
    await store.append('s-1', [event(0)], 'any');
    const brief = opened({ answerWithinMs: 500 });
    await brief.readStream('s-1');
    server.kill('SIGSTOP');
    const waiting = [
      store.append('s-1', [event(1)], 0n),
      store.append('s-2', [event(2)], 'any'),
      store.readStream('s-1'),
    ];
    const outcomes = Promise.all(waiting.map(outcome));
    expect(await outcome(brief.readStream('s-1'))).toBe(away);
    await sleep(3_000);
    server.kill('SIGCONT');
    expect(await outcomes).toEqual(['done', 'done', 'done']);
    expect((await store.readStream('s-1')).map(({ data }) => data.n)).toEqual([0, 1]);
  });

  it('resumes a subscription that was dropped, cut or too slow: nothing skipped, nothing doubled', async () => {
    const seen: unknown[] = [];
    let slow = 0;
    const subscription = store.subscribe(
      { streamPrefixes: ['s-'] },
      {
        onEvent: async ({ data }) => {
          if (slow > 0) await sleep(slow);
          seen.push(data.n);
        },
      },
    );
    let n = 0;
    const patient = opened({ awayWithinMs: 60_000 });
    const write = async (count: number) => {
      for (let i = 0; i < count; i++, n++) await patient.append(`s-${n % 3}`, [event(n)], 'any');
    };
    await write(5);
    await until(() => seen.length === 5);
    await set({ dropSubscriptions: 1 });
    await write(5);
    await set({ cut: true });
    await write(5);
    await set({ dropSlowerThan: 20 });
    slow = 2;
    await patient.append(
      's-burst',
      Array.from({ length: 1500 }, () => event(n++)),
      'any',
    );
    await until(() => seen.length >= n);
    expect(seen).toEqual(Array.from({ length: n }, (_, i) => i));
    await subscription.close();
  });

  it('takes all that a failing server says for its being away, and goes on without a restart', async () => {
    const prompt = opened({ awayWithinMs: 500, answerWithinMs: 2_000 });
    let n = 0;
    const append = (to = prompt) => to.append('s-1', [event(n++)], 'any');
    const failing = [{ status: status.UNKNOWN }, { status: status.INTERNAL }, { notReady: true }, { slow: 5_000 }];
    for (const fault of failing) {
      await set(fault);
      expect([await outcome(append()), await outcome(prompt.readStream('s-1'))]).toEqual([away, away]);
      await set({ status: 0, notReady: false, slow: 0 });
      await recovers(append);
    }
    await set({ ignoreAppends: 1 });
    expect(await outcome(append())).toBe(away);
    await recovers(append);

    const port = portOf(connectionString);
    const cluster = opened({ on: `esdb://127.0.0.1:${port},127.0.0.1:1?tls=false` });
    await recovers(() => append(cluster));
    server.kill('SIGKILL');
    expect(await outcome(append(cluster))).toBe(away);
    await start(port);
    await recovers(() => append(cluster));
  });

  it('lets a call wait its turn at a server that is busy with others, within a bound', async () => {
    await set({ inTurn: 200 });
    const appends = (answerWithinMs: number, name: string) => {
      const waiting = opened({ answerWithinMs });
      return Promise.all(
        Array.from({ length: 40 }, (_, n) => outcome(waiting.append(`${name}-${n}`, [event(n)], 'any'))),
      );
    };
    expect(new Set(await appends(240_000, 'patient'))).toEqual(new Set(['done']));
    expect(new Set(await appends(4_000, 'brief'))).toEqual(new Set(['done', away]));
  });

  it('says that access is denied: calls are unavailable, a subscription ends', async () => {
    await set({ status: status.PERMISSION_DENIED });
    const denied = { name: 'StoreUnavailable', message: expect.stringContaining('denies access') };
    await expect(store.append('s-1', [event(1)], 'any')).rejects.toMatchObject(denied);
    await expect(store.readStream('s-1')).rejects.toMatchObject(denied);
    expect(await endOf({})).toMatchObject(denied);
  });

  it('ends a subscription whose position stands inside a record; one beyond the end waits for what comes', async () => {
    const { position } = await store.append('s-1', [event(1)], 'any');
    const inside = position - 1n;
    const refused = (why: string) => ({
      name: 'StoreUnavailable',
      message: expect.stringMatching(`no subscription after position ${inside}: .*${why}`),
    });
    expect(await endOf({ after: inside })).toMatchObject(refused('ReadAllResult'));
    // As later servers put it.
    await set({ status: status.INVALID_ARGUMENT });
    expect(await endOf({ after: inside })).toMatchObject(refused('status 3'));
    await set({ status: 0 });
    const seen: unknown[] = [];
    const later = store.subscribe({ after: position * 1000n }, { onEvent: ({ data }) => void seen.push(data.n) });
    for (let n = 2; seen.length === 0; n++) {
      await store.append('s-1', [event(n)], 'any');
      await sleep(20);
    }
    expect(seen).not.toContain(1);
    await later.close();
  });

  it('reads a long stream in pages, each a call with its own time', async () => {
    const events = Array.from({ length: 2_001 }, (_, n) => event(n));
    const patient = opened({ awayWithinMs: 60_000 });
    await patient.append('s-long', events, 'no_stream');
    await set({ longestAnswer: 1_000 });
    expect((await patient.readStream('s-long')).map(({ data }) => data.n)).toEqual(events.map(({ data }) => data.n));
  });

  it('loses nothing whether checkpoints come as they should, not at all or as later servers send them', async () => {
    await store.append('first', [event(0)], 'any');
    for (const checkpoints of ['reached', 'none', 'beyond'] as const) {
      await set({ checkpoints });
      const seen: unknown[] = [];
      const reached: bigint[] = [];
      let live = false;
      const subscription = store.subscribe(
        { streamPrefixes: [checkpoints], after: await store.head() },
        {
          onEvent: ({ data }) => void seen.push(data.n),
          onCheckpoint: (position) => void reached.push(position),
          onCaughtUp: () => {
            live = true;
          },
        },
      );
      // Only events that arrive live count towards a checkpoint.
      await until(() => live);
      await store.append(checkpoints, [event(0)], 'any');
      await until(() => seen.length === 1);
      // The last of the 32 events after which a checkpoint is due.
      const left = Array.from({ length: 31 }, (_, n) => event(n));
      const { position } = await store.append(`left-out-${checkpoints}`, left, 'any');
      if (checkpoints === 'reached') await until(() => reached.length > 0);
      else await sleep(100);
      expect(reached).toEqual(checkpoints === 'reached' ? [position] : []);
      await set({ dropSubscriptions: 1 });
      await store.append(checkpoints, [event(1), event(2)], 'any');
      await until(() => seen.length === 3);
      expect(seen).toEqual([0, 1, 2]);
      await subscription.close();
    }
  });

  it('passes over what is no JSON object: another hand wrote it, and it stops nobody', async () => {
    const client = atEnd(EventStoreDBClient.connectionString(connectionString), (one) => one.dispose());
    await store.append('t-1', [event(1)], 'any');
    const bad = { text: 'broken', list: [1], bytes: Buffer.from('{}') };
    for (const [name, data] of Object.entries(bad)) {
      const contentType = name === 'bytes' ? 'application/octet-stream' : 'application/json';
      await client.appendToStream(`s-${name}`, { id: randomUUID(), type: 'Tested', contentType, data } as never);
      expect(await store.readStream(`s-${name}`)).toEqual([]);
    }

    await store.append('t-1', [event(2)], 'any');
    const read: unknown[] = [];
    for await (const { data } of store.readAll({ streamPrefixes: ['t-'] })) read.push(data.n);
    expect([read, (await store.readLast(5, { streamPrefixes: ['t-'] })).length]).toEqual([[1, 2], 2]);
    await new Promise<void>((resolve, reject) => {
      const onEvent = () => reject(new Error('an event of another hand'));
      store.subscribe({ streamPrefixes: ['s-'] }, { onEvent, onCaughtUp: resolve, onDropped: reject });
    });
  });

  it('reads a deleted stream as none, a tombstoned one too; a stream deleted softly goes on numbering', async () => {
    const client = atEnd(EventStoreDBClient.connectionString(connectionString), (one) => one.dispose());
    await store.append('s-soft', [event(1), event(2)], 'no_stream');
    await client.deleteStream('s-soft');
    expect(await store.readStream('s-soft')).toEqual([]);
    // What is sent for revision 0 comes to stand at 2, with a seal that does not fit there.
    await expect(store.append('s-soft', [event(3)], 'no_stream')).rejects.toThrow(/another hand deleted stream s-soft/);
    await store.append('s-hard', [event(1)], 'no_stream');
    await client.tombstoneStream('s-hard');
    expect(await store.readStream('s-hard')).toEqual([]);
    await expect(store.append('s-hard', [event(2)], 'any')).rejects.toThrow();
    const all: string[] = [];
    for await (const { stream } of store.readAll()) all.push(stream);
    expect(all.filter((stream) => stream.startsWith('$'))).toEqual([]);
  });

  it('names streams that another hand deleted, cut or tombstoned, and none of other applications', async () => {
    const client = atEnd(EventStoreDBClient.connectionString(connectionString), (one) => one.dispose());
    const own = ['claim-soft', 'claim-cut', 'claim-hard', 'claim-kept'];
    for (const stream of [...own, 'others-1']) await store.append(stream, [event(1), event(2)], 'no_stream');
    await client.deleteStream('claim-soft');
    await client.setStreamMetadata('claim-cut', { maxCount: 1 });
    await client.setStreamMetadata('claim-kept', { acl: { readRoles: ['$admins'] } });
    await client.tombstoneStream('claim-hard');
    await client.deleteStream('others-1');
    const named: unknown[] = [];
    for await (const read of readThrough(opened({ strict: true })))
      if (read instanceof UnreadableEvent) named.push([read.stream, read.revision, read.reason]);
    const cut = (stream: string) => [stream, -1n, `another hand deleted stream ${stream} or cut it`];
    expect(named).toEqual(['claim-soft', 'claim-cut', 'claim-hard'].map(cut));
    const asked: string[] = [];
    for await (const read of readThrough(opened({ strict: true }), { streamPrefixes: ['claim-cut'] }))
      if (read instanceof UnreadableEvent) asked.push(read.stream);
    expect(asked).toEqual(['claim-cut']);
    // Who serves reads up to the last event of an application.
    await store.append('claim-kept', [event(3)], 'any');
    const served = opened({});
    for await (const _ of served.readAll());
    expect(served.seals.found.first.map(({ stream }) => stream)).toEqual(['claim-soft', 'claim-cut', 'claim-hard']);
  });
});
