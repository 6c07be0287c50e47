/** POST /api/v1/expected (specification 4.3) */
import { Controller, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '#config';
import type { LabelStatus } from '#domain';
import { Labels } from '#service';
import { ApiKeyGuard } from '../http/access.js';
import { BodyBudget, readJson } from '../http/body.js';
import { Problem } from '../http/problem.js';
import { exchange } from '../http/request.js';
import { PARTS, type Parts } from '../parts.js';

@Controller('api/v1/expected')
export class ExpectedController {
  constructor(
    @Inject(PARTS) private readonly parts: Parts,
    private readonly labels: Labels,
    private readonly budget: BodyBudget,
  ) {}

  @Post()
  @HttpCode(200)
  @UseGuards(ApiKeyGuard)
  async label(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { maxBodyBytes, requestTimeoutMs } = this.parts.configuration;
    const allowed = { maxBytes: Math.min(limits.labelBytes, maxBodyBytes), timeoutMs: requestTimeoutMs };
    const items = itemsOf(await readJson(exchange(request, reply), allowed, this.budget));
    const results = await this.labels.label(request.apiKey!, items, request.id);
    const counts: Record<LabelStatus, number> = { accepted: 0, duplicate: 0, amended: 0, rejected: 0 };
    for (const { status } of results) counts[status]++;
    return { results, counts };
  }
}

function itemsOf(body: unknown): unknown[] {
  const items = Array.isArray(body) ? body : (body as { items?: unknown } | null)?.items;
  if (!Array.isArray(items)) {
    throw new Problem('unprocessable', ': send an array of label items, or an object with items holding one');
  }
  if (items.length > limits.labels) {
    throw new Problem('bad_request', `at most ${limits.labels} labels per call, not ${items.length}`);
  }
  return items;
}
