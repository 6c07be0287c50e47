/** Workspaces of the lot product: their tokens, as operators issue and revoke them. */
import { Controller, Delete, Get, Inject, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { IsString } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tokenPrefix } from '#domain';
import { Workspaces } from '#service';
import { OperatorGuard } from '../http/access.js';
import { BodyBudget } from '../http/body.js';
import { fresh, PageQuery, paged } from '../http/listing.js';
import { readFields } from '../http/multipart.js';
import { Problem } from '../http/problem.js';
import { exchange } from '../http/request.js';
import { checked } from '../http/validation.js';
import { PARTS, type Parts } from '../parts.js';

export class NewWorkspaceBody {
  @IsString()
  name!: string;
}

const NOTE = 'store the token now: it is shown this once';

@Controller('api/lotscan/workspaces')
@UseGuards(OperatorGuard)
export class WorkspacesController {
  constructor(
    @Inject(PARTS) private readonly parts: Parts,
    private readonly workspaces: Workspaces,
    private readonly budget: BodyBudget,
  ) {}

  @Post()
  async create(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { requestTimeoutMs } = this.parts.configuration;
    const fields = await readFields(exchange(request, reply), requestTimeoutMs, this.budget);
    const { name } = checked(NewWorkspaceBody, fields, 'unprocessable');
    const { workspace, token } = await this.workspaces.create(name, request.operator!);
    return { name: workspace.name, token, note: NOTE };
  }

  @Get()
  async list(@Query() query: unknown, @Res({ passthrough: true }) reply: FastifyReply) {
    const page = checked(PageQuery, query, 'bad_request');
    await fresh(this.parts, ['lots'], reply);
    return paged(() => this.parts.lots.workspaces(page));
  }

  @Delete(':token_prefix')
  async revoke(@Param('token_prefix') prefix: string, @Req() request: FastifyRequest) {
    const id = (await this.workspaces.idOf(prefix)) ?? (await this.idByBeginning(prefix));
    const { workspace, revokedAt, revokedBy } = await this.workspaces.revoke(id, request.operator!);
    return {
      name: workspace.name,
      prefix: tokenPrefix(workspace.id),
      status: 'revoked',
      revoked_at: revokedAt,
      revoked_by: revokedBy,
    };
  }

  private async idByBeginning(prefix: string): Promise<string> {
    await fresh(this.parts, ['lots']);
    const found = this.parts.lots.workspacesByPrefix(prefix);
    if (found.length === 0) throw new Problem('not_found', ': no token has this prefix');
    if (found.length > 1) throw new Problem('conflict', ': several tokens have this prefix; give more of it');
    return found[0];
  }
}
