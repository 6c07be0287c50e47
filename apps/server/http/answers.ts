/** How whatever a handler throws becomes an answer: `{detail}`, the status, and a log line where it was our fault. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StoreUnavailable } from '#event-store';
import { JobCancelled, ScoringUnavailable } from '#scoring';
import type { RefusalKind } from '#spectra';
import { ClientGone, PROBLEMS, Problem } from './problem.js';
import type { RouteMethods } from './route-methods.js';

/** Statuses of the refusals of scans (specification 7); their texts stand where they are raised. */
export const REFUSAL_STATUS: Record<RefusalKind, number> = {
  unparseable: 400,
  axis_shape: 422,
  side_shape: 422,
  non_finite: 400,
  flat: 400,
  noise_character: 400,
  reject_target: 400,
  invalid_json: 400,
  not_an_object: 400,
  asset: 400,
};

export interface Answer {
  status: number;
  detail: string;
  /** Stable name of the refusal, for logs and telemetry. */
  reason: string;
  headers: Record<string, string>;
  fault: boolean;
}

const asProblem = ({ status, message, code, headers }: Problem): Answer => ({
  status,
  detail: message,
  reason: code,
  headers,
  fault: false,
});

/** @param error anything that was thrown */
export function answerTo(error: unknown): Answer {
  if (error instanceof Problem) return asProblem(error);
  if (isRefusal(error)) {
    return { status: REFUSAL_STATUS[error.kind], detail: error.detail, reason: error.kind, headers: {}, fault: false };
  }
  if (error instanceof StoreUnavailable || error instanceof ScoringUnavailable) {
    const headers = { 'retry-after': String(error.retryAfterSeconds) };
    const reason = error instanceof ScoringUnavailable ? `scoring_${error.reason}` : 'store_unavailable';
    return { ...asProblem(new Problem('busy', `: ${error.message}`, { headers })), reason };
  }
  // Fastify's own refusals come as they are or as Nest's.
  const status = error instanceof HttpException ? error.getStatus() : (error as { statusCode?: unknown })?.statusCode;
  if (status === 413) return asProblem(new Problem('too_large'));
  if (status === 415) return asProblem(new Problem('wrong_content_type'));
  if (status === 400) return asProblem(new Problem('bad_request'));
  return { ...asProblem(new Problem('fault')), fault: true };
}

function isRefusal(error: unknown): error is { kind: RefusalKind; detail: string } {
  const { kind, detail } = (error ?? {}) as { kind?: unknown; detail?: unknown };
  return typeof kind === 'string' && Object.hasOwn(REFUSAL_STATUS, kind) && typeof detail === 'string';
}

@Catch()
export class Answers implements ExceptionFilter {
  constructor(private readonly routes: RouteMethods) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (error instanceof ClientGone || error instanceof JobCancelled) {
      reply.hijack();
      reply.raw.destroy();
      return;
    }
    const answer = answerTo(this.routes.explain(error, request));
    if (answer.fault) request.log.error({ err: error, request: request.id }, 'fault');
    if (error instanceof StoreUnavailable)
      request.log.warn({ request: request.id, reason: error.message, cause: String(error.cause) }, 'event log away');
    reply.reason = answer.reason;
    if (!reply.sent) void reply.status(answer.status).headers(answer.headers).send({ detail: answer.detail });
  }
}

/** Requests that are no HTTP, too slow in their headers, or have headers too large: told in the contract's form too. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const code =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'headers_too_large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'slow_request'
        : 'bad_request';
  const [status, text] = PROBLEMS[code];
  const body = JSON.stringify({ detail: text });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
