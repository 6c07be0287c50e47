/** POST /api/v1/verify-match */
import { Controller, HttpCode, Inject, Module, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Configuration, mayUse } from '#config';
import { type Call, since, type Verification, VerifyMatch, verification } from '#service';
import { SharedMemory } from '#threads';
import type { UploadRefused } from '#uploads';
import { OF_SCANS, OF_SCORING } from '../contract/refusals.js';
import { AlsoForReplays, AsksAfterBody, ForKeys } from '../http/access.js';
import { answerTo } from '../http/answers.js';
import { mediaType } from '../http/body.js';
import { BodyBudget } from '../http/body-budget.js';
import { ConfiguredCredentials } from '../http/credentials.js';
import { Answers, Refuses, Repeatable } from '../http/operations.js';
import { ClientGone, Problem } from '../http/problem.js';
import { exchange, header } from '../http/request.js';
import { ApiExtraModels, ApiHeader, ApiOperation, ApiTags } from '../http/swagger.js';
import { CONFIGURATION, uses } from '../provided.js';
import { claimBody } from './examples.js';
import { readUpload } from './upload.js';
import { Claim, ClaimForm } from './verify-match.dto.js';

@ApiTags('verification')
@Controller('api/v1/verify-match')
export class VerifyMatchController {
  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly service: VerifyMatch,
    private readonly credentials: ConfiguredCredentials,
    private readonly budget: BodyBudget,
    private readonly memory: SharedMemory,
  ) {}

  @Post()
  @Repeatable()
  @ApiOperation({
    operationId: 'verifyMatch',
    summary: 'Did this polish come out of that rough?',
    description:
      'Scans as files (multipart) or as numbers (JSON): the same spectra give the same scores, bit for bit. Sending a ' +
      'claim again answers the stored verdict under the same claim_id.',
    requestBody: claimBody,
  })
  @ApiExtraModels(Claim, ClaimForm)
  @ApiHeader({ name: 'X-Request-Id', description: 'your own id of the request; logs and events carry it' })
  @ApiHeader({
    name: 'X-Svc-Replay',
    description: '1: a replay, with X-Svc-Replay-Key or X-Svc-Admin; no claim history is written',
  })
  @Answers('the verdict', verification)
  @Refuses(
    ...OF_SCANS,
    ...OF_SCORING,
    'unreadable_multipart',
    'slow_request',
    'too_large',
    'wrong_content_type',
    'compressed',
    'bodies_full',
    'busy',
  )
  @HttpCode(200)
  @ForKeys()
  @AsksAfterBody()
  @AlsoForReplays()
  async verify(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Verification> {
    const gone = new AbortController();
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) gone.abort();
    });
    const call = this.callOf(request, gone.signal);
    const both = exchange(request, reply);
    try {
      const began = performance.now();
      const upload = await readUpload(both, this.configuration, this.budget, this.memory);
      // A claim that waits in memory can have to give way as one can that is being read.
      this.budget.memory.of(both.response, both.by).giveWay = (why) => gone.abort(why);
      call.latency.body = since(began);
      return await this.service.verify(upload, call);
    } catch (cause) {
      const gaveWay = gone.signal.reason instanceof Problem;
      const met = gaveWay ? gone.signal.reason : cause;
      const error = met instanceof ClientGone ? met : await this.service.refusalOf(call, met);
      const { status, code: reason } = answerTo(error);
      if (status !== 401 && !(error instanceof ClientGone) && (gaveWay || !gone.signal.aborted)) {
        const { side, findings } = error as Partial<UploadRefused>;
        const recorded = this.service.recordRefusal(call, { status, reason, ...(side && { side }) }, findings);
        // A 503 has waited for what is away already, maybe for the log itself.
        if (status !== 503) await recorded;
      }
      throw error;
    }
  }

  private callOf(request: FastifyRequest, signal: AbortSignal): Call {
    const wanted = /^(?:1|true)$/i.test(header(request, 'x-svc-replay'));
    const replayBy = wanted ? this.authoriser(request) : undefined;
    return {
      key: request.apiKey!,
      requestId: request.id,
      transport: mediaType(request.raw) === 'multipart/form-data' ? 'multipart' : 'json',
      replayBy,
      replayIgnored: wanted && replayBy === undefined,
      deadline: performance.now() + this.configuration.requestTimeoutMs,
      signal,
      latency: {},
    };
  }

  private authoriser(request: FastifyRequest): string | undefined {
    const operator = this.credentials.operator(header(request, 'x-svc-admin'));
    if (operator && mayUse(operator, 'operate')) return operator.name;
    return this.credentials.isReplayToken(header(request, 'x-svc-replay-key')) ? 'replay-token' : undefined;
  }
}

@Module({ controllers: [VerifyMatchController], providers: uses(VerifyMatch, SharedMemory) })
export class VerifyMatchModule {}
