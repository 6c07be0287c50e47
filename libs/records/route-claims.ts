/** The ledger of claims for operators. */
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Reviews } from '#findings/reviews';
import { ForOperators, NeedsScope } from '#kit/http/access';
import { Review } from '#kit/http/dto';
import { type Answered, answerOf, FreshViews, utc } from '#kit/http/listing';
import { pageQueryOf } from '#kit/http/listing-query';
import { Answers, AnswersCountedPage, example, Refuses } from '#kit/http/operations';
import { Problem } from '#kit/http/problem';
import { STORE } from '#kit/http/provided';
import { ReadsBody } from '#kit/http/read-body';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '#kit/http/swagger';
import type { EventReader } from '#kit/log/port';
import { CLAIM_LISTING } from '#kit/views/listings';
import { ViewReads } from '#kit/views/reads';
import { GAUGE_BANDS } from '#science/spectra/gauges/index';
import { claimWithHistory } from './queries-history.js';
import type { ClaimQuery } from './queries-ledger.js';
import { type ClaimRecord, claimRecord, claimRow } from './queries-shapes.js';

class ClaimsQuery extends pageQueryOf(CLAIM_LISTING) {}

/** Views that the ledger is read from. */
const LEDGER = ['ledger', 'findings'];

const OfClaim = () => ApiParam({ name: 'claim_id', description: 'the claim' });

@ApiTags('ledger')
@Controller('api/v1/claims')
@ForOperators()
export class ClaimsController {
  constructor(
    @Inject(STORE) private readonly store: EventReader,
    private readonly reads: ViewReads,
    private readonly reviews: Reviews,
    private readonly fresh: FreshViews,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listClaims',
    summary: 'The ledger of claims, newest first',
    description:
      'Filters narrow each other. With as_of the ledger is as it was then, and X-As-Of-Position says up to which event.',
  })
  @AnswersCountedPage('claims', claimRecord)
  @Refuses('bad_request', 'busy')
  list(
    @Query() query: ClaimsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answered> {
    return this.listed('claims', query, request, reply);
  }

  @Get('rows')
  @ApiOperation({
    operationId: 'listClaimRows',
    summary: 'The same ledger in short: a row of a table for each claim',
    description: 'It takes the same filters, sorting and paging.',
  })
  @AnswersCountedPage('claims in short', claimRow)
  @Refuses('bad_request', 'busy')
  rows(
    @Query() query: ClaimsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answered> {
    return this.listed('claimRows', query, request, reply);
  }

  private async listed(
    listing: 'claims' | 'claimRows',
    query: ClaimsQuery,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Answered> {
    if (query.finding !== undefined && (query.sort ?? 'time') !== 'time')
      throw new Problem('bad_request', ': claims behind a finding are sorted by time alone');
    await this.fresh.wait(LEDGER, reply);
    const { from, to, as_of } = query;
    const asOf = as_of === undefined ? undefined : await this.reads.ask('ledger', 'positionAt', new Date(as_of));
    if (asOf !== undefined) void reply.header('x-as-of-position', asOf);
    const asked: ClaimQuery = { ...query, from: utc(from), to: utc(to), asOf };
    return answerOf(request, reply, (codings) => this.reads.encoded(codings, 'ledger', listing, asked));
  }

  /** One claim with everything that happened to it, in order. */
  @Get(':claim_id')
  @ApiOperation({
    operationId: 'getClaim',
    summary: 'One claim with its whole history',
    description: 'Everything that happened to it, in the order of the log.',
  })
  @OfClaim()
  @Answers('the claim', claimRecord)
  @Refuses('not_found', 'busy')
  async one(
    @Param('claim_id') claimId: string,
    @Req() { operator }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ClaimRecord> {
    await this.fresh.wait(LEDGER, reply);
    const { reads } = this;
    const ledger = {
      claim: (id: string) => reads.ask('ledger', 'claim', id),
      placesOf: (id: string) => reads.ask('ledger', 'placesOf', id),
    };
    const claim = await claimWithHistory(ledger, this.store, claimId);
    if (!claim) throw new Problem('not_found', ': no claim has this claim_id');
    return { ...claim, gauge_bands: [...GAUGE_BANDS], looked_at_by: this.reviews.lookedAtBy(claimId, operator!) };
  }

  /** An operator's note beside a claim: it leaves the queue of claims to review, and nothing of it changes. */
  @Post(':claim_id/review')
  @NeedsScope('review')
  @HttpCode(200)
  @ReadsBody()
  @ApiOperation({
    operationId: 'reviewClaim',
    summary: 'Record the review of a claim',
    description:
      'An annotation: it changes no verdict, no label and no threshold. A listing with reviewed=false leaves the claim out from then on.',
  })
  @OfClaim()
  @ApiBody({ type: Review, examples: example({ note: 'measured again: the same stone', outcome: 'wrong' }) })
  @Answers('the claim', claimRecord)
  @Refuses('not_found', 'busy')
  async review(
    @Param('claim_id') claimId: string,
    @Body() { note, outcome }: Review,
    @Req() request: FastifyRequest,
  ): Promise<ClaimRecord> {
    await this.fresh.wait(LEDGER);
    return this.reviews.ofClaim(claimId, { note, outcome, operator: request.operator!, requestId: request.id });
  }
}
