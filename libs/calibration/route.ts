/** Ladders per population: proposals, approvals, withdrawals, history. */
import { applyDecorators, Body, Controller, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ForOperators } from '#kit/http/access';
import { namesOf } from '#kit/http/listing';
import { Answers, AnswersPage, REQUEST_ID, Refuses, Repeatable } from '#kit/http/operations';
import { ReadsBody } from '#kit/http/read-body';
import { shownSchema } from '#kit/http/schemas';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '#kit/http/swagger';
import type { Page } from '#kit/views/page';
import type { RejectTarget } from '#science/calibration/ladder';
import { Calibrations } from './calibrations.js';
import {
  type CalibratedRung,
  type Calibration,
  type CalibrationHistory,
  calibratedRung,
  calibration,
  calibrationHistory,
  type DryRun,
  dryRun,
  HistoryQuery,
  ListQuery,
  type PopulationScores,
  populationScores,
  ScoresQuery,
  Trial,
  Withdrawal,
} from './route.dto.js';
import { Approval, Approves, decisionOf, Withdraws } from './route-decisions.js';
import { OfPopulation, PathGuard, Population, rungOf } from './route-path.js';

export { ScorerController } from './route-scorer.js';

const Rung = () => Param('reject_target', { transform: rungOf });

const OfRung = () =>
  applyDecorators(
    OfPopulation(),
    ApiParam({ name: 'reject_target', description: 'the rung, as 0.98', schema: { type: 'string' } }),
  );

@ApiTags('calibration')
@Controller('api/v1/calibration')
@ForOperators(PathGuard)
export class CalibrationController {
  constructor(private readonly calibrations: Calibrations) {}

  @Get()
  @ApiOperation({
    operationId: 'listCalibrations',
    summary: 'Ladders of all populations, with proposals',
    description: 'Under the live model, or under the one that `model` names.',
  })
  @AnswersPage('populations by name', calibration)
  @Refuses('bad_request', 'not_found', 'busy')
  async list(@Query() { model, ...page }: ListQuery): Promise<Page<Calibration>> {
    const of = await this.calibrations.modelOf(model);
    const { names, next_cursor } = namesOf(await this.calibrations.populations(), page);
    return { items: await this.calibrations.records(names, of), next_cursor };
  }

  @Get(':population')
  @ApiOperation({
    operationId: 'getCalibration',
    summary: 'The ladder of a population, with proposals',
    description: 'With as_of the answer is that of /history.',
  })
  @OfPopulation()
  @ApiResponse({
    status: 200,
    description: 'rungs from 0.99 to 0.90',
    headers: REQUEST_ID,
    schema: { anyOf: [calibration, calibrationHistory].map(shownSchema) as object[] },
  })
  @Refuses('bad_request', 'not_found', 'busy')
  async show(
    @Population() population: string,
    @Query() query: HistoryQuery,
  ): Promise<Calibration | CalibrationHistory> {
    if (query.as_of !== undefined) return this.history(population, query);
    return this.calibrations.record(population, await this.calibrations.modelOf(query.model));
  }

  @Get(':population/scores')
  @ApiOperation({
    operationId: 'getCalibrationScores',
    summary: 'Histograms of a population’s scores: genuine claims, and wrong ones derived from them',
    description:
      'By the scorer in force, raw scores otherwise. Wrong claims are pairs of distinct stones of counted claims, as ' +
      'proposals take them; genuine ones are the counted claims as they were sent.',
  })
  @OfPopulation()
  @Answers('both histograms with the thresholds', populationScores)
  @Refuses('bad_request', 'not_found', 'busy')
  async scores(@Population() population: string, @Query() { model }: ScoresQuery): Promise<PopulationScores> {
    return this.calibrations.scores(population, await this.calibrations.modelOf(model));
  }

  @Get(':population/history')
  @ApiOperation({
    operationId: 'getCalibrationHistory',
    summary: 'Every decision with its operator, and the state at a time',
    description: 'Each decision with its operator, time and reason; with as_of only those made by then.',
  })
  @OfPopulation()
  @Answers('decisions and what was live', calibrationHistory)
  @Refuses('bad_request', 'not_found', 'busy')
  async history(
    @Population() population: string,
    @Query() { as_of, model }: HistoryQuery,
  ): Promise<CalibrationHistory> {
    const named = model === undefined ? undefined : await this.calibrations.modelOf(model);
    return this.calibrations.history(population, as_of === undefined ? undefined : new Date(as_of), named);
  }

  @Post(':population/rungs/:reject_target/approve')
  @Approves({
    operationId: 'approveThreshold',
    summary: 'Approve the population’s own threshold for a rung',
    description:
      'The body names the proposal that the operator saw. Newer claims do not invalidate it; an approval, a withdrawal or a ' +
      'change of model does. The decision applies to every request that begins after the answer, on every replica.',
    answers: ['the rung as it is now', calibratedRung],
  })
  @OfRung()
  async approve(
    @Population() population: string,
    @Rung() rung: RejectTarget,
    @Body() body: Approval,
    @Req() request: FastifyRequest,
  ): Promise<CalibratedRung> {
    return this.calibrations.approve(population, rung, decisionOf(request, body), body.proposal_digest.toLowerCase());
  }

  @Post(':population/rungs/:reject_target/withdraw')
  @Withdraws({
    operationId: 'withdrawThreshold',
    summary: 'Return a rung to the shipped default',
    description:
      'From the next claim on the threshold that came with the model decides. Verdicts that were given stay.',
    answers: ['the rung as it is now', calibratedRung],
  })
  @OfRung()
  async withdraw(
    @Population() population: string,
    @Rung() rung: RejectTarget,
    @Body() body: Withdrawal,
    @Req() request: FastifyRequest,
  ): Promise<CalibratedRung> {
    const of = await this.calibrations.modelOf(body.model);
    return this.calibrations.withdraw(population, rung, decisionOf(request, body), of);
  }

  @Post(':population/rungs/:reject_target/dry-run')
  @HttpCode(200)
  @ReadsBody({ optional: true })
  @Repeatable()
  @ApiOperation({
    operationId: 'tryThreshold',
    summary: 'List the past claims that a threshold would have decided differently',
    description: 'It changes nothing. The proposed threshold is tried where the body names none.',
  })
  @OfRung()
  @ApiBody({ type: Trial, required: false })
  @Answers('the claims that change', dryRun)
  @Refuses('not_found', 'conflict', 'busy')
  async dryRun(
    @Population() population: string,
    @Rung() rung: RejectTarget,
    @Body() { model, threshold }: Trial,
  ): Promise<DryRun> {
    return this.calibrations.dryRun(population, rung, await this.calibrations.modelOf(model), threshold);
  }
}
