/** A careful client of the vendor's two lookups. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BrokenCircuitError,
  bulkhead,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  type IPolicy,
  retry,
  wrap,
} from 'cockatiel';
import { LRUCache } from 'lru-cache';
import { Agent, type Dispatcher, request } from 'undici';
import { escapeControls } from '#science/spectra/refusal';
import { refusalReason, VendorFault, VendorRefusal } from './errors.js';
import { checkBarcode, formatStoneId, IdentifierError, parseStoneId, type StoneId } from './stone-id.js';

export interface VendorOptions {
  /** Address of both lookups; https, or http to a loopback address. */
  url: string;
  /** The vendor's secret, sent as the header `secret-key` and nowhere else. */
  secret: string;
  /** Milliseconds for one attempt (default 5,000). */
  timeoutMs?: number;
  /** Attempts after the first, on network failure, time-out and 5xx only (default 3). */
  retries?: number;
  /** Requests under way at once; others wait (default 8). */
  concurrency?: number;
  /** Positive answers remembered (default 10,000; 0 for none), each for `cacheMs` (default an hour). */
  cacheEntries?: number;
  cacheMs?: number;
  /** Failed attempts in a row that open the circuit (default 10) for `openMs` (default 10,000). */
  breakAfter?: number;
  openMs?: number;
  /** First and longest pause between attempts in milliseconds (default 200 and 5,000), with jitter. */
  backoffMs?: [first: number, longest: number];
}

export interface Lookup {
  signal?: AbortSignal;
}

export interface Provenance {
  stoneId: StoneId;
  provenanceId: string;
}

/** An answer is a few dozen bytes; what is longer is something else. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_PROVENANCE = 256;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export class VendorClient {
  private readonly url: URL;
  private readonly agent: Agent;
  private readonly policy: IPolicy;
  private readonly known: LRUCache<string, object> | undefined;
  /** No request goes out before, on the clock of `performance.now()`: the vendor asked for it. */
  private notBefore = 0;

  /** @throws TypeError where the address is no https address or the secret cannot be a header */
  constructor(private readonly options: VendorOptions) {
    this.url = checkedUrl(options.url);
    if (!/^[\x21-\x7e]+$/.test(options.secret)) {
      throw new TypeError('the vendor key is empty or holds a blank or a character that no header may carry');
    }
    this.agent = new Agent({ connections: options.concurrency ?? 8, connect: { timeout: options.timeoutMs ?? 5_000 } });
    const [initialDelay, maxDelay] = options.backoffMs ?? [200, 5_000];
    const transient = handleWhen((error) => error instanceof VendorFault && error.transient);
    this.policy = wrap(
      retry(transient, {
        maxAttempts: options.retries ?? 3,
        backoff: new ExponentialBackoff({ initialDelay, maxDelay }),
      }),
      circuitBreaker(transient, {
        halfOpenAfter: options.openMs ?? 10_000,
        breaker: new ConsecutiveBreaker(options.breakAfter ?? 10),
      }),
      bulkhead(options.concurrency ?? 8, Number.POSITIVE_INFINITY),
    );
    const entries = options.cacheEntries ?? 10_000;
    if (entries > 0) this.known = new LRUCache({ max: entries, ttl: options.cacheMs ?? 3_600_000 });
  }

  /**
   * The stone behind a barcode: its base code where it is rough, with its part where it was split or polished.
   * @throws IdentifierError before anything is sent, VendorRefusal, VendorFault; what `signal` aborts with
   */
  async stoneOf(barcode: string, lookup: Lookup = {}): Promise<StoneId> {
    return this.ask('barcode', checkBarcode(barcode), lookup, ({ stoneId }) => {
      if (typeof stoneId !== 'string') throw wrongShape('stoneId');
      return stoneIdIn(stoneId);
    });
  }

  /** The provenance of a stone. @throws as `stoneOf` */
  async provenanceOf(stone: StoneId | string, lookup: Lookup = {}): Promise<Provenance> {
    const asked = formatStoneId(parseStoneId(typeof stone === 'string' ? stone : formatStoneId(stone)));
    return this.ask('stoneId', asked, lookup, ({ stoneId, provenanceId }) => {
      if (typeof stoneId !== 'string') throw wrongShape('stoneId');
      if (typeof provenanceId !== 'string' || !isProvenance(provenanceId)) throw wrongShape('provenanceId');
      const answered = stoneIdIn(stoneId);
      if (formatStoneId(answered) !== asked) {
        throw new VendorFault('wrong-answer', `the vendor answers for stone ${formatStoneId(answered)}, not ${asked}`);
      }
      return { stoneId: answered, provenanceId };
    });
  }

  /** Ends the connections. */
  async close(): Promise<void> {
    await this.agent.close();
  }

  /** Milliseconds until the next request may go out. */
  private wait(): number {
    return Math.ceil(this.notBefore - performance.now());
  }

  private async ask<T extends object>(
    parameter: 'barcode' | 'stoneId',
    value: string,
    { signal }: Lookup,
    read: (body: Record<string, unknown>) => T,
  ): Promise<T> {
    const question = `${parameter}=${value}`;
    const known = this.known?.get(question);
    if (known) return known as T;
    const url = new URL(this.url);
    url.searchParams.set(parameter, value);
    try {
      const answer = await this.policy.execute(async () => read(await this.attempt(url, signal)), signal);
      this.known?.set(question, Object.freeze(answer));
      return answer;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof BrokenCircuitError)) throw error;
      throw new VendorFault('circuit-open', 'the vendor failed many times in a row: nothing is sent for a while');
    }
  }

  /** One request and the object it answers. */
  private async attempt(url: URL, signal?: AbortSignal): Promise<Record<string, unknown>> {
    // Another request may be told to wait meanwhile.
    for (let wait = this.wait(); wait > 0; wait = this.wait()) await sleep(wait, undefined, { signal });
    const timeoutMs = this.options.timeoutMs ?? 5_000;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await request(url, {
        dispatcher: this.agent,
        headers: { 'secret-key': this.options.secret, accept: 'application/json', 'content-type': 'application/json' },
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const { statusCode, headers } = response;
      const after = secondsOf(headers['retry-after']);
      if (after !== undefined) this.notBefore = Math.max(this.notBefore, performance.now() + 1000 * after);
      return answerOf(statusCode, await readText(response));
    } catch (error) {
      if (error instanceof VendorFault || error instanceof VendorRefusal) throw error;
      signal?.throwIfAborted();
      if (timeout.aborted) throw new VendorFault('timeout', `the vendor did not answer within ${timeoutMs} ms`);
      throw new VendorFault('network', `the vendor cannot be reached: ${causeOf(error)}`);
    }
  }
}

