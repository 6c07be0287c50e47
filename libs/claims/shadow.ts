/** The shadow model's score of an answered claim: evidence for its own ladder, and no part of any answer. */

import { streams } from '#domain/streams';
import type { CommandHandler } from '#kit/log/command-handler';
import type { EventReader } from '#kit/log/port';
import { readState } from '#kit/log/stored-events';
import type { ScoredSides } from '#kit/queue/port';
import { fusedScore, memberCosines } from '#science/matching/encoder';
import type { Model } from '#science/matching/model';
import { bankedSets } from './bank.js';
import { claimDecider } from './decide.js';
import { countsAsEvidence, type ShadowScoring, type Submission } from './events.js';

/** Attempts to append while the same claim is being repeated. */
const ATTEMPTS = 5;

export interface ShadowDependencies {
  store: Pick<EventReader, 'readStream'>;
  commands: CommandHandler;
  now(): Date;
  /** Called with what came of each claim; no call waits for it. */
  scored(): void;
  failed(error: Error, claim: { claimId: string; requestId: string }): void;
}

export class Shadow {
  constructor(private readonly dependencies: ShadowDependencies) {}

  /** To be called once the claim is scored. */
  follow(submission: Submission, model: Model, scored: Promise<ScoredSides>, requestId: string): void {
    if (!countsAsEvidence(submission)) return;
    const { dependencies } = this;
    this.keep(submission, model, scored, requestId).then(
      (stored) => stored && dependencies.scored(),
      (error: Error) => dependencies.failed(error, { claimId: submission.claim_id, requestId }),
    );
  }

  /** @returns whether it was not there before */
  private async keep(submission: Submission, model: Model, scored: Promise<ScoredSides>, requestId: string) {
    const { store, commands, now } = this.dependencies;
    const vectors = await scored;
    const { rough, polish, engine } = vectors;
    const { claim_id, key } = submission;
    const scoring: ShadowScoring = {
      claim_id,
      request_id: requestId,
      model: model.digest,
      fused_score: fusedScore(rough, polish),
      member_cosines: memberCosines(model, rough, polish),
      engine,
      at: now().toISOString(),
    };
    const stream = streams.claim(key.id, claim_id);
    const seen = await readState(store, stream, claimDecider);
    if (seen.state.status === 'scored' && seen.state.shadows.includes(model.digest)) return false;
    const command = { type: 'score_shadow', scoring, sets: bankedSets(submission, model, vectors) } as const;
    const handled = await commands.handle(claimDecider, command, { stream, requestId, seen, attempts: ATTEMPTS });
    if (handled.refusal !== undefined) throw new Error(`shadow scoring refused: ${handled.refusal}`);
    return handled.events.length > 0;
  }
}
