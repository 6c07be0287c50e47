/** Which model decides, which scores beside, and the operator's switch between them. */
import { Controller, Get, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { IsBoolean, IsOptional, Matches } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { liveModel, type ModelRefusal, modelDecider, streams } from '#domain';
import { WrongExpectedRevision } from '#event-store';
import type { QueueState } from '#scoring';
import { evidenceCaughtUp } from '../calibration/calibrations.js';
import { OperatorGuard } from '../http/access.js';
import { BodyBudget } from '../http/body.js';
import { Problem } from '../http/problem.js';
import { exchange } from '../http/request.js';
import { readChecked, Stated } from '../http/validation.js';
import { PARTS, type Parts } from '../parts.js';

class SwitchBody {
  @Matches(/^[0-9a-f]{64}$/i, { message: 'model must be a digest of 64 hex digits' })
  model!: string;

  @Stated()
  reason!: string;

  @IsOptional()
  @IsBoolean()
  accept_uncalibrated = false;
}

/** Populations that a refusal names; GET lists all. */
const MOST_NAMED = 20;

@Controller('api/v1/model')
@UseGuards(OperatorGuard)
export class ModelController {
  constructor(
    @Inject(PARTS) private readonly parts: Parts,
    private readonly budget: BodyBudget,
  ) {}

  @Get()
  async show() {
    await evidenceCaughtUp(this.parts);
    return this.shown((await this.parts.scoring.state()).workers);
  }

  private async shown(workers: QueueState['workers']) {
    const { models, metrics } = this.parts;
    const { state } = await models.read();
    const live = liveModel(state, await models.own());
    const { values } = await metrics.shadow.get();
    return {
      live,
      // What a new log is told of its beginning was no switch.
      switched: state.switched && state.switched.from !== state.switched.to ? state.switched : null,
      installed: models.installed.map(({ model, asset }) => ({
        model: model.digest,
        name: model.name,
        live: model.digest === live,
        scope: asset.scope,
        populations_falling_back: this.fallingBack(live, model.digest),
      })),
      workers,
      shadow_claims: Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value])),
    };
  }

  @Post('switch')
  @HttpCode(200)
  async switch(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { commands, models, scoring, configuration, now } = this.parts;
    const both = exchange(request, reply);
    const body = await readChecked(SwitchBody, both, configuration.requestTimeoutMs, this.budget);
    const to = body.model.toLowerCase();
    await evidenceCaughtUp(this.parts);
    const { workers } = await scoring.state();
    const lacking = workers.filter((worker) => !worker.models.includes(to));
    const seen = await models.read();
    const own = await models.own();
    const fallingBack = this.fallingBack(liveModel(seen.state, own), to);
    const command = {
      type: 'switch' as const,
      to,
      own,
      installed: models.digests,
      everyWorkerHoldsIt: workers.length > 0 && lacking.length === 0,
      fallingBack: fallingBack.map(({ population }) => population),
      acceptUncalibrated: body.accept_uncalibrated,
      operator: request.operator!,
      reason: body.reason,
      requestId: request.id,
      at: now().toISOString(),
    };
    try {
      const handling = { stream: streams.model(), requestId: request.id, seen, attempts: 1 };
      const { refusal } = await commands.handle(modelDecider, command, handling);
      if (refusal !== undefined) throw refused(refusal, lacking, fallingBack);
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      throw new Problem('conflict', ': another operator switched the model first; look again');
    }
    return this.shown(workers);
  }

  /** Rungs by population that are approved under one model and not under the other. */
  private fallingBack(from: string, to: string): { population: string; rungs: string[] }[] {
    const kept = new Set(this.parts.evidence.approved(to).map(({ population, rung }) => `${rung} ${population}`));
    const lost = new Map<string, string[]>();
    for (const { population, rung } of this.parts.evidence.approved(from))
      if (!kept.has(`${rung} ${population}`)) lost.set(population, [...(lost.get(population) ?? []), rung]);
    return [...lost].map(([population, rungs]) => ({ population, rungs }));
  }
}

function refused(
  refusal: ModelRefusal,
  lacking: { id: string }[],
  fallingBack: { population: string; rungs: string[] }[],
): Problem {
  switch (refusal) {
    case 'not_installed':
      return new Problem('not_found', ': no such model is installed');
    case 'already_live':
      return new Problem('conflict', ': this model is live already');
    case 'worker_lacks_model': {
      const who = lacking.length > 0 ? `lacking on ${lacking.map(({ id }) => id).join(', ')}` : 'no worker is there';
      return new Problem('conflict', `: every scoring worker has to hold the model; ${who}`);
    }
    case 'populations_fall_back': {
      const named = fallingBack
        .slice(0, MOST_NAMED)
        .map(({ population, rungs }) => `${population} (${rungs.join(', ')})`);
      const more = fallingBack.length > named.length ? ` and ${fallingBack.length - named.length} more` : '';
      return new Problem(
        'conflict',
        `: approved rungs would fall back to the shipped default: ${named.join(', ')}${more}; approve them under the other model first, or send accept_uncalibrated: true`,
      );
    }
  }
}