/** The longest wait: a service that asks for more is asked again after it. */
const MAX_RETRY_AFTER = 60;

/** Seconds of Retry-After, which is a number or a date. */
function secondsOf(header: string | string[] | undefined): number | undefined {
  const text = [header].flat()[0]?.trim();
  if (!text) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(MAX_RETRY_AFTER, Math.max(0, seconds));
}

function checkedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('the vendor address must be an http(s) URL');
  if (url.username || url.password) throw new TypeError('the vendor address must hold no user name or password');
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    throw new TypeError('the vendor address must be https: over http the vendor key would travel in the open');
  }
  return url;
}

async function readText(response: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) {
      throw new VendorFault('too-large', `the vendor answers with more than ${MAX_ANSWER_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** An `error` body about the identifier is a refusal; every other that is no answer is a fault. */
function answerOf(status: number, text: string): Record<string, unknown> {
  if (status >= 300 && status < 400) {
    throw new VendorFault('redirect', `the vendor answers with a redirect (${status}), which is not followed`, status);
  }
  const body = parsed(text);
  const error = body && typeof body.error === 'string' ? body.error : undefined;
  if (error !== undefined) {
    const text = escapeControls(error.slice(0, 200)).replace(/\s+/g, ' ');
    const reason = refusalReason(status, error);
    if (reason !== undefined) throw new VendorRefusal(reason, status, text);
    throw new VendorFault('status', `the vendor answers with status ${status}: ${text}`, status);
  }
  if (status < 200 || status >= 300)
    throw new VendorFault('status', `the vendor answers with status ${status}`, status);
  if (!body) throw new VendorFault('not-json', 'the vendor answers with something else than a JSON object', status);
  return body;
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && !Array.isArray(body)
      ? (body as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const wrongShape = (member: string) =>
  new VendorFault('wrong-shape', `the vendor's answer has no usable member ${member}`);

function stoneIdIn(text: string): StoneId {
  try {
    return parseStoneId(text);
  } catch (error) {
    throw error instanceof IdentifierError ? new VendorFault('wrong-shape', `in its answer, ${error.message}`) : error;
  }
}

const isProvenance = (text: string) =>
  text.trim() === text && text.length > 0 && text.length <= MAX_PROVENANCE && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);

/** Undici's reason for a failure; it never quotes request headers. */
const causeOf = (error: unknown): string => {
  const { code, message } = error as { code?: string; message?: string };
  return code ?? message ?? String(error);
};
