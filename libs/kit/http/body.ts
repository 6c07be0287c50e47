/**
 * Request bodies, in memory only. A body is read when its handler asks for it, so that credentials are checked first, and
 * in turns with the others, so that no number of large ones holds anybody up.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BodyBudget, RATE_WINDOW_MS, TURN_BYTES, TURN_MS } from './body-budget.js';
import { Gathered, moving } from './gathered.js';
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
): Promise<void> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw new Problem('compressed');
  if (Number(request.headers['content-length']) > limits.maxBytes) throw tooLarge(limits);
  const holding = budget.memory.of(response, by);
  const deadline = performance.now() + limits.timeoutMs;
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let turn = TURN_BYTES;
    let spentMs = 0;
    let waited = false;
    const reader = {
      by,
      go() {
        turn = TURN_BYTES;
        spentMs = 0;
        request.resume();
      },
    };
    const finish = (error?: unknown) => {
      clearTimeout(timer);
      budget.turns.leave(reader);
      holding.giveWay = undefined;
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      if (error === undefined) return resolve();
      request.on('error', () => {});
      // The rest waits in the network until the refusal is sent.
      request.pause();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      try {
        if (bytes + chunk.length > limits.maxBytes) throw tooLarge(limits);
        budget.memory.add(holding, chunk.length);
        bytes += chunk.length;
        turn -= chunk.length;
        const began = performance.now();
        take(chunk);
        spentMs += performance.now() - began;
        if (turn > 0 && spentMs < TURN_MS) return;
        request.pause();
        turn = 0;
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
export async function readBody<Memory extends Uint8Array>(
  exchange: Exchange,
  limits: BodyLimits,
  budget: BodyBudget,
  allot: (bytes: number) => Memory,
): Promise<Memory> {
  const gathered = new Gathered();
  await receive(exchange, limits, budget, (chunk) => gathered.add(chunk));
  const body = allot(gathered.bytes);
  await moveInTurns([[gathered, body]], exchange, budget);
  return body;
}

/** Moves what was gathered in turns with other bodies; it may still have to give way. @throws what it gives way for */
export async function moveInTurns(
  moves: readonly [from: Gathered, to: Uint8Array][],
  { response, by }: Pick<Exchange, 'response' | 'by'>,
  budget: BodyBudget,
): Promise<void> {
  const holding = budget.memory.of(response, by);
  const step = moving(moves, TURN_BYTES);
  let gaveWay: Error | undefined;
  holding.giveWay = (why) => {
    gaveWay = why;
  };
  await budget.turns.work(by, () => {
    if (gaveWay) throw gaveWay;
    return step();
  });
  holding.giveWay = undefined;
}

/** Parsed in a millisecond. */
const SMALL_JSON_BYTES = 64 * 1024;

/**
 * A JSON body: labels, or what an operator sends.
 * @param large where one may be longer than a millisecond's work: reads it away from the event loop
 * @throws Problem
 */
export async function readJson(
  exchange: Exchange,
  limits: BodyLimits,
  budget: BodyBudget,
  large?: (body: Uint8Array<ArrayBuffer>) => Promise<unknown>,
): Promise<unknown> {
  if (mediaType(exchange.request) !== 'application/json') {
    throw new Problem('wrong_content_type', ': send application/json');
  }
  const body = await readBody(exchange, limits, budget, (bytes) => new Uint8Array(bytes));
  if (large && body.length > SMALL_JSON_BYTES) return large(body);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Problem('invalid_json');
  }
}
