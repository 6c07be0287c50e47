/** Key administration (specification 4.4). */
import { Controller, Delete, Get, Inject, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { IsIn, IsOptional, IsString } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type KeyKind, shownPrefix } from '#domain';
import { ApiKeys } from '#service';
import { OperatorGuard } from '../http/access.js';
import { BodyBudget } from '../http/body.js';
import { fresh, freshLedger, PageQuery, paged } from '../http/listing.js';
import { readFields } from '../http/multipart.js';
import { Problem } from '../http/problem.js';
import { exchange } from '../http/request.js';
import { checked } from '../http/validation.js';
import { PARTS, type Parts } from '../parts.js';

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
    @Inject(PARTS) private readonly parts: Parts,
    private readonly keys: ApiKeys,
    private readonly budget: BodyBudget,
  ) {}

  @Post()
  async create(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { requestTimeoutMs } = this.parts.configuration;
    const fields = await readFields(exchange(request, reply), requestTimeoutMs, this.budget);
    const body = checked(NewKeyBody, fields, 'unprocessable');
    const { key, full } = await this.keys.create(body, request.operator!);
    const { name, population, kind } = key;
    return { name, key: full, note: NOTE, population, kind };
  }

  @Get()
  async list(@Query() query: unknown, @Res({ passthrough: true }) reply: FastifyReply) {
    const page = checked(PageQuery, query, 'bad_request');
    const { ledger, telemetry } = this.parts;
    await fresh(this.parts, ['ledger', 'telemetry'], reply);
    const { items, next_cursor } = paged(() => ledger.keys(page));
    const uses = telemetry.lastUses(items.map(({ prefix }) => prefix));
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
    const ledger = await freshLedger(this.parts);
    const found = ledger.keysByPrefix(prefix);
    if (found.length === 0) throw new Problem('not_found', ': no key has this prefix');
    if (found.length > 1) throw new Problem('conflict', ': several keys have this prefix; give more of it');
    return found[0];
  }
}
