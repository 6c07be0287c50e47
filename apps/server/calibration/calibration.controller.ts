/** Ladders per population: proposals, approvals, withdrawals, history. */
import {
  applyDecorators,
  Controller,
  Get,
  HttpCode,
  Inject,
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
import { zipBundle } from '#audit';
import { REJECT_TARGETS, type RejectTarget } from '#calibration';
import { limits } from '#config';
import { Calibrations } from '#service';
import { OperatorGuard } from '../http/access.js';
import { BodyBudget, readJson } from '../http/body.js';
import { namesOf, PageQuery } from '../http/listing.js';
import { Problem } from '../http/problem.js';
import { exchange } from '../http/request.js';
import { checked, Stated } from '../http/validation.js';
import { PARTS, type Parts } from '../parts.js';

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

@Controller('api/v1/calibration')
@UseGuards(OperatorGuard)
export class CalibrationController {
  constructor(
    @Inject(PARTS) private readonly parts: Parts,
    private readonly calibrations: Calibrations,
    private readonly budget: BodyBudget,
  ) {}

  @Get()
  async list(@Query() query: unknown) {
    const { model, ...page } = checked(ListQuery, query, 'bad_request');
    const of = await this.calibrations.modelOf(model);
    const { names, next_cursor } = namesOf(await this.calibrations.populations(), page);
    return { items: await this.calibrations.records(names, of), next_cursor };
  }

  @Get(':population')
  async show(@Param('population') population: string, @Query() query: unknown) {
    await this.calibrations.require(population);
    const { asOf, named } = await this.moment(query);
    if (asOf) return this.calibrations.history(population, asOf, named);
    return this.calibrations.record(population, named ?? (await this.calibrations.modelOf()));
  }

  @Get(':population/history')
  async history(@Param('population') population: string, @Query() query: unknown) {
    await this.calibrations.require(population);
    const { asOf, named } = await this.moment(query);
    return this.calibrations.history(population, asOf, named);
  }

  @Get(':population/audit.zip')
  async audit(
    @Param('population') population: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.calibrations.require(population);
    const { zip, done } = zipBundle({ reader: this.parts.store, population });
    done.catch((error: Error) => {
      if (!request.raw.destroyed) this.parts.logger.error({ err: error, population }, 'audit bundle broken off');
    });
    void reply.header('content-disposition', 'attachment; filename="audit.zip"');
    return new StreamableFile(zip, { type: 'application/zip' });
  }

  @Post(':population/rungs/:reject_target/approve')
  @HttpCode(200)
  async approve(
    @Param() { population, reject_target }: Record<string, string>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { rung, body } = await this.read(population, reject_target, ApproveBody, request, reply);
    const decision = { population, rung, operator: request.operator!, reason: body.reason, requestId: request.id };
    return this.calibrations.approve(decision, body.proposal_digest.toLowerCase());
  }

  @Post(':population/rungs/:reject_target/withdraw')
  @HttpCode(200)
  async withdraw(
    @Param() { population, reject_target }: Record<string, string>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { rung, body } = await this.read(population, reject_target, WithdrawBody, request, reply);
    const decision = { population, rung, operator: request.operator!, reason: body.reason, requestId: request.id };
    return this.calibrations.withdraw(decision, await this.calibrations.modelOf(body.model));
  }

  @Post(':population/rungs/:reject_target/dry-run')
  @HttpCode(200)
  async dryRun(
    @Param() { population, reject_target }: Record<string, string>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { rung, body } = await this.read(population, reject_target, DryRunBody, request, reply);
    const of = await this.calibrations.modelOf(body.model);
    return this.calibrations.dryRun(population, rung, of, body.threshold);
  }

  /** Population and rung before the body, the body before the state. A missing body is an empty one. */
  private async read<T extends object>(
    population: string,
    rejectTarget: string,
    shape: new () => T,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ rung: RejectTarget; body: T }> {
    await this.calibrations.require(population);
    const number = /^0?\.\d{1,4}$/.test(rejectTarget) ? Number(rejectTarget) : Number.NaN;
    const rung = REJECT_TARGETS.find((target) => target === number);
    if (rung === undefined) throw new Problem('not_found', ': no such rung');
    const allowed = { maxBytes: limits.otherBytes, timeoutMs: this.parts.configuration.requestTimeoutMs };
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    const empty = length === '0' && encoding === undefined;
    const body = empty ? {} : await readJson(exchange(request, reply), allowed, this.budget);
    return { rung, body: checked(shape, body, 'unprocessable') };
  }

  private async moment(query: unknown) {
    const { as_of, model } = checked(HistoryQuery, query, 'bad_request');
    const named = model === undefined ? undefined : await this.calibrations.modelOf(model);
    return { asOf: as_of === undefined ? undefined : new Date(as_of), named };
  }
}
