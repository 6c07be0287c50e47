import {
  Aborted,
  BadInput,
  ConnectionFailed,
  errorOf,
  RateLimited,
  ServiceError,
  Timeout,
  Unavailable,
  UnexpectedAnswer,
} from './errors.js';
import { OPERATIONS, type Operation, type OperationRow } from './generated/operations.js';
import { CONTRACT, isOlder, VERSION } from './version.js';

export interface ClientOptions {
  /** Address of the service, as https://match.example */
  baseUrl: string;
  /** X-Api-Key: for verify and label. */
  apiKey?: string;
  /** X-Svc-Admin: for everything an operator does. */
  operatorKey?: string;
  /** In its place a token of the identity provider, as Authorization: Bearer; empty on the console's own page, which has a cookie. */
  operatorToken?: string;
  /** X-Svc-Token of a workspace: for lots, and for nothing else. */
  workspaceToken?: string;
  /** X-Svc-Replay-Key: for replays without an operator key. */
  replayKey?: string;
  /** Attempts after the first on 408, 429, 502, 503, 504 and network failure (default 3). */
  maxRetries?: number;
  /** Milliseconds for one attempt (default 30,000). */
  timeout?: number;
  /** Longest Retry-After in seconds that is waited for (default 60); what asks for more is thrown. */
  maxRetryAfter?: number;
  /** First and longest pause between attempts in milliseconds (default 250 and 10,000); Retry-After goes first. */
  backoffMs?: [first: number, longest: number];
  /** In place of the runtime's fetch. */
  fetch?: typeof fetch;
  /** Before each attempt. Neither hook sees a key. */
  onRequest?(request: SentRequest): void;
  /** After each answer, a refusal too. */
  onResponse?(response: SeenResponse): void;
  /**
   * Reports how much of a body was sent: in Node while it is sent, in a browser once it is answered. Starts from 0 with
   * each attempt.
   */
  onUpload?(sentBytes: number, totalBytes: number): void;
  /** @deprecated `maxRetries` */
  retries?: number;
  /** @deprecated `timeout` */
  timeoutMs?: number;
}

/** Options of one call. */
export interface CallOptions {
  signal?: AbortSignal;
  maxRetries?: number;
  timeout?: number;
}

/** The last parameter of every method: a signal alone, or options. */
export type PerCall = AbortSignal | CallOptions;

export interface SentRequest {
  method: string;
  url: string;
  /** 1 for the first. */
  attempt: number;
}

export interface SeenResponse extends SentRequest {
  status: number;
  requestId: string | undefined;
  milliseconds: number;
}

export interface Call {
  /** Values of the path's parameters, by name. */
  path?: Record<string, string>;
  query?: object;
  /** An object is sent as JSON. */
  body?: object | string | FormData;
  headers?: Record<string, string>;
  options?: PerCall;
  /** An answer that goes on: `timeout` bounds the wait for its head alone. */
  endless?: boolean;
}

/** The option and the header of each credential. */
const CREDENTIALS = {
  client: ['apiKey', 'x-api-key'],
  operator: ['operatorKey', 'x-svc-admin'],
  workspace: ['workspaceToken', 'x-svc-token'],
} as const;

/** Sends calls: credentials, retries, time-outs, hooks. Its options are private, so that no key is ever printed. */
export class Transport {
  readonly base: string;
  readonly #options: ClientOptions;
  #warned = false;

