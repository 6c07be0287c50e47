/** Findings for operators: claims on one polish against several roughs (specification 3, 6). */
import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { IsIn, IsOptional } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FINDINGS, type Finding, type FindingReviewed, type KeyKind, streams } from '#domain';
import type { FindingQuery, FindingRecord } from '#views';
import { OperatorGuard } from '../http/access.js';
import { BodyBudget } from '../http/body.js';
import { fresh, OptionalFlag, OptionalText, OptionalTime, PageQuery, paged, utc } from '../http/listing.js';
import { Problem } from '../http/problem.js';
import { exchange } from '../http/request.js';
import { keepReview, ReviewBody } from '../http/review.js';
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
    return this.found(id);
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
    const { id: finding_id, kind, claims_total } = this.found(id);
    await keepReview<FindingReviewed>(
      this.parts,
      request,
      { type: 'FindingReviewed', version: 1 },
      { finding_id, kind, claims: claims_total, note },
      { stream: streams.finding(finding_id), view: 'findings' },
    );
    return this.found(finding_id);
  }

  private found(id: string): FindingRecord {
    const finding = this.parts.findings.one(id);
    if (!finding) throw new Problem('not_found', ': no finding has this id');
    return finding;
  }
}
