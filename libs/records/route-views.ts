/** The read models for operators: how far they are, and the way past an event that they cannot take. */
import { Body, Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { ForOperators } from '#kit/http/access';
import { RequiredText, Text } from '#kit/http/dto';
import { Answers, example, Refuses } from '#kit/http/operations';
import { ReadsBody } from '#kit/http/read-body';
import { ApiBody, ApiOperation, ApiTags } from '#kit/http/swagger';
import { Views } from '#kit/views/runner';
import { type Skipped, skipped, ViewSkips } from '#kit/views/skip-decisions';
import { viewList } from '#kit/views/view-file';

/** Stands in the contract. */
const EXAMPLE = { position: '4711', reason: 'written by a version that was taken back' };

const POSITION = '^[0-9]{1,19}$';

class Skip {
  @Matches(new RegExp(POSITION), { message: 'position must be the place in the log at which a view has stopped' })
  @Text('position at which a view has stopped; its failure names it', { pattern: POSITION })
  position!: string;

  @RequiredText('reason why it may be skipped')
  reason!: string;
}

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
