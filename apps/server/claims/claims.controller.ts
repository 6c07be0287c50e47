/** The ledger of claims for operators (specification 4.5). */
import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsIn, IsNumber, IsOptional, Matches, Max, Min } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FINDINGS, type Finding } from '#domain';
import { Reviews } from '#service';
import { type ClaimQuery, type ClaimRecord, claimWithHistory } from '#views';
import { OperatorGuard } from '../http/access.js';
import { BodyBudget } from '../http/body.js';
import { freshLedger, OptionalFlag, OptionalText, OptionalTime, PageQuery, paged, utc } from '../http/listing.js';
import { Problem } from '../http/problem.js';
import { exchange } from '../http/request.js';
import { ReviewBody } from '../http/review.js';
import { checked, readChecked } from '../http/validation.js';
import { PARTS, type Parts } from '../parts.js';

export class ClaimsQuery extends PageQuery implements ClaimQuery {
  @OptionalText()
  key?: string;

  @OptionalText()
  population?: string;

  @IsOptional()
  @IsIn(['MATCH', 'NO_MATCH'])
  verdict?: 'MATCH' | 'NO_MATCH';

  @IsOptional()
  @Matches(/^0?[.]9[0-9]?0*$/, { message: 'reject_target must be a rung, such as 0.98' })
  reject_target?: string;

  @IsOptional()
  @IsIn(['match', 'no_match', 'none'])
  label?: 'match' | 'no_match' | 'none';

  @OptionalText()
  reference?: string;

  @OptionalTime()
  from?: string;

  @OptionalTime()
  to?: string;

  @IsOptional()
  @IsIn([...FINDINGS])
  finding?: Finding;

  @IsOptional()
  @IsIn(['scored', 'unfinished'])
  status?: 'scored' | 'unfinished';

  /** Of p_match_5050. */
  @IsOptional()
  @Type(() => Number)
  @IsNumber({}, { message: 'p_min must be a number from 0 to 1' })
  @Min(0)
  @Max(1)
  p_min?: number;

  @OptionalFlag()
  reviewed?: boolean;

  @OptionalTime()
  as_of?: string;
}

@Controller('api/v1/claims')
@UseGuards(OperatorGuard)
export class ClaimsController {
  constructor(
    @Inject(PARTS) private readonly parts: Parts,
    private readonly reviews: Reviews,
    private readonly budget: BodyBudget,
  ) {}

  @Get()
  async list(@Query() query: unknown, @Res({ passthrough: true }) reply: FastifyReply) {
    const { reject_target, from, to, as_of, p_min, ...rest } = checked(ClaimsQuery, query, 'bad_request');
    const rung = reject_target === undefined ? undefined : Number(reject_target).toFixed(2);
    const ledger = await freshLedger(this.parts, reply);
    const asOf = as_of === undefined ? undefined : ledger.positionAt(new Date(as_of));
    if (asOf !== undefined) void reply.header('x-as-of-position', asOf);
    return paged(() => ledger.claims({ ...rest, rung, pMin: p_min, from: utc(from), to: utc(to), asOf }));
  }

  /** One claim with everything that happened to it, in order. */
  @Get(':claim_id')
  async one(@Param('claim_id') claimId: string, @Res({ passthrough: true }) reply: FastifyReply) {
    const ledger = await freshLedger(this.parts, reply);
    const claim = await claimWithHistory(ledger, this.parts.store, claimId);
    if (!claim) throw new Problem('not_found', ': no claim has this claim_id');
    return claim;
  }

  /** An operator's note beside a claim: it leaves the queue of claims to review, and nothing of it changes. */
  @Post(':claim_id/review')
  @HttpCode(200)
  async review(
    @Param('claim_id') claimId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ClaimRecord> {
    const { requestTimeoutMs } = this.parts.configuration;
    const { note } = await readChecked(ReviewBody, exchange(request, reply), requestTimeoutMs, this.budget);
    await freshLedger(this.parts);
    return this.reviews.ofClaim(claimId, { note, operator: request.operator!, requestId: request.id });
  }
}
