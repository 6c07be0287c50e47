/** Populations' own scorers: what is in force, proposals, approvals, withdrawals, trials. */
import { Body, Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ForOperators } from '#kit/http/access';
import { Answers, Refuses, Repeatable } from '#kit/http/operations';
import { ReadsBody } from '#kit/http/read-body';
import { ApiBody, ApiOperation, ApiTags } from '#kit/http/swagger';
import { DEFAULT_REJECT_TARGET, type RejectTarget } from '#science/calibration/ladder';
import { Approval, Approves, decisionOf, Withdraws } from './route-decisions.js';
import { OfPopulation, PathGuard, Population } from './route-path.js';
import {
  type ScorerDryRun,
  type ScorerRecord,
  ScorerTrial,
  ScorerWithdrawal,
  scorerDryRun,
  scorerRecord,
} from './route-scorer.dto.js';
import { ScorerDecisions } from './scorer-decisions.js';

@ApiTags('calibration')
@Controller('api/v1/calibration/:population/scorer')
@ForOperators(PathGuard)
export class ScorerController {
  constructor(private readonly scorers: ScorerDecisions) {}

  @Get()
  @ApiOperation({
    operationId: 'getScorer',
    summary: 'The scorer of a population, with a proposal and what it would bring',
    description: 'Under the live model. Newer claims never move a scorer in force.',
  })
  @OfPopulation()
  @Answers('the scorer as it is now', scorerRecord)
  @Refuses('not_found', 'busy')
  async show(@Population() population: string): Promise<ScorerRecord> {
    return this.scorers.record(population);
  }

  @Post('approve')
  @Approves({
    operationId: 'approveScorer',
    summary: 'Approve the population’s own scorer',
    description:
      'The body names the proposal that the operator saw. Newer claims do not invalidate it; a decision about the population or ' +
      'a change of model does. The decision applies to every request that begins after the answer, on every replica. Rungs ' +
      'approved under another scorer lapse, and return with it.',
    answers: ['the scorer as it is now', scorerRecord],
  })
  @OfPopulation()
  async approve(
    @Population() population: string,
    @Body() body: Approval,
    @Req() request: FastifyRequest,
  ): Promise<ScorerRecord> {
    return this.scorers.approve(population, decisionOf(request, body), body.proposal_digest.toLowerCase());
  }

  @Post('withdraw')
  @Withdraws({
    operationId: 'withdrawScorer',
    summary: 'Return a population to raw scores',
    description: 'From the next claim on raw scores decide. Verdicts that were given stay.',
    answers: ['the scorer as it is now', scorerRecord],
  })
  @OfPopulation()
  async withdraw(
    @Population() population: string,
    @Body() body: ScorerWithdrawal,
    @Req() request: FastifyRequest,
  ): Promise<ScorerRecord> {
    return this.scorers.withdraw(population, decisionOf(request, body));
  }

  @Post('dry-run')
  @HttpCode(200)
  @ReadsBody({ optional: true })
  @Repeatable()
  @ApiOperation({
    operationId: 'tryScorer',
    summary: 'List the past claims that the proposed scorer would have decided differently',
    description: 'It changes nothing. Claims are tried at the rung that the body names, 0.98 where it names none.',
  })
  @OfPopulation()
  @ApiBody({ type: ScorerTrial, required: false })
  @Answers('the claims that change', scorerDryRun)
  @Refuses('not_found', 'conflict', 'busy')
  async dryRun(@Population() population: string, @Body() { reject_target }: ScorerTrial): Promise<ScorerDryRun> {
    return this.scorers.dryRun(population, (reject_target ?? DEFAULT_REJECT_TARGET) as RejectTarget);
  }
}
