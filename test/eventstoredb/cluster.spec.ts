/** The adapter on a cluster whose nodes are killed, stand still and are cut off. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { newEventId } from '#kit/log/event-id';
import { type EventStoreDBOptions, openEventStoreDB } from '#kit/log/eventstoredb/store';
import type { EventStore, NewEvent } from '#kit/log/port';
import { endings } from '../endings.js';
import { freePort } from '../ports.js';
import { program } from '../programs.js';
import { random } from '../streams.js';
import { until } from '../until.js';
import { type Cluster, type ClusterOptions, startCluster } from './cluster.js';
import { LOG_SECRET } from './double.js';
import { openDoubleLog } from './log.js';

const QUICK = { noticed: [20, 60], election: [60, 200], ready: [0, 100], restart: [100, 300] } as const;
const event = (n = 0): NewEvent => ({ id: newEventId(), type: 'Tested', version: 1, data: { n } });
const atEnd = endings();
let directory: string;

beforeEach(() => {
  directory = atEnd(mkdtempSync(join(tmpdir(), 'mvs-cluster-')), (folder) => rmSync(folder, { recursive: true }));
});

async function started({ times, ...options }: ClusterOptions = {}): Promise<Cluster> {
  const quick = { ...(QUICK as unknown as ClusterOptions['times']), ...times };
  const log = openDoubleLog(join(directory, 'cluster.db'));
  return atEnd(await startCluster(log, { times: quick, ...options }), (made) => made.close());
}
type Limits = Pick<EventStoreDBOptions, 'awayWithinMs' | 'answerWithinMs'>;
const opened = ({ connectionString }: Pick<Cluster, 'connectionString'>, limits: Limits = {}): EventStore =>
  atEnd(openEventStoreDB({ secrets: [LOG_SECRET], connectionString, ...limits }), (made) => made.close());
const leaderOf = (cluster: Cluster) => {
  const leader = cluster.leader();
  if (leader === undefined) throw new Error('no node leads');
  return leader;
};
const nameOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: Error) => error.name,
  );

/** Appends one event after the other to a stream of its own, each until it is acknowledged. */
function write(store: EventStore, stream: string) {
  let running = true;
  let acknowledged = 0;
  let unavailable = 0;
  const strange: string[] = [];
  const done = (async () => {
    for (let n = 0; running; n++) {
      const one = event(n);
      for (let answer = ''; answer !== 'done' && running; ) {
        answer = await nameOf(store.append(stream, [one], n === 0 ? 'no_stream' : BigInt(n - 1)));
        if (answer === 'done') acknowledged = n + 1;
        else if (answer === 'StoreUnavailable') unavailable++;
        else strange.push(answer);
      }
    }
  })();
  const stop = () => {
    running = false;
    return done;
  };
  return { stream, stop, acknowledged: () => acknowledged, unavailable: () => unavailable, strange };
}

