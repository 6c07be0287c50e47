/** Hygiene checks on demand. */
import { Controller, Get, Inject, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { checkHygiene } from '#views';
import { OperatorGuard } from '../http/access.js';
import { fresh } from '../http/listing.js';
import { PARTS, type Parts } from '../parts.js';

@Controller('api/v1/hygiene')
@UseGuards(OperatorGuard)
export class HygieneController {
  constructor(@Inject(PARTS) private readonly parts: Parts) {}

  @Get()
  async check(@Res({ passthrough: true }) reply: FastifyReply) {
    const { views, now, models } = this.parts;
    await fresh(this.parts, ['findings', 'telemetry'], reply);
    const at = now();
    const files = { findings: views.file('findings'), telemetry: views.file('telemetry') };
    return { at: at.toISOString(), checks: checkHygiene(files, at, models.digests) };
  }
}
