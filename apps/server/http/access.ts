/** Who may call: guards that run before a body is read. */
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiKeys } from '#service';
import { ConfiguredCredentials } from './credentials.js';
import { Problem } from './problem.js';
import { RateLimit } from './rate-limit.js';
import { header } from './request.js';

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>();

/** `X-Api-Key` of an active key, within its rate. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly keys: ApiKeys,
    private readonly rate: RateLimit,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const key = await this.keys.authenticate(header(request, 'x-api-key'));
    if (!key) throw new Problem('credential_api_key');
    const taken = this.rate.take(key.id, performance.now());
    context.switchToHttp().getResponse<FastifyReply>().headers(this.rate.headers(taken));
    if (taken.wait > 0) throw new Problem('too_many', undefined, { headers: { 'retry-after': String(taken.wait) } });
    request.apiKey = key;
    return true;
  }
}

/** `X-Svc-Admin` of a configured operator. */
@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(private readonly credentials: ConfiguredCredentials) {}

  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const operator = this.credentials.operator(header(request, 'x-svc-admin'));
    if (operator === undefined) throw new Problem('credential_operator');
    request.operator = operator;
    return true;
  }
}
