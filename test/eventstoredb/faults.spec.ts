import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EventStoreDBClient } from '@eventstore/db-client';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type EventStore, newEventId, openEventStoreDB } from '#event-store';
import type { Faults } from './double.js';

const event = (n: number) => ({ id: newEventId(), type: 'Tested', version: 1, data: { n } });
let directory: string;
let server: ChildProcess;
let connectionString: string;
let store: EventStore;

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
const until = async (holds: () => boolean) => {
  for (let waited = 0; !holds(); waited += 20) {
    if (waited > 10_000) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
const outcome = async (work: Promise<unknown>) => {
  const began = Date.now();
  const name = await work.then(
    () => 'done',
    (error: Error) => error.name,
  );
  return { name, late: Date.now() - began > 3_000 };
};

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mvs-faults-'));
  await start();
  store = openEventStoreDB({ connectionString });
});
afterEach(async () => {
  server.kill('SIGCONT');
  server.kill('SIGKILL');
  await store.close();
  rmSync(directory, { recursive: true });
});

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

it('is unavailable within 2 s when the server answers so, is stopped or is killed, and recovers without a restart', async () => {
  await set({ unavailable: true });
  expect(await outcome(store.append('s-1', [event(1)], 'any'))).toEqual({ name: 'StoreUnavailable', late: false });
  await set({ unavailable: false });
  expect((await outcome(store.append('s-1', [event(2)], 'any'))).name).toBe('done');

  server.kill('SIGSTOP');
  expect(await outcome(store.append('s-2', [event(3)], 'any'))).toEqual({ name: 'StoreUnavailable', late: false });
  expect(await outcome(store.readStream('s-1'))).toEqual({ name: 'StoreUnavailable', late: false });
  server.kill('SIGCONT');
  expect((await outcome(store.append('s-1', [event(4)], 'any'))).name).toBe('done');

  const port = Number(new URL(connectionString.replace('esdb:', 'http:')).port);
  server.kill('SIGKILL');
  expect(await outcome(store.append('s-3', [event(5)], 'any'))).toEqual({ name: 'StoreUnavailable', late: false });
  await start(port);
  expect((await outcome(store.append('s-1', [event(6)], 'any'))).name).toBe('done');
  // What was refused may still have been stored, once: the caller was told only that nobody knows.
  const stored = (await store.readStream('s-1')).map(({ data }) => data.n);
  expect(stored.filter((n) => n !== 1)).toEqual([2, 4, 6]);
  expect(new Set(stored).size).toBe(stored.length);
}, 40_000);

it('resumes a subscription that was dropped, cut or too slow: nothing skipped, nothing doubled', async () => {
  const seen: unknown[] = [];
  let slow = 0;
  const subscription = store.subscribe(
    { streamPrefixes: ['s-'] },
    {
      onEvent: async ({ data }) => {
        if (slow > 0) await new Promise((resolve) => setTimeout(resolve, slow));
        seen.push(data.n);
      },
    },
  );
  let n = 0;
  const write = async (count: number) => {
    for (let i = 0; i < count; i++, n++) await store.append(`s-${n % 3}`, [event(n)], 'any');
  };
  await write(5);
  await until(() => seen.length === 5);
  await set({ dropSubscriptions: 1 });
  await write(5);
  await set({ cut: true });
  await write(5);
  await set({ dropSlowerThan: 20 });
  slow = 2;
  await store.append(
    's-burst',
    Array.from({ length: 1500 }, () => event(n++)),
    'any',
  );
  await until(() => seen.length >= n);
  expect(seen).toEqual(Array.from({ length: n }, (_, i) => i));
  await subscription.close();
}, 40_000);

it('stops a subscription at an event that is no JSON object, and says which', async () => {
  const client = EventStoreDBClient.connectionString(connectionString);
  await store.append('s-1', [event(1)], 'any');
  await client.appendToStream('s-1', {
    id: randomUUID(),
    type: 'Tested',
    contentType: 'application/json',
    data: 'broken' as never,
    metadata: undefined,
  } as never);
  const dropped = await new Promise<Error>((resolve) => {
    store.subscribe({ streamPrefixes: ['s-'] }, { onEvent: () => {}, onDropped: resolve });
  });
  expect(dropped.name).toBe('UnreadableEvent');
  expect(dropped.message).toContain('s-1');
});

it('reads a deleted stream as none, a tombstoned one too; a stream deleted softly goes on numbering', async () => {
  const client = EventStoreDBClient.connectionString(connectionString);
  await store.append('s-soft', [event(1), event(2)], 'no_stream');
  await client.deleteStream('s-soft');
  expect(await store.readStream('s-soft')).toEqual([]);
  expect((await store.append('s-soft', [event(3)], 'no_stream')).revision).toBe(2n);
  await store.append('s-hard', [event(1)], 'no_stream');
  await client.tombstoneStream('s-hard');
  expect(await store.readStream('s-hard')).toEqual([]);
  await expect(store.append('s-hard', [event(2)], 'any')).rejects.toThrow();
  const all: string[] = [];
  for await (const { stream } of store.readAll()) all.push(stream);
  expect(all.filter((stream) => stream.startsWith('$'))).toEqual([]);
});
