/** Workspaces' own lot scorers: what is in force, proposals, approvals, withdrawals. */
import { Body, Controller, Get, Inject, Module, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { prepareLotsBundle } from '#audit/lots-bundle';
import { AnswersBundle, servedBundle } from '#audit/route-bundle';
import { Approval, Approves, decisionOf, ReasonBody, Withdraws } from '#calibration/route-decisions';
import { ViewReads } from '#catalogue/reads';
import { Workspaces } from '#keys/credentials';
import { workspaceOf } from '#keys/queries-workspace';
import { ForOperators } from '#kit/http/access';
import { FreshViews } from '#kit/http/listing';
import { Answers, Refuses } from '#kit/http/operations';
import { LOGGER, STORE, uses } from '#kit/http/provided';
import { OF_SCORING } from '#kit/http/refusals';
import { ApiOperation, ApiParam, ApiTags } from '#kit/http/swagger';
import type { EventReader } from '#kit/log/port';
import { LogSeals } from '#kit/log/seal';
import { LotScorerDecisions } from './scorer-decisions.js';
import { type LotScorerRecord, lotScorerRecord } from './shapes-scorer.js';

const OfWorkspace = () =>
  ApiParam({ name: 'token_prefix', description: 'the shown prefix, or as much of it as identifies one token' });

@ApiTags('lots')
@Controller('api/lotscan/workspaces/:token_prefix/scorer')
@ForOperators()
export class LotScorerController {
  constructor(
    private readonly scorers: LotScorerDecisions,
    private readonly workspaces: Workspaces,
    private readonly reads: ViewReads,
    private readonly fresh: FreshViews,
    @Inject(STORE) private readonly store: EventReader,
    private readonly seals: LogSeals,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'getLotScorer',
    summary: 'The lot scorer of a workspace, with a proposal and what it would bring',
    description:
      'Under the lot model that serves. It is fitted on the vectors of the workspace’s own marked lots and their returns. Newer ' +
      'checks never move a scorer in force.',
  })
  @OfWorkspace()
  @Answers('the scorer as it stands', lotScorerRecord)
  @Refuses('not_found', 'conflict', 'busy')
  async show(@Param('token_prefix') prefix: string): Promise<LotScorerRecord> {
    return this.scorers.record(await this.idOf(prefix));
  }

  @Post('approve')
  @Approves({
    operationId: 'approveLotScorer',
    summary: 'Approve the workspace’s own lot scorer',
    description:
      'The body names the proposal that the operator saw. From the answer on it decides checks and rehearsals of lots that are ' +
      'marked as unlike those that the shipped bars were set on; answers that were given stay. Another lot model makes it lapse.',
    answers: ['the scorer as it stands', lotScorerRecord],
    refuses: OF_SCORING,
  })
  @OfWorkspace()
  async approve(
    @Param('token_prefix') prefix: string,
    @Body() body: Approval,
    @Req() request: FastifyRequest,
  ): Promise<LotScorerRecord> {
    const digest = body.proposal_digest.toLowerCase();
    return this.scorers.approve(await this.idOf(prefix), decisionOf(request, body), digest);
  }

  @Post('withdraw')
  @Withdraws({
    operationId: 'withdrawLotScorer',
    summary: 'Return a workspace to the shipped lot scorer',
    description: 'From the next check on the shipped scorer decides. Answers that were given stay.',
    answers: ['the scorer as it stands', lotScorerRecord],
  })
  @OfWorkspace()
  async withdraw(
    @Param('token_prefix') prefix: string,
    @Body() body: ReasonBody,
    @Req() request: FastifyRequest,
  ): Promise<LotScorerRecord> {
    return this.scorers.withdraw(await this.idOf(prefix), decisionOf(request, body));
  }

  @Get('audit.zip')
  @ApiOperation({
    operationId: 'getLotAuditBundle',
    summary: 'The evidence behind the approvals of a workspace’s lot scorers, as one zip',
    description:
      'Decisions, lots, returns, the lot model and verify.mjs, which recomputes scorers and bars from the vectors.',
  })
  @OfWorkspace()
  @AnswersBundle()
  async audit(
    @Param('token_prefix') prefix: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { store: reader, seals, logger, scorers } = this;
    const id = await this.idOf(prefix);
    const preparing = prepareLotsBundle({ reader, seals, id, models: [scorers.model] });
    return servedBundle(preparing, { request, reply, logger, of: { workspace: id } });
  }

  /** Views are waited for: the newest checks belong to the history. */
  private async idOf(prefix: string): Promise<string> {
    await this.fresh.wait(['lots']);
    return workspaceOf(prefix, this.workspaces, this.reads);
  }
}

@Module({
  controllers: [LotScorerController],
  providers: uses(LotScorerDecisions, Workspaces, ViewReads, FreshViews, STORE, LogSeals, LOGGER),
})
export class LotScorerModule {}
