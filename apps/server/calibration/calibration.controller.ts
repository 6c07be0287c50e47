/** Ladders per population: proposals, approvals, withdrawals, history. */
import {
  applyDecorators,
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Module,
  Param,
  Post,
  Query,
  Req,
  Res,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { IsISO8601, IsNumber, IsOptional, Matches, Max, Min } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { zipBundle } from '#audit';
import { REJECT_TARGETS, type RejectTarget } from '#calibration';
import type { EventReader } from '#event-store';
import { Calibrations } from '#service';
import { OperatorGuard } from '../http/access.js';
import { namesOf, PageQuery } from '../http/listing.js';
import { Problem } from '../http/problem.js';
import { ReadsBody } from '../http/read-body.js';
import { Stated } from '../http/validation.js';
import { LOGGER, STORE, uses } from '../provided.js';

const SHA256_HEX = /^[0-9a-f]{64}$/i;
/** A model by its digest; the live one where none is named. */
const NamedModel = () =>
  applyDecorators(IsOptional(), Matches(SHA256_HEX, { message: 'model must be a digest of 64 hex digits' }));

class ListQuery extends PageQuery {
  @NamedModel()
  model?: string;
}

class ReasonBody {
  @Stated()
  reason!: string;
}

class ApproveBody extends ReasonBody {
  @Matches(SHA256_HEX, { message: 'proposal_digest must be 64 hex digits' })
  proposal_digest!: string;
}

class WithdrawBody extends ReasonBody {
  @NamedModel()
  model?: string;
}

class DryRunBody {
  @NamedModel()
  model?: string;

  @IsOptional()
  @IsNumber()
  @Min(-1)
  @Max(1)
  threshold?: number;
}

class HistoryQuery {
  @NamedModel()
  model?: string;

  @IsOptional()
  @IsISO8601({ strict: true })
  as_of?: string;
}

/** @throws Problem (not_found) */
function rungOf(rejectTarget: string): RejectTarget {
  const number = /^0?\.\d{1,4}$/.test(rejectTarget) ? Number(rejectTarget) : Number.NaN;
  const rung = REJECT_TARGETS.find((target) => target === number);
  if (rung === undefined) throw new Problem('not_found', ': no such rung');
  return rung;
}

/** The population and the rung of the path are looked for before a body is read. */
@Injectable()
class PathGuard implements CanActivate {
  constructor(private readonly calibrations: Calibrations) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { population, reject_target } = context
      .switchToHttp()
      .getRequest<{ params: Record<string, string> }>().params;
    if (population !== undefined) await this.calibrations.require(population);
    if (reject_target !== undefined) rungOf(reject_target);
    return true;
  }
}

const Population = () => Param('population');
const Rung = () => Param('reject_target', { transform: rungOf });

@Controller('api/v1/calibration')
@UseGuards(OperatorGuard, PathGuard)
export class CalibrationController {
  constructor(
    @Inject(STORE) private readonly store: EventReader,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly calibrations: Calibrations,
  ) {}

  @Get()
  async list(@Query() { model, ...page }: ListQuery) {
    const of = await this.calibrations.modelOf(model);
    const { names, next_cursor } = namesOf(await this.calibrations.populations(), page);
    return { items: await this.calibrations.records(names, of), next_cursor };
  }

  @Get(':population')
  async show(@Population() population: string, @Query() query: HistoryQuery) {
    if (query.as_of !== undefined) return this.history(population, query);
    return this.calibrations.record(population, await this.calibrations.modelOf(query.model));
  }

  @Get(':population/history')
  async history(@Population() population: string, @Query() { as_of, model }: HistoryQuery) {
    const named = model === undefined ? undefined : await this.calibrations.modelOf(model);
    return this.calibrations.history(population, as_of === undefined ? undefined : new Date(as_of), named);
  }

  @Get(':population/audit.zip')
  async audit(
    @Population() population: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { zip, done } = zipBundle({ reader: this.store, population });
    done.catch((error: Error) => {
      if (!request.raw.destroyed) this.logger.error({ err: error, population }, 'audit bundle broken off');
    });
    void reply.header('content-disposition', 'attachment; filename="audit.zip"');
    return new StreamableFile(zip, { type: 'application/zip' });
  }

  @Post(':population/rungs/:reject_target/approve')
  @HttpCode(200)
  @ReadsBody({ optional: true })
  async approve(
    @Population() population: string,
    @Rung() rung: RejectTarget,
    @Body() { reason, proposal_digest }: ApproveBody,
    @Req() { operator, id: requestId }: FastifyRequest,
  ) {
    const decision = { population, rung, operator: operator!, reason, requestId };
    return this.calibrations.approve(decision, proposal_digest.toLowerCase());
  }

  @Post(':population/rungs/:reject_target/withdraw')
  @HttpCode(200)
  @ReadsBody({ optional: true })
  async withdraw(
    @Population() population: string,
    @Rung() rung: RejectTarget,
    @Body() { reason, model }: WithdrawBody,
    @Req() { operator, id: requestId }: FastifyRequest,
  ) {
    const decision = { population, rung, operator: operator!, reason, requestId };
    return this.calibrations.withdraw(decision, await this.calibrations.modelOf(model));
  }

  @Post(':population/rungs/:reject_target/dry-run')
  @HttpCode(200)
  @ReadsBody({ optional: true })
  async dryRun(@Population() population: string, @Rung() rung: RejectTarget, @Body() { model, threshold }: DryRunBody) {
    return this.calibrations.dryRun(population, rung, await this.calibrations.modelOf(model), threshold);
  }
}

@Module({ controllers: [CalibrationController], providers: uses(STORE, LOGGER, Calibrations) })
export class CalibrationModule {}
