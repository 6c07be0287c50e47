/** Answers to reads, compressed where the caller accepts it. Answers to POST are left alone: some show a new key. */
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { header, vary } from './request.js';

/** Codings, the shortest first. */
export const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** Shorter answers fit into one packet as they are. */
const LEAST_CHARACTERS = 1_400;
/** Settings for answers that are made once: most of the gain at a tenth of the time. */
const QUICK_BROTLI = { params: { [zlib.BROTLI_PARAM_QUALITY]: 4, [zlib.BROTLI_PARAM_MODE]: zlib.BROTLI_MODE_TEXT } };
const QUICK_GZIP = { level: 4 };

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Compresses JSON answers to GET on libuv's threads. An answer that has a coding of its own, or is a stream, stays as it is. */
export function compressReads(instance: FastifyInstance): void {
  instance.addHook('onSend', async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    if (request.method !== 'GET' || typeof payload !== 'string' || payload.length < LEAST_CHARACTERS) return payload;
    if (!isJson(reply) || reply.getHeader('content-encoding') !== undefined) return payload;
    vary(reply, 'accept-encoding');
    const weight = weightsOf(header(request, 'accept-encoding'));
    const coding = CODINGS.find((one) => weight(one) > 0);
    if (!coding) return payload;
    void reply.header('content-encoding', coding).removeHeader('content-length');
    return coding === 'br' ? brotli(payload, QUICK_BROTLI) : gzipped(payload, QUICK_GZIP);
  });
}

const isJson = (reply: FastifyReply) =>
  /^application\/(problem\+)?json\b/.test(String(reply.getHeader('content-type')));

/** RFC 9110, 12.5.3: a coding of weight 0 is refused; what is not named is as `*` says. */
export function weightsOf(accepted: string): (coding: string) => number {
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [coding, weight] = part.split(';').map((piece) => piece.trim());
    weights.set(coding, weight?.startsWith('q=') ? Number(weight.slice(2)) : 1);
  }
  return (coding) => weights.get(coding) ?? weights.get('*') ?? 0;
}
