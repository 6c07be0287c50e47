import { BadAnswer, BadInput, ConnectionFailed, errorOf, Unavailable } from './errors.js';
import type {
  CalibratedRung,
  Calibration,
  CalibrationHistory,
  ClaimRecord,
  CreatedKey,
  Finding,
  Key,
  Label,
  LabelResults,
  NewKey,
  RevokedKey,
  TelemetryRecord,
  Verification,
} from './generated/contract.js';
import { claimBody, type Side } from './scans.js';

export interface ClientOptions {
  /** Address of the service, as https://match.example */
  baseUrl: string;
  /** X-Api-Key: for verify and label. */
  apiKey?: string;
  /** X-Svc-Admin: for everything an operator does. */
  operatorKey?: string;
  /** X-Svc-Replay-Key: for replays without an operator key. */
  replayKey?: string;
  /** Attempts after the first on 502, 503, 504 and network failure (default 3). */
  retries?: number;
  /** Milliseconds for one attempt (default 30,000). */
  timeoutMs?: number;
  /** First and longest pause between attempts in milliseconds (default 250 and 10,000); Retry-After goes first. */
  backoffMs?: [first: number, longest: number];
  /** In place of the runtime's fetch. */
  fetch?: typeof fetch;
}

export interface VerifyOptions {
  rough: Side;
  polish: Side;
  /** 0.90 to 0.99 in steps of 0.01; the service's default is 0.98. */
  rejectTarget?: number;
  /** Scores without writing claim history; needs a replay or operator key. */
  replay?: boolean;
  signal?: AbortSignal;
}

export type ListFilter = Record<string, string | number | boolean | undefined>;

interface Call {
  method?: 'GET' | 'POST' | 'DELETE';
  as: 'nobody' | 'client' | 'operator';
  body?: string | FormData;
  headers?: Record<string, string>;
  query?: ListFilter;
  /** Whether sending it twice does no more than sending it once. */
  repeatable?: boolean;
  signal?: AbortSignal;
}

interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** Labels in one call (specification 4.3). */
const LABELS_A_CALL = 5_000;

export class MatchVerification {
  private readonly base: string;

  constructor(private readonly options: ClientOptions) {
    if (!URL.canParse(options.baseUrl)) throw new BadInput(`baseUrl is no URL: ${options.baseUrl}`);
    this.base = options.baseUrl.replace(/\/+$/, '');
  }

  /** GET /api/v1: the contract in short, open to all. */
  summary(signal?: AbortSignal): Promise<Record<string, unknown>> {
    return this.call('/api/v1', { as: 'nobody', signal });
  }

  /** Did this polish come out of that rough? Sending the same claim again answers the same claim_id. */
  async verify({ rough, polish, rejectTarget, replay, signal }: VerifyOptions): Promise<Verification> {
    const body = await claimBody(rough, polish, rejectTarget);
    const { replayKey, operatorKey } = this.options;
    const headers: Record<string, string> = {};
    if (replay) {
      if (!replayKey && !operatorKey) throw new BadInput('a replay needs replayKey or operatorKey');
      headers['x-svc-replay'] = '1';
      if (replayKey) headers['x-svc-replay-key'] = replayKey;
      else headers['x-svc-admin'] = operatorKey!;
    }
    return this.call('/api/v1/verify-match', {
      method: 'POST',
      as: 'client',
      body,
      headers,
      repeatable: true,
      signal,
    });
  }

  /** Labels claims with their ground truth, in calls of 5,000; yields the outcome of each call as it comes. */
  async *label(labels: Iterable<Label>, signal?: AbortSignal): AsyncGenerator<LabelResults> {
    const all = [...labels];
    for (let from = 0; from < all.length; from += LABELS_A_CALL) {
      const body = JSON.stringify(all.slice(from, from + LABELS_A_CALL));
      yield await this.call('/api/v1/expected', { method: 'POST', as: 'client', body, repeatable: true, signal });
    }
  }

  /** The claim ledger, latest first; `verdict: 'NO_MATCH', p_min: 0.6, reviewed: false` is the review queue. */
  claims(filter: ListFilter = {}, signal?: AbortSignal): AsyncGenerator<ClaimRecord> {
    return this.list('/api/v1/claims', filter, signal);
  }
  claim(claimId: string, signal?: AbortSignal): Promise<ClaimRecord> {
    return this.call(`/api/v1/claims/${encodeURIComponent(claimId)}`, { as: 'operator', signal });
  }
  findings(filter: ListFilter = {}, signal?: AbortSignal): AsyncGenerator<Finding> {
    return this.list('/api/v1/findings', filter, signal);
  }
  telemetry(filter: ListFilter = {}, signal?: AbortSignal): AsyncGenerator<TelemetryRecord> {
    return this.list('/api/telemetry/events', filter, signal);
  }
  keys(filter: ListFilter = {}, signal?: AbortSignal): AsyncGenerator<Key> {
    return this.list('/api/v1/keys', filter, signal);
  }
  /** The full key is in this answer and in no other: store it. */
  createKey(key: NewKey, signal?: AbortSignal): Promise<CreatedKey> {
    return this.call('/api/v1/keys', { method: 'POST', as: 'operator', body: JSON.stringify(key), signal });
  }
  revokeKey(prefix: string, signal?: AbortSignal): Promise<RevokedKey> {
    const path = `/api/v1/keys/${encodeURIComponent(prefix)}`;
    return this.call(path, { method: 'DELETE', as: 'operator', repeatable: true, signal });
  }

