/** Workspaces' own lot scorers: what is in force, proposals, approvals, withdrawals. */
import { Body, Controller, Get, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Approval, Approves, decisionOf, ReasonBody, Withdraws } from '#calibration/route-decisions';
import { Workspaces } from '#keys/credentials';
import { workspaceOf } from '#keys/queries-workspace';
import { ForOperators } from '#kit/http/access';
import { FreshViews } from '#kit/http/listing';
import { Answers, Refuses } from '#kit/http/operations';
import { OF_SCORING } from '#kit/http/refusals';
import { ApiOperation, ApiParam, ApiTags } from '#kit/http/swagger';
import { ViewReads } from '#kit/views/reads';
import { LotScorerDecisions } from './scorer-decisions.js';
import { type LotScorerRecord, lotScorerRecord } from './shapes-scorer.js';

export const OfWorkspace = () =>
  ApiParam({ name: 'token_prefix', description: 'the shown prefix, or as much of it as identifies one token' });

/** The id of the workspace of a path. Views are waited for: the newest checks belong to the history. */
export async function workspaceAt(
  prefix: string,
  { workspaces, reads, fresh }: { workspaces: Workspaces; reads: ViewReads; fresh: FreshViews },
): Promise<string> {
  await fresh.wait(['lots']);
  return workspaceOf(prefix, workspaces, reads);
}

@ApiTags('lots')
@Controller('api/lotscan/workspaces/:token_prefix/scorer')
@ForOperators()
export class LotScorerController {
  constructor(
    private readonly scorers: LotScorerDecisions,
    readonly workspaces: Workspaces,
    readonly reads: ViewReads,
    readonly fresh: FreshViews,
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
  @Answers('the scorer as it is now', lotScorerRecord)
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
    answers: ['the scorer as it is now', lotScorerRecord],
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
    answers: ['the scorer as it is now', lotScorerRecord],
  })
  @OfWorkspace()
  async withdraw(
    @Param('token_prefix') prefix: string,
    @Body() body: ReasonBody,
    @Req() request: FastifyRequest,
  ): Promise<LotScorerRecord> {
    return this.scorers.withdraw(await this.idOf(prefix), decisionOf(request, body));
  }

  private idOf(prefix: string): Promise<string> {
    return workspaceAt(prefix, this);
  }
}
