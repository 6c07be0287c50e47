/** The edge's additions to Fastify's request and reply. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Span } from '@opentelemetry/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '#config/operators';
import type { Exchange } from './body.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends, as the guard found: by it fair queues tell callers apart. */
    by?: string;
    /** Name of the operator that the guard found. */
    operator?: string;
    /** The scopes configured for that operator's key. */
    scopes?: readonly Scope[];
    /** The request's span in its caller's trace. */
    span?: Span;
  }
  interface FastifyReply {
    /** Stable name of the refusal, for the log. */
    reason?: string;
  }
}

/** Headers of every answer: it is not cached, and not taken for another type than it states. Documents allow more. */
export const GUARDED = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Says that the answer depends on a header of the request. */
export function vary(reply: FastifyReply, name: string): void {
  void reply.header('vary', [reply.getHeader('vary'), name].flat().filter(Boolean).join(', '));
}

/** One value of a header that must not be repeated; '' where it is missing. */
export function header(request: FastifyRequest, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}

export const exchange = (request: FastifyRequest, reply: FastifyReply): Exchange => ({
  request: request.raw,
  response: reply.raw,
  by: request.by ?? '',
});

const CLEAN_ID = /^[\w.:/+=-]{1,128}$/;

/** The caller's X-Request-Id where it is one that may stand in a log, else a fresh one. */
export function requestId(given: string | string[] | undefined, fresh: () => string): string {
  return typeof given === 'string' && CLEAN_ID.test(given) ? given : fresh();
}

/** The rest of a refused request's body is read up to this size, so that its connection can go on. */
const LEFT_BYTES = 1024 * 1024;
/** Time in which a client that still sends can read its refusal. */
const LEFT_MS = 1_000;

/** True if the rest of the body is longer than the edge reads for nothing. */
export function isLongUnread({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > LEFT_BYTES;
}

/**
 * Before a long body's refusal is sent: lets its connection end with the answer alone. Node closes the socket after it, and a
 * socket that is closed over unread bytes resets the connection: the answer may be lost, and a proxy takes the service for dead.
 */
export function closeGently({ socket }: IncomingMessage, leftMs = LEFT_MS): void {
  socket.destroySoon = () => endForGood(socket, undefined, leftMs);
}

/** Ends a connection with a last word. A client that does not end its own side holds it no longer than it may read that. */
export function endForGood(socket: Duplex, last?: string, leftMs = LEFT_MS): void {
  socket.end(last);
  setTimeout(() => socket.destroy(), leftMs).unref();
}

/** Lets go of an answered request whose body has not ended. */
export function endUnread(request: IncomingMessage, leftMs = LEFT_MS): void {
  const { socket } = request;
  if (isLongUnread(request)) socket.pause();
  else request.resume();
  const timer = setTimeout(() => !request.complete && socket.destroy(), leftMs).unref();
  request.once('close', () => clearTimeout(timer));
}
