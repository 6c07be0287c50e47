/** The whole service in one process: event log, scoring threads, ledger and HTTP edge. */
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { chooseCompute, type EngineName, type EngineReport } from '#compute';
import { type Configuration, limitsOf, mayUse, readFolder, VARIABLES } from '#config';
import { admissionFault, type RefusalsCounted, streams, upcast } from '#domain';
import { type EventStore, guardedStore, LogCheck, lockDirectory, newEventId, openSqliteEventStore } from '#event-store';
import { readLotFolder, shippedLotModelFolder } from '#lots';
import { readModelFolder, shippedModelFolders } from '#matching';
import { createMetrics, type Metrics, observedScoring, observedStore, startTracing, traceparent } from '#observability';
import { InTurn, Places, QueueLots, QueueScoring, type Scoring, type ScoringQueue, ThreadScoring } from '#scoring';
import {
  ApiKeys,
  Calibrations,
  CommandHandler,
  Drifts,
  Hygiene,
  type InstalledModel,
  Labels,
  LotBounds,
  Lots,
  ModelSwitch,
  Models,
  PopulationLadders,
  Proposals,
  Reviews,
  Shadow,
  type ShadowNeeds,
  VerifyMatch,
  ViewSkips,
  Workspaces,
} from '#service';
import { ThreadPool } from '#threads';
import { EvidenceView, Findings, Ledger, LotsView, PROJECTIONS, Telemetry, Views } from '#views';
import { type Api, createApi } from './app.js';
import { answerTo } from './http/answers.js';
import { BodyBudget } from './http/body.js';
import { ConfiguredCredentials } from './http/credentials.js';
import { FreshViews } from './http/listing.js';
import { RateLimit } from './http/rate-limit.js';
import type { TallyEntry } from './http/tally.js';
import { ABOUT, type About, CLOCK, CONFIGURATION, LOGGER, METRICS, Provided, SCORING, STORE } from './provided.js';
import { type Secrets, withSecrets } from './secrets.js';
import { Watch } from './watch.js';

export interface Service {
  /** As `http://127.0.0.1:3000`. */
  address: string;
  /** Data directory. */
  directory: string;
  secrets?: Secrets;
  store: EventStore;
  /** The log behind the store, which takes events that the store refuses. */
  log: EventStore;
  scoring: Scoring;
  api: Api;
  watch: Watch;
  /** Answers what is in flight, then stops in order. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  configuration: Configuration;
  logger: Logger;
  version: string;
  /** Folders of models and their calibration assets, newest first; the shipped ones by default. */
  modelFolders?: readonly string[];
  /** Compute engine; the fastest that agrees with the truth by default. */
  engine?: EngineName;
  now?: () => Date;
}

const newId = () => newEventId();

/**
 * Claims in work for each thread: enough to keep the service busy, and few to share its time with. Where workers score, a
 * claim is longer under way.
 */
const IN_WORK = { threads: { shared: 1.5, alone: 8 }, workers: { shared: 6, alone: 32 } };

