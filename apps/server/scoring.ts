/** The scoring: models that were found, threads that read and encode, and in the Redis profile queues to workers. */
import type { Logger } from 'pino';
import { type Configuration, limitsOf, VARIABLES } from '#config/environment';
import { ConfigurationError } from '#config/error';
import { readFolder } from '#config/folder';
import { ConcurrencyLimit } from '#kit/admission/concurrency-limit';
import { paced, SELDOM_MS } from '#kit/observe/paced-log';
import { traceparent } from '#kit/observe/tracing';
import type { JobKind } from '#kit/queue/bullmq/index';
import type { LotScoring } from '#kit/queue/lots/port';
import { QueueLots } from '#kit/queue/lots/queue-lots';
import { type Scoring, type ScoringQueue, type SpectraJob, waitFault } from '#kit/queue/port';
import { QueueScoring } from '#kit/queue/queue-scoring';
import { ThreadScoring } from '#kit/queue/thread-scoring';
import type { SharedMemory } from '#kit/threads/shared-memory';
import { chooseCompute, type EngineReport } from '#science/compute/choose';
import type { EngineName } from '#science/compute/port';
import { type LotFolder, readLotFolder } from '#science/lots/folder';
import { shippedLotModelFolder } from '#science/lots/shipped';
import { type ModelFolder, readModelFolder } from '#science/matching/folder';
import { shippedModelFolders } from '#science/matching/shipped';
import { stoneTemplate } from '#science/spectra/stone-names';

/** Closes what was opened, the latest first. */
export type Cleanup = (() => Promise<void>)[];

export interface FoundModels {
  /** Newest first, then the shadow's where it is another one. */
  models: ModelFolder[];
  /** Digest of the shadow's. */
  shadow?: string;
  lots: LotFolder;
}

/** @throws ConfigurationError, ModelFileError, Refusal of kind `asset` */
export function findModels(
  { shadowModel, lotModel, stonePatterns }: Configuration,
  logger: Logger,
  folders: readonly string[] = shippedModelFolders(),
): FoundModels {
  for (const [population, template] of stonePatterns) requireTemplate(population, template);
  const models = folders.map(readModelFolder);
  const shadow = shadowModel ? readFolder(VARIABLES.shadowModel, shadowModel, readModelFolder) : undefined;
  if (shadow && !models.some(({ model }) => model.digest === shadow.model.digest)) models.push(shadow);
  else if (shadow?.model.digest === models[0].model.digest)
    logger.warn(`${VARIABLES.shadowModel.name} holds the live model: there is no shadow model`);
  const lots = lotModel
    ? readFolder(VARIABLES.lotModel, lotModel, readLotFolder)
    : readLotFolder(shippedLotModelFolder());
  return { models, shadow: shadow?.model.digest, lots };
}

function requireTemplate(population: string, template: string): void {
  try {
    stoneTemplate(template);
  } catch (error) {
    const { name } = VARIABLES.stonePatterns;
    throw new ConfigurationError(`${name}: the template ${template} of ${population}: ${(error as Error).message}`);
  }
}

/** Chooses the engine of the scoring threads, with the reason. */
export async function chooseEngine(named?: EngineName): Promise<Pick<EngineReport, 'engine' | 'reason'>> {
  if (named) return { engine: named, reason: 'named by the caller' };
  const { compute, report } = await chooseCompute();
  await compute.close();
  return report;
}

/** Threads that only read, as workers encode: of two, a large upload never takes both, on one core too. */
const MIN_READING = 2;

/** Threads that load their models while the rest is opened. */
export function startThreads(
  { models, lots }: FoundModels,
  engine: EngineName,
  configuration: Configuration,
  logger: Logger,
  memory: SharedMemory,
): { threads: ThreadScoring; ready: Promise<void> } {
  const threads = new ThreadScoring({
    models: models.map(({ model }) => model),
    lotModel: lots.model,
    engine,
    threads: Math.max(configuration.threads, configuration.redisUrl ? MIN_READING : 1),
    maxWaiting: configuration.maxWaiting,
    limits: limitsOf(configuration),
    memory,
    onThreadLost: (error) => logger.error({ err: error }, 'worker thread lost'),
  });
  const ready = threads.ready();
  ready.catch(() => {});
  return { threads, ready };
}

/** Uploads are read by the threads in any case: spectra leave the process only as prepared numbers. */
export async function openScoring(
  threads: ThreadScoring,
  found: FoundModels,
  configuration: Configuration,
  logger: Logger,
  undo: Cleanup,
): Promise<{ claims: Scoring; lots: LotScoring }> {
  const { redisUrl, maxWaiting } = configuration;
  if (!redisUrl) return { claims: threads, lots: threads.lots };
  const { BullmqQueue, claimJobs, lotJobs } = await import('#kit/queue/bullmq/index');
  const queues = new Map<string, ScoringQueue>();
  const seldom = paced(logger, SELDOM_MS);
  const away = (reason: string) => seldom.warn({ reason }, 'redis');
  const open = async <J extends SpectraJob, R>(kind: JobKind<J, R>, model: string) => {
    // One of them warns of an unsafe Redis.
    const warn = queues.size === 0 ? (message: string) => logger.warn(message) : undefined;
    const queue = new BullmqQueue(kind, { redisUrl, model, maxWaiting, traceparent, warn, away });
    undo.push(() => queue.close());
    await queue.ready();
    return queue;
  };
  for (const { model } of found.models) queues.set(model.digest, await open(claimJobs, model.digest));
  // Lots have a queue of their own, and share nothing with claims but Redis.
  const lots = new QueueLots(threads.lots, await open(lotJobs, found.lots.model.digest));
  return { claims: new QueueScoring(threads, queues), lots };
}

/**
 * Claims in work for each thread: enough to keep the service busy, and few to share its time with. Where workers score, a
 * claim is longer under way.
 */
const IN_WORK = { threads: { shared: 1.5, alone: 8 }, workers: { shared: 6, alone: 32 } };

export function concurrencyLimitOf({ redisUrl, threads, maxWaiting }: Configuration): ConcurrencyLimit {
  const { shared, alone } = IN_WORK[redisUrl ? 'workers' : 'threads'];
  return new ConcurrencyLimit({
    shared: Math.ceil(shared * threads),
    alone: alone * threads,
    maxWaiting,
    fault: waitFault,
    now: () => performance.now(),
  });
}
