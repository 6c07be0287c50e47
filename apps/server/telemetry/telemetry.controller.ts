/** Telemetry for operators (specification 4.5): a summary of a window, and the records. */
import { Controller, Get, Inject, Module, Query, Req, Res, UseGuards } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyKind, Verdict } from '#domain';
import { WARNING_KINDS } from '#matching';
import type { Scoring } from '#scoring';
import { Drifts } from '#service';
import { type CallQuery, type CallRecordQuery, Findings, TAGS, type Tag, Telemetry } from '#views';
import { OperatorGuard } from '../http/access.js';
import { FreshViews, OptionalText, OptionalTime, PageQuery, paged, utc } from '../http/listing.js';
import { Problem } from '../http/problem.js';
import { header } from '../http/request.js';
import { CLOCK, SCORING, uses } from '../provided.js';

const NDJSON = 'application/x-ndjson';

export class SummaryQuery implements CallQuery {
  @OptionalTime()
  from?: string;

  @OptionalTime()
  to?: string;

  @OptionalText()
  population?: string;

  @OptionalText()
  key?: string;

  @IsOptional()
  @IsIn(['production', 'test'])
  key_kind?: KeyKind;
}

export class RecordsQuery extends PageQuery implements CallRecordQuery {
  @OptionalTime()
  from?: string;

  @OptionalTime()
  to?: string;

  @OptionalText()
  population?: string;

  @OptionalText()
  key?: string;

  @IsOptional()
  @IsIn(['production', 'test'])
  key_kind?: KeyKind;

  @IsOptional()
  @IsIn([...TAGS])
  tag?: Tag;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  status?: number;

  @OptionalText(64)
  reason?: string;

  @IsOptional()
  @IsIn(['MATCH', 'NO_MATCH'])
  verdict?: Verdict;

  @IsOptional()
  @IsIn(WARNING_KINDS)
  warning?: string;

  @OptionalText(128)
  claim_id?: string;

  @OptionalText(128)
  request_id?: string;
}

@Controller('api/telemetry')
@UseGuards(OperatorGuard)
export class TelemetryController {
  constructor(
    @Inject(SCORING) private readonly scoring: Scoring,
    @Inject(CLOCK) private readonly now: () => Date,
    private readonly telemetry: Telemetry,
    private readonly findings: Findings,
    private readonly drifts: Drifts,
    private readonly fresh: FreshViews,
  ) {}

  @Get('summary')
  async summary(@Query() { from, to, ...given }: SummaryQuery, @Res({ passthrough: true }) reply: FastifyReply) {
    await this.fresh.wait(['telemetry', 'findings'], reply);
    return {
      ...this.telemetry.window({ ...given, from: utc(from), to: utc(to) }, this.findings, this.now()),
      drift: this.drifts
        .drifting()
        .filter((one) => given.population === undefined || one.population === given.population),
      queue: await this.scoring.state().catch((error: Error) => ({ unavailable: error.message })),
    };
  }

  /** Latest first; as lines of JSON where the caller accepts them, the next page's cursor in `X-Next-Cursor`. */
  @Get('events')
  async events(
    @Query() { from, to, ...rest }: RecordsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    if (rest.status !== undefined && (rest.status < 100 || rest.status > 599))
      throw new Problem('bad_request', ': status');
    await this.fresh.wait(['telemetry'], reply);
    const page = paged(() => this.telemetry.calls({ ...rest, from: utc(from), to: utc(to) }));
    if (!header(request, 'accept').includes(NDJSON)) return page;
    void reply.header('content-type', `${NDJSON}; charset=utf-8`);
    if (page.next_cursor !== null) void reply.header('x-next-cursor', page.next_cursor);
    return page.items.map((item) => `${JSON.stringify(item)}\n`).join('');
  }
}

@Module({
  controllers: [TelemetryController],
  providers: uses(SCORING, CLOCK, Telemetry, Findings, Drifts, FreshViews),
})
export class TelemetryModule {}
