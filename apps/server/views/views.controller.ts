/** The read models for operators: how far they are, and the way past an event that they cannot take. */
import { Controller, Get, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { Matches } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { streams, type ViewSkipped } from '#domain';
import { OperatorGuard } from '../http/access.js';
import { BodyBudget } from '../http/body.js';
import { Problem } from '../http/problem.js';
import { exchange } from '../http/request.js';
import { readChecked, Stated } from '../http/validation.js';
import { PARTS, type Parts } from '../parts.js';

export class SkipBody {
  @Matches(/^[0-9]{1,19}$/, { message: 'position must be the place in the log at which a view has stopped' })
  position!: string;

  @Stated()
  reason!: string;
}

@Controller('api/v1/views')
@UseGuards(OperatorGuard)
export class ViewsController {
  constructor(
    @Inject(PARTS) private readonly parts: Parts,
    private readonly budget: BodyBudget,
  ) {}

  @Get()
  list() {
    return { views: this.parts.views.health() };
  }

  @Post('skip')
  @HttpCode(200)
  async skip(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { store, newId, now, views, configuration } = this.parts;
    const both = exchange(request, reply);
    const { position, reason } = await readChecked(SkipBody, both, configuration.requestTimeoutMs, this.budget);
    const stop = views.stoppedAt(position);
    if (!stop) throw new Problem('not_found', ': no view has stopped at this position');
    const data: ViewSkipped['data'] = {
      position,
      stream: stop.poison.stream,
      type: stop.poison.type,
      ...(stop.views && { views: stop.views }),
      reason,
      operator: request.operator!,
      request_id: request.id,
      at: now().toISOString(),
    };
    const event = { id: newId(), type: 'ViewSkipped', version: 1, data, metadata: { correlationId: request.id } };
    await store.append(streams.views(), [event], 'any');
    const { request_id: _, ...told } = data;
    return told;
  }
}
