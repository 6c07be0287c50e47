/** Answers to reads, compressed where the caller accepts it. Answers to POST are left alone: some show a new key. */
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Coding, LEAST_CHARACTERS, QUICK_BROTLI, QUICK_GZIP } from '#kit/views/encode';
import { header, vary } from './request.js';

/** Codings, the shortest first. */
export const CODINGS = ['br', 'gzip'] as const satisfies Coding[];

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Compresses JSON answers to GET on libuv's threads. An answer that has a coding of its own, or is a stream, stays as it is. */
export function compressReads(instance: FastifyInstance): void {
  instance.addHook('onSend', async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    if (request.method !== 'GET' || typeof payload !== 'string' || payload.length < LEAST_CHARACTERS) return payload;
    if (!isJson(reply) || reply.getHeader('content-encoding') !== undefined) return payload;
    vary(reply, 'accept-encoding');
    const [coding] = codingsOf(request);
    if (!coding) return payload;
    void reply.header('content-encoding', coding).removeHeader('content-length');
    return coding === 'br' ? brotli(payload, QUICK_BROTLI) : gzipped(payload, QUICK_GZIP);
  });
}

/** Those that the caller takes, the shortest first. */
export function codingsOf(request: FastifyRequest): Coding[] {
  const weight = weightsOf(header(request, 'accept-encoding'));
  return CODINGS.filter((one) => weight(one) > 0);
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
