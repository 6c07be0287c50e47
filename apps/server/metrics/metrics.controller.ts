/** Prometheus metrics of this process, for operators and for monitoring systems with a key of scope `metrics`. */
import { Controller, Get, Inject, Module, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Metrics } from '#observability';
import { NeedsScope, OperatorGuard } from '../http/access.js';
import { METRICS, uses } from '../provided.js';

@Controller('metrics')
@NeedsScope('metrics')
@UseGuards(OperatorGuard)
export class MetricsController {
  constructor(@Inject(METRICS) private readonly of: Metrics) {}

  @Get()
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { registry } = this.of;
    reply.header('content-type', registry.contentType);
    return registry.metrics();
  }
}

@Module({ controllers: [MetricsController], providers: uses(METRICS) })
export class MetricsModule {}
