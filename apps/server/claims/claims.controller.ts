/** The ledger of claims for operators (specification 4.5). */
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Module,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsIn, IsNumber, IsOptional, Matches, Max, Min } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FINDINGS, type Finding } from '#domain';
import type { EventReader } from '#event-store';
import { Reviews } from '#service';
import { type ClaimQuery, type ClaimRecord, claimWithHistory, Ledger } from '#views';
import { OperatorGuard } from '../http/access.js';
import { FreshViews, OptionalFlag, OptionalText, OptionalTime, PageQuery, paged, utc } from '../http/listing.js';
import { Problem } from '../http/problem.js';
import { ReadsBody } from '../http/read-body.js';
import { ReviewBody } from '../http/review.js';
import { STORE, uses } from '../provided.js';

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

/** Views that the ledger is read from. */
const LEDGER = ['ledger', 'findings'];

@Controller('api/v1/claims')
@UseGuards(OperatorGuard)
export class ClaimsController {
  constructor(
    @Inject(STORE) private readonly store: EventReader,
    private readonly ledger: Ledger,
    private readonly reviews: Reviews,
    private readonly fresh: FreshViews,
  ) {}

  @Get()
  async list(@Query() query: ClaimsQuery, @Res({ passthrough: true }) reply: FastifyReply) {
    const { reject_target, from, to, as_of, p_min, ...rest } = query;
    const rung = reject_target === undefined ? undefined : Number(reject_target).toFixed(2);
    await this.fresh.wait(LEDGER, reply);
    const asOf = as_of === undefined ? undefined : this.ledger.positionAt(new Date(as_of));
    if (asOf !== undefined) void reply.header('x-as-of-position', asOf);
    return paged(() => this.ledger.claims({ ...rest, rung, pMin: p_min, from: utc(from), to: utc(to), asOf }));
  }

  /** One claim with everything that happened to it, in order. */
  @Get(':claim_id')
  async one(@Param('claim_id') claimId: string, @Res({ passthrough: true }) reply: FastifyReply) {
    await this.fresh.wait(LEDGER, reply);
    const claim = await claimWithHistory(this.ledger, this.store, claimId);
    if (!claim) throw new Problem('not_found', ': no claim has this claim_id');
    return claim;
  }

  /** An operator's note beside a claim: it leaves the queue of claims to review, and nothing of it changes. */
  @Post(':claim_id/review')
  @HttpCode(200)
  @ReadsBody()
  async review(
    @Param('claim_id') claimId: string,
    @Body() { note }: ReviewBody,
    @Req() request: FastifyRequest,
  ): Promise<ClaimRecord> {
    await this.fresh.wait(LEDGER);
    return this.reviews.ofClaim(claimId, { note, operator: request.operator!, requestId: request.id });
  }
}

@Module({ controllers: [ClaimsController], providers: uses(STORE, Ledger, Reviews, FreshViews) })
export class ClaimsModule {}
