/** Calibration events that are not obeyed, as a replica that counts claims found, for those that do not. */
import type { EventOf } from '../catalogue.js';
import { type Decider, never } from '../decider.js';

export type DecisionPassedOver = EventOf<'DecisionPassedOver'>;
type PassedOverDecision = DecisionPassedOver['data'];

/** The reason, by revision in the calibration stream. */
export type PassedOverState = Readonly<Record<string, string>>;

/** Every replica that counts finds the same: whoever comes later adds nothing. */
export const passedOverDecider: Decider<PassedOverState, PassedOverDecision, DecisionPassedOver> = {
  initial: {},
  decide: (state, data) => ({
    events: data.revision in state ? [] : [{ type: 'DecisionPassedOver', version: 1, data }],
  }),
  evolve(state, event) {
    switch (event.type) {
      case 'DecisionPassedOver':
        return { [event.data.revision]: event.data.problem, ...state };
      default:
        return never(event.type);
    }
  },
};
