/** The contract: in short, as OpenAPI 3.1, and as a page. Open to everybody. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Models } from '#calibration/queries-models';
import { Answers } from '#kit/http/operations';
import { Problem } from '#kit/http/problem';
import { ABOUT, type About } from '#kit/http/provided';
import { ApiExcludeEndpoint, ApiHeader, ApiOperation, ApiResponse, ApiTags } from '#kit/http/swagger';
import { LogSeals } from '#kit/log/seal';
import { auditKeys, receiptKeys } from '#kit/log/signing-key';
import { paths, type Summary, summary } from './contract.dto.js';
import { Document } from './document.js';
import { markdownOf } from './markdown.js';
import { contractSummary } from './summary.js';

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M8 1l6 5-6 9-6-9z' fill='%230072b2'/%3E%3C/svg%3E"><title>Match verification</title></head>
<body><div id="contract"></div><script src="docs/reference.js"></script><script src="docs/start.js"></script></body>
</html>`;
/** Nothing of it leaves the service: no proxy, no fonts, no assistant, no count of its readers. */
const START = `Scalar.createApiReference('#contract', ${JSON.stringify({
  url: 'openapi.json',
  proxyUrl: '',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  // The line of a closed answer is as low as its letters, and would cut off underscores.
  customCss: '.markdown-summary, .markdown-summary * { line-height: 1.5 !important }',
})});`;
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const SCRIPT = 'text/javascript; charset=utf-8';
const KEPT = { 'cache-control': 'max-age=3600' };

/** Sends callers who know only the address to the contract. */
@ApiTags('service')
@Controller()
export class RootController {
  @Get()
  @ApiOperation({
    operationId: 'showPaths',
    summary: 'Find the contract',
    description: 'For somebody who knows the address alone. No key is needed.',
  })
  @Answers('paths', paths)
  show() {
    return { service: 'match-verification', contract: '/api/v1', docs: '/api/v1/docs', ready: '/health/ready' };
  }
}

@ApiTags('service')
@Controller('api/v1')
export class ContractController {
  private describe!: () => Promise<OpenAPIObject>;
  private document: Promise<Document> | undefined;
  private asMarkdown: Promise<Document> | undefined;
  private readonly shown = new Document('text/html; charset=utf-8', PAGE, { 'content-security-policy': PAGE_POLICY });
  private readonly assets = new Map<string, Document>();
  private summary: { model: object; asset: object; document: Document } | undefined;
  /** They follow from the secrets, which stay until the next start. */
  private readonly keys: Pick<Summary, 'audit_keys' | 'receipt_keys'>;

  constructor(
    @Inject(ABOUT) private readonly about: About,
    private readonly models: Models,
    seals: LogSeals,
  ) {
    this.keys = { audit_keys: auditKeys(seals), receipt_keys: receiptKeys(seals) };
  }

  /** @param describe makes the document once somebody asks for it: a start need not wait */
  serve(describe: () => Promise<OpenAPIObject>): void {
    this.describe = describe;
  }

  /** Also a liveness probe: it answers while the event log is away. */
  @Get()
  @ApiOperation({
    operationId: 'showContract',
    summary: 'The contract in short',
    description:
      'Version, engine, model and scope of the service, and where claims go. No key is needed; it answers while the event log is away.',
  })
  @ApiHeader({ name: 'If-None-Match', description: 'the ETag of the answer held' })
  @Answers('summary', summary)
  @ApiResponse({ status: 304, description: 'the answer held is the newest' })
  async inShort(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { version, engine } = this.about;
    const { model, asset } = await this.models.lastKnown();
    // Another model may have come live.
    if (this.summary?.model !== model || this.summary.asset !== asset) {
      const shown = { version, engine: engine.engine, model: model.digest, scope: asset.scope, keys: this.keys };
      this.summary = { model, asset, document: Document.json(contractSummary(shown)) };
    }
    return this.summary.document.answer(request, reply);
  }

  @Get('openapi.json')
  @ApiExcludeEndpoint()
  async openApi(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    this.document ??= this.describe().then(Document.json);
    return (await this.document).answer(request, reply);
  }

  @Get('docs.md')
  @ApiExcludeEndpoint()
  async markdown(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    this.asMarkdown ??= this.describe().then(
      (document) => new Document('text/markdown; charset=utf-8', markdownOf(document)),
    );
    return (await this.asMarkdown).answer(request, reply);
  }

  @Get('docs')
  @ApiExcludeEndpoint()
  page(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    // The page's files are named relative to the address without a slash.
    if (/\/(?:\?|$)/.test(request.url)) {
      reply.status(308).header('location', '../docs');
      return undefined;
    }
    return this.shown.answer(request, reply);
  }

  @Get('docs/:asset')
  @ApiExcludeEndpoint()
  asset(
    @Param('asset') asset: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const document = this.assets.get(asset) ?? documentOf(asset);
    if (!document) throw new Problem('no_route');
    this.assets.set(asset, document);
    return document.answer(request, reply);
  }
}

/** The page's files, all served from here; each is read when it is first asked for, as the program has megabytes. */
function documentOf(asset: string): Document | undefined {
  if (asset === 'start.js') return new Document(SCRIPT, START);
  if (asset !== 'reference.js') return undefined;
  const entry = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  return new Document(SCRIPT, readFileSync(join(dirname(entry), 'js', 'standalone.js'), 'utf8'), KEPT);
}
