/** Findings for operators: claims on one polish against several roughs (specification 3, 6). */
import { Body, Controller, Get, HttpCode, Module, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { IsIn, IsOptional } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FINDINGS, type Finding, type KeyKind } from '#domain';
import { Reviews } from '#service';
import { type FindingQuery, type FindingRecord, Findings } from '#views';
import { OperatorGuard } from '../http/access.js';
import { FreshViews, OptionalFlag, OptionalText, OptionalTime, PageQuery, paged, utc } from '../http/listing.js';
import { ReadsBody } from '../http/read-body.js';
import { ReviewBody } from '../http/review.js';
import { uses } from '../provided.js';

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
    private readonly reviews: Reviews,
    private readonly findings: Findings,
    private readonly fresh: FreshViews,
  ) {}

  @Get()
  async list(@Query() { from, to, ...rest }: FindingsQuery, @Res({ passthrough: true }) reply: FastifyReply) {
    await this.fresh.wait(['findings'], reply);
    return paged(() => this.findings.list({ ...rest, from: utc(from), to: utc(to) }));
  }

  @Get(':id')
  async one(@Param('id') id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<FindingRecord> {
    await this.fresh.wait(['findings'], reply);
    return this.reviews.finding(id);
  }

  @Post(':id/review')
  @HttpCode(200)
  @ReadsBody()
  async review(
    @Param('id') id: string,
    @Body() { note }: ReviewBody,
    @Req() request: FastifyRequest,
  ): Promise<FindingRecord> {
    await this.fresh.wait(['findings']);
    return this.reviews.ofFinding(id, { note, operator: request.operator!, requestId: request.id });
  }
}

@Module({ controllers: [FindingsController], providers: uses(Findings, FreshViews, Reviews) })
export class FindingsModule {}
