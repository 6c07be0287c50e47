/** A scoring worker: it needs Redis and the model, nothing else, and may start before or after the api. */
import 'reflect-metadata';
import { BullModule, getQueueToken, Processor, WorkerHost } from '@nestjs/bullmq';
import { type INestApplicationContext, Injectable, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Job, Queue } from 'bullmq';
import type { Logger } from 'pino';
import { VARIABLES } from '#config/environment';
import { readFolder } from '#config/folder';
import { paced, SELDOM_MS } from '#kit/observe/paced-log';
import { contextOf, inSpan } from '#kit/observe/tracing';
import { QUEUE_PREFIX, queueName } from '#kit/queue/bullmq/index';
import { QueueWorker, ScoringWorker, workerOptions } from '#kit/queue/bullmq/worker';
import { chooseCompute, createCompute } from '#science/compute/choose';
import type { EngineName } from '#science/compute/port';
import { lotModelIn, shippedLotModel } from '#science/lots/shipped';
import { placeModel } from '#science/matching/encoder';
import { modelIn, shippedModelFolders } from '#science/matching/shipped';

export interface WorkerSettings {
  redisUrl: string;
  /** Jobs in hand at once. */
  concurrency: number;
  /** Most jobs encoded together. */
  batch: number;
  logger: Logger;
  /** Folders of models; the shipped ones by default. */
  modelFolders?: readonly string[];
  /** Folder of another model: the shadow, or the live one after a switch. */
  shadowFolder?: string;
  /** Folder of the lot model; the shipped one by default. */
  lotFolder?: string;
  /** Compute engine; the fastest that agrees with the truth by default. */
  engine?: EngineName;
}

/** Closing the returned application finishes the running jobs first. @throws ConfigurationError */
export async function startWorker(settings: WorkerSettings): Promise<INestApplicationContext> {
  const { redisUrl, concurrency, batch, logger, modelFolders = shippedModelFolders(), shadowFolder } = settings;
  const lots = settings.lotFolder ? readFolder(VARIABLES.lotModel, settings.lotFolder, lotModelIn) : shippedLotModel();
  const models = modelFolders.map(modelIn);
  if (shadowFolder) {
    const shadow = readFolder(VARIABLES.shadowModel, shadowFolder, modelIn);
    if (!models.some(({ digest }) => digest === shadow.digest)) models.push(shadow);
  }
  const { compute, reason } = settings.engine
    ? { compute: await createCompute(settings.engine), reason: 'named by the caller' }
    : await chosen(batch);
  const scoring = new ScoringWorker({
    redisUrl,
    placed: await Promise.all(models.map((model) => placeModel(model, compute))),
    lots,
    engine: compute.name,
    batch,
    alarm: (message) => logger.error({ alarm: 'malformed_job' }, message),
  });

  const digests = [...models, lots].map(({ digest }) => digest);
  const names = digests.map(queueName);
  const processors = names.map((name) => processorOf(name, concurrency, scoring));

  BullModule.workerClass = QueueWorker;
  @Module({
    imports: [
      BullModule.forRoot({ connection: scoring.redis, prefix: QUEUE_PREFIX }),
      BullModule.registerQueue(...names.map((name) => ({ name }))),
    ],
    providers: [
      ...processors,
      {
        provide: ScoringWorker,
        useValue: {
          // Before anything is closed that a running job needs.
          beforeApplicationShutdown: () =>
            Promise.all(processors.map((processor) => application.get(processor).worker.close())),
          onApplicationShutdown: () => scoring.close().then(() => compute.close()),
        },
      },
    ],
  })
  class WorkerModule {}

  const application = await NestFactory.createApplicationContext(WorkerModule, { logger: false, abortOnError: false });
  const log = paced(logger, SELDOM_MS);
  for (const processor of processors)
    application.get(processor).worker.on('error', (error) => log.warn({ reason: error.message }, 'redis'));
  // The queues only lend their names and connection here; the workers report Redis' absence.
  for (const name of names) application.get<Queue>(getQueueToken(name)).on('error', () => {});
  await scoring.report();
  logger.info({ worker: scoring.id, engine: compute.name, reason, models: digests, concurrency, batch }, 'working');
  return application;
}

/** A queue's name holds a model's digest, known only now: the decorators are applied to a class made here. */
function processorOf(name: string, concurrency: number, scoring: ScoringWorker): Type<WorkerHost> {
  class ScoringProcessor extends WorkerHost {
    process(job: Job) {
      return inSpan('encode', {}, () => scoring.process(job), contextOf(job.data?.traceparent));
    }
  }
  Processor({ name }, { ...workerOptions(concurrency), prefix: QUEUE_PREFIX })(ScoringProcessor);
  Injectable()(ScoringProcessor);
  return ScoringProcessor;
}

/** @param batch most jobs encoded together, of two sides each */
async function chosen(batch: number) {
  const { compute, report } = await chooseCompute({ sides: 2 * batch });
  return { compute, reason: report.reason };
}
