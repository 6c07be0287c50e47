/** The read models for operators: how far they are, and the way past an event that they cannot take. */
import { Body, Controller, Get, HttpCode, Module, Post, Req, UseGuards } from '@nestjs/common';
import { Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { ViewSkips } from '#service';
import { Views } from '#views';
import { OperatorGuard } from '../http/access.js';
import { ReadsBody } from '../http/read-body.js';
import { Stated } from '../http/validation.js';
import { uses } from '../provided.js';

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
    private readonly views: Views,
    private readonly skips: ViewSkips,
  ) {}

  @Get()
  list() {
    return { views: this.views.health() };
  }

  @Post('skip')
  @HttpCode(200)
  @ReadsBody()
  async skip(@Body() { position, reason }: SkipBody, @Req() request: FastifyRequest) {
    const skipped = await this.skips.skip({ position, reason, operator: request.operator!, requestId: request.id });
    const { request_id: _, ...told } = skipped;
    return told;
  }
}

@Module({ controllers: [ViewsController], providers: uses(Views, ViewSkips) })
export class ViewsModule {}
