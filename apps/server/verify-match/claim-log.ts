/** What a claim leaves in the log, whichever model scored it. */
import { Inject, Injectable } from '@nestjs/common';
import {
  type BankedSet,
  type ClaimEvent,
  decideBank,
  encodeVector,
  evolveClaim,
  fold,
  noClaim,
  nothingBanked,
  type Submission,
  streams,
} from '#domain';
import { type ExpectedRevision, type NewEvent, WrongExpectedRevision } from '#event-store';
import type { Model } from '#matching';
import type { ScoredSides } from '#scoring';
import { PARTS, type Parts } from '../parts.js';

@Injectable()
export class ClaimLog {
  constructor(@Inject(PARTS) private readonly parts: Parts) {}

  /** A claim as it stands. */
  async read(stream: string) {
    const events = await this.parts.store.readStream(stream);
    const state = fold(evolveClaim, noClaim, events as unknown as ClaimEvent[]);
    return { state, revision: events[events.length - 1]?.revision ?? -1n };
  }

  append(
    stream: string,
    events: { type: string; version: number; data: object }[],
    expected: ExpectedRevision,
    requestId: string,
  ) {
    const metadata = { correlationId: requestId };
    const fresh = events.map((event) => ({ ...event, id: this.parts.newId(), metadata }) as NewEvent);
    return this.parts.store.append(stream, fresh, expected);
  }

  /** Both sides' vectors by a model; a set that is there already keeps its first record. */
  async bank(
    { key, claim_id, at, ...sides }: Submission,
    model: Model,
    vectors: ScoredSides,
    by: BankedSet['by'],
    requestId: string,
  ): Promise<void> {
    await Promise.all(
      (['rough', 'polish'] as const).map(async (side) => {
        const { digest, scans, references } = sides[side];
        const set: BankedSet = {
          population: key.population,
          model: model.digest,
          digest,
          side,
          scans,
          references,
          vectors: Object.fromEntries(model.encoders.map(({ name }, i) => [name, encodeVector(vectors[side][i])])),
          by,
          claim_id,
          at,
        };
        const decision = decideBank(nothingBanked, set);
        if ('refusal' in decision) throw new Error(`vectors refused: ${decision.refusal}`);
        try {
          await this.append(
            streams.bank(key.population, model.digest, digest),
            decision.events,
            'no_stream',
            requestId,
          );
        } catch (error) {
          if (!(error instanceof WrongExpectedRevision)) throw error;
        }
      }),
    );
  }
}
