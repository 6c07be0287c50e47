import type { Decider } from '../decider.js';
import type { ViewSkipped } from './events.js';

/** What an operator lets the views pass over is stored, whatever was before. */
export const viewDecider: Decider<undefined, ViewSkipped['data'], ViewSkipped> = {
  initial: undefined,
  evolve: () => undefined,
  decide: (_, data) => ({ events: [{ type: 'ViewSkipped', version: 1, data }] }),
};
