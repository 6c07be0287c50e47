/** A bundle as the answer of an endpoint. */
import { applyDecorators, StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Refuses } from '#kit/http/operations';
import { ApiResponse } from '#kit/http/swagger';
import { CommandRefused } from '#kit/log/refused';
import { InvalidDecisions } from './valid-decisions.js';
import type { PreparedBundle } from './writing.js';
import { zipOfPrepared } from './zip.js';

/** What the contract says of the answer. */
export const AnswersBundle = () =>
  applyDecorators(
    ApiResponse({
      status: 200,
      description: 'the bundle',
      content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
    }),
    Refuses('not_found', 'conflict', 'busy'),
  );

/** What makes the bundle says so before the answer begins: a zip that breaks off says nothing. @throws CommandRefused (conflict) */
export async function servedBundle(
  preparing: Promise<PreparedBundle>,
  { request, reply, logger, of }: { request: FastifyRequest; reply: FastifyReply; logger: Logger; of: object },
): Promise<StreamableFile> {
  const { name, zip, done } = await preparing.then(zipOfPrepared, (error) => {
    throw error instanceof InvalidDecisions ? new CommandRefused('conflict', error.message) : error;
  });
  done.catch((error: Error) => {
    if (!request.raw.destroyed) logger.error({ err: error, ...of }, 'audit bundle broken off');
  });
  void reply.header('content-disposition', `attachment; filename="${name}"`);
  return new StreamableFile(zip, { type: 'application/zip' });
}
