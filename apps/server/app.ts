/** The HTTP edge: Fastify as this service wants it, one validation pipe, one filter of what is thrown, and the resources. */
import 'reflect-metadata';
import type { IncomingMessage } from 'node:http';
import type { DynamicModule, Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyBaseLogger, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { Configuration } from '#config/environment';
import { Tally, type TallyEntry } from '#kit/admission/tally';
import { Answers } from '#kit/http/answers';
import { compressReads } from '#kit/http/compression';
import { answered, answersHalfClosed, boundConnections, endsUnused } from '#kit/http/connections';
import { fastifyRefusals, refuseHost, refuseOutsideFastify } from '#kit/http/parser-refusals';
import { Problem } from '#kit/http/problem';
import { endUnread, GUARDED, header, requestId } from '#kit/http/request';
import { RouteMethods } from '#kit/http/route-methods';
import { Validation } from '#kit/http/validation';
import type { Metrics } from '#kit/observe/metrics';
import { paced } from '#kit/observe/paced-log';
import { beginRequest } from '#kit/observe/tracing';
import { ContractController } from './contract/contract.controller.js';
import { openApi } from './contract/openapi.js';
import { resources } from './resources.js';

class ServerModule {}

/** All that is served, without what serves it. */
export const serverOf = (providers: Provider[]): DynamicModule => ({
  module: ServerModule,
  controllers: resources,
  providers,
});

/** The edge's own needs; controllers take theirs from `providers`. */
export interface Edge {
  configuration: Configuration;
  version: string;
  logger: Logger;
  metrics: Metrics;
  providers: Provider[];
  now(): Date;
  /** A fresh UUID. */
  newId(): string;
  /** Called once a minute with what was refused for its credential or rate. */
  recordTally(entries: TallyEntry[], from: Date, to: Date): void;
}

export interface Api {
  app: NestFastifyApplication;
  /** Refusals for a credential or rate since the last report. */
  tally: Tally;
  /** The routes served, as in `GET /api/v1`. */
  routes(): string[];
  /** Address it listens on, once it does. */
  listen(): Promise<string>;
  /** Refuses what comes, answers what is under way, reports what was counted. */
  close(): Promise<void>;
}

/** Headers larger than this are refused with 431. */
const MAX_HEADER_BYTES = 16 * 1024;
/** So much of a body that waits for its turn is in memory before its connection is read no further: a chunk of one byte takes hundreds. */
const AHEAD_BYTES = 1024;
/** Time for the head of a request, and between two looks at who is over it. */
const HEAD_MS = 10_000;
const LOOK_MS = 5_000;

/** Headers that a script of another origin may read, if MVS_CORS_ORIGINS names its page. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-Svc-Version',
  'Retry-After',
  'X-Next-Cursor',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
];

const neverCompiled = () => (): never => {
  throw new TypeError('no route has a schema');
};

export async function createApi(edge: Edge): Promise<Api> {
  const { configuration, version, logger, metrics, newId } = edge;
  const adapter = new FastifyAdapter({
    loggerInstance: logger as Logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request: IncomingMessage) => requestId(request.headers['x-request-id'], newId),
    requestIdHeader: false,
    bodyLimit: configuration.maxBodyBytes,
    requestTimeout: configuration.requestTimeoutMs,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Of its end too, which waits for what is under way.
    pluginTimeout: 0,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      highWaterMark: AHEAD_BYTES,
      headersTimeout: Math.min(HEAD_MS, configuration.requestTimeoutMs),
      connectionsCheckingInterval: Math.min(LOOK_MS, configuration.requestTimeoutMs),
      // Node would refuse without a word; the hook below has one.
      requireHostHeader: false,
    },
    ...fastifyRefusals(newId),
    // No route has a schema of Fastify's: what would compile them is not even loaded.
    schemaController: { compilersFactory: { buildValidator: neverCompiled, buildSerializer: neverCompiled } },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 256 },
  });
  const instance = adapter.getInstance();
  const routes = new RouteMethods();
  routes.watch(instance);
  refuseOutsideFastify(instance.server, newId);
  // The port stays open until then, so that what comes is refused in words.
  instance.addHook('preClose', answered(instance.server));
  const endingUnused = endsUnused(instance.server);
  answersHalfClosed(instance.server);
  boundConnections(instance.server, configuration.connectionsPerAddress, () => metrics.closedConnections.inc());
  // Bodies are left unread: handlers read them after the guards.
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (_request, _payload, done) => done(null));

  const tally = new Tally(edge.now, edge.recordTally);
  instance.addHook('onRequest', (request, reply, done) => {
    // Clients hold the version to that of the contract which they were made from.
    reply.headers({ ...GUARDED, 'x-request-id': request.id, 'x-svc-version': version });
    request.span = beginRequest(request.method, header(request, 'traceparent'), done);
  });
  instance.addHook('onRequest', refuseHost);
  let ending = false;
  instance.addHook('onRequest', (_request, _reply, done) => {
    if (!ending) done();
    else done(new Problem('busy', ': this process is stopping', { headers: { 'retry-after': '1' } }));
  });
  // A client that does not read its answer is no client for longer than it might have sent its request.
  instance.addHook('onSend', (request, reply, _payload, done) => {
    request.raw.socket.setTimeout(configuration.requestTimeoutMs);
    if (ending) void reply.header('connection', 'close');
    done();
  });
  compressReads(instance);
  instance.addHook('onResponse', (request, reply, done) => {
    const { statusCode, reason } = reply;
    if (!request.raw.complete) endUnread(request.raw);
    // Of an answer that had begun before the end: Node would wait until its client leaves a connection that is idle now.
    if (ending) request.raw.socket.end();
    const route = request.routeOptions.url ?? 'none';
    metrics.requests.observe({ method: request.method, route, status_code: statusCode }, reply.elapsedTime / 1000);
    request.span?.setAttributes({ 'http.route': route, 'http.response.status_code': statusCode }).end();
    if ((statusCode === 401 || statusCode === 429) && reason) tally.add(statusCode, reason);
    else {
      const line = {
        request: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: statusCode,
        reason,
        key: request.apiKey?.name,
        workspace: request.workspace?.name,
        operator: request.operator,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      };
      logger[statusCode >= 500 ? 'error' : 'info'](line, 'answered');
    }
    done();
  });

  const app = await NestFactory.create<NestFastifyApplication>(serverOf(edge.providers), adapter, {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  if (configuration.corsOrigins.length > 0) {
    app.enableCors({ origin: configuration.corsOrigins, exposedHeaders: EXPOSED_HEADERS, maxAge: 600 });
  }
  app.useGlobalPipes(new Validation());
  app.useGlobalFilters(new Answers(routes, paced(logger)));
  await app.init();
  app.get(ContractController, { strict: false }).serve(() => openApi(app, version, configuration));
  return {
    app,
    tally,
    routes: () => routes.list(),
    async listen() {
      await app.listen(configuration.port, configuration.host);
      return app.getUrl();
    },
    async close() {
      ending = true;
      await endingUnused(() => app.close());
      tally.close();
    },
  };
}
