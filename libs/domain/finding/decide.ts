import type { Decider } from '../decider.js';
import type { FindingReviewed } from './events.js';

/** Each note is stored; nothing is decided on those before it. */
export const findingDecider: Decider<undefined, FindingReviewed['data'], FindingReviewed> = {
  initial: undefined,
  evolve: () => undefined,
  decide: (_, data) => ({ events: [{ type: 'FindingReviewed', version: 2, data }] }),
};
