/**
 * A stand-in for the vendor's lookups, with faults on demand. Plain node:http: it must be able to
 * misbehave in ways that a framework would prevent.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CatalogueEntry {
  barcode: string;
  stoneId: string;
  provenanceId: string;
}

/** One rough stone with two polished parts, and one rough stone alone; made up. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  { barcode: '100001', stoneId: 'AB1001', provenanceId: 'PR-7001' },
  { barcode: '100002', stoneId: 'AB1001.1', provenanceId: 'PR-7001' },
  { barcode: '100003', stoneId: 'AB1001.2', provenanceId: 'PR-7001' },
  { barcode: '100004', stoneId: 'AB1002', provenanceId: 'PR-7002' },
];

/** Possible faults, and their answers. */
export const FAULTS = {
  slow: 'answers after 60 seconds',
  '500': 'answers 500 with a page',
  cut: 'cuts the connection in the middle of the answer',
  html: 'answers 200 with a page',
  shape: 'answers 200 with an object of another shape',
  other: 'answers 200 for another stone',
  'error-200': 'answers 200 with an error body',
  'error-404': 'answers 404 with an error body',
  redirect: 'answers 302 to another host',
} as const;
export type Fault = keyof typeof FAULTS;
export const isFault = (name: string): name is Fault => Object.hasOwn(FAULTS, name);

export interface SandboxOptions {
  port?: number;
  secret?: string;
  catalogue?: readonly CatalogueEntry[];
  /** Of every answer; the request header `x-sandbox-fault` chooses one for itself. */
  fault?: Fault;
}

/** The secret it wants by default. */
export const SANDBOX_SECRET = 'sandbox';

export class Sandbox {
  fault: Fault | undefined;
  /** Requests seen, without their headers. */
  readonly seen: string[] = [];
  private readonly server: Server;

  private constructor(private readonly options: SandboxOptions) {
    this.fault = options.fault;
    this.server = createServer((request, response) => this.answer(request, response));
  }

  /** Serves on a loopback address only. */
  static async start(options: SandboxOptions = {}): Promise<Sandbox> {
    const sandbox = new Sandbox(options);
    await new Promise<void>((resolve, reject) => {
      sandbox.server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
    });
    return sandbox;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/lookup`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://sandbox');
    this.seen.push(`${request.method} ${url.search}`);
    const named = request.headers['x-sandbox-fault'];
    const fault = typeof named === 'string' && isFault(named) ? named : this.fault;
    const { status, body } = this.lookUp(request, url);
    if (!fault) send(response, status, body);
    else misbehave(fault, response, JSON.stringify(body));
  }

  private lookUp({ method, headers }: IncomingMessage, url: URL): { status: number; body: object } {
    const { secret = SANDBOX_SECRET, catalogue = CATALOGUE } = this.options;
    if (method !== 'GET') return { status: 405, body: { error: 'only GET is served' } };
    if (headers['secret-key'] !== secret) return { status: 401, body: { error: 'secret-key is missing or wrong' } };
    const barcode = url.searchParams.get('barcode');
    const stoneId = url.searchParams.get('stoneId');
    if (barcode !== null) {
      if (!/^[\x21-\x7e]{1,128}$/.test(barcode)) return { status: 400, body: { error: 'invalid barcode' } };
      const entry = catalogue.find((candidate) => candidate.barcode === barcode);
      return entry
        ? { status: 200, body: { stoneId: entry.stoneId } }
        : { status: 404, body: { error: 'stone not found' } };
    }
    if (stoneId === null) return { status: 400, body: { error: 'barcode or stoneId is required' } };
    if (!/^[A-Za-z0-9]+([.][A-Za-z0-9]+)?$/.test(stoneId)) return { status: 400, body: { error: 'invalid stoneId' } };
    const entry = catalogue.find((candidate) => candidate.stoneId === stoneId);
    return entry
      ? { status: 200, body: { stoneId, provenanceId: entry.provenanceId } }
      : { status: 404, body: { error: 'stone not found' } };
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function misbehave(fault: Fault, response: ServerResponse, answer: string): void {
  const page = '<!doctype html><title>Sorry</title><p>Something went wrong.';
  switch (fault) {
    case 'slow': {
      const timer = setTimeout(() => response.end(answer), 60_000);
      response.once('close', () => clearTimeout(timer));
      return;
    }
    case '500':
      response.writeHead(500, { 'content-type': 'text/html' }).end(page);
      return;
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      response.write(answer.slice(0, answer.length / 2), () => response.destroy());
      return;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end(page);
      return;
    case 'shape':
      send(response, 200, { stone: { id: 1001 } });
      return;
    case 'other':
      send(response, 200, { stoneId: 'ZZ9999.9', provenanceId: 'PR-9999' });
      return;
    case 'error-200':
      send(response, 200, { error: 'stone not found' });
      return;
    case 'error-404':
      send(response, 404, { error: 'stone not found' });
      return;
    case 'redirect':
      response.writeHead(302, { location: 'https://elsewhere.invalid/' }).end();
      return;
    default:
      fault satisfies never;
  }
}
