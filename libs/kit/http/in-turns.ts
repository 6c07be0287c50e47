/** Large answers go out in turns with everything else that is large: one write of megabytes would hold everybody up. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Turns } from '#kit/admission/turns';
import { TURN_BYTES } from './body-budget.js';

/** Sets its length. @returns the bytes, or a stream of them where they take more than a turn */
export function inTurns(bytes: Buffer, request: FastifyRequest, reply: FastifyReply, turns: Turns): Buffer | Readable {
  if (bytes.length <= TURN_BYTES || request.method === 'HEAD') return bytes;
  void reply.header('content-length', bytes.length);
  return Readable.from(pieces(bytes, request.ip, turns), { objectMode: false, highWaterMark: 1 });
}

async function* pieces(bytes: Buffer, by: string, turns: Turns): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += TURN_BYTES) {
    await turns.turn(by);
    yield bytes.subarray(at, at + TURN_BYTES);
  }
}
