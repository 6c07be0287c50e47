/** Prometheus metrics of this process, for operators and for monitoring systems with a key of scope `metrics`. */
import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ForOperators, NeedsScope, OnEveryReplica } from '#kit/http/access';
import { METRICS } from '#kit/http/provided';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '#kit/http/swagger';
import type { Metrics } from '#kit/observe/metrics';

@ApiTags('service')
@Controller('metrics')
@NeedsScope('metrics')
@ForOperators()
@OnEveryReplica()
export class MetricsController {
  constructor(@Inject(METRICS) private readonly of: Metrics) {}

  @Get()
  @ApiOperation({
    operationId: 'readMetrics',
    summary: 'Metrics of this process for Prometheus',
    description: 'Each replica has metrics of its own: scrape every one.',
  })
  @ApiProduces('text/plain')
  @ApiResponse({ status: 200, description: 'text exposition format', type: String })
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { registry } = this.of;
    reply.header('content-type', registry.contentType);
    return registry.metrics();
  }
}