  constructor(options: ClientOptions) {
    const url = URL.canParse(options.baseUrl) ? new URL(options.baseUrl) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) throw new BadInput('baseUrl must be an http(s) URL');
    if (url.username || url.password) throw new BadInput('baseUrl must hold no user name or password');
    this.base = options.baseUrl.replace(/\/+$/, '');
    this.#options = { ...options };
    for (const [name] of Object.values(CREDENTIALS)) requireCarried(name, options[name]);
    requireCarried('replayKey', options.replayKey);
    requireCarried('operatorToken', options.operatorToken);
  }

  /** The object that an operation answers with. @throws every class of errors.ts */
  async call<T>(operation: Operation, call: Call = {}): Promise<T> {
    return this.send(operation, call, async (response) => {
      const answer = objectIn(await response.text());
      if (answer) return answer as T;
      throw new UnexpectedAnswer(
        `${operation}: the answer is ${kindOf(response)}, not a JSON object: check the address`,
      );
    });
  }

  /** Retries one operation; `read` takes what an attempt was answered with. */
  async send<T>(operation: Operation, call: Call, read: (response: Response) => Promise<T>): Promise<T> {
    const own: CallOptions = call.options instanceof AbortSignal ? { signal: call.options } : (call.options ?? {});
    const { maxRetries = this.#options.retries ?? 3, backoffMs: [first, longest] = [250, 10_000] } = this.#options;
    const { maxRetryAfter = 60 } = this.#options;
    const [method, , , repeatable = method !== 'POST']: OperationRow = OPERATIONS[operation];
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(operation, call, own, attempt + 1, read);
      } catch (error) {
        // A call over its rate was refused before anything was done.
        const passing =
          error instanceof RateLimited ||
          (repeatable && (error instanceof Unavailable || error instanceof ConnectionFailed || isTooSlow(error)));
        if (!passing || attempt >= (own.maxRetries ?? maxRetries)) throw error;
        const after = error instanceof ServiceError ? error.retryAfter : undefined;
        if (after !== undefined && after > maxRetryAfter) throw error;
        const jitter = 0.5 + Math.random() / 2;
        const pause = Math.min(longest, first * 2 ** attempt) * jitter;
        await sleep(after === undefined ? pause : after * 1000 + first * jitter, own.signal);
      }
    }
  }

  /** Headers of a replay. */
  replay(): Record<string, string> {
    const { replayKey, operatorKey } = this.#options;
    if (replayKey) return { 'x-svc-replay': '1', 'x-svc-replay-key': this.#secret('replayKey') };
    if (operatorKey) return { 'x-svc-replay': '1', 'x-svc-admin': this.#secret('operatorKey') };
    throw new BadInput('a replay needs replayKey or operatorKey');
  }

  async #attempt<T>(
    operation: Operation,
    call: Call,
    { signal, timeout = this.#options.timeout ?? this.#options.timeoutMs ?? 30_000 }: CallOptions,
    attempt: number,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const [method, , as]: OperationRow = OPERATIONS[operation];
    const { onRequest, onResponse, onUpload, fetch: send = fetch } = this.#options;
    const text = call.body === undefined || call.body instanceof FormData ? call.body : textOf(call.body);
    const upload = onUpload && text !== undefined ? await uploadOf(text, onUpload) : undefined;
    const headers = {
      accept: 'application/json, */*;q=0.5',
      ...(typeof text === 'string' && { 'content-type': 'application/json' }),
      ...upload?.headers,
      ...userAgent,
      ...(as && this.#credential(as)),
      ...call.headers,
    };
    const url = this.base + pathOf(operation, call.path) + queryOf(call.query);
    const head = new AbortController();
    const timer = call.endless && setTimeout(() => head.abort(), timeout);
    const ended = call.endless ? head.signal : AbortSignal.timeout(timeout);
    const started = performance.now();
    if (signal?.aborted) throw aborted(signal);
    onRequest?.({ method, url, attempt });
    try {
      const response = await send(url, {
        method,
        ...(upload?.init ?? { body: text }),
        headers,
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, ended]) : ended,
      });
      const requestId = response.headers.get('x-request-id') ?? undefined;
      const { status } = response;
      upload?.answered();
      onResponse?.({ method, url, attempt, status, requestId, milliseconds: performance.now() - started });
      this.#compare(response.headers.get('x-svc-version'));
      if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
        throw new UnexpectedAnswer(`${operation}: the answer is a redirect, which is not followed: check the address`);
      }
      if (response.ok) return await read(response);
      throw errorOf(status, objectIn(await response.text()) ?? {}, requestId, retryAfterOf(response));
    } catch (error) {
      if (error instanceof ServiceError || error instanceof UnexpectedAnswer) throw error;
      if (signal?.aborted) throw aborted(signal);
      if (ended.aborted) throw new Timeout(`${this.base}: no answer in time, ${timeout} ms`, { cause: error });
      const why = (error as Error).message ?? String(error);
      throw new ConnectionFailed(`${this.base} cannot be reached: ${why}`, { cause: error });
    } finally {
      if (timer) clearTimeout(timer);
    }
  }

  /** Warns once where the service is older than this package. */
  #compare(version: string | null): void {
    if (this.#warned || version === null || !isOlder(version, CONTRACT.service)) return;
    this.#warned = true;
    console.warn(`match-verification: the service is ${version}, older than ${CONTRACT.service} of this client`);
  }

  #credential(as: keyof typeof CREDENTIALS): Record<string, string> {
    const { operatorToken } = this.#options;
    if (as === 'operator' && operatorToken === '') return {};
    if (as === 'operator' && operatorToken !== undefined) return { authorization: `Bearer ${operatorToken}` };
    const [name, header] = CREDENTIALS[as];
    return { [header]: this.#secret(name) };
  }

  #secret(name: 'apiKey' | 'operatorKey' | 'workspaceToken' | 'replayKey'): string {
    const value = this.#options[name];
    if (!value) throw new BadInput(`this call needs ${name}`);
    return value;
  }
}

