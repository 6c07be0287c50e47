/** Prometheus metrics of this process, for operators and for monitoring systems with a key of scope `metrics`. */
import { Controller, Get, Inject, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { NeedsScope, OperatorGuard } from '../http/access.js';
import { PARTS, type Parts } from '../parts.js';

@Controller('metrics')
@NeedsScope('metrics')
@UseGuards(OperatorGuard)
export class MetricsController {
  constructor(@Inject(PARTS) private readonly parts: Parts) {}

  @Get()
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { registry } = this.parts.metrics;
    reply.header('content-type', registry.contentType);
    return registry.metrics();
  }
}
