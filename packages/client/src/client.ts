import { BadAnswer, BadInput, ConnectionFailed, errorOf, Unavailable } from './errors.js';
import type {
  CalibratedRung,
  Calibration,
  CalibrationHistory,
  ClaimRecord,
  CreatedKey,
  CreatedWorkspace,
  Finding,
  Key,
  Label,
  LabelResults,
  Lot,
  LotBounds,
  LotCheck,
  LotCheckSummary,
  LotSummary,
  LotWish,
  LotWithChecks,
  NewKey,
  Rehearsal,
  RehearsalWish,
  RevokedKey,
  RevokedWorkspace,
  TelemetryRecord,
  Verification,
  Workspace,
} from './generated/contract.js';
import { claimBody, lotBody, type ScanFile, type Side } from './scans.js';

export interface ClientOptions {
  /** Address of the service, as https://match.example */
  baseUrl: string;
  /** X-Api-Key: for verify and label. */
  apiKey?: string;
  /** X-Svc-Admin: for everything an operator does. */
  operatorKey?: string;
  /** X-Svc-Token of a workspace: for lots, and for nothing else. */
  workspaceToken?: string;
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
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  as: keyof typeof CREDENTIALS | 'nobody';
  body?: string | FormData;
  headers?: Record<string, string>;
  query?: ListFilter;
  /** Whether sending it twice does no more than sending it once. */
  repeatable?: boolean;
  signal?: AbortSignal;
}

/** Which option each credential is, and its header. */
const CREDENTIALS = {
  client: ['apiKey', 'x-api-key'],
  operator: ['operatorKey', 'x-svc-admin'],
  workspace: ['workspaceToken', 'x-svc-token'],
} as const;

/** Scans of a lot, or of what came back: each file named by its stone and a number, as `A12_1.csv`. */
export interface LotScans {
  files: readonly ScanFile[];
  /** How the stones lay; read from the scans where it is left out. */
  sessionType?: Lot['session_type'];
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

  /** What may be claimed of a lot check, with every exclusion. */
  lotBounds(signal?: AbortSignal): Promise<LotBounds> {
    return this.call('/api/lotscan/bounds', { as: 'workspace', signal });
  }
  /** Enrols a lot: 10 to 60 stones, at least 3 scans each. The same files under the same name are the same lot. */
  async enrolLot(name: string, { files, sessionType, signal }: LotScans): Promise<Lot> {
    const body = await lotBody(files, { name, session_type: sessionType });
    return this.call('/api/lotscan/lots', { method: 'POST', as: 'workspace', body, repeatable: true, signal });
  }
  lots(filter: ListFilter = {}, signal?: AbortSignal): AsyncGenerator<LotSummary> {
    return this.list('/api/lotscan/lots', filter, signal, 'workspace');
  }
  lot(lotId: string, signal?: AbortSignal): Promise<LotWithChecks> {
    return this.call(lotPath(lotId), { as: 'workspace', signal });
  }
  /** Renames a lot, or corrects its declared session type. */
  changeLot(lotId: string, wish: LotWish, signal?: AbortSignal): Promise<Lot> {
    const body = JSON.stringify(wish);
    return this.call(lotPath(lotId), { method: 'PATCH', as: 'workspace', body, repeatable: true, signal });
  }
  /** Retires a lot: it is read as before, and no longer checked. */
  retireLot(lotId: string, signal?: AbortSignal): Promise<Lot> {
    return this.call(lotPath(lotId), { method: 'DELETE', as: 'workspace', repeatable: true, signal });
  }
  lotChecks(lotId: string, filter: ListFilter = {}, signal?: AbortSignal): AsyncGenerator<LotCheckSummary> {
    return this.list(`${lotPath(lotId)}/checks`, filter, signal, 'workspace');
  }
  /** A check, as it was answered. */
  lotCheck(lotId: string, checkId: string, signal?: AbortSignal): Promise<LotCheck> {
    return this.call(`${lotPath(lotId)}/checks/${encodeURIComponent(checkId)}`, { as: 'workspace', signal });
  }
  /** Which of the returned stones are members? Sending the same return again answers the same check. */
  async checkLot(lotId: string, { files, sessionType, signal }: LotScans): Promise<LotCheck> {
    const body = await lotBody(files, { session_type: sessionType });
    const path = `${lotPath(lotId)}/check`;
    return this.call(path, { method: 'POST', as: 'workspace', body, repeatable: true, signal });
  }
  /** What of a substitution would be caught? The same seed, the same answer. */
  rehearseLot(lotId: string, wish: RehearsalWish = {}, signal?: AbortSignal): Promise<Rehearsal> {
    const path = `${lotPath(lotId)}/rehearse`;
    const body = JSON.stringify(wish);
    return this.call(path, { method: 'POST', as: 'workspace', body, repeatable: true, signal });
  }
  workspaces(filter: ListFilter = {}, signal?: AbortSignal): AsyncGenerator<Workspace> {
    return this.list('/api/lotscan/workspaces', filter, signal);
  }
  /** The token is in this answer and in no other: store it. */
  createWorkspace(name: string, signal?: AbortSignal): Promise<CreatedWorkspace> {
    const body = JSON.stringify({ name });
    return this.call('/api/lotscan/workspaces', { method: 'POST', as: 'operator', body, signal });
  }
  revokeWorkspace(prefix: string, signal?: AbortSignal): Promise<RevokedWorkspace> {
    const path = `/api/lotscan/workspaces/${encodeURIComponent(prefix)}`;
    return this.call(path, { method: 'DELETE', as: 'operator', repeatable: true, signal });
  }

  private decideRung(population: string, rejectTarget: number, act: string, body: object, signal?: AbortSignal) {
    const path = `/api/v1/calibration/${encodeURIComponent(population)}/rungs/${rejectTarget.toFixed(2)}/${act}`;
    return this.call<CalibratedRung>(path, { method: 'POST', as: 'operator', body: JSON.stringify(body), signal });
  }

  private async *list<T>(
    path: string,
    filter: ListFilter,
    signal?: AbortSignal,
    as: Call['as'] = 'operator',
  ): AsyncGenerator<T> {
    let cursor: string | null | undefined;
    do {
      const query = cursor ? { ...filter, cursor } : filter;
      const page: Page<T> = await this.call(path, { as, query, signal });
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
        const retryAfter = error instanceof Unavailable ? error.retryAfter : undefined;
        const pause =
          retryAfter === undefined
            ? Math.min(longest, first * 2 ** attempt) * (0.5 + Math.random() / 2)
            : retryAfter * 1000;
        await sleep(pause, call.signal);
      }
    }
  }

  private async attempt<T>(path: string, call: Call): Promise<T> {
    const { method = 'GET', body, signal } = call;
    const credential = this.credential(call.as);
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
          ...credential,
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
    if (as === 'nobody') return {};
    const [name, header] = CREDENTIALS[as];
    const value = this.options[name];
    if (!value) throw new BadInput(`this call needs ${name}`);
    return { [header]: value };
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

const lotPath = (lotId: string): string => `/api/lotscan/lots/${encodeURIComponent(lotId)}`;
