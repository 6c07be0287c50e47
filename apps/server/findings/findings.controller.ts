/** Findings for operators: claims on one polish against several roughs (specification 3, 6). */
import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { IsIn, IsOptional } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FINDINGS, type Finding, type KeyKind } from '#domain';
import { Reviews } from '#service';
import type { FindingQuery, FindingRecord } from '#views';
import { OperatorGuard } from '../http/access.js';
import { BodyBudget } from '../http/body.js';
import { fresh, OptionalFlag, OptionalText, OptionalTime, PageQuery, paged, utc } from '../http/listing.js';
import { exchange } from '../http/request.js';
import { ReviewBody } from '../http/review.js';
import { checked, readChecked } from '../http/validation.js';
import { PARTS, type Parts } from '../parts.js';

export class FindingsQuery extends PageQuery implements FindingQuery {
  @IsOptional()
  @IsIn([...FINDINGS])
  kind?: Finding;

  @OptionalText()
  key?: string;

  @IsOptional()
  @IsIn(['production', 'test'])
  key_kind?: KeyKind;

  @OptionalText()
  population?: string;

  @IsOptional()
  @IsIn(['open', 'reviewed'])
  status?: 'open' | 'reviewed';

  @OptionalFlag()
  breach?: boolean;

  @OptionalText()
  reference?: string;

  @OptionalTime()
  from?: string;

  @OptionalTime()
  to?: string;
}

@Controller('api/v1/findings')
@UseGuards(OperatorGuard)
export class FindingsController {
  constructor(
    @Inject(PARTS) private readonly parts: Parts,
    private readonly reviews: Reviews,
    private readonly budget: BodyBudget,
  ) {}

  @Get()
  async list(@Query() query: unknown, @Res({ passthrough: true }) reply: FastifyReply) {
    const { from, to, ...rest } = checked(FindingsQuery, query, 'bad_request');
    await fresh(this.parts, ['findings'], reply);
    return paged(() => this.parts.findings.list({ ...rest, from: utc(from), to: utc(to) }));
  }

  @Get(':id')
  async one(@Param('id') id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<FindingRecord> {
    await fresh(this.parts, ['findings'], reply);
    return this.reviews.finding(id);
  }

  @Post(':id/review')
  @HttpCode(200)
  async review(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FindingRecord> {
    const { requestTimeoutMs } = this.parts.configuration;
    const { note } = await readChecked(ReviewBody, exchange(request, reply), requestTimeoutMs, this.budget);
    await fresh(this.parts, ['findings']);
    return this.reviews.ofFinding(id, { note, operator: request.operator!, requestId: request.id });
  }
}
