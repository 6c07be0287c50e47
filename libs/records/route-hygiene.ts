/** Hygiene checks on demand. */
import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ForOperators } from '#kit/http/access';
import { FreshViews } from '#kit/http/listing';
import { Answers, Refuses } from '#kit/http/operations';
import { CLOCK } from '#kit/http/provided';
import { ApiOperation, ApiTags } from '#kit/http/swagger';
import { Hygiene } from './hygiene.js';
import { type HygieneReport, hygieneReport } from './queries-hygiene.js';

@ApiTags('ledger')
@Controller('api/v1/hygiene')
@ForOperators()
export class HygieneController {
  constructor(
    @Inject(CLOCK) private readonly now: () => Date,
    private readonly hygiene: Hygiene,
    private readonly fresh: FreshViews,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'checkHygiene',
    summary: 'Faults of practice that no single claim shows, each with its meaning and advice',
    description: 'Every check is listed, those that found nothing too. It changes nothing.',
  })
  @Answers('every check', hygieneReport)
  @Refuses('busy')
  async check(@Res({ passthrough: true }) reply: FastifyReply): Promise<HygieneReport> {
    await this.fresh.wait(['findings', 'telemetry'], reply);
    const at = this.now();
    return { at: at.toISOString(), checks: await this.hygiene.check(at) };
  }
}
