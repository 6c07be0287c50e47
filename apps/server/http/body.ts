/**
 * Request bodies, in memory only. A body is read when its handler asks for it, so that credentials are checked first.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientGone, Problem } from './problem.js';

/** Bytes of bodies that all requests together hold, each until its response is closed. */
export class BodyBudget {
  private held = 0;
  constructor(private readonly limit: number) {}

  get heldBytes(): number {
    return this.held;
  }

  /** Counts a request's bytes. @throws Problem (503) where all requests hold too many */
  account(response: ServerResponse): (bytes: number) => void {
    let mine = 0;
    response.once('close', () => {
      this.held -= mine;
      mine = 0;
    });
    return (bytes) => {
      if (this.held + bytes > this.limit) throw new Problem('busy', undefined, { headers: { 'retry-after': '1' } });
      this.held += bytes;
      mine += bytes;
    };
  }
}

/** The two halves of one exchange, as Node has them. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

export interface BodyLimits {
  maxBytes: number;
  timeoutMs: number;
}

/** The media type of a request, lower case, without parameters; '' where there is none. */
export function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0].trim().toLowerCase();
}

/**
 * Hands the body's bytes to `take` as they come, and ends when the body has.
 * @throws Problem (413, 415, 408, 503, or whatever `take` throws), ClientGone
 */
export function receive(
  { request, response }: Exchange,
  limits: BodyLimits,
  budget: BodyBudget,
  take: (chunk: Buffer) => void,
): Promise<number> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw new Problem('compressed');
  if (Number(request.headers['content-length']) > limits.maxBytes) throw tooLarge(limits);
  const count = budget.account(response);
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const finish = (error?: unknown) => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      if (error === undefined) return resolve(bytes);
      request.on('error', () => {});
      request.resume();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      try {
        if (bytes + chunk.length > limits.maxBytes) throw tooLarge(limits);
        count(chunk.length);
        bytes += chunk.length;
        take(chunk);
      } catch (error) {
        finish(error);
      }
    };
    const onEnd = () => finish();
    const onClose = () => finish(new ClientGone());
    const timer = setTimeout(
      () => finish(new Problem('slow_request', undefined, { headers: { connection: 'close' } })),
      limits.timeoutMs,
    );
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

const tooLarge = ({ maxBytes }: BodyLimits) => new Problem('too_large', `: at most ${maxBytes} bytes`);

/** The whole body in memory of its own (it can be transferred); the network's buffers are wiped. */
export async function readBody(
  exchange: Exchange,
  limits: BodyLimits,
  budget: BodyBudget,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  const bytes = await receive(exchange, limits, budget, (chunk) => chunks.push(chunk));
  return join(chunks, bytes);
}

/** One array out of many chunks, which are wiped. */
export function join(chunks: Buffer[], bytes: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
    chunk.fill(0);
  }
  return whole;
}

/** A small JSON body, such as labels. @throws Problem */
export async function readJson(exchange: Exchange, limits: BodyLimits, budget: BodyBudget): Promise<unknown> {
  if (mediaType(exchange.request) !== 'application/json') {
    throw new Problem('wrong_content_type', ': send application/json');
  }
  const body = await readBody(exchange, limits, budget);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Problem('invalid_json');
  }
}
