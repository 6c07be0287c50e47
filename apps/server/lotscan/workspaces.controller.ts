/** Workspaces of the lot product: their tokens, as operators issue and revoke them. */
import { Body, Controller, Delete, Get, Module, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { IsString } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tokenPrefix } from '#domain';
import { Workspaces } from '#service';
import { LotsView } from '#views';
import { OperatorGuard } from '../http/access.js';
import { FreshViews, PageQuery, paged } from '../http/listing.js';
import { Problem } from '../http/problem.js';
import { ReadsBody } from '../http/read-body.js';
import { uses } from '../provided.js';

export class NewWorkspaceBody {
  @IsString()
  name!: string;
}

const NOTE = 'store the token now: it is shown this once';

@Controller('api/lotscan/workspaces')
@UseGuards(OperatorGuard)
export class WorkspacesController {
  constructor(
    private readonly workspaces: Workspaces,
    private readonly lots: LotsView,
    private readonly fresh: FreshViews,
  ) {}

  @Post()
  @ReadsBody({ form: true })
  async create(@Body() { name }: NewWorkspaceBody, @Req() request: FastifyRequest) {
    const { workspace, token } = await this.workspaces.create(name, request.operator!);
    return { name: workspace.name, token, note: NOTE };
  }

  @Get()
  async list(@Query() page: PageQuery, @Res({ passthrough: true }) reply: FastifyReply) {
    await this.fresh.wait(['lots'], reply);
    return paged(() => this.lots.workspaces(page));
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
    await this.fresh.wait(['lots']);
    const found = this.lots.workspacesByPrefix(prefix);
    if (found.length === 0) throw new Problem('not_found', ': no token has this prefix');
    if (found.length > 1) throw new Problem('conflict', ': several tokens have this prefix; give more of it');
    return found[0];
  }
}

@Module({ controllers: [WorkspacesController], providers: uses(Workspaces, LotsView, FreshViews) })
export class WorkspacesModule {}
