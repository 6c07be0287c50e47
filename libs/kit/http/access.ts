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
import { ApiKeys, Workspaces } from '#keys/credentials';
import { workspaceAsSender } from '#keys/events';
import { ConfiguredCredentials } from './credentials.js';
import { OperatorReads } from './operator-reads.js';
import { Problem } from './problem.js';
import { CONFIGURATION } from './provided.js';
import { RateLimit } from './rate-limit.js';
import { header, vary } from './request.js';
import { ApiSecurity } from './swagger.js';

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>();
const replyOf = (context: ExecutionContext) => context.switchToHttp().getResponse<FastifyReply>();

const EVERY_REPLICA = 'every_replica';

/** For a handler that every replica has, whomever it answers besides. */
export const OnEveryReplica = () => SetMetadata(EVERY_REPLICA, true);

/** Asked once the credential is known to be right. @throws Problem (421) where replicas of another role answer */
function requireRole(role: Role, wanted: Role, reflector: Reflector, context: ExecutionContext): void {
  if (role === 'all' || role === wanted) return;
  if (reflector.getAllAndOverride<boolean>(EVERY_REPLICA, [context.getHandler(), context.getClass()])) return;
  throw new Problem('misdirected', `: its MVS_ROLE is ${role}`);
}

const ASKS_AFTER_BODY = 'asks_after_body';

/** For a handler whose use case asks the log for the key once the body is there: a key seen active before is let in. */
export const AsksAfterBody = () => SetMetadata(ASKS_AFTER_BODY, true);

/** `X-Api-Key` of an active key, within its rate. */
@Injectable()
class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly keys: ApiKeys,
    private readonly rate: RateLimit,
    private readonly reflector: Reflector,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    vary(replyOf(context), 'x-api-key');
    const presented = header(request, 'x-api-key');
    const { role } = this.configuration;
    // A replica that answers no claim asks nothing later.
    const later = role !== 'operators' && this.reflector.get<boolean>(ASKS_AFTER_BODY, context.getHandler());
    const key = (later && this.keys.recognise(presented)) || (await this.keys.authenticate(presented));
    if (!key) throw new Problem('credential_api_key');
    requireRole(role, 'claims', this.reflector, context);
    withinRate(this.rate, key.id, context);
    request.apiKey = key;
    return true;
  }
}

/** `X-Svc-Token` of an active workspace, within its rate: it opens the lot product and nothing else does. */
@Injectable()
class WorkspaceGuard implements CanActivate {
  constructor(
    private readonly workspaces: Workspaces,
    private readonly rate: RateLimit,
    private readonly reflector: Reflector,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    vary(replyOf(context), 'x-svc-token');
    const workspace = await this.workspaces.authenticate(header(request, 'x-svc-token'));
    if (!workspace) throw new Problem('credential_workspace');
    requireRole(this.configuration.role, 'claims', this.reflector, context);
    withinRate(this.rate, workspaceAsSender(workspace.id), context);
    request.workspace = workspace;
    return true;
  }
}

/** Takes one request out of the caller's bucket. @throws Problem (429) */
function withinRate(rate: RateLimit, by: string, context: ExecutionContext): void {
  const taken = rate.take(by, performance.now());
  replyOf(context).headers(rate.headers(taken));
  if (taken.wait > 0) throw new Problem('too_many', undefined, { headers: { 'retry-after': String(taken.wait) } });
}

const LASTS = 'lasts';

/** For a read that lasts as long as its client likes: it has a bound of its own, and takes no other read's place. */
export const Lasts = () => SetMetadata(LASTS, true);

const SCOPE = 'scope';

/** The scope that callers of a controller or a handler need, where reading or deciding does not tell it. */
export const NeedsScope = (scope: Scope) => SetMetadata(SCOPE, scope);

/**
 * `X-Svc-Admin` of a configured operator who may do this: reading asks for the scope `audit`, all else for `operate`.
 * A monitoring system cannot send headers of its own: it may send the key as `Authorization: Bearer`.
 */
@Injectable()
class OperatorGuard implements CanActivate {
  constructor(
    private readonly credentials: ConfiguredCredentials,
    private readonly reads: OperatorReads,
    private readonly reflector: Reflector,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const named = this.reflector.getAllAndOverride<Scope | undefined>(SCOPE, [
      context.getHandler(),
      context.getClass(),
    ]);
    vary(replyOf(context), named === 'metrics' ? 'x-svc-admin, authorization' : 'x-svc-admin');
    const bearer = named === 'metrics' ? /^Bearer +(\S+)$/i.exec(header(request, 'authorization'))?.[1] : undefined;
    const operator = this.credentials.operator(header(request, 'x-svc-admin') || (bearer ?? ''));
    if (operator === undefined) {
      const headers = { 'www-authenticate': 'Bearer realm="match-verification"' };
      throw new Problem('credential_operator', undefined, named === 'metrics' ? { headers } : {});
    }
    request.operator = operator.name;
    request.scopes = operator.scopes;
    const reading = request.method === 'GET' || request.method === 'HEAD';
    const scope = named ?? (reading ? 'audit' : 'operate');
    if (!mayUse(operator, scope)) throw new Problem('operator_scope', `: it needs ${scope}`);
    requireRole(this.configuration.role, 'operators', this.reflector, context);
    if (reading && !this.reflector.get<boolean>(LASTS, context.getHandler()))
      await this.reads.enter(operator.name, replyOf(context).raw);
    return true;
  }
}

/** The callers of a controller or a handler: the guard, and its words in the contract. */
export const ForKeys = () => applyDecorators(UseGuards(ApiKeyGuard), ApiSecurity('apiKey'));
/** Beside `ForKeys`: what a replay may be authorised by. Without one the claim is taken as any other. */
export const AlsoForReplays = () =>
  applyDecorators(ApiSecurity({ apiKey: [], replayToken: [] }), ApiSecurity({ apiKey: [], operator: [] }));
export const ForWorkspaces = () => applyDecorators(UseGuards(WorkspaceGuard), ApiSecurity('workspace'));
/** @param then guards that ask once the operator is known */
export const ForOperators = (...then: Type<CanActivate>[]) =>
  applyDecorators(UseGuards(OperatorGuard, ...then), ApiSecurity('operator'));
