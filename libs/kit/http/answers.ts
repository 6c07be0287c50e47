/** Turns an error of a handler into an answer: the status, `{detail, code, ...}`, and a log line if the fault is ours. */
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BodyRefusalPace, RefusalPace } from '#kit/admission/refusal-pace';
import { StoreUnavailable, UnreadableEvent, WrongExpectedRevision } from '#kit/log/port';
import { CommandRefused, type RefusalReason } from '#kit/log/refused';
import { StreamUndecidable } from '#kit/log/stored-events';
import type { PacedLog } from '#kit/observe/paced-log';
import { JobCancelled, ScoringUnavailable } from '#kit/queue/port';
import type { UploadRefused } from '#kit/queue/upload';
import { ViewsUnread } from '#kit/views/encode';
import { printableName, Refusal, refusalPhrases, type Side, stoneRefusalPhrases } from '#science/spectra/refusal';
import { ClientGone, ERRORS, type ErrorCode, Problem, type ProblemCode } from './problem.js';
import { closeGently, isLongUnread } from './request.js';
import type { RouteMethods } from './route-methods.js';

export interface Answer {
  status: number;
  detail: string;
  /** Stable name of the refusal, for programs, logs and telemetry. */
  code: ErrorCode;
  /** Present if one side of a claim, or one of its files, is to blame. */
  side?: Side;
  file?: string;
  headers: Record<string, string>;
  fault: boolean;
}

export const asProblem = ({ status, message, code, headers }: Problem): Answer => ({
  status,
  detail: message,
  code,
  headers,
  fault: false,
});

/** @param error anything that was thrown */
export function answerTo(error: unknown): Answer {
  if (error instanceof Problem) return asProblem(error);
  if (error instanceof CommandRefused) return asProblem(problemOf(error));
  if (isRefusal(error)) {
    const { kind, detail, side, file } = error;
    const blame = { ...(side && { side }), ...(file !== undefined && { file: printableName(file) }) };
    return { status: ERRORS[kind][0], detail, code: kind, ...blame, headers: {}, fault: false };
  }
  if (error instanceof StoreUnavailable || error instanceof ScoringUnavailable) {
    const headers = { 'retry-after': String(error.retryAfterSeconds) };
    const [code, why] =
      error instanceof ScoringUnavailable
        ? [`scoring_${error.reason}` as const, error.message]
        : ['store_unavailable' as const, LOG_AWAY];
    return { ...asProblem(new Problem('busy', `: ${why}`, { headers })), code };
  }
  if (error instanceof ViewsUnread)
    return asProblem(new Problem('busy', ': the views are not read now', { headers: { 'retry-after': '2' } }));
  if (error instanceof UnreadableEvent)
    return asProblem(
      new Problem('log_damaged', ': an operator has to look at it', { headers: { 'retry-after': '60' } }),
    );
  // Lost to another request too often to be settled here: asked again, it finds what won.
  if (error instanceof WrongExpectedRevision)
    return answerTo(new StoreUnavailable('others write to the same stream', 1, { cause: error }));
  if (error instanceof StreamUndecidable)
    return answerTo(new Refusal('asset', { reason: error.message, fix: 'tell the operator' }));
  // Fastify's own refusals come as they are or as Nest's.
  const status = error instanceof HttpException ? error.getStatus() : (error as { statusCode?: unknown })?.statusCode;
  const code = typeof status === 'number' ? OF_STATUS[status] : undefined;
  return code ? asProblem(new Problem(code)) : { ...asProblem(new Problem('fault')), fault: true };
}

const OF_REFUSED: Record<RefusalReason, ProblemCode> = {
  credential: 'credential_api_key',
  token: 'credential_workspace',
  expired: 'credential_expired',
  paused: 'credential_paused',
  invalid: 'unprocessable',
  not_found: 'not_found',
  conflict: 'conflict',
  behind: 'busy',
};

const CREDENTIALS: ReadonlySet<RefusalReason> = new Set(['credential', 'token', 'expired', 'paused']);

/** A use case's refusal in the edge's words; a refused credential gets no more than its text. */
function problemOf({ reason, message, retryAfterSeconds }: CommandRefused): Problem {
  const headers: Record<string, string> = reason === 'behind' ? { 'retry-after': String(retryAfterSeconds) } : {};
  return new Problem(OF_REFUSED[reason], CREDENTIALS.has(reason) ? undefined : `: ${message}`, { headers });
}

/** A store's own words may name files and servers: they go into the service's log. */
export const LOG_AWAY = 'the event log cannot be used now';

const OF_STATUS: Record<number, ProblemCode | undefined> = {
  400: 'bad_request',
  413: 'too_large',
  414: 'uri_too_long',
  415: 'wrong_content_type',
};

const KINDS = { ...refusalPhrases, ...stoneRefusalPhrases };

function isRefusal(error: unknown): error is Pick<UploadRefused, 'kind' | 'detail' | 'side' | 'file'> {
  const { kind, detail } = (error ?? {}) as { kind?: unknown; detail?: unknown };
  return typeof kind === 'string' && Object.hasOwn(KINDS, kind) && typeof detail === 'string';
}

/** The body of a refusal: the contract's `detail`, and the same for programs. */
export const refusalBody = (
  { detail, code, side, file }: Omit<Answer, 'status' | 'headers' | 'fault'>,
  requestId: string,
) => ({
  detail,
  code,
  docs: docsOf(code),
  ...(side && { side }),
  ...(file !== undefined && { file }),
  request_id: requestId,
});

/** The place of a code on the page of the contract, below the service's address. */
const docsOf = (code: ErrorCode): string => `/api/v1/docs#description/${code}`;

const causeOf = ({ cause }: Error) => (cause === undefined ? {} : { cause: String(cause) });

@Catch()
export class Answers implements ExceptionFilter {
  constructor(
    private readonly routes: RouteMethods,
    private readonly log: PacedLog,
    private readonly pace = new RefusalPace(),
    private readonly bodyPace = new BodyRefusalPace(),
  ) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
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
      this.log.warn({ request: request.id, reason: error.message, ...causeOf(error) }, 'event log away');
    reply.reason = answer.code;
    if (answer.status === 401 || answer.status === 429) await this.pace.turn();
    if (isLongUnread(request.raw)) {
      await this.bodyPace.turn(request.by ?? '');
      closeGently(request.raw);
      void reply.header('connection', 'close');
    }
    if (!reply.sent) void reply.status(answer.status).headers(answer.headers).send(refusalBody(answer, request.id));
  }
}
