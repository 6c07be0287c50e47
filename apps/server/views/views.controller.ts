/** The read models for operators: how far they are, and the way past an event that they cannot take. */
import { Controller, Get, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { Matches } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ViewSkips } from '#service';
import { OperatorGuard } from '../http/access.js';
import { BodyBudget } from '../http/body.js';
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
    private readonly skips: ViewSkips,
    private readonly budget: BodyBudget,
  ) {}

  @Get()
  list() {
    return { views: this.parts.views.health() };
  }

  @Post('skip')
  @HttpCode(200)
  async skip(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { requestTimeoutMs } = this.parts.configuration;
    const body = await readChecked(SkipBody, exchange(request, reply), requestTimeoutMs, this.budget);
    const { position, reason } = body;
    const skipped = await this.skips.skip({ position, reason, operator: request.operator!, requestId: request.id });
    const { request_id: _, ...told } = skipped;
    return told;
  }
}
