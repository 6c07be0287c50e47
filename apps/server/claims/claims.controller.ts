/** The ledger of claims for operators (specification 4.5). */
import { Controller, Get, Inject, Param, Query, Res, UseGuards } from '@nestjs/common';
import { IsIn, IsISO8601, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { FINDINGS, type Finding } from '#domain';
import { type ClaimQuery, claimWithHistory } from '#views';
import { OperatorGuard } from '../http/access.js';
import { freshLedger, PageQuery, paged, utc } from '../http/listing.js';
import { Problem } from '../http/problem.js';
import { checked } from '../http/validation.js';
import { PARTS, type Parts } from '../parts.js';

export class ClaimsQuery extends PageQuery implements ClaimQuery {
  @IsOptional()
  @IsString()
  @MaxLength(256)
  key?: string;

  @IsOptional()
  @IsString()
  @MaxLength(256)
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

  @IsOptional()
  @IsString()
  @MaxLength(256)
  reference?: string;

  @IsOptional()
  @IsISO8601({ strict: true })
  from?: string;

  @IsOptional()
  @IsISO8601({ strict: true })
  to?: string;

  @IsOptional()
  @IsIn([...FINDINGS])
  finding?: Finding;

  @IsOptional()
  @IsIn(['scored', 'unfinished'])
  status?: 'scored' | 'unfinished';

  @IsOptional()
  @IsISO8601({ strict: true })
  as_of?: string;
}

@Controller('api/v1/claims')
@UseGuards(OperatorGuard)
export class ClaimsController {
  constructor(@Inject(PARTS) private readonly parts: Parts) {}

  @Get()
  async list(@Query() query: unknown, @Res({ passthrough: true }) reply: FastifyReply) {
    const { reject_target, from, to, as_of, ...rest } = checked(ClaimsQuery, query, 'bad_request');
    const rung = reject_target === undefined ? undefined : Number(reject_target).toFixed(2);
    const ledger = await freshLedger(this.parts, reply);
    const asOf = as_of === undefined ? undefined : ledger.positionAt(new Date(as_of));
    if (asOf !== undefined) void reply.header('x-as-of-position', asOf);
    return paged(() => ledger.claims({ ...rest, rung, from: utc(from), to: utc(to), asOf }));
  }

  /** One claim with everything that happened to it, in order. */
  @Get(':claim_id')
  async one(@Param('claim_id') claimId: string, @Res({ passthrough: true }) reply: FastifyReply) {
    const ledger = await freshLedger(this.parts, reply);
    const claim = await claimWithHistory(ledger, this.parts.store, claimId);
    if (!claim) throw new Problem('not_found', ': no claim has this claim_id');
    return claim;
  }
}
