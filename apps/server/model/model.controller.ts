/** Which model decides, which scores beside, and the operator's switch between them. */
import { Controller, Get, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { IsBoolean, IsOptional, Matches } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ModelSwitch } from '#service';
import { OperatorGuard } from '../http/access.js';
import { BodyBudget } from '../http/body.js';
import { exchange } from '../http/request.js';
import { readChecked, Stated } from '../http/validation.js';
import { PARTS, type Parts } from '../parts.js';

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
    @Inject(PARTS) private readonly parts: Parts,
    private readonly models: ModelSwitch,
    private readonly budget: BodyBudget,
  ) {}

  @Get()
  async show() {
    return this.withShadow(await this.models.show());
  }

  @Post('switch')
  @HttpCode(200)
  async switch(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { requestTimeoutMs } = this.parts.configuration;
    const body = await readChecked(SwitchBody, exchange(request, reply), requestTimeoutMs, this.budget);
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
    const { values } = await this.parts.metrics.shadow.get();
    return { ...shown, shadow_claims: Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value])) };
  }
}
