import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { serverOf } from '../../../apps/server/app.js';

it('ends the start with the name of what the composition root leaves out', async () => {
  const start = NestFactory.create(serverOf([]), new FastifyAdapter(), {
    logger: false,
    abortOnError: false,
  });
  await expect(start).rejects.toThrow(/dependencies of the \w+/);
});
