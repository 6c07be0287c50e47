/** Populations' recent claims against their baselines, for operators. */
import { Controller, Get, Module, Query, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Drifts } from '#service';
import { EvidenceView } from '#views';
import { OperatorGuard } from '../http/access.js';
import { FreshViews, namesOf, OptionalText, PageQuery } from '../http/listing.js';
import { uses } from '../provided.js';

class DriftQuery extends PageQuery {
  @OptionalText()
  population?: string;
}

@Controller('api/v1/drift')
@UseGuards(OperatorGuard)
export class DriftController {
  constructor(
    private readonly drifts: Drifts,
    private readonly evidence: EvidenceView,
    private readonly fresh: FreshViews,
  ) {}

  @Get()
  async list(@Query() { population, ...page }: DriftQuery, @Res({ passthrough: true }) reply: FastifyReply) {
    await this.fresh.wait(['evidence', 'telemetry'], reply);
    const known = this.evidence.populations().filter((name) => population === undefined || name === population);
    const { names, next_cursor } = namesOf(known, page);
    return { items: await Promise.all(names.map((name) => this.drifts.look(name))), next_cursor };
  }
}

@Module({ controllers: [DriftController], providers: uses(Drifts, EvidenceView, FreshViews) })
export class DriftModule {}