  calibrations(filter: ListFilter = {}, signal?: AbortSignal): AsyncGenerator<Calibration> {
    return this.list('/api/v1/calibration', filter, signal);
  }
  calibration(population: string, signal?: AbortSignal): Promise<Calibration> {
    return this.call(`/api/v1/calibration/${encodeURIComponent(population)}`, { as: 'operator', signal });
  }
  calibrationHistory(population: string, signal?: AbortSignal): Promise<CalibrationHistory> {
    return this.call(`/api/v1/calibration/${encodeURIComponent(population)}/history`, { as: 'operator', signal });
  }
  /** Makes a proposal decide. `proposalDigest` is that of the proposal you saw. */
  approve(
    population: string,
    rejectTarget: number,
    approval: { reason: string; proposalDigest: string },
    signal?: AbortSignal,
  ): Promise<CalibratedRung> {
    const body = { reason: approval.reason, proposal_digest: approval.proposalDigest };
    return this.decideRung(population, rejectTarget, 'approve', body, signal);
  }
  withdraw(
    population: string,
    rejectTarget: number,
    withdrawal: { reason: string },
    signal?: AbortSignal,
  ): Promise<CalibratedRung> {
    return this.decideRung(population, rejectTarget, 'withdraw', withdrawal, signal);
  }

  private decideRung(population: string, rejectTarget: number, act: string, body: object, signal?: AbortSignal) {
    const path = `/api/v1/calibration/${encodeURIComponent(population)}/rungs/${rejectTarget.toFixed(2)}/${act}`;
    return this.call<CalibratedRung>(path, { method: 'POST', as: 'operator', body: JSON.stringify(body), signal });
  }

  private async *list<T>(path: string, filter: ListFilter, signal?: AbortSignal): AsyncGenerator<T> {
    let cursor: string | null | undefined;
    do {
      const query = cursor ? { ...filter, cursor } : filter;
      const page: Page<T> = await this.call(path, { as: 'operator', query, signal });
      yield* page.items;
      cursor = page.next_cursor;
    } while (cursor);
  }

  private async call<T>(path: string, call: Call): Promise<T> {
    const { retries = 3, backoffMs: [first, longest] = [250, 10_000] } = this.options;
    const repeatable = call.repeatable ?? (call.method ?? 'GET') === 'GET';
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.attempt<T>(path, call);
      } catch (error) {
        const passing = error instanceof Unavailable || error instanceof ConnectionFailed;
        if (!repeatable || !passing || attempt >= retries) throw error;
        const told = error instanceof Unavailable ? error.retryAfter : undefined;
        const pause =
          told === undefined ? Math.min(longest, first * 2 ** attempt) * (0.5 + Math.random() / 2) : told * 1000;
        await sleep(pause, call.signal);
      }
    }
  }

  private async attempt<T>(path: string, call: Call): Promise<T> {
    const { method = 'GET', body, signal } = call;
    const timeout = AbortSignal.timeout(this.options.timeoutMs ?? 30_000);
    let response: Response;
    let text: string;
    try {
      response = await (this.options.fetch ?? fetch)(`${this.base}${path}${queryOf(call.query)}`, {
        method,
        body,
        headers: {
          accept: 'application/json',
          ...(typeof body === 'string' && { 'content-type': 'application/json' }),
          ...this.credential(call.as),
          ...call.headers,
        },
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      text = await response.text();
    } catch (error) {
      signal?.throwIfAborted();
      const why = timeout.aborted ? 'no answer in time' : ((error as Error).message ?? String(error));
      throw new ConnectionFailed(`${this.base} cannot be reached: ${why}`, { cause: error });
    }
    const answer = parsed(text);
    if (!response.ok) {
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      const requestId = response.headers.get('x-request-id') ?? undefined;
      throw errorOf(response.status, answer ?? {}, requestId, Number.isFinite(seconds) ? seconds : undefined);
    }
    if (!answer) throw new BadAnswer(`${this.base}${path} answers with something else than a JSON object`);
    return answer as T;
  }

  private credential(as: Call['as']): Record<string, string> {
    const { apiKey, operatorKey } = this.options;
    if (as === 'nobody') return {};
    const [name, header, value] =
      as === 'client' ? ['apiKey', 'x-api-key', apiKey] : ['operatorKey', 'x-svc-admin', operatorKey];
    if (!value) throw new BadInput(`this call needs ${name}`);
    return { [header!]: value };
  }
}

function queryOf(filter: ListFilter = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value));
  return query.size > 0 ? `?${query}` : '';
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Waits; an abort ends the wait with its reason. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
