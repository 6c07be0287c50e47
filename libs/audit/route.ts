/** Audit bundles: of a population, and of a workspace. */
import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { OfPopulation, PathGuard, Population } from '#calibration/route-path';
import { Workspaces } from '#keys/credentials';
import { ForOperators } from '#kit/http/access';
import { FreshViews } from '#kit/http/listing';
import { LOGGER, STORE } from '#kit/http/provided';
import { ApiOperation, ApiTags } from '#kit/http/swagger';
import type { EventReader } from '#kit/log/port';
import { LogSeals } from '#kit/log/seal';
import { ViewReads } from '#kit/views/reads';
import { OfWorkspace, workspaceAt } from '#lots/route-scorer';
import { LotScorerDecisions } from '#lots/scorer-decisions';
import { prepareBundle } from './bundle.js';
import { prepareLotsBundle } from './lots-bundle.js';
import { AnswersBundle, servedBundle } from './route-bundle.js';

@ApiTags('calibration')
@Controller('api/v1/calibration')
@ForOperators(PathGuard)
export class PopulationAuditController {
  constructor(
    @Inject(STORE) private readonly store: EventReader,
    private readonly seals: LogSeals,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get(':population/audit.zip')
  @ApiOperation({
    operationId: 'getAuditBundle',
    summary: 'The evidence behind the approvals of a population, as one zip',
    description:
      'Decisions, claims, vectors, events, hashes, a report and verify.mjs, which recomputes every threshold.',
  })
  @OfPopulation()
  @AnswersBundle()
  async audit(
    @Population() population: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { store: reader, seals, logger } = this;
    const of = { population };
    return servedBundle(prepareBundle({ reader, seals, ...of }), { request, reply, logger, of });
  }
}

@ApiTags('lots')
@Controller('api/lotscan/workspaces/:token_prefix/scorer')
@ForOperators()
export class WorkspaceAuditController {
  constructor(
    @Inject(STORE) private readonly store: EventReader,
    private readonly seals: LogSeals,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly scorers: LotScorerDecisions,
    readonly workspaces: Workspaces,
    readonly reads: ViewReads,
    readonly fresh: FreshViews,
  ) {}

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
    const id = await workspaceAt(prefix, this);
    const preparing = prepareLotsBundle({ reader, seals, id, models: [scorers.model] });
    return servedBundle(preparing, { request, reply, logger, of: { workspace: id } });
  }
}
