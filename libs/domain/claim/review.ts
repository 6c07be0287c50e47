import type { Decider } from '../decider.js';
import type { ClaimReviewed } from './events.js';

/** Each note is stored; nothing is decided on those before it. */
export const claimReviewDecider: Decider<undefined, ClaimReviewed['data'], ClaimReviewed> = {
  initial: undefined,
  evolve: () => undefined,
  decide: (_, data) => ({ events: [{ type: 'ClaimReviewed', version: 2, data }] }),
};
