/** Who may call: guards that run before a body is read. */
import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mayUse, type Scope } from '#config';
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

const SCOPE = 'scope';

/** What a controller's or a handler's callers must be allowed, where reading or deciding does not say it. */
export const NeedsScope = (scope: Scope) => SetMetadata(SCOPE, scope);

/**
 * `X-Svc-Admin` of a configured operator who may do this: reading asks for the scope `audit`, all else for `operate`.
 * A monitoring system cannot send headers of its own: it may send the key as `Authorization: Bearer`.
 */
@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(
    private readonly credentials: ConfiguredCredentials,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const named = this.reflector.getAllAndOverride<Scope | undefined>(SCOPE, [
      context.getHandler(),
      context.getClass(),
    ]);
    const bearer = named === 'metrics' ? /^Bearer +(\S+)$/i.exec(header(request, 'authorization'))?.[1] : undefined;
    const operator = this.credentials.operator(header(request, 'x-svc-admin') || (bearer ?? ''));
    if (operator === undefined) {
      const headers = { 'www-authenticate': 'Bearer realm="match-verification"' };
      throw new Problem('credential_operator', undefined, named === 'metrics' ? { headers } : {});
    }
    request.operator = operator.name;
    const scope = named ?? (request.method === 'GET' || request.method === 'HEAD' ? 'audit' : 'operate');
    if (!mayUse(operator, scope)) throw new Problem('operator_scope', `: it needs ${scope}`);
    return true;
  }
}
