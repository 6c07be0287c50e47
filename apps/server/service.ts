/** The whole service in one process: its one composition root. */

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Provider } from '@nestjs/common';
import type { Logger } from 'pino';
import { bundlePages } from '#audit/bundle';
import { type CheckedLog, logPass } from '#audit/log-passes';
import { rootOnThread } from '#audit/root';
import { EvidenceView } from '#calibration/queries-evidence';
import { type InstalledModel, Models, type ServedModel } from '#calibration/queries-models';
import { Proposals } from '#calibration/queries-proposals';
import { ScorerProposals } from '#calibration/queries-scorer-proposals';
import { admissionFault } from '#catalogue/admission';
import { LOT_LISTINGS, PROJECTIONS } from '#catalogue/projections';
import { ANSWERING } from '#catalogue/reads';
import { isKnownEvent, upcast } from '#catalogue/upcast';
import type { RefusalsCounted } from '#claims/events-calls';
import type { Configuration } from '#config/environment';
import { streams } from '#domain/streams';
import type { ConcurrencyLimit } from '#kit/admission/concurrency-limit';
import type { TallyEntry } from '#kit/admission/tally';
import { BodyBudget } from '#kit/http/body-budget';
import { ConfiguredCredentials } from '#kit/http/credentials';
import { LargeJson } from '#kit/http/large-json';
import { FreshViews } from '#kit/http/listing';
import {
  ABOUT,
  type About,
  CLOCK,
  CONFIGURATION,
  LOGGER,
  METRICS,
  OPERATOR_REPLICAS,
  providersOf,
  SCORING,
  STORE,
} from '#kit/http/provided';
import { RateLimit } from '#kit/http/rate-limit';
import { ReadLimit } from '#kit/http/read-limit';
import { LogCheck } from '#kit/log/check';
import { CommandHandler } from '#kit/log/command-handler';
import { newEventId } from '#kit/log/event-id';
import { guardedStore } from '#kit/log/guarded';
import { HighWaterMark, markedStore } from '#kit/log/high-water-mark';
import { type EventStore, LogSecretMissing, LogUnsealed } from '#kit/log/port';
import type { DamagedRow, LogSeals, SealedStore } from '#kit/log/seal';
import { lockDirectory } from '#kit/log/sqlite/database';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { LogOutput } from '#kit/observe/log-output';
import { createMetrics } from '#kit/observe/metrics';
import { observedScoring, observedStore } from '#kit/observe/observed';
import { startTracing } from '#kit/observe/tracing';
import type { OperatorReplicas } from '#kit/queue/bullmq/index';
import type { Scoring } from '#kit/queue/port';
import { ThreadPool } from '#kit/threads/pool';
import { SharedMemory } from '#kit/threads/shared-memory';
import { KeptResults } from '#kit/views/kept-results';
import { ViewReads } from '#kit/views/reads';
import { Views } from '#kit/views/runner';
import type { EngineName } from '#science/compute/port';
import type { ModelFolder } from '#science/matching/folder';
import { type Api, createApi } from './app.js';
import { ownLimits, shortOfDescriptors } from './descriptors.js';
import { watchLoss } from './loss.js';
import { type Cleanup, chooseEngine, concurrencyLimitOf, findModels, openScoring, startThreads } from './scoring.js';
import { type Secrets, withSecrets } from './secrets.js';
import { type Core, claimUseCasesOf, OPERATORS_ALONE, operatorUseCasesOf } from './use-cases.js';
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
  /** Present if the service answers operators. */
  watch?: Watch;
  /** Answers what is in flight, then stops in order. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  configuration: Configuration;
  logger: Logger;
  /** Output of the logger, which may drop lines. */
  logOutput?: LogOutput;
  version: string;
  /** Folders of models and their calibration assets, newest first; the shipped ones by default. */
  modelFolders?: readonly string[];
  /** Compute engine; the fastest that agrees with the truth by default. */
  engine?: EngineName;
  /** The reason of the operator who lets the service go on with a log that lost events. */
  acceptLoss?: string;
  /** False where the log is not checked once the service serves: for tests, each of whose services would load a thread for it. */
  checksLog?: boolean;
  /** A log that is served turns out to lack events: it must not be. */
  onLoss?(error: Error): void;
  now?: () => Date;
}

