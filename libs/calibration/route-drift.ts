/** Populations' recent claims against their baselines, for operators. */
import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ForOperators } from '#kit/http/access';
import { OptionalText, PageQuery } from '#kit/http/dto';
import { FreshViews, namesOf } from '#kit/http/listing';
import { AnswersPage, Refuses } from '#kit/http/operations';
import { ApiOperation, ApiTags } from '#kit/http/swagger';
import type { Page } from '#kit/views/page';
import { ViewReads } from '#kit/views/reads';
import { Drifts } from './queries-drift.js';
import { type Drift, drift } from './queries-drift-shapes.js';

class DriftQuery extends PageQuery {
  @OptionalText('population')
  population?: string;
}

@ApiTags('ledger')
@Controller('api/v1/drift')
@ForOperators()
export class DriftController {
  constructor(
    private readonly drifts: Drifts,
    private readonly reads: ViewReads,
    private readonly fresh: FreshViews,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listDrift',
    summary: 'Recent claims of each population against its baseline',
    description:
      'Score and gauges of windows of claims by production keys, compared with the claims behind the newest approval, or ' +
      'the shipped asset. A window of an unchanged population alarms less than once in a hundred. A difference from the shipped ' +
      'asset is no alarm. An alarm changes no answer.',
  })
  @AnswersPage('populations by name', drift)
  @Refuses('bad_request', 'busy')
  async list(
    @Query() { population, ...page }: DriftQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Page<Drift>> {
    await this.fresh.wait(['evidence', 'telemetry'], reply);
    const known = (await this.reads.ask('evidence', 'populations')).filter(
      (name) => population === undefined || name === population,
    );
    const { names, next_cursor } = namesOf(known, page);
    const items: Drift[] = [];
    // One after the other: others get turns in between.
    for (const name of names) items.push(await this.drifts.driftOf(name));
    return { items, next_cursor };
  }
}
