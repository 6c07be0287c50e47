/** Key administration (specification 4.4). */
import { Body, Controller, Delete, Get, Module, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { IsIn, IsOptional, IsString } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type KeyKind, shownPrefix } from '#domain';
import { ApiKeys } from '#service';
import { Ledger, Telemetry } from '#views';
import { OperatorGuard } from '../http/access.js';
import { FreshViews, PageQuery, paged } from '../http/listing.js';
import { Problem } from '../http/problem.js';
import { ReadsBody } from '../http/read-body.js';
import { uses } from '../provided.js';

export class NewKeyBody {
  @IsString()
  name!: string;

  @IsOptional()
  @IsString()
  population?: string;

  @IsOptional()
  @IsIn(['production', 'test'])
  kind: KeyKind = 'production';
}

const NOTE = 'store the key now: it is shown this once';

@Controller('api/v1/keys')
@UseGuards(OperatorGuard)
export class KeysController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly ledger: Ledger,
    private readonly telemetry: Telemetry,
    private readonly fresh: FreshViews,
  ) {}

  @Post()
  @ReadsBody({ form: true })
  async create(@Body() body: NewKeyBody, @Req() request: FastifyRequest) {
    const { key, full } = await this.keys.create(body, request.operator!);
    const { name, population, kind } = key;
    return { name, key: full, note: NOTE, population, kind };
  }

  @Get()
  async list(@Query() page: PageQuery, @Res({ passthrough: true }) reply: FastifyReply) {
    await this.fresh.wait(['ledger', 'telemetry'], reply);
    const { items, next_cursor } = paged(() => this.ledger.keys(page));
    const uses = this.telemetry.lastUses(items.map(({ prefix }) => prefix));
    return { items: items.map((key) => ({ ...key, last_used_at: uses.get(key.prefix) ?? null })), next_cursor };
  }

  @Delete(':key_prefix')
  async revoke(@Param('key_prefix') prefix: string, @Req() request: FastifyRequest) {
    const id = (await this.keys.idOf(prefix)) ?? (await this.idByBeginning(prefix));
    const state = await this.keys.revoke(id, request.operator!);
    if (state.status !== 'revoked') throw new TypeError('a revoked key is revoked');
    const { key, revokedAt, revokedBy } = state;
    return {
      name: key.name,
      prefix: shownPrefix(key),
      status: 'revoked',
      revoked_at: revokedAt,
      revoked_by: revokedBy,
    };
  }

  private async idByBeginning(prefix: string): Promise<string> {
    await this.fresh.wait(['ledger']);
    const found = this.ledger.keysByPrefix(prefix);
    if (found.length === 0) throw new Problem('not_found', ': no key has this prefix');
    if (found.length > 1) throw new Problem('conflict', ': several keys have this prefix; give more of it');
    return found[0];
  }
}

@Module({ controllers: [KeysController], providers: uses(ApiKeys, Ledger, Telemetry, FreshViews) })
export class KeysModule {}
