/** Refusals that no handler makes: of what Node or Fastify cannot read, or do not take. They have the contract's form too. */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerTo, asProblem, refusalBody } from './answers.js';
import { Problem, type ProblemCode } from './problem.js';
import { endForGood, GUARDED, requestId } from './request.js';

/** The parser's codes of requests that it refuses; any other one is malformed. */
const OF_PARSER: Record<string, ProblemCode | undefined> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'slow_request',
};

/** Options that make Fastify answer in the contract's form where no route was found. */
export const fastifyRefusals = (newId: () => string) => ({
  clientErrorHandler(error: NodeJS.ErrnoException, socket: Duplex) {
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) socket.destroy();
    else answerRaw(socket, new Problem(OF_PARSER[error.code ?? ''] ?? 'bad_request'), newId());
  },
  /** A path that cannot be decoded, or a part of it that is too long. */
  frameworkErrors(error: Error, request: FastifyRequest, reply: FastifyReply) {
    const answer = answerTo(error);
    reply.reason = answer.code;
    void reply
      .status(answer.status)
      .headers({ ...GUARDED, ...answer.headers, 'x-request-id': request.id })
      .send(refusalBody(answer, request.id));
  },
});

/** Answers that Node would give by itself: to an `Expect` that it does not know, and to CONNECT. */
export function refuseOutsideFastify(server: Server, newId: () => string): void {
  const idOf = ({ headers }: IncomingMessage) => requestId(headers['x-request-id'], newId);
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { status, body, headers } = written(new Problem('expectation'), idOf(request));
    response.writeHead(status, headers).end(body);
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    answerRaw(socket, new Problem('wrong_method'), idOf(request));
  });
}

/**
 * HTTP/1.1 asks for one Host; of several, a proxy before the service may have gone by another. Node's `headersDistinct` would
 * say how many, but throws where a header is called `__proto__`, but for its newest versions.
 */
export function refuseHost(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const { rawHeaders, httpVersion } = request.raw;
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1) done(new Problem('bad_request', ': there is more than one Host header'));
  else if (hosts === 0 && httpVersion === '1.1') done(new Problem('bad_request', ': the Host header is missing'));
  else done();
}

function written(problem: Problem, id: string) {
  const body = JSON.stringify(refusalBody(asProblem(problem), id));
  const headers: Record<string, string> = {
    ...GUARDED,
    ...problem.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': id,
    connection: 'close',
  };
  return { status: problem.status, headers, body };
}

/** Answers on a connection that has no response object, and ends it. */
function answerRaw(socket: Duplex, problem: Problem, id: string): void {
  const { status, headers, body } = written(problem, id);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => {});
  endForGood(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
