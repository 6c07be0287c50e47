/** The contract: in short, as OpenAPI 3.1, and as a page. Open to everybody. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Header, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../http/problem.js';
import { PARTS, type Parts } from '../parts.js';
import { openApi } from './openapi.js';
import { contractSummary } from './summary.js';

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Match verification</title><link rel="stylesheet" href="docs/swagger-ui.css"></head>
<body><div id="contract"></div><script src="docs/swagger-ui-bundle.js"></script><script src="docs/start.js"></script></body>
</html>`;
const START =
  "SwaggerUIBundle({ url: 'openapi.json', dom_id: '#contract', deepLinking: true, defaultModelsExpandDepth: 0 });";
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What the page loads, all of it from here. */
const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** Where somebody who knows the address alone is sent. */
@Controller()
export class RootController {
  @Get()
  show() {
    return { service: 'match-verification', contract: '/api/v1', docs: '/api/v1/docs', ready: '/health/ready' };
  }
}

@Controller('api/v1')
export class ContractController {
  private readonly document;
  private readonly folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

  constructor(@Inject(PARTS) private readonly parts: Parts) {
    this.document = openApi(parts.version);
  }

  /** Also the liveness probe of the specification: it answers while the event log is away. */
  @Get()
  async describe() {
    const { version, engine, models } = this.parts;
    const { model, asset } = await models.lastKnown();
    return contractSummary({ version, engine: engine.engine, model: model.digest, scope: asset.scope });
  }

  @Get('openapi.json')
  openApi() {
    return this.document;
  }

  @Get('docs')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  page(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string {
    // What the page loads is named relative to the address without a slash.
    if (/\/(?:\?|$)/.test(request.url)) void reply.status(308).header('location', '../docs');
    return PAGE;
  }

  @Get('docs/:asset')
  asset(@Param('asset') asset: string, @Res({ passthrough: true }) reply: FastifyReply): string {
    if (asset === 'start.js') {
      reply.header('content-type', ASSETS['swagger-ui-bundle.js']);
      return START;
    }
    const type = Object.hasOwn(ASSETS, asset) ? ASSETS[asset] : undefined;
    if (type === undefined) throw new Problem('no_route');
    reply.header('content-type', type).header('cache-control', 'max-age=3600');
    return readFileSync(join(this.folder, asset), 'utf8');
  }
}
