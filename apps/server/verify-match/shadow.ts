/** What the model beside the live one says of an answered claim: evidence for its own ladder, and no part of any answer. */
import { Inject, Injectable } from '@nestjs/common';
import { countsAsEvidence, decideClaim, type ShadowScoring, type Submission, streams } from '#domain';
import { WrongExpectedRevision } from '#event-store';
import { fusedScore, type Model, memberCosines } from '#matching';
import type { ScoredSides } from '#scoring';
import { answerTo } from '../http/answers.js';
import { PARTS, type Parts } from '../parts.js';
import { ClaimLog } from './claim-log.js';

/** Attempts to append while the same claim is being repeated. */
const ATTEMPTS = 5;

@Injectable()
export class Shadow {
  constructor(
    @Inject(PARTS) private readonly parts: Parts,
    private readonly log: ClaimLog,
  ) {}

  /** To be called once the claim is scored. What fails is counted, and nobody waits for it. */
  follow(submission: Submission, model: Model, scored: Promise<ScoredSides>, requestId: string): void {
    if (!countsAsEvidence(submission)) return;
    this.keep(submission, model, scored, requestId).then(
      (stored) => stored && this.parts.metrics.shadow.inc({ outcome: 'scored' }),
      (error: Error) => {
        const { code: reason, fault } = answerTo(error);
        this.parts.metrics.shadow.inc({ outcome: reason });
        const line = { request: requestId, claim: submission.claim_id, reason, ...(fault && { err: error }) };
        this.parts.logger[fault ? 'error' : 'debug'](line, 'not scored beside');
      },
    );
  }

  /**
   * Vectors first, as with an answered claim: they count once the claim's own event is there.
   * @returns whether it was not there before
   */
  private async keep(submission: Submission, model: Model, scored: Promise<ScoredSides>, requestId: string) {
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
      at: this.parts.now().toISOString(),
    };
    const stream = streams.claim(key.id, claim_id);
    for (let attempt = 1; ; attempt++) {
      const { state, revision } = await this.log.read(stream);
      const decision = decideClaim(state, { type: 'score_beside', scoring });
      if ('refusal' in decision) throw new Error(`shadow scoring refused: ${decision.refusal}`);
      if (decision.events.length === 0) return false;
      await this.log.bank(submission, model, vectors, 'claim', requestId);
      try {
        await this.log.append(stream, decision.events, revision, requestId);
        return true;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision) || attempt === ATTEMPTS) throw error;
      }
    }
  }
}
