/** Hygiene checks on demand. */
import { Controller, Get, Inject, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Hygiene } from '#service';
import { OperatorGuard } from '../http/access.js';
import { fresh } from '../http/listing.js';
import { PARTS, type Parts } from '../parts.js';

@Controller('api/v1/hygiene')
@UseGuards(OperatorGuard)
export class HygieneController {
  constructor(
    @Inject(PARTS) private readonly parts: Parts,
    private readonly hygiene: Hygiene,
  ) {}

  @Get()
  async check(@Res({ passthrough: true }) reply: FastifyReply) {
    await fresh(this.parts, ['findings', 'telemetry'], reply);
    const at = this.parts.now();
    return { at: at.toISOString(), checks: await this.hygiene.check(at) };
  }
}
