/** The live model, the shadow, and the operator's switch between them. */
import { Body, Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { IsBoolean, IsOptional } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { ForOperators } from '#kit/http/access';
import { Digest, Flag, optional, RequiredText } from '#kit/http/dto';
import { Answers, Refuses } from '#kit/http/operations';
import { METRICS } from '#kit/http/provided';
import { ReadsBody } from '#kit/http/read-body';
import { ApiOperation, ApiSchema, ApiTags } from '#kit/http/swagger';
import type { Metrics } from '#kit/observe/metrics';
import { ModelSwitch } from './model-switch.js';
import { type PublicModels, publicModels } from './queries-models-shapes.js';

@ApiSchema({ name: 'ModelSwitch' })
class SwitchBody {
  @Digest('model', 'digest of a model')
  model!: string;

  @RequiredText()
  reason!: string;

  @IsOptional()
  @IsBoolean()
  @Flag('populations may fall back to the shipped default', { default: false, ...optional })
  accept_uncalibrated = false;
}

@ApiTags('calibration')
@Controller('api/v1/model')
@ForOperators()
export class ModelController {
  constructor(
    @Inject(METRICS) private readonly metrics: Metrics,
    private readonly models: ModelSwitch,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'showModels',
    summary: 'The model that decides, the shadow, and the cost of a switch',
    description: 'It changes nothing; POST /api/v1/model/switch makes the switch.',
  })
  @Answers('the models', publicModels)
  @Refuses('busy')
  async show(): Promise<PublicModels> {
    return this.withShadow(await this.models.show());
  }

  @Post('switch')
  @HttpCode(200)
  @ReadsBody()
  @ApiOperation({
    operationId: 'switchModel',
    summary: 'Make another installed model the live one',
    description:
      'Holds for requests that begin after the answer, on every replica; the same command switches back. Refused while ' +
      'a scoring worker lacks the model, and where populations would lose an approved rung, unless the operator accepts ' +
      'that.',
  })
  @Answers('the models as they are now', publicModels)
  @Refuses('not_found', 'conflict', 'busy')
  async switch(@Body() body: SwitchBody, @Req() request: FastifyRequest): Promise<PublicModels> {
    const switched = await this.models.switch({
      to: body.model.toLowerCase(),
      acceptUncalibrated: body.accept_uncalibrated,
      operator: request.operator!,
      reason: body.reason,
      requestId: request.id,
    });
    return this.withShadow(switched);
  }

  /** With what came of the shadow model's scores since this process began. */
  private async withShadow<T extends object>(shown: T) {
    const { values } = await this.metrics.shadow.get();
    return { ...shown, shadow_claims: Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value])) };
  }
}
