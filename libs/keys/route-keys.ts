/** Key administration. */
import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ForOperators } from '#kit/http/access';
import { PageQuery } from '#kit/http/dto';
import { FreshViews, paged } from '#kit/http/listing';
import { Answers, AnswersPage, example, Refuses } from '#kit/http/operations';
import { Problem } from '#kit/http/problem';
import { CLOCK } from '#kit/http/provided';
import { ReadsBody } from '#kit/http/read-body';
import { header } from '#kit/http/request';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiTags } from '#kit/http/swagger';
import type { Page } from '#kit/views/page';
import { ViewReads } from '#kit/views/reads';
import { ApiKeys } from './credentials.js';
import { barredBy } from './decide.js';
import { shownPrefix } from './events.js';
import { type ChangedKey, changedKey, type Key, type KeyFactsRow, key } from './queries-shapes.js';
import { Repeats } from './repeats.js';
import {
  type CreatedKey,
  createdKey,
  KeyChange,
  lifeOf,
  NewKey,
  type RevokedKey,
  revokedKey,
} from './route-keys.dto.js';

const NOTE = 'store the key now: it is shown this once';

const MAX_REPEAT_KEY = 128;

/** Stands in the contract; a test sends it. */
const EXAMPLE = { name: 'sorting machine 3', population: 'antwerp', kind: 'production' };

@ApiTags('keys')
@Controller('api/v1/keys')
@ForOperators()
export class KeysController {
  private readonly repeats = new Repeats<CreatedKey>();

  constructor(
    @Inject(CLOCK) private readonly now: () => Date,
    private readonly keys: ApiKeys,
    private readonly reads: ViewReads,
    private readonly fresh: FreshViews,
  ) {}

  @Post()
  @ReadsBody({ form: true })
  @ApiOperation({
    operationId: 'createKey',
    summary: 'Create an API key',
    description:
      'The full key is shown in this answer alone. A name stays taken, after a revocation too. Where the answer was lost, ' +
      'the same call with the same Idempotency-Key brings the same key once more, for ten minutes, on the same replica.',
  })
  @ApiHeader({ name: 'Idempotency-Key', description: 'a text of your own for this key, 1 to 128 characters' })
  @ApiBody({ type: NewKey, examples: example(EXAMPLE) })
  @Answers('the key, shown this once', createdKey, 201)
  @Refuses('conflict', 'busy')
  async create(@Body() body: NewKey, @Req() request: FastifyRequest): Promise<CreatedKey> {
    const { name, population, kind } = body;
    const wanted = { name, population, kind, life: lifeOf(body) };
    const make = async () => {
      // Without the view a name of an earlier release that only looks alike is not noticed.
      const known = await this.reads.ask('ledger', 'keyNames').catch(() => []);
      const { owner, full } = await this.keys.create(wanted, request.operator!, known);
      return { name: owner.name, key: full, note: NOTE, population: owner.population, kind: owner.kind };
    };
    const repeat = header(request, 'idempotency-key');
    if (repeat === '') return make();
    if (repeat.length > MAX_REPEAT_KEY) throw new Problem('bad_request', ': Idempotency-Key is too long');
    return this.repeats.once(`${request.operator} ${repeat}`, wanted, make);
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
    const now = this.now().toISOString();
    const shown = (of: KeyFactsRow): Key => ({
      ...of,
      status: of.revoked_at === null ? (barredBy(of, now) ?? 'active') : 'revoked',
      last_used_at: uses.get(of.prefix) ?? null,
    });
    return { items: items.map(shown), next_cursor };
  }

  @Patch(':key_prefix')
  @ReadsBody()
  @ApiOperation({
    operationId: 'changeKey',
    summary: 'Pause or resume a key, or change its end, its rate, its contact or what it reads',
    description:
      'What is not sent stays. A paused or expired key is refused from the next call on; a call that was let in before may ' +
      'still be answered.',
  })
  @ApiParam({ name: 'key_prefix', description: 'the shown prefix, or as much of it as identifies one key' })
  @ApiBody({ type: KeyChange, examples: example({ paused: true, contact: 'lab@example.org' }) })
  @Answers('the key as it now may be used', changedKey)
  @Refuses('not_found', 'conflict', 'busy')
  async change(
    @Param('key_prefix') prefix: string,
    @Body() body: KeyChange,
    @Req() request: FastifyRequest,
  ): Promise<ChangedKey> {
    const { paused } = body;
    const to = { ...lifeOf(body), ...(paused !== undefined && { paused }) };
    const { owner, life } = await this.keys.change(await this.idOf(prefix), to, request.operator!);
    const status = barredBy(life, this.now().toISOString()) ?? 'active';
    return { name: owner.name, prefix: shownPrefix(owner), status, ...life };
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
    const { owner, revokedAt, revokedBy } = await this.keys.revoke(await this.idOf(prefix), request.operator!);
    return {
      name: owner.name,
      prefix: shownPrefix(owner),
      status: 'revoked',
      revoked_at: revokedAt,
      revoked_by: revokedBy,
    };
  }

  private async idOf(prefix: string): Promise<string> {
    const whole = await this.keys.idOf(prefix);
    if (whole !== undefined) return whole;
    await this.fresh.wait(['ledger']);
    const found = await this.reads.ask('ledger', 'keysByPrefix', prefix);
    if (found.length === 0) throw new Problem('not_found', ': no key has this prefix');
    if (found.length > 1) throw new Problem('conflict', ': several keys have this prefix; give more of it');
    return found[0];
  }
}
