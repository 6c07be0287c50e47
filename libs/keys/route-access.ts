/** Guards of clients' keys and workspaces' tokens: they run before a body is read. */
import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Configuration } from '#config/environment';
import { replyOf, requestOf, requireRole, withinRate, withinReads } from '#kit/http/access';
import { Problem } from '#kit/http/problem';
import { CONFIGURATION } from '#kit/http/provided';
import { RateLimit } from '#kit/http/rate-limit';
import { ReadLimit } from '#kit/http/read-limit';
import { header, vary } from '#kit/http/request';
import { ApiSecurity } from '#kit/http/swagger';
import { ApiKeys, Workspaces } from './credentials.js';
import { type KeyFacts, type WorkspaceFacts, workspaceAsSender } from './events.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The API key that the guard found, as it was then. */
    apiKey?: KeyFacts;
    /** The workspace whose token the guard found. */
    workspace?: WorkspaceFacts;
  }
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
    withinRate(this.rate, key.id, context, this.keys.lifeOf(key.id)?.rate ?? undefined);
    request.apiKey = key;
    request.by = key.id;
    return true;
  }
}

/** `X-Svc-Token` of an active workspace, within its rate: it opens the lot product and nothing else does. */
@Injectable()
class WorkspaceGuard implements CanActivate {
  constructor(
    private readonly workspaces: Workspaces,
    private readonly rate: RateLimit,
    private readonly reads: ReadLimit,
    private readonly reflector: Reflector,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    vary(replyOf(context), 'x-svc-token');
    const workspace = await this.workspaces.authenticate(header(request, 'x-svc-token'));
    if (!workspace) throw new Problem('credential_workspace');
    requireRole(this.configuration.role, 'claims', this.reflector, context);
    request.workspace = workspace;
    request.by = workspaceAsSender(workspace.id);
    withinRate(this.rate, request.by, context);
    await withinReads(this.reads, request.by, this.reflector, context);
    return true;
  }
}

/** The callers of a controller or a handler: the guard, and its words in the contract. */
export const ForKeys = () => applyDecorators(UseGuards(ApiKeyGuard), ApiSecurity('apiKey'));
/** Beside `ForKeys`: what a replay may be authorised by. Without one the claim is taken as any other. */
export const AlsoForReplays = () =>
  applyDecorators(ApiSecurity({ apiKey: [], replayToken: [] }), ApiSecurity({ apiKey: [], operator: [] }));
export const ForWorkspaces = () => applyDecorators(UseGuards(WorkspaceGuard), ApiSecurity('workspace'));