describe('a cluster of three', () => {
  it('loses nothing acknowledged while nodes are killed, stand still and are cut off', async () => {
    const next = random(5);
    const cluster = await started({ random: next });
    const store = opened(cluster);
    const seen: unknown[] = [];
    store.subscribe({ streamPrefixes: ['s-0'] }, { onEvent: ({ data }) => void seen.push(data.n) });
    const writers = Array.from({ length: 6 }, (_, i) => write(store, `s-${i}`));
    atEnd(writers, (all) => Promise.all(all.map(({ stop }) => stop())));
    for (const what of ['kill', 'stall', 'kill', 'cut', 'stall', 'kill'] as const) {
      const before = writers.map(({ acknowledged }) => acknowledged());
      const elections = cluster.elections();
      const led = leaderOf(cluster);
      const follower = (led + 1) % 3;
      if (what === 'stall') cluster.stall(led, 2_000);
      else cluster[what](led);
      if (what === 'kill') cluster.cut(follower);
      if (what === 'cut') cluster.kill(follower);
      if (what !== 'cut') await until(() => cluster.elections() > elections);
      // All of them go on, without a restart of anything.
      await until(() => writers.every(({ acknowledged }, i) => acknowledged() > before[i] + 5));
    }
    await Promise.all(writers.map(({ stop }) => stop()));
    for (const { stream, acknowledged, strange } of writers) {
      const stored = (await store.readStream(stream)).map(({ data }) => data.n as number);
      expect(stored).toEqual(stored.map((_, n) => n));
      expect(stored.length).toBeGreaterThanOrEqual(acknowledged());
      expect(strange).toEqual([]);
    }
    const last = (await store.readStream('s-0')).length;
    await until(() => seen.length >= last);
    expect(seen).toEqual(Array.from({ length: last }, (_, n) => n));
  });

  it('gives up what waits for a node that stands still as soon as another one leads', async () => {
    // One that answers its first append: one that does not is another fault.
    const cluster = await started({ random: () => 0.9 });
    const store = opened(cluster, { awayWithinMs: 60_000, answerWithinMs: 60_000 });
    await store.append('s-1', [event(0)], 'no_stream');
    const led = leaderOf(cluster);
    cluster.stall(led, 3_000_000);
    // Each would wait a minute for the node; they are asked of the one that leads next.
    const answers = [store.append('s-1', [event(1)], 0n), store.readStream('s-1'), store.head()];
    expect(await Promise.all(answers.map(nameOf))).toEqual(['done', 'done', 'done']);
    expect(cluster.leader()).not.toBe(led);
  });

  it('reads what decides from the leader, while followers are behind', async () => {
    const cluster = await started({ times: { lag: 3_000_000 } });
    const store = opened(cluster);
    for (let n = 0; n < 3; n++) {
      await store.append('key', [event(n)], 'any');
      expect((await store.readStream('key')).length).toBe(n + 1);
    }
  });

  it('is away while most of its nodes are, and says so', async () => {
    const cluster = await started({ times: { restart: [2_500, 2_500] } });
    const store = opened(cluster);
    await store.append('s-1', [event(0)], 'no_stream');
    for (const node of [0, 1]) cluster.kill(node);
    expect(await nameOf(store.append('s-1', [event(1)], 0n))).toBe('StoreUnavailable');
    await until(async () => (await nameOf(store.append('s-2', [event(2)], 'any'))) === 'done');
  });

  it('that cannot be reached at all is told so, by a process that has nothing else to do', async () => {
    const ports = await Promise.all([freePort(), freePort()]);
    const nodes = ports.map((port) => `127.0.0.1:${port}`);
    const main = program('mvs');
    const command = [main, 'events', 'verify', '--eventstore', `esdb://${nodes}?tls=false`];
    const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile(process.execPath, command, (error, _, stderr) => resolve({ code: error?.code, stderr }));
    });
    expect([code, stderr.trim()]).toEqual([4, 'mvs: EventStoreDB is away']);
  });

  it('reports a conflict only when what stands in the way can be read, and an own append from before as stored', async () => {
    // Appends that the former leader had under way are kept, and cannot be read at first.
    const cluster = await started({ random: () => 0.9, times: { ready: [1_000, 1_000], restart: [500, 500] } });
    const store = opened(cluster, { awayWithinMs: 20_000 });
    const brief = opened(cluster, { awayWithinMs: 300, answerWithinMs: 300 });
    await store.append('s-0', [event()], 'no_stream');
    const led = leaderOf(cluster);
    for (const node of [0, 1, 2]) if (node !== led) cluster.kill(node);
    const mine = event(1);
    expect(await nameOf(brief.append('claim', [mine], 'no_stream'))).toBe('StoreUnavailable');
    cluster.kill(led);
    await until(() => cluster.elections() > 0);
    const answers = [store.append('claim', [mine], 'no_stream'), store.append('claim', [event(2)], 'no_stream')];
    const [own, other] = await Promise.allSettled(answers);
    expect(own).toMatchObject({ status: 'fulfilled', value: { revision: 0n } });
    expect(other).toMatchObject({ status: 'rejected', reason: { name: 'WrongExpectedRevision', actual: 0n } });
    expect((await store.readStream('claim')).map(({ id }) => id)).toEqual([mine.id]);
  });
});

describe('the client alone', () => {
  const failure = (work: Promise<unknown>) => work.then(String, ({ type, code }) => ({ type, code }));
  const alone = (connectionString: string) =>
    atEnd(EventStoreDBClient.connectionString(connectionString), (made) => made.dispose());
  const one = () => jsonEvent({ type: 'Tested', data: {} });
  const asked = { requiresLeader: true, credentials: { username: 'a', password: 'b' } };

  it('learns who leads from a follower, waits in vain for a leader that is no more, and finds none without most nodes', async () => {
    const cluster = await started({
      times: { forwarding: 50, noticed: [500, 500], election: [600, 600], restart: [60_000, 60_000] },
    });
    const follower = (leaderOf(cluster) + 1) % 3;
    const on = alone(`esdb://127.0.0.1:${cluster.ports[follower]}?tls=false`);
    const credentials = { username: 'a', password: 'b' };
    expect(await failure(on.appendToStream('s', one(), asked))).toEqual({ type: 'not-leader', code: 5 });
    const passing = alone(`esdb://127.0.0.1:${cluster.ports[follower]}?tls=false`);
    expect(await passing.appendToStream('s', one(), { credentials })).toMatchObject({ success: true });
    cluster.kill(leaderOf(cluster));
    expect(await failure(passing.appendToStream('s', one(), { credentials }))).toEqual({ type: 'timeout', code: 10 });
    await until(async () => {
      const answer = await failure(passing.appendToStream('s', one(), { credentials }));
      return typeof answer === 'object' && answer.type === 'unavailable';
    });
    cluster.kill(follower);
    const searching = alone(cluster.connectionString);
    await expect(searching.appendToStream('s', one(), { credentials })).rejects.toThrow(
      'Failed to discover after 10 attempts',
    );
  });
});
