/** The lot product, for holders of a workspace's token. */
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
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsInt,
  IsNumber,
  IsOptional,
  Matches,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from '#config';
import { MAX_SOURCES, MOST_SUBSTITUTION } from '#lots';
import { LotBounds, type LotCall, Lots, since, told } from '#service';
import { LotsView } from '#views';
import { WorkspaceGuard } from '../http/access.js';
import { BodyBudget } from '../http/body.js';
import { FreshViews, PageQuery, paged } from '../http/listing.js';
import { Problem } from '../http/problem.js';
import { ReadsBody } from '../http/read-body.js';
import { exchange } from '../http/request.js';
import { checked } from '../http/validation.js';
import { CONFIGURATION, uses } from '../provided.js';
import { type LotForm, readLotForm, refuseThreshold } from './lot-form.js';

const MAX_DRAWS = 2000;
const MAX_SEED = 2 ** 32 - 1;

export class RehearsalBody {
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(MOST_SUBSTITUTION)
  substitution = 0.2;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MAX_SEED)
  seed = 1;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_DRAWS)
  draws = 200;

  /** The model's cohort, or lots of the same workspace. */
  @ValidateIf(({ source }) => source !== 'cohort')
  @Matches(/^lot_[0-9a-f]{32}$/, { each: true, message: 'source must be cohort or a list of lot ids' })
  @ArrayUnique()
  @ArrayMaxSize(MAX_SOURCES)
  @ArrayMinSize(1)
  @IsArray({ message: 'source must be cohort or a list of lot ids' })
  source: 'cohort' | string[] = 'cohort';
}

@Controller('api/lotscan')
@UseGuards(WorkspaceGuard)
export class LotsController {
  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly lots: Lots,
    private readonly bounds: LotBounds,
    private readonly view: LotsView,
    private readonly fresh: FreshViews,
    private readonly budget: BodyBudget,
  ) {}

  @Get('bounds')
  showBounds() {
    return this.bounds.told;
  }

  @Post('lots')
  async enrol(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { lot, fresh } = await this.withFiles(request, reply, ({ name, ...sent }, call) => {
      if (name === undefined) throw new Problem('unprocessable', ': name is missing');
      return this.lots.enrol(name, sent, call);
    });
    void reply.status(fresh ? 201 : 200);
    return lot;
  }

  @Get('lots')
  async list(
    @Query() page: PageQuery,
    @Req() { workspace }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.fresh.wait(['lots'], reply);
    return paged(() => this.view.lots(workspace!.id, page));
  }

  @Get('lots/:lot_id')
  async show(
    @Param('lot_id') lotId: string,
    @Req() { workspace }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const lot = await this.lots.lot(workspace!, lotId);
    await this.fresh.wait(['lots'], reply);
    const { count, latest } = this.view.checks(workspace!.id, lotId);
    return { ...told(lot), check_count: count, checks: latest };
  }

  @Post('lots/:lot_id/check')
  @HttpCode(200)
  async check(
    @Param('lot_id') lotId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const lot = await this.lots.lot(request.workspace!, lotId);
    return this.withFiles(request, reply, ({ name, ...sent }, call) => {
      if (name !== undefined) throw new Problem('bad_request', ': a check takes no name');
      return this.lots.check(lot, sent, call);
    });
  }

  @Post('lots/:lot_id/rehearse')
  @HttpCode(200)
  @ReadsBody({ optional: true })
  async rehearse(
    @Param('lot_id') lotId: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    refuseThreshold(request.query, body);
    const { substitution, seed, draws, source } = checked(RehearsalBody, body, 'unprocessable');
    const lot = await this.lots.lot(request.workspace!, lotId);
    return this.lots.rehearse(lot, { substitution, seed, draws, source }, this.callOf(request, reply));
  }

  /** Reads the form and works on it. The files lie in memory meanwhile, and may have to give way to somebody else's. */
  private async withFiles<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (form: LotForm, call: LotCall) => Promise<T>,
  ): Promise<T> {
    refuseThreshold(request.query);
    const gone = new AbortController();
    const call = this.callOf(request, reply, gone);
    const both = exchange(request, reply);
    const began = performance.now();
    try {
      const form = await readLotForm(both, this.configuration, this.budget);
      this.budget.of(both.response, both.by).giveWay = (why) => gone.abort(why);
      call.latency.body = since(began);
      return await work(form, call);
    } catch (error) {
      throw gone.signal.reason instanceof Problem ? gone.signal.reason : error;
    }
  }

  private callOf(request: FastifyRequest, reply: FastifyReply, gone = new AbortController()): LotCall {
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) gone.abort();
    });
    return {
      workspace: request.workspace!,
      requestId: request.id,
      deadline: performance.now() + this.configuration.requestTimeoutMs,
      signal: gone.signal,
      latency: {},
    };
  }
}

@Module({ controllers: [LotsController], providers: uses(Lots, LotBounds, LotsView, FreshViews) })
export class LotsModule {}
