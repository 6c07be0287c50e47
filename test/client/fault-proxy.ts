/** A proxy over real sockets that misbehaves on purpose, one fault a request, in the order that it is told. */
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** In place of the service's answer. */
const ANSWERS: Record<string, (response: ServerResponse) => void> = {
  '429': (response) => refuse(response, 429, { 'retry-after': '1' }),
  '503 until a date': (response) => refuse(response, 503, { 'retry-after': new Date(Date.now() + 1500).toUTCString() }),
  reset: ({ socket }) => socket?.resetAndDestroy(),
  html: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome to the hotel</html>'),
  'a list': (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('[]'),
  redirect: (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/elsewhere' }).end(),
  slow: () => {},
};
for (const status of [400, 401, 403, 404, 408, 409, 413, 422, 500, 502, 504])
  ANSWERS[String(status)] = (response) => refuse(response, status);

const refuse = (response: ServerResponse, status: number, headers: Record<string, string> = {}) =>
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r-1', ...headers })
    .end(JSON.stringify({ detail: `refused with ${status} on purpose`, code: 'on_purpose', request_id: 'r-1' }));

/** The service's answer, of which half arrives. */
const CUT = 'cut';
const PASS = 'pass';

export class FaultProxy {
  readonly faults: string[] = [];
  readonly requests: string[] = [];
  private readonly server = createServer((request, response) => this.pass(request, response));

  private constructor(private readonly service: string) {}

  static async before(service: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(service);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(`${request.method} ${request.url}`);
    const fault = this.faults.shift() ?? PASS;
    if (fault !== PASS && fault !== CUT) {
      // The whole request first: who is still sending sees the end of a connection, not its answer.
      request.resume().on('end', () => ANSWERS[fault](response));
      return;
    }
    const { method, url, headers } = request;
    const forwarded = send(`${this.service}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      if (fault === PASS) return answer.pipe(response);
      return answer.once('data', (part: Buffer) =>
        response.write(part.subarray(0, part.length / 2), () => response.destroy()),
      );
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  }
}

/** The class of error that each fault becomes in both clients, and whether a second attempt may do. */
export const FAULTS: [fault: string, error: string, again: boolean][] = [
  ['400', 'InvalidRequest', false],
  ['401', 'Authentication', false],
  ['403', 'PermissionDenied', false],
  ['404', 'NotFound', false],
  ['408', 'InvalidRequest', true],
  ['409', 'Conflict', false],
  ['413', 'InvalidRequest', false],
  ['422', 'InvalidRequest', false],
  ['429', 'RateLimited', true],
  ['500', 'ServiceFault', false],
  ['502', 'Unavailable', true],
  ['503 until a date', 'Unavailable', true],
  ['504', 'Unavailable', true],
  ['reset', 'ConnectionFailed', true],
  ['cut', 'ConnectionFailed', true],
  ['slow', 'Timeout', true],
  ['html', 'UnexpectedAnswer', false],
  ['a list', 'UnexpectedAnswer', false],
  ['redirect', 'UnexpectedAnswer', false],
];
