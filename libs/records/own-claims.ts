/** What the holder of a key reads of its own claims: the stored answer, the label, and what a review came to. */
import { type Static, Type } from 'typebox';
import { isClaimId } from '#claims/decide';
import type { ClaimReviewed, ClaimState } from '#claims/events';
import { storedClaim } from '#claims/queries-claim';
import type { Receipts } from '#claims/receipts';
import { type Verification, verification } from '#claims/verification';
import { one, orNull } from '#domain/schemas';
import { EXPECTED, REVIEW_OUTCOMES } from '#domain/shapes';
import { streams } from '#domain/streams';
import type { EventReader } from '#kit/log/port';
import { readEvents } from '#kit/log/stored-events';
import { rung, string, time } from '#kit/views/shapes';
import type { Labels } from '#labels/labels';
import { adviceOf } from '#science/matching/action';

/** An operator's note is not the caller's to read. */
const review = Type.Object(
  {
    outcome: orNull(
      Type.With(one(...REVIEW_OUTCOMES), { description: 'whether the verdict held up; null where that was not said' }),
    ),
    at: time(),
  },
  { $id: 'ReviewOutcome' },
);

const label = Type.Object({ expected: one(...EXPECTED), at: time('when it was given') }, { $id: 'OwnLabel' });

export const ownClaim = Type.Object(
  {
    claim_id: string('the claim'),
    status: one('scored', 'unfinished'),
    submitted_at: time(),
    reject_target: rung,
    answer: orNull(verification),
    label: orNull(Type.With(label, { description: 'the label that holds now' })),
    review: orNull(Type.With(review, { description: 'what the latest review by an operator came to' })),
  },
  { $id: 'OwnClaim' },
);
export type OwnClaim = Static<typeof ownClaim>;

export interface OwnClaimsDependencies {
  store: Pick<EventReader, 'readStream'>;
  labels: Pick<Labels, 'labelOf'>;
  receipts: Pick<Receipts, 'of'>;
}

/** Read from streams: every replica can answer. */
export class OwnClaims {
  constructor(private readonly dependencies: OwnClaimsDependencies) {}

  /** @returns undefined where the key has made no such claim: another key's claim is like one that is not there */
  async read(keyId: string, claimId: string): Promise<OwnClaim | undefined> {
    if (!isClaimId(claimId)) return undefined;
    const { store, labels, receipts } = this.dependencies;
    const state = await storedClaim(store, keyId, claimId);
    if (state.status === 'absent') return undefined;
    const [receipt, held, reviews] = await Promise.all([
      receipts.of(state),
      labels.labelOf(keyId, claimId),
      readEvents<ClaimReviewed>(store, streams.review(claimId)),
    ]);
    const noted = reviews.at(-1)?.data;
    const { at, reject_target } = state.submission;
    return {
      ...{ claim_id: claimId, status: state.status === 'scored' ? 'scored' : 'unfinished' },
      ...{ submitted_at: at, reject_target, answer: answerOf(state, receipt) },
      label: held ? { expected: held.expected, at: held.at } : null,
      review: noted && noted.outcome !== 'taken_back' ? { outcome: noted.outcome, at: noted.at } : null,
    };
  }
}

function answerOf(state: ClaimState, receipt: string | undefined): Verification | null {
  if (state.status !== 'scored') return null;
  const { result, action_reasons } = state.scoring;
  const { rough, polish, shared_scans } = state.submission;
  return {
    ...result,
    ...adviceOf(result, shared_scans ?? 0, action_reasons),
    stone_ids: { rough: rough.references, polish: polish.references },
    ...(receipt !== undefined && { receipt }),
  };
}
