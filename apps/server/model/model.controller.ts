/** Which model decides, which scores beside, and the operator's switch between them. */
import { Body, Controller, Get, HttpCode, Inject, Module, Post, Req, UseGuards } from '@nestjs/common';
import { IsBoolean, IsOptional, Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import type { Metrics } from '#observability';
import { ModelSwitch } from '#service';
import { OperatorGuard } from '../http/access.js';
import { ReadsBody } from '../http/read-body.js';
import { Stated } from '../http/validation.js';
import { METRICS, uses } from '../provided.js';

class SwitchBody {
  @Matches(/^[0-9a-f]{64}$/i, { message: 'model must be a digest of 64 hex digits' })
  model!: string;

  @Stated()
  reason!: string;

  @IsOptional()
  @IsBoolean()
  accept_uncalibrated = false;
}

@Controller('api/v1/model')
@UseGuards(OperatorGuard)
export class ModelController {
  constructor(
    @Inject(METRICS) private readonly metrics: Metrics,
    private readonly models: ModelSwitch,
  ) {}

  @Get()
  async show() {
    return this.withShadow(await this.models.show());
  }

  @Post('switch')
  @HttpCode(200)
  @ReadsBody()
  async switch(@Body() body: SwitchBody, @Req() request: FastifyRequest) {
    const switched = await this.models.switch({
      to: body.model.toLowerCase(),
      acceptUncalibrated: body.accept_uncalibrated,
      operator: request.operator!,
      reason: body.reason,
      requestId: request.id,
    });
    return this.withShadow(switched);
  }

  /** With what came of scores beside the live model's since this process began. */
  private async withShadow<T extends object>(shown: T) {
    const { values } = await this.metrics.shadow.get();
    return { ...shown, shadow_claims: Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value])) };
  }
}

@Module({ controllers: [ModelController], providers: uses(METRICS, ModelSwitch) })
export class ModelModule {}
