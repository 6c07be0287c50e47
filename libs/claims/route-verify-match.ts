/** POST /api/v1/verify-match */
import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from '#config/environment';
import { mayUse } from '#config/operators';
import { AlsoForReplays, AsksAfterBody, ForKeys } from '#keys/route-access';
import { answerTo } from '#kit/http/answers';
import { mediaType } from '#kit/http/body';
import { BodyBudget } from '#kit/http/body-budget';
import { ConfiguredCredentials } from '#kit/http/credentials';
import { Answers, Refuses, Repeatable } from '#kit/http/operations';
import { ClientGone, Problem } from '#kit/http/problem';
import { CONFIGURATION } from '#kit/http/provided';
import { OF_SCANS, OF_SCORING } from '#kit/http/refusals';
import { exchange, header } from '#kit/http/request';
import { ApiExtraModels, ApiHeader, ApiOperation, ApiTags } from '#kit/http/swagger';
import { since } from '#kit/observe/elapsed';
import type { Upload, UploadRefused } from '#kit/queue/upload';
import { SharedMemory } from '#kit/threads/shared-memory';
import type { Call, Unanswered } from './call.js';
import { claimBody } from './route-examples.js';
import { readUpload } from './route-upload.js';
import { Claim, ClaimForm } from './route-verify-match.dto.js';
import { type Verification, verification } from './verification.js';
import { type Outcome, VerifyMatch } from './verify-match.js';

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
    const outcome = await this.outcomeOf(request, reply, call, gone);
    if ('answer' in outcome) return outcome.answer;
    throw await this.refused(outcome, call, gone.signal);
  }

  private async outcomeOf(
    request: FastifyRequest,
    reply: FastifyReply,
    call: Call,
    gone: AbortController,
  ): Promise<Outcome> {
    const both = exchange(request, reply);
    const began = performance.now();
    let upload: Upload;
    try {
      const template = this.configuration.stonePatterns.get(call.key.population);
      upload = await readUpload(both, this.configuration, this.budget, this.memory, template);
      // A claim that waits in memory can have to give way as one can that is being read.
      this.budget.memory.of(both.response, both.by).giveWay = (why) => gone.abort(why);
    } catch (error) {
      return { error, latency: {} };
    }
    return this.service.verify(upload, call, { body: since(began) });
  }

  /** The error to answer with; what it refuses is recorded. */
  private async refused(unanswered: Unanswered, call: Call, signal: AbortSignal): Promise<unknown> {
    const gaveWay = signal.reason instanceof Problem;
    const met = gaveWay ? signal.reason : unanswered.error;
    if (met instanceof ClientGone) return met;
    const error = await this.service.refusalOf(call, met);
    const { status, code: reason } = answerTo(error);
    if (status !== 401 && (gaveWay || !signal.aborted)) {
      const { side, findings } = error as Partial<UploadRefused>;
      const recorded = this.service.recordRefusal(call, unanswered, {
        status,
        reason,
        ...(side && { side }),
        findings,
      });
      // A 503 has waited for what is away already, maybe for the log itself.
      if (status !== 503) await recorded;
    }
    return error;
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
    };
  }

  private authoriser(request: FastifyRequest): string | undefined {
    const operator = this.credentials.operator(header(request, 'x-svc-admin'));
    if (operator && mayUse(operator, 'operate')) return operator.name;
    return this.credentials.isReplayToken(header(request, 'x-svc-replay-key')) ? 'replay-token' : undefined;
  }
}
