/** Liveness and readiness probes. */
import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { PARTS, type Parts } from '../parts.js';

@Controller('health')
export class HealthController {
  constructor(@Inject(PARTS) private readonly parts: Parts) {}

  @Get('live')
  live() {
    return { status: 'ok' };
  }

  /** 200 where a claim would be served now, else 503; which part is not ready stands in `parts`. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply) {
    const { store, scoring, evidence, engine, model, version } = this.parts;
    const views = this.parts.views.health();
    const stopped = views.flatMap(({ name, failure }) =>
      failure === undefined ? [] : [`the view "${name}" has ${failure}`],
    );
    const [log, queue] = await Promise.all([
      check(async () => ({ position: String(await store.head()) })),
      check(async () => {
        const { waiting, active, workers } = await scoring.state();
        if (workers.length === 0) throw new Error('no worker is ready');
        return { waiting, active, workers: workers.length };
      }),
    ]);
    const calibration = { models_not_installed: evidence.notInstalled([model.digest]) };
    const ready = log.status === 'ok' && queue.status === 'ok' && stopped.length === 0;
    if (!ready) reply.status(503).header('retry-after', '1');
    return {
      status: ready ? 'ok' : 'unavailable',
      ...(ready ? {} : { detail: ['the service is not ready', ...stopped].join('; ') }),
      version,
      model: model.digest,
      engine,
      parts: { event_log: log, scoring: queue, views, calibration },
    };
  }
}

async function check<T extends object>(ask: () => Promise<T>): Promise<{ status: 'ok' | 'unavailable' } & Partial<T>> {
  try {
    return { status: 'ok', ...(await ask()) };
  } catch (error) {
    return { status: 'unavailable', reason: (error as Error).message } as never;
  }
}
