/** POST /api/v1/verify-match */
import { Controller, HttpCode, Inject, Module, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Configuration, mayUse } from '#config';
import type { ClaimResult } from '#domain';
import { type Call, since, VerifyMatch } from '#service';
import type { UploadRefused } from '#uploads';
import { ApiKeyGuard } from '../http/access.js';
import { answerTo } from '../http/answers.js';
import { BodyBudget, mediaType } from '../http/body.js';
import { ConfiguredCredentials } from '../http/credentials.js';
import { ClientGone, Problem } from '../http/problem.js';
import { exchange, header } from '../http/request.js';
import { CONFIGURATION, uses } from '../provided.js';
import { readUpload } from './upload.js';

@Controller('api/v1/verify-match')
export class VerifyMatchController {
  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly service: VerifyMatch,
    private readonly credentials: ConfiguredCredentials,
    private readonly budget: BodyBudget,
  ) {}

  @Post()
  @HttpCode(200)
  @UseGuards(ApiKeyGuard)
  async verify(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<ClaimResult> {
    const gone = new AbortController();
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) gone.abort();
    });
    const call = this.callOf(request, gone.signal);
    const both = exchange(request, reply);
    try {
      const began = performance.now();
      const upload = await readUpload(both, this.configuration, this.budget);
      // A claim that waits in memory can have to give way as one can that is being read.
      this.budget.of(both.response, both.by).giveWay = (why) => gone.abort(why);
      call.latency.body = since(began);
      return await this.service.verify(upload, call);
    } catch (cause) {
      const gaveWay = gone.signal.reason instanceof Problem;
      const error = gaveWay ? gone.signal.reason : cause;
      const { status, code: reason } = answerTo(error);
      if (status !== 401 && !(error instanceof ClientGone) && (gaveWay || !gone.signal.aborted)) {
        const { side, findings } = error as Partial<UploadRefused>;
        const told = this.service.tellRefusal(call, { status, reason, ...(side && { side }) }, findings);
        // A 503 has waited for what is away already, maybe for the log itself.
        if (status !== 503) await told;
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

@Module({ controllers: [VerifyMatchController], providers: uses(VerifyMatch) })
export class VerifyMatchModule {}
