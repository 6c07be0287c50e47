/** Hygiene checks on demand. */
import { Controller, Get, Inject, Module, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Hygiene } from '#service';
import { OperatorGuard } from '../http/access.js';
import { FreshViews } from '../http/listing.js';
import { CLOCK, uses } from '../provided.js';

@Controller('api/v1/hygiene')
@UseGuards(OperatorGuard)
export class HygieneController {
  constructor(
    @Inject(CLOCK) private readonly now: () => Date,
    private readonly hygiene: Hygiene,
    private readonly fresh: FreshViews,
  ) {}

  @Get()
  async check(@Res({ passthrough: true }) reply: FastifyReply) {
    await this.fresh.wait(['findings', 'telemetry'], reply);
    const at = this.now();
    return { at: at.toISOString(), checks: await this.hygiene.check(at) };
  }
}

@Module({ controllers: [HygieneController], providers: uses(CLOCK, Hygiene, FreshViews) })
export class HygieneModule {}
