/** Workspaces of the lot product: their tokens, as operators issue and revoke them. */
import { Body, Controller, Delete, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { IsString } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { ForOperators } from '#kit/http/access';
import { PageQuery, Text } from '#kit/http/dto';
import { FreshViews, paged } from '#kit/http/listing';
import { Answers, AnswersPage, example, Refuses } from '#kit/http/operations';
import { ReadsBody } from '#kit/http/read-body';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '#kit/http/swagger';
import type { Page } from '#kit/views/page';
import { ViewReads } from '#kit/views/reads';
import { string } from '#kit/views/shapes';
import { Workspaces } from './credentials.js';
import { tokenPrefix } from './events.js';
import { type RevokedWorkspace, revokedWorkspace, type WorkspaceRow, workspaceRow } from './queries-shapes.js';
import { workspaceOf } from './queries-workspace.js';

const NOTE = 'store the token now: it is shown this once';

class NewWorkspace {
  @IsString()
  @Text('1 to 64 printable characters; it stays taken', { minLength: 1, maxLength: 64 })
  name!: string;
}

const createdWorkspace = Type.Object(
  {
    name: string('its name'),
    token: string('for X-Svc-Token; shown this once'),
    note: string('a reminder to store it'),
  },
  { $id: 'CreatedWorkspace' },
);
type CreatedWorkspace = Static<typeof createdWorkspace>;

@ApiTags('lots')
@Controller('api/lotscan/workspaces')
@ForOperators()
export class WorkspacesController {
  constructor(
    private readonly workspaces: Workspaces,
    private readonly reads: ViewReads,
    private readonly fresh: FreshViews,
  ) {}

  @Post()
  @ReadsBody({ form: true })
  @ApiOperation({
    operationId: 'createWorkspace',
    summary: 'Create a workspace of the lot product',
    description: 'The token opens the lots of this workspace and nothing else. It is shown in this answer alone.',
  })
  @ApiBody({ type: NewWorkspace, examples: example({ name: 'trader' }) })
  @Answers('its token, shown this once', createdWorkspace, 201)
  @Refuses('conflict', 'busy')
  async create(@Body() { name }: NewWorkspace, @Req() request: FastifyRequest): Promise<CreatedWorkspace> {
    // Without the view a name of an earlier release that only looks alike is not noticed.
    const known = await this.reads.ask('lots', 'workspaceNames').catch(() => []);
    const { owner, full } = await this.workspaces.create({ name }, request.operator!, known);
    return { name: owner.name, token: full, note: NOTE };
  }

  @Get()
  @ApiOperation({
    operationId: 'listWorkspaces',
    summary: 'List workspaces',
    description: 'A token is shown by its prefix.',
  })
  @AnswersPage('workspaces with their tokens’ prefixes, oldest first', workspaceRow)
  @Refuses('bad_request', 'busy')
  async list(@Query() page: PageQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<Page<WorkspaceRow>> {
    await this.fresh.wait(['lots'], reply);
    return paged(this.reads.ask('lots', 'workspaces', page));
  }

  @Delete(':token_prefix')
  @ApiOperation({
    operationId: 'revokeWorkspace',
    summary: 'Revoke a workspace’s token, at once and for good',
    description: 'From this answer on the token is refused. Lots and checks stay in the log.',
  })
  @ApiParam({ name: 'token_prefix', description: 'the shown prefix, or as much of it as identifies one token' })
  @Answers('the token is revoked', revokedWorkspace)
  @Refuses('not_found', 'conflict', 'busy')
  async revoke(@Param('token_prefix') prefix: string, @Req() request: FastifyRequest): Promise<RevokedWorkspace> {
    const id = await this.idOf(prefix);
    const { owner, revokedAt, revokedBy } = await this.workspaces.revoke(id, request.operator!);
    return {
      name: owner.name,
      prefix: tokenPrefix(owner.id),
      status: 'revoked',
      revoked_at: revokedAt,
      revoked_by: revokedBy,
    };
  }

  /** A whole prefix is looked for in the log alone: a token is revoked whatever the views do. */
  private async idOf(prefix: string): Promise<string> {
    const whole = await this.workspaces.idOf(prefix);
    if (whole !== undefined) return whole;
    await this.fresh.wait(['lots']);
    return workspaceOf(prefix, this.workspaces, this.reads);
  }
}
