/** The right to call: guards that run before a body is read. */
import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  SetMetadata,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration, Role } from '#config/environment';
import { mayUse, type Scope } from '#config/operators';
import { ConfiguredCredentials } from './credentials.js';
import { Problem } from './problem.js';
import { CONFIGURATION } from './provided.js';
import { RateLimit } from './rate-limit.js';
import { ReadLimit } from './read-limit.js';
import { vary } from './request.js';
import { ApiSecurity } from './swagger.js';

export const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>();
export const replyOf = (context: ExecutionContext) => context.switchToHttp().getResponse<FastifyReply>();

const EVERY_REPLICA = 'every_replica';

/** For a handler that every replica has, whomever it answers besides. */
export const OnEveryReplica = () => SetMetadata(EVERY_REPLICA, true);

/** Asked once the credential is known to be right. @throws Problem (421) where replicas of another role answer */
export function requireRole(role: Role, wanted: Role, reflector: Reflector, context: ExecutionContext): void {
  if (role === 'all' || role === wanted) return;
  if (reflector.getAllAndOverride<boolean>(EVERY_REPLICA, [context.getHandler(), context.getClass()])) return;
  throw new Problem('misdirected', `: its MVS_ROLE is ${role}`);
}

/** Takes one request out of the caller's bucket. @param own the caller's own rate @throws Problem (429) */
export function withinRate(rate: RateLimit, by: string, context: ExecutionContext, own?: number): void {
  const taken = rate.take(by, performance.now(), own);
  replyOf(context).headers(rate.headers(taken, own));
  if (taken.wait > 0) throw new Problem('too_many', undefined, { headers: { 'retry-after': String(taken.wait) } });
}

const LASTS = 'lasts';

/** For a read that lasts as long as its client likes: it has a bound of its own, and takes no other read's place. */
export const Lasts = () => SetMetadata(LASTS, true);

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD';

/** Where the request reads, waits until few other reads of its caller are in hand. @throws Problem (503), ClientGone */
export async function withinReads(reads: ReadLimit, by: string, reflector: Reflector, context: ExecutionContext) {
  if (!isRead(requestOf(context)) || reflector.get<boolean>(LASTS, context.getHandler())) return;
  await reads.enter(by, replyOf(context).raw);
}

const SCOPE = 'scope';

/** The scope that callers of a controller or a handler need, where reading or deciding does not tell it. */
export const NeedsScope = (scope: Scope) => SetMetadata(SCOPE, scope);

/**
 * `X-Svc-Admin` of a configured operator who may do this: reading asks for the scope `audit`, all else for `operate`.
 * A monitoring system cannot send headers of its own: it may send the key as `Authorization: Bearer`. Those whom the identity
 * provider vouches for send its token so, and the console’s page a cookie.
 */
@Injectable()
class OperatorGuard implements CanActivate {
  constructor(
    private readonly credentials: ConfiguredCredentials,
    private readonly reads: ReadLimit,
    private readonly reflector: Reflector,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const named = this.reflector.getAllAndOverride<Scope | undefined>(SCOPE, [
      context.getHandler(),
      context.getClass(),
    ]);
    const { signOn } = this.credentials;
    const tokens = signOn.enabled ? ', authorization, cookie' : named === 'metrics' ? ', authorization' : '';
    vary(replyOf(context), `x-svc-admin${tokens}`);
    const operator = await this.credentials.sender(request, named === 'metrics');
    if (operator === undefined) {
      const headers = { 'www-authenticate': 'Bearer realm="match-verification"' };
      throw new Problem('credential_operator', undefined, tokens ? { headers } : {});
    }
    request.operator = operator.name;
    request.by = `operator ${operator.name}`;
    request.scopes = operator.scopes;
    const scope = named ?? (isRead(request) ? 'audit' : 'operate');
    if (!mayUse(operator, scope)) throw new Problem('operator_scope', `: it needs ${scope}`);
    requireRole(this.configuration.role, 'operators', this.reflector, context);
    await withinReads(this.reads, request.by, this.reflector, context);
    return true;
  }
}

/** Operators as callers of a controller or a handler: the guard, and its words in the contract.
 * @param then guards that ask once the operator is known */
export const ForOperators = (...then: Type<CanActivate>[]) =>
  applyDecorators(UseGuards(OperatorGuard, ...then), ApiSecurity('operator'));