/** @throws ConfigurationError, LogInUse, LogCorrupt, StoreUnavailable, Refusal of kind `asset`, EADDRINUSE */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { logger, version, modelFolders = shippedModelFolders(), now = () => new Date() } = options;
  const { configuration, secrets } = withSecrets(options.configuration);
  const { shadowModel } = configuration;
  const choosing = options.engine ? { engine: options.engine, reason: 'named by the caller' } : chooseEngine();
  const found = modelFolders.map(readModelFolder);
  const shadow = shadowModel ? readFolder(VARIABLES.shadowModel, shadowModel, readModelFolder) : undefined;
  if (shadow && !found.some(({ model }) => model.digest === shadow.model.digest)) found.push(shadow);
  else if (shadow?.model.digest === found[0].model.digest)
    logger.warn(`${VARIABLES.shadowModel.name} holds the model that serves anyway: nothing is scored beside`);
  const digests = found.map(({ model }) => model.digest);
  const lotFolder = lotModelFolder(options.configuration.lotModel);
  const undo: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    if (configuration.traceEndpoint) {
      const tracing = await startTracing('mvs-api', configuration.traceEndpoint);
      undo.push(() => tracing.close());
    }
    const log = await openLog(configuration, undo);
    undo.push(() => log.close());
    const engine = await choosing;
    // Uploads are read here in any case: spectra leave the process only as prepared numbers.
    const threads = new ThreadScoring({
      models: found.map(({ model }) => model),
      lotModel: lotFolder.model,
      engine: engine.engine,
      threads: configuration.threads,
      maxWaiting: configuration.maxWaiting,
      limits: limitsOf(configuration),
      onThreadLost: (error) => logger.error({ err: error }, 'worker thread lost'),
    });
    undo.push(() => threads.close());
    // They load their models while the rest is opened.
    const threadsReady = threads.ready();
    threadsReady.catch(() => {});
    const metrics = createMetrics({
      queue: async () => {
        const { waiting, active, workers } = await observed.state();
        return { waiting, active, workers: workers.length };
      },
      viewLag: async () => {
        const head = await log.head();
        return Object.fromEntries(views.health().map(({ name, position }) => [name, Number(head - BigInt(position))]));
      },
      logCheck: () => logCheck?.state,
    });
    const store = observedStore(guardedStore(log, admissionFault), metrics);
    const views = new Views({
      directory: join(configuration.dataDirectory, 'views'),
      store,
      projections: PROJECTIONS,
      onAlarm: (alarm) => logger.error(alarm, alarm.anew ? 'view rebuilt' : 'views stopped'),
    });
    undo.push(() => views.close());
    const findings = new Findings(views.file('findings'));
    const ledger = new Ledger(views.file('ledger'), findings);
    const evidence = new EvidenceView(views.file('evidence'));
    const telemetry = new Telemetry(views.file('telemetry'));
    const lotsView = new LotsView(views.file('lots'));
    const ladders = new PopulationLadders(store);
    const measuring = new ThreadPool({ threads: Math.min(availableParallelism(), 4) });
    undo.push(() => measuring.close());
    const installed = found.map(({ model, asset, ladderDigest, pinned }): InstalledModel => {
      const proposals = new Proposals(evidence, model, asset, measuring);
      proposals.watch((error) => logger.error({ err: error }, 'proposals not measured'));
      undo.push(async () => proposals.close());
      return { model, asset, ladderDigest, pinned, proposals };
    });
    const commands = new CommandHandler(store, newId);
    const models = new Models({ store, commands, installed, shadow: shadow?.model.digest, now });
    // Told at the start where that can be; else by the first request.
    void models.own().catch(() => {});
    const drifts = new Drifts({ store, commands, evidence, telemetry, ladders, models });
    await threadsReady;
    const scoring = configuration.redisUrl
      ? new QueueScoring(threads, await redisQueues(configuration, digests, logger, undo))
      : threads;
    const inWork = IN_WORK[configuration.redisUrl ? 'workers' : 'threads'];
    const places = new Places({
      shared: Math.ceil(inWork.shared * configuration.threads),
      alone: inWork.alone * configuration.threads,
      maxWaiting: configuration.maxWaiting,
      now: () => performance.now(),
    });
    const observed = { ...observedScoring(scoring), state: () => places.state(scoring) };
    const workspaces = new Workspaces({ store, commands, now, randomBytes });
    const lots = new Lots({
      ...{ store, commands, workspaces, now },
      scoring: configuration.redisUrl
        ? new QueueLots(threads.lots, await redisLots(configuration, lotFolder.model.digest, undo))
        : threads.lots,
      folder: lotFolder,
    });
    const hygiene = new Hygiene(views, models);
    undo.push(() => hygiene.close());
    const watch = new Watch({ store, views, evidence, drifts, hygiene, metrics, logger, now });
    undo.push(() => watch.close());
    const logCheck = configuration.eventStoreUrl ? undefined : checkOf(configuration.dataDirectory, logger);
    undo.push(async () => logCheck?.close());
    const keys = new ApiKeys({ store, commands, now, randomBytes });
    const labels = new Labels({ store, commands, keys, now });
    const shadowing = new Shadow({ store, commands, now, ...shadowReport(metrics, logger) });
    const claims = new VerifyMatch({
      places,
      scoring: observed,
      models,
      ladders,
      keys,
      commands,
      shadow: shadowing,
      logger,
      now,
      newId,
    });
    const { viewWaitMs, fourEyes, operators, maxInflightBytes, minUploadRate, ratePerSecond, rateBurst } =
      configuration;
    const approvers = operators.filter((operator) => mayUse(operator, 'operate')).map(({ name }) => name);
    const onEvidence = { store, commands, evidence, models, viewWaitMs, now };
    const provided = new Provided(
      [
        keys,
        claims,
        labels,
        drifts,
        hygiene,
        new Calibrations({ ...onEvidence, ladders, drifts, fourEyes, approvers, logger }),
        new ModelSwitch({ ...onEvidence, scoring: observed }),
        new Reviews({ commands, ledger, findings, views, viewWaitMs, now }),
        new ViewSkips({ commands, views, now }),
        workspaces,
        lots,
        new LotBounds(lotFolder),
        models,
        views,
        ledger,
        findings,
        evidence,
        telemetry,
        lotsView,
        new FreshViews(store, views, viewWaitMs),
        new ConfiguredCredentials(operators, configuration.replayToken),
        new RateLimit(ratePerSecond, rateBurst),
        new BodyBudget(maxInflightBytes, minUploadRate),
      ],
      [
        [CONFIGURATION, configuration],
        [ABOUT, { version, engine } satisfies About],
        [STORE, store],
        [SCORING, observed],
        [METRICS, metrics],
        [LOGGER, logger],
        [CLOCK, now],
        [LogCheck, logCheck],
      ],
    );
    const api = await createApi({
      configuration,
      version,
      logger,
      metrics,
      provided,
      now,
      newId,
      tellTally: (entries, from, until) => void tellTally(entries, from, until, commands, logger),
    });
    undo.push(() => api.close());
    const address = await api.listen();
    logCheck?.start();
    for (const { model, file, pinned } of found)
      if (!pinned)
        logger.warn({ model: model.digest, file }, 'the model’s card names no ladder: nothing tells a changed one');
    return { address, directory: configuration.dataDirectory, secrets, store, log, scoring, api, watch, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Whichever log it is, the data directory is this process's alone: the views are in it. */
async function openLog(
  { eventStoreUrl, dataDirectory }: Configuration,
  undo: (() => Promise<void>)[],
): Promise<EventStore> {
  if (!eventStoreUrl) return openSqliteEventStore({ directory: dataDirectory, upcast, letPass: streams.views() });
  const lock = lockDirectory(dataDirectory);
  undo.push(async () => lock.release());
  const { openEventStoreDB } = await import('#event-store/eventstoredb');
  return openEventStoreDB({ connectionString: eventStoreUrl, upcast });
}

/** The look through the whole log after a start: at the start only its structure and its end are looked at. */
const checkOf = (directory: string, logger: Logger) =>
  new LogCheck({
    directory,
    letPass: streams.views(),
    onDamage: (damage) => logger.error({ alarm: 'log_damaged', ...damage }, 'event log damaged'),
    onEnd: ({ status, checked, damaged, reason }) => {
      if (status === 'failed') logger.error({ alarm: 'log_check', checked, reason }, 'event log not checked');
      else logger.info({ checked, damaged }, 'event log checked');
    },
  });

/** A queue for each model. */
async function redisQueues(
  { redisUrl, maxWaiting }: Configuration,
  models: string[],
  logger: Logger,
  undo: (() => Promise<void>)[],
): Promise<Map<string, ScoringQueue>> {
  const { BullmqScoring } = await import('#scoring/bullmq');
  const queues = new Map<string, ScoringQueue>();
  for (const model of models) {
    // Of an unsafe Redis one of them tells.
    const warn = queues.size === 0 ? (message: string) => logger.warn(message) : undefined;
    const queue = new BullmqScoring({ redisUrl, model, maxWaiting, traceparent, warn });
    const inTurn = new InTurn(queue, maxWaiting);
    undo.push(() => inTurn.close());
    await queue.ready();
    queues.set(model, inTurn);
  }
  return queues;
}

/** Lots are told apart from claims by their queue, and share nothing with them but Redis. */
async function redisLots({ redisUrl, maxWaiting }: Configuration, model: string, undo: (() => Promise<void>)[]) {
  const { BullmqLots } = await import('#scoring/bullmq');
  const queue = new BullmqLots({ redisUrl, model, maxWaiting, traceparent });
  const inTurn = new InTurn(queue, maxWaiting);
  undo.push(() => inTurn.close());
  await queue.ready();
  return inTurn;
}

/** The lot model that the configuration names, else the shipped one. @throws ConfigurationError, ModelFileError */
const lotModelFolder = (folder: string) =>
  folder ? readFolder(VARIABLES.lotModel, folder, readLotFolder) : readLotFolder(shippedLotModelFolder());

/** Which engine the scoring threads are to use, and why. */
async function chooseEngine(): Promise<EngineReport> {
  const { compute, report } = await chooseCompute();
  await compute.close();
  return report;
}

/** What came of scores beside the live model's, in metrics and log. */
function shadowReport({ shadow }: Metrics, logger: Logger): Pick<ShadowNeeds, 'scored' | 'failed'> {
  return {
    scored: () => shadow.inc({ outcome: 'scored' }),
    failed(error, { claimId: claim, requestId: request }) {
      const { code: reason, fault } = answerTo(error);
      shadow.inc({ outcome: reason });
      logger[fault ? 'error' : 'debug']({ request, claim, reason, ...(fault && { err: error }) }, 'not scored beside');
    },
  };
}

async function tellTally(entries: TallyEntry[], from: Date, until: Date, commands: CommandHandler, logger: Logger) {
  const events = entries.map(({ status, reason, count }) => {
    const data: RefusalsCounted['data'] = {
      status: status as 401 | 429,
      reason,
      count,
      from: from.toISOString(),
      until: until.toISOString(),
    };
    logger.warn(data, 'refused calls');
    return { type: 'RefusalsCounted', version: 1, data } satisfies RefusalsCounted;
  });
  await commands.tell(streams.edge(), events).catch((error: Error) => {
    logger.warn({ reason: error.message }, 'refused calls not stored');
  });
}