/** A credential that a header can carry: what refuses it otherwise would tell it. @throws BadInput */
function requireCarried(name: string, value: string | undefined): void {
  if (value && !/^[\x21-\x7e]+$/.test(value)) throw new BadInput(`${name} holds a character that no header may carry`);
}

/** Only where a program may set it: in a web page it would be one more header to ask for. */
const userAgent: Record<string, string> =
  'process' in globalThis ? { 'user-agent': `match-verification-client/${VERSION}` } : {};

/** Uploads are told in parts of so many bytes. */
const UPLOAD_PART = 64 * 1024;

/** A body that says how far it went. A stream has no length of its own, and only Node sends one over HTTP/1.1. */
async function uploadOf(body: string | FormData, onUpload: NonNullable<ClientOptions['onUpload']>) {
  const response = new Response(body);
  const type = response.headers.get('content-type');
  const bytes = new Uint8Array(await response.arrayBuffer());
  const total = bytes.length;
  onUpload(0, total);
  const headers: Record<string, string> = typeof body === 'string' || type === null ? {} : { 'content-type': type };
  if (!('process' in globalThis)) return { headers, init: { body: bytes }, answered: () => onUpload(total, total) };
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = bytes.subarray(sent, sent + UPLOAD_PART);
      sent += part.length;
      if (part.length > 0) controller.enqueue(part);
      if (sent >= total) controller.close();
      onUpload(sent, total);
    },
  });
  return {
    headers: { ...headers, 'content-length': String(total) },
    init: { body: stream, duplex: 'half' } as RequestInit,
    answered: () => {},
  };
}

const textOf = (body: object | string): string => (typeof body === 'string' ? body : JSON.stringify(body));

function pathOf(operation: Operation, values: Record<string, string> = {}): string {
  return OPERATIONS[operation][1].replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (!value) throw new BadInput(`${operation} needs ${name}`);
    return encodeURIComponent(value);
  });
}

function queryOf(query: object = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) words.set(name, String(value));
  return words.size > 0 ? `?${words}` : '';
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    return isObject ? (body as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** An upload that came too slowly. */
const isTooSlow = (error: unknown): boolean => error instanceof ServiceError && error.status === 408;

const kindOf = ({ headers }: Response): string => headers.get('content-type')?.split(';')[0] ?? 'of no named type';

/** Seconds of Retry-After, which is a number or a date. */
function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('retry-after')?.trim();
  if (!text) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

const aborted = ({ reason }: AbortSignal) =>
  new Aborted(reason instanceof Error ? reason.message : 'the call was aborted', { cause: reason });

/** Waits; an abort ends the wait. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(aborted(signal!));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
