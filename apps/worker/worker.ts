/** A scoring worker: it needs Redis and the model, nothing else, and may start before or after the api. */
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BullModule, getQueueToken, Processor, WorkerHost } from '@nestjs/bullmq';
import { type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Job, Queue } from 'bullmq';
import type { Logger } from 'pino';
import { chooseCompute, createCompute, type EngineName } from '#compute';
import { loadModel, MODEL_FILE, placeModel, shippedModelFolder } from '#matching';
import { contextOf, inSpan } from '#observability';
import { QUEUE_PREFIX, queueName, redisOptions, ScoringWorker, workerOptions } from '#scoring-queue';

export interface WorkerSettings {
  redisUrl: string;
  /** Jobs in hand at once. */
  concurrency: number;
  /** Most jobs encoded together. */
  batch: number;
  logger: Logger;
  /** Folder with the model; the shipped one by default. */
  modelFolder?: string;
  /** Compute engine; the fastest that agrees with the truth by default. */
  engine?: EngineName;
}

/** Closing the returned application finishes the running jobs first. */
export async function startWorker(settings: WorkerSettings): Promise<INestApplicationContext> {
  const { redisUrl, concurrency, batch, logger, modelFolder = shippedModelFolder() } = settings;
  const model = loadModel(readFileSync(join(modelFolder, MODEL_FILE)));
  const { compute, reason } = settings.engine
    ? { compute: await createCompute(settings.engine), reason: 'named by the caller' }
    : await chosen();
  const scoring = new ScoringWorker({
    redisUrl,
    placed: await placeModel(model, compute),
    model: model.digest,
    engine: compute.name,
    batch,
    alarm: (message) => logger.error({ alarm: 'malformed_job' }, message),
  });

  // The queue's name holds the model's digest, known only now: the decorators are applied to a class made here.
  class ScoringProcessor extends WorkerHost {
    process(job: Job) {
      return inSpan('encode', {}, () => scoring.process(job), contextOf(job.data?.traceparent));
    }
  }
  Processor(
    { name: queueName(model.digest) },
    { ...workerOptions(concurrency), prefix: QUEUE_PREFIX },
  )(ScoringProcessor);
  Injectable()(ScoringProcessor);

  @Module({
    imports: [
      BullModule.forRoot({ connection: redisOptions(redisUrl, true), prefix: QUEUE_PREFIX }),
      BullModule.registerQueue({ name: queueName(model.digest) }),
    ],
    providers: [
      ScoringProcessor,
      {
        provide: ScoringWorker,
        useValue: { onApplicationShutdown: () => scoring.close().then(() => compute.close()) },
      },
    ],
  })
  class WorkerModule {}

  const application = await NestFactory.createApplicationContext(WorkerModule, { logger: false, abortOnError: false });
  application.get(ScoringProcessor).worker.on('error', (error) => logger.warn({ reason: error.message }, 'redis'));
  // The queue only lends its name and connection here; the worker tells of Redis' absence.
  application.get<Queue>(getQueueToken(queueName(model.digest))).on('error', () => {});
  await scoring.report();
  logger.info({ worker: scoring.id, engine: compute.name, reason, model: model.digest, concurrency, batch }, 'working');
  return application;
}

async function chosen() {
  const { compute, report } = await chooseCompute();
  return { compute, reason: report.reason };
}
