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
 * @param take takes what it can until its time is over; where it tells that it has more to do with what it got, it is called
 * again without bytes before any further ones
 * @throws Problem (413, 415, 408, 503, or whatever `take` throws), ClientGone
 */
export function receive(
  { request, response, by }: Exchange,
  limits: BodyLimits,
  budget: BodyBudget,
  take: (chunk: Buffer | undefined, until: number) => boolean,
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
    /** When what is being read began to come. */
    let came: number | undefined;
    let waited = false;
    let unfinished = false;
    /** It may end while it is paused. */
    let ended = false;
    const reader = {
      by,
      go() {
        turn = TURN_BYTES;
        spentMs = 0;
        if (unfinished && !work()) return;
        if (ended) finish();
        else request.resume();
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
    /** @returns whether further bytes may come now */
    const work = (chunk?: Buffer): boolean => {
      try {
        const goesOn = unfinished;
        const until = (came ?? performance.now()) + TURN_MS - spentMs;
        unfinished = take(chunk, until);
        if (!unfinished && turn > 0 && performance.now() < until) return true;
        request.pause();
        turn = 0;
        waited = true;
        budget.turns.wait(reader, goesOn || bytes > TURN_BYTES);
      } catch (error) {
        finish(error);
      }
      return false;
    };
    /** One read with all that Node's parser makes of it: chunks come one by one, also behind the last that is taken. */
    const read = () => {
      const ms = performance.now() - came!;
      came = undefined;
      spentMs += ms;
      budget.turns.took(ms);
    };
    const onData = (chunk: Buffer) => {
      if (came === undefined) {
        came = performance.now();
        process.nextTick(read);
      }
      try {
        if (bytes + chunk.length > limits.maxBytes) throw tooLarge(limits);
        budget.memory.add(holding, chunk.length);
      } catch (error) {
        return finish(error);
      }
      bytes += chunk.length;
      turn -= chunk.length;
      work(chunk);
    };
    const onEnd = () => {
      ended = true;
      if (!unfinished) finish();
    };
    // A body that has ended closes by itself.
    const onClose = () => {
      if (!ended) finish(new ClientGone());
    };
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
  await receive(exchange, limits, budget, (chunk) => {
    if (chunk) gathered.add(chunk);
    return false;
  });
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
