/** GET /api/v1/verify-match: a caller reads what is his. */
import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type OwnClaim, ownClaim } from '#claims/verification';
import type { Configuration } from '#config/environment';
import { ApiKeys } from '#keys/credentials';
import { ForKeys } from '#keys/route-access';
import { OnEveryReplica } from '#kit/http/access';
import { type Answered, answerOf, FreshViews, utc } from '#kit/http/listing';
import { pageQueryOf } from '#kit/http/listing-query';
import { Answers, AnswersPage, Refuses } from '#kit/http/operations';
import { Problem } from '#kit/http/problem';
import { CONFIGURATION } from '#kit/http/provided';
import { ApiOperation, ApiParam, ApiTags } from '#kit/http/swagger';
import { OWN_CLAIM_LISTING } from '#kit/views/listings';
import { ViewReads } from '#kit/views/reads';
import { OwnClaims } from './own-claims.js';
import { ownClaimRow } from './queries-shapes.js';

class OwnClaimsQuery extends pageQueryOf(OWN_CLAIM_LISTING) {}

@ApiTags('verification')
@Controller('api/v1/verify-match')
@ForKeys()
@OnEveryReplica()
export class OwnClaimsController {
  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly claims: OwnClaims,
    private readonly keys: ApiKeys,
    private readonly reads: ViewReads,
    private readonly fresh: FreshViews,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listOwnClaims',
    summary: 'The claims of the key, newest first',
    description:
      'With their verdicts, labels and what reviews came to. Replicas for claims alone (MVS_ROLE) answer 421.',
  })
  @AnswersPage('the claims of the key', ownClaimRow)
  @Refuses('bad_request', 'busy', 'misdirected')
  async list(
    @Query() { since, limit, cursor }: OwnClaimsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answered> {
    await this.ledger(reply);
    const asked = { keyId: request.apiKey!.id, from: utc(since), limit, cursor };
    return answerOf(request, reply, (codings) => this.reads.encoded(codings, 'ledger', 'ownClaims', asked));
  }

  @Get(':claim_id')
  @ApiOperation({
    operationId: 'getOwnClaim',
    summary: 'One claim of the key: the stored answer, its label, and what a review came to',
    description:
      'The answer is the one that was given. The claim of another key is 404 like one that is not there, but for keys that ' +
      'may read those of their population (reads_population): replicas for claims alone (MVS_ROLE) answer them 421.',
  })
  @ApiParam({ name: 'claim_id', description: 'the claim' })
  @Answers('the claim', ownClaim)
  @Refuses('not_found', 'busy')
  async one(
    @Param('claim_id') claimId: string,
    @Req() { apiKey }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OwnClaim> {
    const { id, population } = apiKey!;
    let claim = await this.claims.read(id, claimId);
    if (!claim && this.keys.lifeOf(id)?.reads_population) {
      await this.ledger(reply);
      const made = await this.reads.ask('ledger', 'placesOf', claimId);
      claim = made && (await this.claims.read(made.keyId, claimId, population));
    }
    if (!claim) throw new Problem('not_found', ': this key has made no claim of this claim_id');
    return claim;
  }

  /** The view of claims, which replicas for claims have not. */
  private async ledger(reply: FastifyReply): Promise<void> {
    const { role } = this.configuration;
    if (role === 'claims') throw new Problem('misdirected', `: its MVS_ROLE is ${role}`);
    await this.fresh.wait(['ledger', 'findings'], reply);
  }
}
