/** Key administration. */
import { Body, Controller, Delete, Get, Module, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ForOperators } from '#kit/http/access';
import { PageQuery } from '#kit/http/dto';
import { FreshViews, paged } from '#kit/http/listing';
import { Answers, AnswersPage, example, Refuses } from '#kit/http/operations';
import { Problem } from '#kit/http/problem';
import { uses } from '#kit/http/provided';
import { ReadsBody } from '#kit/http/read-body';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '#kit/http/swagger';
import type { Page } from '#kit/views/page';
import { ViewReads } from '#kit/views/reads';
import { ApiKeys } from './credentials.js';
import { shownPrefix } from './events.js';
import { type CreatedKey, createdKey, type Key, key, NewKey, type RevokedKey, revokedKey } from './route-keys.dto.js';

const NOTE = 'store the key now: it is shown this once';

/** Stands in the contract; a test sends it. */
const EXAMPLE = { name: 'sorting machine 3', population: 'antwerp', kind: 'production' };

@ApiTags('keys')
@Controller('api/v1/keys')
@ForOperators()
export class KeysController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly reads: ViewReads,
    private readonly fresh: FreshViews,
  ) {}

  @Post()
  @ReadsBody({ form: true })
  @ApiOperation({
    operationId: 'createKey',
    summary: 'Create an API key',
    description: 'The full key is shown in this answer alone. A name stays taken, after a revocation too.',
  })
  @ApiBody({ type: NewKey, examples: example(EXAMPLE) })
  @Answers('the key, shown this once', createdKey, 201)
  @Refuses('conflict', 'busy')
  async create(@Body() body: NewKey, @Req() request: FastifyRequest): Promise<CreatedKey> {
    const { owner, full } = await this.keys.create(body, request.operator!);
    const { name, population, kind } = owner;
    return { name, key: full, note: NOTE, population, kind };
  }

  @Get()
  @ApiOperation({
    operationId: 'listKeys',
    summary: 'List keys',
    description: 'A key is shown by its prefix. `last_used_at` comes from the records of calls.',
  })
  @AnswersPage('keys, by prefix alone, oldest first', key)
  @Refuses('bad_request', 'busy')
  async list(@Query() page: PageQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<Page<Key>> {
    await this.fresh.wait(['ledger', 'telemetry'], reply);
    const { items, next_cursor } = await paged(this.reads.ask('ledger', 'keys', page));
    const prefixes = items.map(({ prefix }) => prefix);
    const uses = await this.reads.ask('telemetry', 'lastUses', prefixes);
    return { items: items.map((key) => ({ ...key, last_used_at: uses.get(key.prefix) ?? null })), next_cursor };
  }

  @Delete(':key_prefix')
  @ApiOperation({
    operationId: 'revokeKey',
    summary: 'Revoke a key, at once and for good',
    description: 'The key stops working at once, even for requests in progress.',
  })
  @ApiParam({ name: 'key_prefix', description: 'the shown prefix, or as much of it as identifies one key' })
  @Answers('the key is revoked', revokedKey)
  @Refuses('not_found', 'conflict', 'busy')
  async revoke(@Param('key_prefix') prefix: string, @Req() request: FastifyRequest): Promise<RevokedKey> {
    const id = (await this.keys.idOf(prefix)) ?? (await this.idByBeginning(prefix));
    const { owner, revokedAt, revokedBy } = await this.keys.revoke(id, request.operator!);
    return {
      name: owner.name,
      prefix: shownPrefix(owner),
      status: 'revoked',
      revoked_at: revokedAt,
      revoked_by: revokedBy,
    };
  }

  private async idByBeginning(prefix: string): Promise<string> {
    await this.fresh.wait(['ledger']);
    const found = await this.reads.ask('ledger', 'keysByPrefix', prefix);
    if (found.length === 0) throw new Problem('not_found', ': no key has this prefix');
    if (found.length > 1) throw new Problem('conflict', ': several keys have this prefix; give more of it');
    return found[0];
  }
}

@Module({ controllers: [KeysController], providers: uses(ApiKeys, ViewReads, FreshViews) })
export class KeysModule {}
