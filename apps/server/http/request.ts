/** What the edge adds to Fastify's request and reply. */
import type { Span } from '@opentelemetry/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ActiveKey } from '#service';
import type { Exchange } from './body.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The API key that the guard found, as it was then. */
    apiKey?: ActiveKey;
    /** Name of the operator that the guard found. */
    operator?: string;
    /** The request's span in its caller's trace. */
    span?: Span;
  }
  interface FastifyReply {
    /** Stable name of the refusal, for the log. */
    reason?: string;
  }
}

/** One value of a header that must not be repeated; '' where it is missing. */
export function header(request: FastifyRequest, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}

export const exchange = (request: FastifyRequest, reply: FastifyReply): Exchange => ({
  request: request.raw,
  response: reply.raw,
});

const CLEAN_ID = /^[\w.:/+=-]{1,128}$/;

/** The caller's X-Request-Id where it is one that may stand in a log, else a fresh one. */
export function requestId(given: string | string[] | undefined, fresh: () => string): string {
  return typeof given === 'string' && CLEAN_ID.test(given) ? given : fresh();
}
