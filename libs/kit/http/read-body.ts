/** Bodies of operators' commands and of labels: read after the guards and before the validation pipe. */
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from '#config/environment';
import { limits } from '#config/limits';
import { type Exchange, mediaType, readJson } from './body.js';
import { BodyBudget } from './body-budget.js';
import { LargeJson, refuseDeep, type Wanted } from './large-json.js';
import { readForm } from './multipart.js';
import { BODY_REFUSALS } from './operations.js';
import type { ErrorCode } from './problem.js';
import { CONFIGURATION } from './provided.js';
import { exchange } from './request.js';
import { ApiConsumes, ApiExtension } from './swagger.js';

interface BodyOptions {
  maxBytes?: number;
  /** What is wanted of a body of more than 64 KiB: a list of items, whole or as a member. */
  items?: Wanted;
  /** True if a missing body stands for one without members. */
  optional?: boolean;
  /** True if the members may come as the fields of a form, too. */
  form?: boolean;
}

const OPTIONS = 'body options';

@Injectable()
class BodyReader implements NestInterceptor {
  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly budget: BodyBudget,
    private readonly large: LargeJson,
    private readonly reflector: Reflector,
  ) {}

  /** @throws Problem, ClientGone */
  async intercept(context: ExecutionContext, next: CallHandler) {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const options = this.reflector.get<BodyOptions>(OPTIONS, context.getHandler());
    request.body = await this.read(exchange(request, http.getResponse<FastifyReply>()), options);
    refuseDeep(request.body);
    return next.handle();
  }

  private async read(both: Exchange, options: BodyOptions): Promise<unknown> {
    const { maxBytes = limits.otherBytes, items, optional, form } = options;
    const { maxBodyBytes, requestTimeoutMs } = this.configuration;
    const allowed = { maxBytes: Math.min(maxBytes, maxBodyBytes), timeoutMs: requestTimeoutMs };
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = both.request.headers;
    if (optional && length === '0' && encoding === undefined) return {};
    if (!form || mediaType(both.request) !== 'multipart/form-data')
      return readJson(both, allowed, this.budget, items && ((body) => this.large.read(body, both.by, items)));
    const { fields } = await readForm(both, { ...allowed, maxFiles: 1 }, this.budget);
    return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  }
}

const REFUSED: ErrorCode[] = ['invalid_json', 'too_large', 'wrong_content_type', 'unprocessable'];

/** The handler takes a JSON body, as `@Body()`. */
export const ReadsBody = (options: BodyOptions = {}) =>
  applyDecorators(
    SetMetadata(OPTIONS, options),
    UseInterceptors(BodyReader),
    ApiConsumes('application/json', ...(options.form ? ['multipart/form-data'] : [])),
    ApiExtension(BODY_REFUSALS, REFUSED),
  );
