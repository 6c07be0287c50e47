/** Liveness and readiness probes. */
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { told } from '../http/answers.js';
import { PROBLEMS } from '../http/problem.js';
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
  async ready(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { store, scoring, evidence, engine, models, version } = this.parts;
    const views = this.parts.views.health();
    const stopped = views.flatMap(({ name, failure }) =>
      failure === undefined ? [] : [`the view "${name}" has ${failure}`],
    );
    const [log, live] = await Promise.all([
      check(async () => ({ position: String(await store.head()) })),
      check(async () => ({ digest: (await models.live()).model.digest })),
    ]);
    const queue = await check(async () => {
      const { waiting, active, workers } = await scoring.state();
      const able = workers.filter(({ models }) => live.digest !== undefined && models.includes(live.digest));
      if (able.length === 0) throw new Error('no worker that holds the live model is ready');
      return { waiting, active, workers: able.length };
    });
    const calibration = { models_not_installed: evidence.notInstalled(models.digests) };
    const ready = [log, live, queue].every(({ status }) => status === 'ok') && stopped.length === 0;
    const why = [PROBLEMS.not_ready[1], ...(live.reason ? [live.reason] : []), ...stopped].join('; ');
    if (!ready) reply.status(PROBLEMS.not_ready[0]).header('retry-after', '1');
    return {
      status: ready ? 'ok' : 'unavailable',
      ...(!ready && told({ detail: why, code: 'not_ready' }, request.id)),
      version,
      model: live.digest ?? null,
      engine,
      parts: { event_log: log, model: { ...live, installed: models.digests }, scoring: queue, views, calibration },
    };
  }
}

async function check<T extends object>(
  ask: () => Promise<T>,
): Promise<{ status: 'ok' | 'unavailable'; reason?: string } & Partial<T>> {
  try {
    return { status: 'ok', ...(await ask()) };
  } catch (error) {
    return { status: 'unavailable', reason: (error as Error).message } as never;
  }
}
