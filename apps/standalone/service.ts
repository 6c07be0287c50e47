/** The whole service in one process: event log, scoring threads, ledger and HTTP edge. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { CALIBRATION_FILE, loadAsset } from '#calibration';
import { chooseCompute, type EngineName, type EngineReport, ThreadPool } from '#compute';
import { type Configuration, limitsOf } from '#config';
import { type RefusalsCounted, streams, upcast } from '#domain';
import { type EventStore, type NewEvent, newEventId, openEventStoreDB, openSqliteEventStore } from '#event-store';
import { loadModel, MODEL_FILE, shippedModelFolder } from '#matching';
import { createMetrics, observedScoring, observedStore, startTracing, traceparent } from '#observability';
import { BullmqScoring, type ClaimScoring, InProcessScoring, QueuedScoring, type ScoringQueue } from '#scoring-queue';
import { EvidenceView, Findings, Ledger, PROJECTIONS, Telemetry, Views } from '#views';
import { type Api, createApi } from '../api/app.js';
import { PopulationLadders } from '../api/calibration/ladders.js';
import { Proposals } from '../api/calibration/proposals.js';
import { Drifts } from '../api/drift/drifts.js';
import type { TallyEntry } from '../api/http/tally.js';
import { type Secrets, withSecrets } from './secrets.js';
import { Watch } from './watch.js';

export interface Service {
  /** As `http://127.0.0.1:3000`. */
  address: string;
  /** Data directory. */
  directory: string;
  secrets?: Secrets;
  store: EventStore;
  scoring: ClaimScoring;
  api: Api;
  watch: Watch;
  /** Answers what is in flight, then stops in order. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  configuration: Configuration;
  logger: Logger;
  version: string;
  /** Folder with the model and its calibration asset; the shipped ones by default. */
  modelFolder?: string;
  /** Compute engine; the fastest that agrees with the truth by default. */
  engine?: EngineName;
  now?: () => Date;
}

/** @throws ConfigurationError, LogInUse, LogCorrupt, StoreUnavailable, Refusal of kind `asset`, EADDRINUSE */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { logger, version, modelFolder = shippedModelFolder(), now = () => new Date() } = options;
  const { configuration, secrets } = withSecrets(options.configuration);
  const modelFile = join(modelFolder, MODEL_FILE);
  const model = loadModel(readFileSync(modelFile));
  const asset = loadAsset(readFileSync(join(modelFolder, CALIBRATION_FILE), 'utf8'), model.digest);
  const engine = options.engine ? { engine: options.engine, reason: 'named by the caller' } : await chooseEngine();
  const undo: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    if (configuration.traceEndpoint) {
      const tracing = startTracing('mvs-api', configuration.traceEndpoint);
      undo.push(() => tracing.close());
    }
    const store = configuration.eventStoreUrl
      ? openEventStoreDB({ connectionString: configuration.eventStoreUrl, upcast })
      : await openSqliteEventStore({ directory: configuration.dataDirectory, upcast });
    undo.push(() => store.close());
    const views = new Views({
      directory: join(configuration.dataDirectory, 'views'),
      store,
      projections: PROJECTIONS,
      onAlarm: (alarm) => logger.error(alarm, 'views stopped'),
    });
    undo.push(() => views.close());
    const findings = new Findings(views.file('findings'));
    const ledger = new Ledger(views.file('ledger'), findings);
    const evidence = new EvidenceView(views.file('evidence'));
    const telemetry = new Telemetry(views.file('telemetry'));
    const ladders = new PopulationLadders(store, asset);
    const drifts = new Drifts(store, { evidence, telemetry }, ladders, model, asset);
    const proposals = new Proposals(evidence, model, asset, new ThreadPool(Math.min(availableParallelism(), 4)));
    undo.push(() => proposals.close());
    proposals.watch((error) => logger.error({ err: error }, 'proposals not measured'));
    // Uploads are read here in any case: spectra leave the process only as prepared numbers.
    const threads = new InProcessScoring({
      modelFile,
      model: model.digest,
      engine: engine.engine,
      threads: configuration.threads,
      maxWaiting: configuration.maxWaiting,
      limits: limitsOf(configuration),
      onThreadLost: (error) => logger.error({ err: error }, 'worker thread lost'),
    });
    undo.push(() => threads.close());
    await threads.ready();
    const scoring = configuration.redisUrl
      ? new QueuedScoring(threads, await redisQueue(configuration, model.digest, logger, undo), model.digest)
      : threads;
    const metrics = createMetrics({
      queue: async () => {
        const { waiting, active, workers } = await scoring.state();
        return { waiting, active, workers: workers.length };
      },
      viewLag: async () => {
        const head = await store.head();
        return Object.fromEntries(views.health().map(({ name, position }) => [name, Number(head - BigInt(position))]));
      },
    });
    const watch = new Watch({ store, views, evidence, drifts, model, metrics, logger, now });
    undo.push(() => watch.close());
    const api = await createApi({
      configuration,
      version,
      store: observedStore(store, metrics),
      scoring: observedScoring(scoring),
      metrics,
      ladders,
      proposals,
      drifts,
      evidence,
      views,
      ledger,
      findings,
      telemetry,
      model,
      asset,
      engine,
      logger,
      now,
      newId: () => newEventId(),
      randomBytes,
      tellTally: (entries, from, until) => void tellTally(entries, from, until, store, logger),
    });
    undo.push(() => api.close());
    const address = await api.listen();
    return { address, directory: configuration.dataDirectory, secrets, store, scoring, api, watch, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function redisQueue(
  { redisUrl, maxWaiting }: Configuration,
  model: string,
  logger: Logger,
  undo: (() => Promise<void>)[],
): Promise<ScoringQueue> {
  const scoring = new BullmqScoring({
    redisUrl,
    model,
    maxWaiting,
    traceparent,
    warn: (message) => logger.warn(message),
  });
  undo.push(() => scoring.close());
  await scoring.ready();
  return scoring;
}

/** Which engine the scoring threads are to use, and why. */
async function chooseEngine(): Promise<EngineReport> {
  const { compute, report } = await chooseCompute();
  await compute.close();
  return report;
}

async function tellTally(entries: TallyEntry[], from: Date, until: Date, store: EventStore, logger: Logger) {
  const events = entries.map(({ status, reason, count }) => {
    const data: RefusalsCounted['data'] = {
      status: status as 401 | 429,
      reason,
      count,
      from: from.toISOString(),
      until: until.toISOString(),
    };
    logger.warn(data, 'refused calls');
    return { id: newEventId(), type: 'RefusalsCounted', version: 1, data } satisfies NewEvent;
  });
  await store.append(streams.edge(), events, 'any').catch((error: Error) => {
    logger.warn({ reason: error.message }, 'refused calls not stored');
  });
}
