/** Puts the HTTP edge together out of the parts that a program chose. */
import 'reflect-metadata';
import type { IncomingMessage } from 'node:http';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyBaseLogger, LogController } from 'fastify';
import type { Logger } from 'pino';
import { beginRequest } from '#observability';
import { Answers } from './http/answers.js';
import { BodyBudget } from './http/body.js';
import { ConfiguredCredentials } from './http/credentials.js';
import { fastifyRefusals, refuseBesideFastify, refuseWithoutHost } from './http/parser-refusals.js';
import { RateLimit } from './http/rate-limit.js';
import { endUnread, header, requestId } from './http/request.js';
import { RouteMethods } from './http/route-methods.js';
import { Tally } from './http/tally.js';
import { PARTS, type Parts } from './parts.js';
import { controllers } from './resources.js';

@Module({})
class ApiModule {
  static of(parts: Parts, tally: Tally): DynamicModule {
    const { configuration } = parts;
    return {
      module: ApiModule,
      controllers,
      providers: [
        { provide: PARTS, useValue: parts },
        ...parts.useCases.map((useCase) => ({ provide: useCase.constructor as Type, useValue: useCase })),
        { provide: Tally, useValue: tally },
        { provide: BodyBudget, useValue: new BodyBudget(configuration.maxInflightBytes, configuration.minUploadRate) },
        { provide: RateLimit, useValue: new RateLimit(configuration.ratePerSecond, configuration.rateBurst) },
        {
          provide: ConfiguredCredentials,
          useValue: new ConfiguredCredentials(configuration.operators, configuration.replayToken),
        },
      ],
    };
  }
}

export interface Api {
  app: NestFastifyApplication;
  /** What is served, as `GET /api/v1`. */
  routes(): string[];
  /** Address it listens on, once it does. */
  listen(): Promise<string>;
  /** Takes no more requests, answers those in flight, tells what was counted. */
  close(): Promise<void>;
}

/** Headers larger than this are refused with 431. */
const MAX_HEADER_BYTES = 16 * 1024;

/** What a script of another origin may read, where MVS_CORS_ORIGINS names its page. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Retry-After',
  'X-Next-Cursor',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
];

export async function createApi(parts: Parts): Promise<Api> {
  const { configuration, logger } = parts;
  const adapter = new FastifyAdapter({
    loggerInstance: logger as Logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request: IncomingMessage) => requestId(request.headers['x-request-id'], parts.newId),
    requestIdHeader: false,
    bodyLimit: configuration.maxBodyBytes,
    requestTimeout: configuration.requestTimeoutMs,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: 10_000,
      connectionsCheckingInterval: 5_000,
      // Node would refuse without a word; the hook below has one.
      requireHostHeader: false,
    },
    ...fastifyRefusals(parts.newId),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 256 },
  });
  const instance = adapter.getInstance();
  const routes = new RouteMethods();
  routes.watch(instance);
  refuseBesideFastify(instance.server, parts.newId);
  // Bodies are left unread: handlers read them after the guards.
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (_request, _payload, done) => done(null));

  const tally = new Tally(parts.now, (entries, from, to) => parts.tellTally(entries, from, to));
  instance.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    request.span = beginRequest(request.method, header(request, 'traceparent'), done);
  });
  instance.addHook('onRequest', refuseWithoutHost);
  instance.addHook('onResponse', (request, reply, done) => {
    const { statusCode, reason } = reply;
    if (!request.raw.complete) endUnread(request.raw);
    const route = request.routeOptions.url ?? 'none';
    parts.metrics.requests.observe(
      { method: request.method, route, status_code: statusCode },
      reply.elapsedTime / 1000,
    );
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

  const app = await NestFactory.create<NestFastifyApplication>(ApiModule.of(parts, tally), adapter, {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  if (configuration.corsOrigins.length > 0) {
    app.enableCors({ origin: configuration.corsOrigins, exposedHeaders: EXPOSED_HEADERS, maxAge: 600 });
  }
  app.useGlobalFilters(new Answers(routes));
  await app.init();
  return {
    app,
    routes: () => routes.list(),
    async listen() {
      await app.listen(configuration.port, configuration.host);
      return app.getUrl();
    },
    async close() {
      await app.close();
      tally.close();
    },
  };
}
