/** Populations' recent claims against their baselines, for operators. */
import { Controller, Get, Inject, Query, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Drifts } from '#service';
import { OperatorGuard } from '../http/access.js';
import { fresh, namesOf, OptionalText, PageQuery } from '../http/listing.js';
import { checked } from '../http/validation.js';
import { PARTS, type Parts } from '../parts.js';

class DriftQuery extends PageQuery {
  @OptionalText()
  population?: string;
}

@Controller('api/v1/drift')
@UseGuards(OperatorGuard)
export class DriftController {
  constructor(
    @Inject(PARTS) private readonly parts: Parts,
    private readonly drifts: Drifts,
  ) {}

  @Get()
  async list(@Query() query: unknown, @Res({ passthrough: true }) reply: FastifyReply) {
    const { population, ...page } = checked(DriftQuery, query, 'bad_request');
    const { evidence } = this.parts;
    await fresh(this.parts, ['evidence', 'telemetry'], reply);
    const known = evidence.populations().filter((name) => population === undefined || name === population);
    const { names, next_cursor } = namesOf(known, page);
    return { items: await Promise.all(names.map((name) => this.drifts.look(name))), next_cursor };
  }
}
