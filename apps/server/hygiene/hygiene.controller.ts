/** Hygiene checks on demand. */
import { Controller, Get, Inject, Module, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Hygiene } from '#service';
import { type HygieneReport, hygieneReport } from '#views';
import { ForOperators } from '../http/access.js';
import { FreshViews } from '../http/listing.js';
import { Answers, Refuses } from '../http/operations.js';
import { ApiOperation, ApiTags } from '../http/swagger.js';
import { CLOCK, uses } from '../provided.js';

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

@Module({ controllers: [HygieneController], providers: uses(CLOCK, Hygiene, FreshViews) })
export class HygieneModule {}
