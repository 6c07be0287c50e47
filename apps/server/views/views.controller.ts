/** The read models for operators: how far they are, and the way past an event that they cannot take. */
import { Body, Controller, Get, HttpCode, Module, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Skipped, skipped, ViewSkips } from '#service';
import { Views, viewList } from '#views';
import { ForOperators } from '../http/access.js';
import { Answers, example, Refuses } from '../http/operations.js';
import { ReadsBody } from '../http/read-body.js';
import { ApiBody, ApiOperation, ApiTags } from '../http/swagger.js';
import { uses } from '../provided.js';
import { Skip } from './views.dto.js';

/** Stands in the contract. */
const EXAMPLE = { position: '4711', reason: 'written by a version that was taken back' };

@ApiTags('service')
@Controller('api/v1/views')
@ForOperators()
export class ViewsController {
  constructor(
    private readonly views: Views,
    private readonly skips: ViewSkips,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listViews',
    summary: 'The read models: how far each is, and where one has stopped',
    description: 'A view that has stopped names the event; POST /api/v1/views/skip passes over it.',
  })
  @Answers('views', viewList)
  list() {
    return { views: this.views.health() };
  }

  @Post('skip')
  @HttpCode(200)
  @ReadsBody()
  @ApiOperation({
    operationId: 'skipEvent',
    summary: 'Make the views skip an event that they cannot read',
    description: 'The decision is an event, with the operator and the reason.',
  })
  @ApiBody({ type: Skip, examples: example(EXAMPLE) })
  @Answers('the event is skipped', skipped)
  @Refuses('not_found', 'busy')
  async skip(@Body() { position, reason }: Skip, @Req() request: FastifyRequest): Promise<Skipped> {
    const { request_id: _, ...shown } = await this.skips.skip({
      position,
      reason,
      operator: request.operator!,
      requestId: request.id,
    });
    return shown;
  }
}

@Module({ controllers: [ViewsController], providers: uses(Views, ViewSkips) })
export class ViewsModule {}
