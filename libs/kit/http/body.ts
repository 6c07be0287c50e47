/**
 * Request bodies, in memory only. A body is read when its handler asks for it, so that credentials are checked first, and
 * in turns with the others, so that no number of large ones holds anybody up.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BodyBudget, RATE_WINDOW_MS, TURN_BYTES } from './body-budget.js';
import { parseLargeJson } from './large-json.js';
import { ClientGone, Problem } from './problem.js';

/** The two halves of one exchange, as Node has them. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** The sender, between whom memory and turns are shared. */
  by: string;
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
  { request, response, by }: Exchange,
  limits: BodyLimits,
  budget: BodyBudget,
  take: (chunk: Buffer) => void,
): Promise<number> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw new Problem('compressed');
  if (Number(request.headers['content-length']) > limits.maxBytes) throw tooLarge(limits);
  const holding = budget.memory.of(response, by);
  const deadline = performance.now() + limits.timeoutMs;
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let turn = TURN_BYTES;
    let waited = false;
    const reader = {
      by,
      go() {
        turn = TURN_BYTES;
        request.resume();
      },
    };
    const finish = (error?: unknown) => {
      clearTimeout(timer);
      budget.turns.leave(reader);
      holding.giveWay = () => {};
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      if (error === undefined) return resolve(bytes);
      request.on('error', () => {});
      request.resume();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      try {
        if (bytes + chunk.length > limits.maxBytes) throw tooLarge(limits);
        budget.memory.add(holding, chunk.length);
        bytes += chunk.length;
        turn -= chunk.length;
        take(chunk);
        if (turn > 0) return;
        request.pause();
        waited = true;
        budget.turns.wait(reader, bytes > TURN_BYTES);
      } catch (error) {
        finish(error);
      }
    };
    const onEnd = () => finish();
    const onClose = () => finish(new ClientGone());
    let before = 0;
    const look = () => {
      const left = deadline - performance.now();
      if (left <= 0) return finish(tooSlow());
      // A sender that waits for its turn is not slow.
      const slow = !waited && turn > 0 && (bytes - before) * 1000 < budget.minRate * RATE_WINDOW_MS;
      if (slow) return finish(tooSlow(`: less than ${budget.minRate} bytes a second`));
      before = bytes;
      waited = false;
      timer = setTimeout(look, Math.min(RATE_WINDOW_MS, left));
    };
    let timer = setTimeout(look, Math.min(RATE_WINDOW_MS, limits.timeoutMs));
    holding.giveWay = finish;
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

const tooSlow = (why?: string) => new Problem('slow_request', why, { headers: { connection: 'close' } });
const tooLarge = ({ maxBytes }: BodyLimits) => new Problem('too_large', `: at most ${maxBytes} bytes`);

/**
 * The whole body; the network's buffers are wiped.
 * @param allot gives the memory for it once its size is known
 */
export async function readBody<Memory extends ArrayBufferLike>(
  exchange: Exchange,
  limits: BodyLimits,
  budget: BodyBudget,
  allot: (bytes: number) => Uint8Array<Memory>,
): Promise<Uint8Array<Memory>> {
  const chunks: Buffer[] = [];
  const bytes = await receive(exchange, limits, budget, (chunk) => chunks.push(chunk));
  return join(chunks, allot(bytes));
}

/** Many chunks, which are wiped, in one array that has room for them. */
export function join<Memory extends ArrayBufferLike>(chunks: Buffer[], whole: Uint8Array<Memory>): Uint8Array<Memory> {
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
    chunk.fill(0);
  }
  return whole;
}

/** Parsed in a millisecond or two. */
const SMALL_JSON_BYTES = 128 * 1024;

/** A JSON body that no worker thread reads: labels, or what an operator sends. @throws Problem */
export async function readJson(exchange: Exchange, limits: BodyLimits, budget: BodyBudget): Promise<unknown> {
  if (mediaType(exchange.request) !== 'application/json') {
    throw new Problem('wrong_content_type', ': send application/json');
  }
  const body = await readBody(exchange, limits, budget, (bytes) => new Uint8Array(bytes));
  try {
    if (body.length > SMALL_JSON_BYTES) return await parseLargeJson(body);
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem('invalid_json');
  }
}
