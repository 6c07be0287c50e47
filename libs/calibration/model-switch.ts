/** The operator's switch between installed models. */

import { streams } from '#domain/streams';
import type { CommandHandler } from '#kit/log/command-handler';
import { WrongExpectedRevision } from '#kit/log/port';
import { CommandRefused } from '#kit/log/refused';
import type { QueueState, Scoring } from '#kit/queue/port';
import { type ModelRefusal, modelDecider } from './decide-model.js';
import { liveModel } from './events-model.js';
import { type EvidenceDependencies, evidenceCaughtUp } from './queries-caught-up.js';
import type { EvidenceView } from './queries-evidence.js';
import type { Models } from './queries-models.js';
import type { FallingBack, PublicModels } from './queries-models-shapes.js';

/** Populations that a refusal names; a listing of the models has all. */
const MAX_NAMED = 20;

export interface ModelSwitchDependencies extends EvidenceDependencies {
  commands: CommandHandler;
  models: Models;
  evidence: Pick<EvidenceView, 'waitFor' | 'approved'>;
  scoring: Pick<Scoring, 'state'>;
  now(): Date;
}

export interface WantedSwitch {
  /** Digest of the model that is to be live. */
  to: string;
  acceptUncalibrated: boolean;
  operator: string;
  reason: string;
  requestId: string;
}

export class ModelSwitch {
  constructor(private readonly dependencies: ModelSwitchDependencies) {}

  /**
   * The model that decides, and the effect of a switch.
   * @throws CommandRefused (behind)
   */
  async show() {
    await evidenceCaughtUp(this.dependencies);
    return this.shown((await this.dependencies.scoring.state()).workers);
  }

  private async shown(workers: QueueState['workers']): Promise<Omit<PublicModels, 'shadow_claims'>> {
    const { models } = this.dependencies;
    const { state } = await models.read();
    const live = liveModel(state, await models.own());
    const shadow = models.shadow({ model: { digest: live } });
    return {
      live,
      // The record of a new log's beginning was no switch.
      switched: state.switched && state.switched.from !== state.switched.to ? state.switched : null,
      installed: models.installed.map(({ model, asset }) => ({
        model: model.digest,
        name: model.name,
        live: model.digest === live,
        shadow: model.digest === shadow?.model.digest,
        scope: asset.scope,
        populations_falling_back: this.fallingBack(live, model.digest),
      })),
      workers,
    };
  }

  /** @throws CommandRefused (not_found, conflict, behind) */
  async switch({ to, ...wanted }: WantedSwitch) {
    const { commands, models, scoring, now } = this.dependencies;
    await evidenceCaughtUp(this.dependencies);
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
      ...wanted,
      at: now().toISOString(),
    };
    const handling = { stream: streams.model(), requestId: wanted.requestId, seen, attempts: 1 };
    const { refusal } = await commands.handle(modelDecider, command, handling).catch((error) => {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      throw new CommandRefused('conflict', 'another operator switched the model first; look again');
    });
    if (refusal !== undefined) throw refused(refusal, lacking, fallingBack);
    return this.shown(workers);
  }

  /** Rungs by population that are approved under one model and not under the other. */
  private fallingBack(from: string, to: string): FallingBack[] {
    const { evidence } = this.dependencies;
    const kept = new Set(evidence.approved(to).map(({ population, rung }) => `${rung} ${population}`));
    const lost = new Map<string, string[]>();
    for (const { population, rung } of evidence.approved(from))
      if (!kept.has(`${rung} ${population}`)) lost.set(population, [...(lost.get(population) ?? []), rung]);
    return [...lost].map(([population, rungs]) => ({ population, rungs }));
  }
}

function refused(refusal: ModelRefusal, lacking: { id: string }[], fallingBack: FallingBack[]): CommandRefused {
  switch (refusal) {
    case 'not_installed':
      return new CommandRefused('not_found', 'no such model is installed');
    case 'already_live':
      return new CommandRefused('conflict', 'this model is live already');
    case 'worker_lacks_model': {
      const who = lacking.length > 0 ? `lacking on ${lacking.map(({ id }) => id).join(', ')}` : 'no worker is there';
      return new CommandRefused('conflict', `every scoring worker has to hold the model; ${who}`);
    }
    case 'populations_fall_back': {
      const named = fallingBack
        .slice(0, MAX_NAMED)
        .map(({ population, rungs }) => `${population} (${rungs.join(', ')})`);
      const more = fallingBack.length > named.length ? ` and ${fallingBack.length - named.length} more` : '';
      return new CommandRefused(
        'conflict',
        `approved rungs would fall back to the shipped default: ${named.join(', ')}${more}; approve them under the other model first, or send accept_uncalibrated: true`,
      );
    }
  }
}
