/** Findings for operators: claims on one polish against several roughs. */
import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ForOperators, NeedsScope } from '#kit/http/access';
import { FindingReview } from '#kit/http/dto';
import { type Answered, answerOf, FreshViews, utc } from '#kit/http/listing';
import { pageQueryOf } from '#kit/http/listing-query';
import { Answers, AnswersCountedPage, example, Refuses } from '#kit/http/operations';
import { ReadsBody } from '#kit/http/read-body';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '#kit/http/swagger';
import { FINDING_LISTING } from '#kit/views/listings';
import { ViewReads } from '#kit/views/reads';
import { type FindingRecord, findingRecord } from './queries-shapes.js';
import { Reviews } from './reviews.js';

class FindingsQuery extends pageQueryOf(FINDING_LISTING) {}

@ApiTags('ledger')
@Controller('api/v1/findings')
@ForOperators()
export class FindingsController {
  constructor(
    private readonly reviews: Reviews,
    private readonly reads: ViewReads,
    private readonly fresh: FreshViews,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listFindings',
    summary: 'Findings for review, latest first',
    description:
      'probing: claims on one polish against two or more roughs, by one key or, as evidence of its own, by the ' +
      'production keys of a population together; multi_pass: more than one confirmed rough for it, by the same. One ' +
      'finding of a kind for each polish, whose scan sets are identified by digest, stone reference and nearly identical ' +
      'vectors. They never change an answer.',
  })
  @AnswersCountedPage('findings, each with its latest 100 claims', findingRecord)
  @Refuses('bad_request', 'busy')
  async list(
    @Query() query: FindingsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answered> {
    await this.fresh.wait(['findings'], reply);
    const asked = { ...query, from: utc(query.from), to: utc(query.to) };
    return answerOf(request, reply, (codings) => this.reads.encoded(codings, 'findings', 'list', asked));
  }

  @Get(':id')
  @ApiOperation({
    operationId: 'getFinding',
    summary: 'One finding with its latest 1,000 claims',
    description: '`GET /api/v1/claims?finding=KIND` lists the claims behind all findings of a kind.',
  })
  @ApiParam({ name: 'id', description: 'the finding' })
  @Answers('the finding', findingRecord)
  @Refuses('not_found', 'busy')
  async one(
    @Param('id') id: string,
    @Req() { operator }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FindingRecord> {
    await this.fresh.wait(['findings'], reply);
    const finding = await this.reviews.finding(id);
    return { ...finding, looked_at_by: this.reviews.lookedAtBy(finding.id, operator!) };
  }

  @Post(':id/review')
  @NeedsScope('review')
  @HttpCode(200)
  @ReadsBody()
  @ApiOperation({
    operationId: 'reviewFinding',
    summary: 'Mark a finding as reviewed',
    description: 'A later claim that joins the finding opens it again.',
  })
  @ApiParam({ name: 'id', description: 'the finding' })
  @ApiBody({
    type: FindingReview,
    examples: example({ note: 'two roughs of one parcel were mixed up', outcome: 'explained' }),
  })
  @Answers('the finding as it is now', findingRecord)
  @Refuses('not_found', 'busy')
  async review(
    @Param('id') id: string,
    @Body() { note, outcome }: FindingReview,
    @Req() request: FastifyRequest,
  ): Promise<FindingRecord> {
    await this.fresh.wait(['findings']);
    return this.reviews.ofFinding(id, { note, outcome, operator: request.operator!, requestId: request.id });
  }
}
