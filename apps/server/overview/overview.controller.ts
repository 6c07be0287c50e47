/** The counts of an operator's morning in one answer. */
import { Controller, Get, Inject, Module, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Overview, type OverviewFacts, overviewFacts } from '#service';
import { windowAt } from '#views';
import { ForOperators } from '../http/access.js';
import { FreshViews, utc } from '../http/listing.js';
import { Answers, Refuses } from '../http/operations.js';
import { Problem } from '../http/problem.js';
import { ApiOperation, ApiTags } from '../http/swagger.js';
import { CLOCK, uses } from '../provided.js';
import { OverviewQuery } from './overview.dto.js';

@ApiTags('ledger')
@Controller('api/v1/overview')
@ForOperators()
export class OverviewController {
  constructor(
    @Inject(CLOCK) private readonly now: () => Date,
    private readonly overview: Overview,
    private readonly fresh: FreshViews,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'showOverview',
    summary: 'Counts of a window of claims, and what waits or alarms now, in one answer',
    description:
      'The last 24 hours by default. Counts stop at a bound and say so: what it costs does not grow with the log.',
  })
  @Answers('the overview', overviewFacts)
  @Refuses('bad_request', 'busy')
  async show(
    @Query() { from, to }: OverviewQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OverviewFacts> {
    const window = windowAt(this.now(), { from: utc(from), to: utc(to) });
    if (window.from >= window.to) throw new Problem('bad_request', ': from must be before to');
    await this.fresh.wait(['telemetry', 'ledger', 'findings', 'evidence'], reply);
    return this.overview.of(window);
  }
}

@Module({ controllers: [OverviewController], providers: uses(CLOCK, Overview, FreshViews) })
export class OverviewModule {}
