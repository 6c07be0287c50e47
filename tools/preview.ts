/** The contract without a running service. */
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Provided } from '#kit/http/provided';
import { serverOf } from '../apps/server/app.js';
import { openApi } from '../apps/server/contract/openapi.js';

/** In preview Nest makes no instance of anything. */
export async function previewOf(version: string): Promise<OpenAPIObject> {
  const app = await NestFactory.create<NestFastifyApplication>(serverOf(new Provided([], [])), new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return openApi(app, version);
}