const newId = () => newEventId();

/** The check of the log begins when the first requests have been answered: its thread takes .15 s of processor time. */
const CHECK_AFTER_MS = 2000;
/** Threads that fitted scorers would keep some hundreds of MiB; one starts in a tenth of a second. */
const MEASURING_IDLE_MS = 5000;

/** @throws ConfigurationError, LogInUse, LogCorrupt, LogLoss, StoreUnavailable, Refusal of kind `asset`, EADDRINUSE */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { logger, logOutput, version, acceptLoss, onLoss = () => {}, now = () => new Date() } = options;
  const { configuration, secrets } = withSecrets(options.configuration);
  const { dataDirectory, role } = configuration;
  const choosing = chooseEngine(options.engine);
  const found = findModels(configuration, logger, options.modelFolders);
  const undo: Cleanup = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    if (configuration.traceEndpoint) {
      const tracing = await startTracing('mvs-api', configuration.traceEndpoint);
      undo.push(() => tracing.close());
    }
    const mark = new HighWaterMark(dataDirectory, ({ message: reason }) =>
      logger.error({ alarm: 'log_mark', reason }, 'the newest event could not be noted'),
    );
    const opened = await openLog(configuration, logger, undo);
    const log = markedStore(opened, mark);
    undo.push(() => log.close());
    const engine = await choosing;
    const memory = new SharedMemory();
    const { threads, ready } = startThreads(found, engine.engine, configuration, logger, memory);
    undo.push(() => threads.close());
    const metrics = createMetrics({
      queue: async () => {
        const { waiting, active, workers } = await observed.state();
        return { waiting, active, workers: workers.length };
      },
      viewLag: async () => {
        // Views that take only a part of the log cannot be compared with the end of the whole.
        if (!evidence) return {};
        const head = await log.head();
        return Object.fromEntries(views.health().map(({ name, position }) => [name, Number(head - BigInt(position))]));
      },
      logLinesDropped: () => logOutput?.dropped,
      logCheck: () => logCheck?.state,
      seals: () => opened.seals,
    });
    const store = observedStore(guardedStore(log, admissionFault), metrics);
    const sqlite = !configuration.eventStoreUrl;
    const { seals } = opened;
    const held = { store, seals, mark, directory: dataDirectory, sqlite, acceptLoss, logger, now, newId };
    const endWatch = await watchLoss(held, onLoss);
    undo.push(endWatch);
    const views = viewsOf(configuration, store, logger);
    undo.push(() => views.close());
    const reads = new ViewReads(views, configuration.requestTimeoutMs, ANSWERING);
    undo.push(() => reads.close());
    // Asked on the event loop, for what claims and decisions rest on; operators' reads are `ViewReads`.
    const evidence = role === 'claims' ? undefined : new EvidenceView(views.file('evidence'), store);
    const commands = new CommandHandler(store, newId);
    const onModels = { store, commands, shadow: found.shadow, now };
    const results = new KeptResults(join(dataDirectory, 'views', 'results'), seals);
    const counted =
      evidence && new Models({ ...onModels, installed: installedOf(found.models, evidence, results, undo) });
    const models = counted ?? new Models<ServedModel>({ ...onModels, installed: found.models });
    // Known at the start where that can be; else by the first request.
    void models.own().catch(() => {});
    await ready;
    const { claims: scoring, lots } = await openScoring(threads, found, configuration, logger, undo);
    const limit = concurrencyLimitOf(configuration);
    const observed = withWaiting(observedScoring(scoring), limit);
    const place = { directory: dataDirectory, connectionString: configuration.eventStoreUrl, secrets: seals.given };
    const roots = new ThreadPool({ threads: 1, idleMs: MEASURING_IDLE_MS, inSqlite: true });
    undo.push(() => roots.close());
    const logCheck = checkOf(configuration, place, seals, logger);
    undo.push(async () => logCheck?.close());
    const credentials = new ConfiguredCredentials(configuration, now, (reason) =>
      logger.error({ alarm: 'operator_keys', reason }, 'the file of operator keys is not taken: the former ones stay'),
    );
    const core: Core = {
      ...{ configuration, store, seals, logCheck, commands, credentials, metrics, logger, now, newId },
      labelPages: new KeptResults(join(dataDirectory, 'views', 'labels'), seals),
      auditRoot: (population, chain) =>
        results.get(['audit_root', bundlePages(), population, chain, ...seals.ids, seals.taken.length], () =>
          rootOnThread(roots, place, population),
        ),
      scoring: { claims: observed, lots, limit },
      lotFolder: found.lots,
    };
    const useCases = claimUseCasesOf(core, models);
    const operators = counted && evidence && operatorUseCasesOf(core, counted, views, reads, evidence, useCases);
    const watch = operators && evidence && new Watch({ store, views, evidence, ...operators, metrics, logger, now });
    undo.push(async () => watch?.close());
    const replicas = await openReplicas(configuration, undo);
    const largeJson = new LargeJson(configuration.requestTimeoutMs);
    undo.push(() => largeJson.close());
    const providers = providersBy(core, {
      ...{ models, views, reads, memory, largeJson, logOutput, useCases, evidence, operators },
      about: { version, engine },
      replicas: role === 'claims' ? replicas : undefined,
    });
    const api = await createApi({
      ...{ configuration, version, logger, metrics, providers, now, newId },
      recordTally: (entries, from, until) => void recordTally(entries, from, until, commands, logger),
    });
    undo.push(() => api.close());
    const address = await api.listen();
    if (options.checksLog ?? true) logCheck?.start(CHECK_AFTER_MS);
    warnOfUnpinned(found.models, logger);
    const short = shortOfDescriptors(ownLimits(), configuration);
    if (short)
      logger.warn(
        { alarm: 'descriptors', ...short },
        'fewer file descriptors than the connections of one address may take',
      );
    return { address, directory: dataDirectory, secrets, store, log, scoring, api, watch, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A replica for claims has the listings of lots alone. */
const viewsOf = ({ dataDirectory, role }: Configuration, store: EventStore, logger: Logger) =>
  new Views({
    directory: join(dataDirectory, 'views'),
    store,
    isKnown: isKnownEvent,
    ...(role === 'claims' ? LOT_LISTINGS : { projections: PROJECTIONS }),
    onAlarm: (alarm) => logger.error(alarm, alarm.rebuilt ? 'view rebuilt' : 'views stopped'),
  });

/** Its state counts the claims that wait in this process too. */
const withWaiting = (scoring: Scoring, limit: ConcurrencyLimit): Scoring => ({
  ...scoring,
  state: async () => {
    const state = await scoring.state();
    return { ...state, waiting: state.waiting + limit.waiting };
  },
});

interface Parts {
  about: About;
  models: Models<ServedModel>;
  views: Views;
  reads: ViewReads;
  memory: SharedMemory;
  largeJson: LargeJson;
  logOutput: LogOutput | undefined;
  replicas: OperatorReplicas | undefined;
  useCases: ReturnType<typeof claimUseCasesOf>;
  /** Of a replica that answers operators. */
  evidence: EvidenceView | undefined;
  operators: ReturnType<typeof operatorUseCasesOf> | undefined;
}

/** All that the controllers, guards and pipes of the server ask for. */
function providersBy(
  { configuration, store, seals, logCheck, credentials, scoring, metrics, logger, now }: Core,
  parts: Parts,
): Provider[] {
  const { about, models, views, reads, memory, largeJson, logOutput, replicas } = parts;
  const { useCases, evidence, operators } = parts;
  return providersOf(
    [
      ...Object.values(useCases),
      ...Object.values({ ...(evidence && { evidence }), ...operators }),
      models,
      views,
      reads,
      memory,
      largeJson,
      seals,
      new FreshViews(store, views, configuration.viewWaitMs),
      credentials,
      new ReadLimit(configuration.requestTimeoutMs),
      new RateLimit(configuration.ratePerSecond, configuration.rateBurst),
      new BodyBudget(configuration.maxInflightBytes, configuration.minUploadRate),
    ],
    [
      [CONFIGURATION, configuration],
      [ABOUT, about],
      [STORE, store],
      [SCORING, scoring.claims],
      [METRICS, metrics],
      [LOGGER, logger],
      [CLOCK, now],
      [LogCheck, logCheck],
      [LogOutput, logOutput],
      [OPERATOR_REPLICAS, replicas],
      ...(operators ? [] : OPERATORS_ALONE.map((token) => [token, undefined] as const)),
    ],
  );
}

function warnOfUnpinned(models: readonly ModelFolder[], logger: Logger): void {
  for (const { model, file, pinned } of models)
    if (!pinned)
      logger.warn({ model: model.digest, file }, 'the model’s card names no ladder: a changed one cannot be detected');
}

/** Every model with its proposals, which are measured on threads of their own. */
function installedOf(
  models: ModelFolder[],
  evidence: EvidenceView,
  results: KeptResults,
  undo: Cleanup,
): InstalledModel[] {
  const measuring = new ThreadPool({ threads: Math.min(availableParallelism(), 4), idleMs: MEASURING_IDLE_MS });
  undo.push(() => measuring.close());
  return models.map(({ model, asset, ladderDigest, scorerLadders, pinned }) => {
    const proposals = new Proposals(evidence, model, asset, measuring, results);
    const scorers = scorerLadders && new ScorerProposals(proposals.claims, model, asset, scorerLadders, measuring);
    return { model, asset, ladderDigest, pinned, proposals, scorers };
  });
}

/** The replicas' knowledge of each other's roles, if there is a Redis. */
async function openReplicas({ redisUrl, role }: Configuration, undo: Cleanup): Promise<OperatorReplicas | undefined> {
  if (!redisUrl) return undefined;
  const { OperatorReplicas } = await import('#kit/queue/bullmq/index');
  const replicas = new OperatorReplicas(redisUrl);
  undo.push(() => replicas.close());
  if (role !== 'claims') replicas.announce();
  return replicas;
}

/** Whichever log it is, the data directory is this process's alone: the views are in it. */
async function openLog(configuration: Configuration, logger: Logger, undo: Cleanup): Promise<SealedStore> {
  const { eventStoreUrl, dataDirectory, requestTimeoutMs, logSecrets: secrets } = configuration;
  const onDamaged = ({ position, revision, ...found }: DamagedRow) =>
    logger.error(
      { alarm: 'log_damaged_row', position: String(position), revision: Number(revision), ...found },
      'a row of the event log is damaged: its stream is refused until an operator disowns the row',
    );
  if (!eventStoreUrl)
    return openSqliteEventStore({
      ...{ directory: dataDirectory, secrets, upcast, onDamaged },
      onSecretMade: (file) =>
        logger.info({ file }, 'a secret was made with which events are sealed: keep a copy of it with the backups'),
    });
  const lock = lockDirectory(dataDirectory);
  undo.push(async () => lock.release());
  const { openEventStoreDB } = await import('#kit/log/eventstoredb/store');
  const log = openEventStoreDB({
    ...{ connectionString: eventStoreUrl, secrets, upcast, onDamaged },
    answerWithinMs: requestTimeoutMs,
  });
  undo.push(() => log.close());
  // It may be away at the start.
  await log.readStream(streams.log()).catch((error) => {
    if (error instanceof LogSecretMissing || error instanceof LogUnsealed) throw error;
  });
  return log;
}

/** The check of the whole log in the background. What replicas for claims share, another one looks at. */
function checkOf({ eventStoreUrl, role }: Configuration, log: CheckedLog, seals: LogSeals, logger: Logger) {
  if (eventStoreUrl && role === 'claims') return undefined;
  return new LogCheck({
    pass: logPass(log),
    onDamagedRow: (found) => seals.remember(found),
    onDamage: (damage) => logger.error({ alarm: 'log_damaged', ...damage }, 'event log damaged'),
    onProgress: ({ checked, head, resumed_at, damaged }) =>
      logger.info({ checked, head, resumed_at, damaged }, 'event log being checked'),
    onEnd: ({ status, checked, damaged, reason }) => {
      if (status === 'failed') logger.error({ alarm: 'log_check', checked, reason }, 'event log not checked');
      else logger.info({ checked, damaged }, 'event log checked');
    },
  });
}

async function recordTally(entries: TallyEntry[], from: Date, until: Date, commands: CommandHandler, logger: Logger) {
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
  await commands.record(streams.edge(), events).catch((error: Error) => {
    logger.warn({ reason: error.message }, 'refused calls not stored');
  });
}
