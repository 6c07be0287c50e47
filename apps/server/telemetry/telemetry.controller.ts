/** Telemetry for operators (specification 4.5): a summary of a window, and the records. */
import { Controller, Get, Inject, Query, Req, Res, UseGuards } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyKind, Verdict } from '#domain';
import { Drifts } from '#service';
import { type CallQuery, type CallRecordQuery, TAGS, type Tag, WARNING_KINDS } from '#views';
import { OperatorGuard } from '../http/access.js';
import { fresh, OptionalText, OptionalTime, PageQuery, paged, utc } from '../http/listing.js';
import { Problem } from '../http/problem.js';
import { header } from '../http/request.js';
import { checked } from '../http/validation.js';
import { PARTS, type Parts } from '../parts.js';

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
    @Inject(PARTS) private readonly parts: Parts,
    private readonly drifts: Drifts,
  ) {}

  @Get('summary')
  async summary(@Query() query: unknown, @Res({ passthrough: true }) reply: FastifyReply) {
    const { telemetry, findings, scoring, now } = this.parts;
    const { from, to, ...given } = checked(SummaryQuery, query, 'bad_request');
    await fresh(this.parts, ['telemetry', 'findings'], reply);
    return {
      ...telemetry.window({ ...given, from: utc(from), to: utc(to) }, findings, now()),
      drift: this.drifts
        .drifting()
        .filter((one) => given.population === undefined || one.population === given.population),
      queue: await scoring.state().catch((error: Error) => ({ unavailable: error.message })),
    };
  }

  /** Latest first; as lines of JSON where the caller accepts them, the next page's cursor in `X-Next-Cursor`. */
  @Get('events')
  async events(
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { from, to, ...rest } = checked(RecordsQuery, query, 'bad_request');
    if (rest.status !== undefined && (rest.status < 100 || rest.status > 599))
      throw new Problem('bad_request', ': status');
    await fresh(this.parts, ['telemetry'], reply);
    const page = paged(() => this.parts.telemetry.calls({ ...rest, from: utc(from), to: utc(to) }));
    if (!header(request, 'accept').includes(NDJSON)) return page;
    void reply.header('content-type', `${NDJSON}; charset=utf-8`);
    if (page.next_cursor !== null) void reply.header('x-next-cursor', page.next_cursor);
    return page.items.map((item) => `${JSON.stringify(item)}\n`).join('');
  }
}
