import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { limits, lotLimitsOf } from '#config/limits';
import { shippedLotModel } from '#science/lots/shipped';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { sentLot } from '../../../../apps/server/test/lots.js';
import { endings } from '../../../../test/endings.js';
import { redisIsHere, startRedis, type TestRedis } from '../../../../test/redis.js';
import { until } from '../../../../test/until.js';
import { BullmqQueue, lotJobs, QUEUE_PREFIX, queueName, redisOptions } from '../bullmq/index.js';
import { QueueWorker, ScoringWorker, workerOptions } from '../bullmq/worker.js';
import { testedModel } from '../test/conformance.js';
import { ThreadScoring } from '../thread-scoring.js';
import type { LotJob, ScoredStones } from './port.js';
import { QueueLots } from './queue-lots.js';
import { encodeLot, readLot } from './work.js';

const lotModel = shippedLotModel();
const soon = { timeoutMs: 20_000 };
const upload = () => ({
  purpose: 'enrol' as const,
  files: sentLot(0, { stones: 10 }).enrol.map(({ name, data }) => ({ name, data: data.slice() })),
});
const failure = (work: Promise<unknown>) => work.then(() => 'done').catch(({ reason, kind }) => reason ?? kind);
let threads: ThreadScoring;
let here: Awaited<ReturnType<typeof readLot>>;
beforeAll(async () => {
  threads = new ThreadScoring({ models: [testedModel()], lotModel, engine: 'simd', threads: 1, maxWaiting: 10 });
  here = await readLot(upload(), lotModel, lotLimitsOf(limits));
});
afterAll(() => threads.close());

describe('lots on threads', () => {
  it('are read to the same bits as here, and leave nothing with the caller', async () => {
    const sent = upload();
    expect(await threads.lots.read(sent, soon)).toEqual(here);
    expect(sent.files.every(({ data }) => data.length === 0)).toBe(true);
  });

  it('are refused as what they are, given up in time, and decided', async () => {
    const [first, ...rest] = upload().files;
    expect(await failure(threads.lots.read({ purpose: 'enrol', files: rest }, soon))).toBe('stone_scans');
    expect(await failure(threads.lots.read({ purpose: 'enrol', files: [first] }, { timeoutMs: 0 }))).toBe('timed_out');
    const enrolled = await threads.lots.decide('enrol', { lot: here, declared: 'shaken', usual: null }, soon);
    expect(enrolled.placing).toHaveLength(10);
  });

  it('are unavailable where no lot model is held', async () => {
    const none = new ThreadScoring({ models: [testedModel()], engine: 'simd', threads: 1, maxWaiting: 10 });
    expect(await failure(none.lots.read(upload(), soon))).toBe('other_model');
    await none.close();
  });
});

(redisIsHere ? describe : describe.skip)('lots on a real redis-server', () => {
  let redis: TestRedis;
  let queue: BullmqQueue<LotJob, ScoredStones>;
  let probe: Redis;
  const alarms: string[] = [];
  const atEnd = endings();
  beforeAll(async () => {
    redis = await startRedis();
    probe = new Redis(redis.url);
    queue = new BullmqQueue(lotJobs, { redisUrl: redis.url, model: lotModel.digest, maxWaiting: 10 });
    await queue.ready();
  });
  afterAll(async () => {
    await queue.close();
    probe.disconnect();
    await redis.stop();
  });
  const startWorker = async (lots = lotModel) => {
    const scoring = new ScoringWorker({
      ...{ redisUrl: redis.url, placed: [], lots, engine: 'simd', batch: 1 },
      alarm: (message) => alarms.push(message),
    });
    await scoring.report();
    const connection = redisOptions(redis.url, true);
    const worker = new QueueWorker(queueName(lotModel.digest), (job) => scoring.process(job), {
      ...{ connection, prefix: QUEUE_PREFIX },
      ...workerOptions(2),
    });
    return atEnd(worker, (made) => made.close(true).then(() => scoring.close()));
  };
  const job = () => ({
    model: lotModel.digest,
    scans: [2, 1],
    spectra: new Float32Array(3 * REFERENCE_POINTS).fill(0.25),
  });
  const kept = async () => (await probe.keys('mvs:spectra:*')).length;

  it('are encoded by a worker to the same bits, and nothing of them stays in Redis', async () => {
    await startWorker();
    expect(await new QueueLots(threads.lots, queue).read(upload(), soon)).toEqual(here);
    const one = job();
    const { vectors } = await queue.score(one, soon);
    expect(vectors).toEqual(encodeLot(lotModel, job()));
    expect(one.spectra.every((value) => value === 0)).toBe(true);
    await until(async () => (await kept()) === 0);
    expect((await queue.state()).workers).toMatchObject([{ models: [lotModel.digest] }]);
  });

  it('are gone with a time-out, and malformed ones are dropped with an alarm', async () => {
    expect(await failure(queue.score(job(), { timeoutMs: 300 }))).toBe('timed_out');
    await until(async () => (await kept()) === 0);
    const strange = atEnd(
      new Queue(queueName(lotModel.digest), { connection: redisOptions(redis.url, true), prefix: QUEUE_PREFIX }),
      (made) => made.close(),
    );
    strange.on('error', () => {});
    for (const scans of [[0], [2000], 'many', Array(300).fill(4)])
      await strange.add('score', { model: lotModel.digest, scans });
    await startWorker();
    await until(() => alarms.length === 4);
    expect(await failure(queue.score({ ...job(), scans: [4] }, soon))).toBe('worker_lost');
  });
});
