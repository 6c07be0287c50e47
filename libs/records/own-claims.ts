/** What the holder of a key reads of a claim: the stored answer, the label, and what a review came to. */
import { answerOf } from '#claims/call';
import { isClaimId } from '#claims/decide';
import type { ClaimReviewed } from '#claims/events';
import { storedClaim } from '#claims/queries-claim';
import type { Receipts } from '#claims/receipts';
import type { OwnClaim } from '#claims/verification';
import { streams } from '#domain/streams';
import type { EventReader } from '#kit/log/port';
import { readEvents } from '#kit/log/stored-events';
import type { Labels } from '#labels/labels';

export interface OwnClaimsDependencies {
  store: Pick<EventReader, 'readStream'>;
  labels: Pick<Labels, 'labelOf'>;
  receipts: Pick<Receipts, 'of'>;
}

/** Read from streams: every replica can answer. */
export class OwnClaims {
  constructor(private readonly dependencies: OwnClaimsDependencies) {}

  /**
   * @param population of the key that asks, where another key made the claim
   * @returns undefined where the key has made no such claim, or made it for another population
   */
  async read(keyId: string, claimId: string, population?: string): Promise<OwnClaim | undefined> {
    if (!isClaimId(claimId)) return undefined;
    const { store, labels, receipts } = this.dependencies;
    const state = await storedClaim(store, keyId, claimId);
    if (state.status === 'absent') return undefined;
    if (population !== undefined && state.submission.key.population !== population) return undefined;
    const receipt = receipts.of(state);
    const [held, reviews] = await Promise.all([
      labels.labelOf(keyId, claimId),
      readEvents<ClaimReviewed>(store, streams.review(claimId)),
    ]);
    const noted = reviews.at(-1)?.data;
    const { at, reject_target } = state.submission;
    return {
      ...{ claim_id: claimId, status: state.status === 'scored' ? 'scored' : 'unfinished' },
      ...{ submitted_at: at, reject_target },
      answer: state.status === 'scored' ? answerOf({ ...state.scoring, receipt }, state.submission) : null,
      label: held ? { expected: held.expected, at: held.at } : null,
      review: noted && noted.outcome !== 'taken_back' ? { outcome: noted.outcome, at: noted.at } : null,
    };
  }
}
