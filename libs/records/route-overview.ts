/** The counts of an operator's morning in one answer. */
import { Controller, Get, Inject, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ForOperators } from '#kit/http/access';
import { OptionalTime } from '#kit/http/dto';
import { FreshViews, utc } from '#kit/http/listing';
import { Answers, Refuses } from '#kit/http/operations';
import { Problem } from '#kit/http/problem';
import { CLOCK } from '#kit/http/provided';
import { ApiOperation, ApiTags } from '#kit/http/swagger';
import { Overview, type OverviewFacts, overviewFacts } from './overview.js';
import { windowAt } from './queries-calls.js';

class OverviewQuery {
  @OptionalTime('start of the window; 24 hours before its end by default')
  from?: string;

  @OptionalTime('end of the window; now by default')
  to?: string;
}

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
