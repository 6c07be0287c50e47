import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { simdCompute } from '#science/compute/cpu-engines';
import { placeModel } from '#science/matching/encoder';
import { inventedSpectra } from '#science/matching/test/model';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { filesUnder, Ordinates } from '../../../../apps/server/test/ordinates.js';
import { cutConnections } from '../../../../test/cut-connections.js';
import { endings } from '../../../../test/endings.js';
import { redisIsHere, startRedis, type TestRedis } from '../../../../test/redis.js';
import { startRelay } from '../../../../test/relay.js';
import { until } from '../../../../test/until.js';
import { describeScoringQueue, testedModel } from '../test/conformance.js';
import { claimJobs } from './kinds.js';
import { PREFIX, queueName, redisOptions, repliesKey, spectraKey } from './protocol.js';
import { type BullmqOptions, BullmqQueue } from './queue-client.js';
import { QueueWorker, ScoringWorker, workerOptions } from './worker.js';

const model = testedModel();
/** A busy machine takes long; no answer here depends on how long. */
const soon = { timeoutMs: 100_000 };
let redis: TestRedis;
const alarms: string[] = [];
const open: { close(): Promise<unknown> }[] = [];

/** @param broken it fails every job that it takes */
async function startWorker(broken = false): Promise<void> {
  const placed = await placeModel(model, simdCompute());
  if (broken) placed.release();
  const scoring = new ScoringWorker({
    redisUrl: redis.url,
    placed: [placed],
    engine: 'simd',
    batch: 8,
    alarm: (message) => alarms.push(message),
  });
  await scoring.report();
  const worker = new QueueWorker(queueName(model.digest), (job) => scoring.process(job), {
    connection: scoring.redis,
    prefix: PREFIX,
    ...workerOptions(16),
  });
  worker.on('error', () => {});
  open.push({ close: () => worker.close(true).then(() => scoring.close()) });
}

async function startEdge(options: Partial<BullmqOptions> = {}): Promise<BullmqQueue> {
  const edge = new BullmqQueue(claimJobs, { redisUrl: redis.url, model: model.digest, maxWaiting: 500, ...options });
  await edge.ready();
  open.push(edge);
  return edge;
}
const jobOf = (seed: number) => ({
  model: model.digest,
  roughCount: 3,
  polishCount: 1,
  spectra: inventedSpectra(4, seed),
});
const stopAll = () => Promise.all(open.splice(0).map((one) => one.close()));
const waits = (edge: BullmqQueue) => until(async () => (await edge.state()).waiting === 1);
/** A client of the test's own. */
const look = () => {
  const client = new Redis(redis.url);
  client.on('error', () => {});
  open.push({ close: async () => client.disconnect() });
  return client;
};
/** Side keys of jobs. */
const keptIn = async (probe: Redis) => (await probe.keys(spectraKey('*'))).length;
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ reason, name }) => reason ?? name,
  );

(redisIsHere ? describe : describe.skip)('BullMQ on a real redis-server', () => {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  const atEnd = endings();
  const replaceRedis = async (...settings: string[]) => {
    await redis.stop();
    redis = await startRedis(...settings);
  };
  afterEach(async () => {
    // Closing needs the Redis that a test may have killed or stopped.
    await redis.revive();
    await stopAll();
    alarms.length = 0;
  });

  describeScoringQueue('BullMQ', async ({ maxWaiting }) => {
    const before = open.length;
    await startWorker();
    const queue = await startEdge({ maxWaiting });
    const mine = open.splice(before);
    return { queue, dispose: async () => void (await Promise.all(mine.map((one) => one.close()))) };
  });

  it('loses none of 5,000 results while connections are killed at random', async () => {
    await startWorker();
    await startWorker();
    const edge = await startEdge({ maxWaiting: 100_000 });
    const stop = await cutConnections(redis.url, 400, 12345);
    atEnd(stop, (end) => end());
    const spectra = inventedSpectra(4, 5);
    let answered = 0;
    let next = 0;
    const failures: string[] = [];
    const client = async () => {
      while (next++ < 5_000) {
        const once = () =>
          failure(
            edge.score(
              { model: model.digest, roughCount: 3, polishCount: 1, spectra: spectra.slice() },
              { timeoutMs: 30_000 },
            ),
          );
        let result = await once();
        // Refused, and sent again by whoever keeps to the advice: a job whose worker was cut off time and again, or all jobs
        // where a busy machine reaches Redis too late.
        while (result === 'worker_lost' || result === 'unreachable') result = await once();
        if (result === 'done') answered++;
        else failures.push(result);
      }
    };
    await Promise.all(Array.from({ length: 32 }, client));
    expect(await stop()).toBeGreaterThan(0);
    expect({ answered, failures }).toEqual({ answered: 5_000, failures: [] });
  });

  it('forgets a spectrum later where Redis does not let it at once', async () => {
    const edge = await startEdge();
    const probe = look();
    // What jobs left behind whose connections were cut ends by its own time to live.
    await until(async () => (await keptIn(probe)) === 0);
    const gone = new AbortController();
    const cancelled = failure(edge.score(jobOf(1), { ...soon, signal: gone.signal }));
    await waits(edge);
    await probe.call('ACL', 'SETUSER', 'default', '-del');
    gone.abort();
    expect(await cancelled).toBe('JobCancelled');
    await sleep(300);
    expect(await keptIn(probe)).toBe(1);
    await probe.call('ACL', 'SETUSER', 'default', '+del');
    await until(async () => (await keptIn(probe)) === 0 && (await edge.state()).waiting === 0);
  });

  it('drops a malformed job with an alarm, answers who waits for it, and goes on', async () => {
    const edge = await startEdge();
    const queue = new Queue(queueName(model.digest), { connection: redisOptions(redis.url, true), prefix: PREFIX });
    atEnd(queue, (made) => made.close()).on('error', () => {});
    await queue.add('score', { model: model.digest, roughCount: -1, polishCount: 'many' });
    await queue.add('score', 'not even an object' as never);
    const wrong = failure(edge.score(jobOf(1), soon));
    const broken = failure(edge.score(jobOf(2), soon));
    await until(async () => (await edge.state()).waiting === 4);
    const [first, second] = await queue.getWaiting(2, 3);
    const probe = look();
    await probe.hset(queue.toKey(first.id!), 'data', JSON.stringify({ ...Object(first.data), roughCount: -1 }));
    // Nobody can tell whom it would be an answer to: it is missed, and sent once more.
    await probe.hset(queue.toKey(second.id!), 'data', '{');
    const next = failure(edge.score(jobOf(3), soon));
    // Long enough for all to be looked up.
    await sleep(1_700);
    await startWorker();
    expect(await Promise.all([wrong, broken, next])).toEqual(['worker_lost', 'done', 'done']);
    expect(alarms.map((alarm) => alarm.includes('malformed'))).toEqual([true, true, true, true]);
    // The worker drops a job after it has reported its end.
    await until(async () => (await queue.getFailedCount()) === 0);
  });

  it.each([
    ['stands still', 'SIGSTOP'],
    ['is killed', 'SIGKILL'],
  ] as const)(
    'says long before a job is overdue that Redis %s, also of what is in hand, and recovers without a restart',
    async (_, signal) => {
      const edge = await startEdge();
      const inHand = failure(edge.score(jobOf(1), soon));
      await waits(edge);
      redis.process.kill(signal);
      const all = await Promise.all([inHand, failure(edge.score(jobOf(2), soon)), failure(edge.state())]);
      expect(all).toEqual(['unreachable', 'unreachable', 'unreachable']);
      if (signal === 'SIGSTOP') redis.process.kill('SIGCONT');
      else await redis.restart();
      await startWorker();
      await until(async () => (await failure(edge.score(jobOf(3), soon))) === 'done');
    },
  );

  it('does not take its own standstill for that of Redis', async () => {
    await startWorker();
    const edge = await startEdge();
    const answer = failure(edge.score(jobOf(1), soon));
    for (const end = Date.now() + 1_700; Date.now() < end; );
    expect(await answer).toBe('done');
  });

  it('makes connections again whose other end vanished without a word', async () => {
    await startWorker();
    const relay = await startRelay(redis);
    // The queue first: its connections would wait for the way to come back.
    atEnd(relay, (made) => stopAll().then(() => made.close()));
    const edge = await startEdge({ redisUrl: `redis://127.0.0.1:${relay.port}` });
    relay.silence();
    await until(async () => (await failure(edge.score(jobOf(1), soon))) === 'done');
  });

  it('sends again what was in hand when Redis came back empty', async () => {
    const edge = await startEdge();
    const answer = failure(edge.score(jobOf(1), soon));
    await waits(edge);
    redis.process.kill('SIGKILL');
    await redis.restart();
    await startWorker();
    expect(await answer).toBe('done');
  });

  it('keeps nothing of a job that is answered, and the answer only as long as its edge may be there to read it; passes over what is none', async () => {
    await startWorker();
    const edge = await startEdge();
    const probe = look();
    const queue = new Queue(queueName(model.digest), { connection: probe, prefix: PREFIX });
    atEnd(queue, (made) => made.close());
    // Those of other edges end by their time to live.
    const others = await probe.keys(repliesKey('*'));
    expect(await failure(edge.score(jobOf(1), soon))).toBe('done');
    const [key] = (await probe.keys(repliesKey('*'))).filter((one) => !others.includes(one));
    await until(async () => (await queue.getJobCounts('active', 'completed', 'failed')).active === 0);
    expect(await queue.getJobCounts('active', 'completed', 'failed')).toEqual({ active: 0, completed: 0, failed: 0 });
    await until(async () => (await probe.xlen(key)) === 0);
    expect(await probe.pttl(key)).toBeGreaterThan(0);
    // Three bytes are no float.
    await probe.xadd(key, '*', 'id', 'x', 'model', model.digest, 'engine', 'none', 'vectors', 'abc');
    expect(await failure(edge.score(jobOf(2), soon))).toBe('done');
    await until(async () => (await probe.xlen(key)) === 0);
  });

  // From here on another Redis than production's.
  it('leaves no spectrum in Redis after any end of a job, and answers after its worker was killed with it in hand', async () => {
    // One that writes a file, uncompressed: what it holds at the end is also what it then writes again.
    await replaceRedis('--appendonly', 'yes', '--aof-use-rdb-preamble', 'no', '--rdbcompression', 'no');
    const probe = look();
    const sent = new Ordinates();
    for (let scan = 0; scan < 4; scan++)
      sent.add(jobOf(77).spectra.subarray(scan * REFERENCE_POINTS, (scan + 1) * REFERENCE_POINTS));
    const edge = await startEdge();
    expect(await failure(edge.score(jobOf(77), { timeoutMs: 300 }))).toBe('timed_out');
    const gone = new AbortController();
    const cancelled = failure(edge.score(jobOf(77), { ...soon, signal: gone.signal }));
    await waits(edge);
    expect(await keptIn(probe)).toBe(1);
    gone.abort();
    expect(await cancelled).toBe('JobCancelled');

    const lost = fork(fileURLToPath(new URL('../test/lost-worker.js', import.meta.url)), [
      redis.url,
      queueName(model.digest),
    ]);
    atEnd(lost, (child) => child.kill('SIGKILL'));
    const answer = failure(edge.score(jobOf(77), { timeoutMs: 25_000 }));
    expect(await once(lost, 'message')).toContain(jobOf(77).spectra.byteLength);
    lost.kill('SIGKILL');
    await once(lost, 'exit');
    await startWorker();
    expect(await answer).toBe('done');
    expect(await failure(edge.score(jobOf(77), soon))).toBe('done');
    await open.pop()?.close();
    await startWorker(true);
    expect(await failure(edge.score(jobOf(77), soon))).toBe('worker_lost');
    await open.pop()?.close();
    const left = failure(edge.score(jobOf(77), soon));
    await waits(edge);
    await edge.close();
    expect(await left).toBe('closed');

    expect(sent.findUnder(redis.directory)).not.toEqual([]);
    await probe.bgrewriteaof();
    await until(() => filesUnder(redis.directory).every((file) => !/aof[.]1[.]/.test(file)));
    const held: string[] = [];
    for (const key of await probe.keys('*')) {
      const found = sent.findIn((await probe.dumpBuffer(key)) ?? Buffer.alloc(0));
      if (found) held.push(`${key}: ${found}`);
    }
    expect([await keptIn(probe), held, sent.findUnder(redis.directory)]).toEqual([0, [], []]);
  });

  it('warns of a Redis that persists or evicts', async () => {
    await replaceRedis('--appendonly', 'yes', '--maxmemory-policy', 'allkeys-lru');
    const warnings: string[] = [];
    await startEdge({ warn: (message) => warnings.push(message) });
    expect(warnings).toHaveLength(2);
    expect(warnings.join()).toContain('append-only');
    expect(warnings.join()).toContain('noeviction');
  });
});
