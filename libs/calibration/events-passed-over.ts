/** Calibration events that are not obeyed, as a replica that counts claims found, for those that do not. */

import { type EventIn, event } from '#domain/catalogue-entry';
import { type Decider, never } from '#domain/decider';
import { count, described } from '#domain/schemas';
import { aReason, at, population } from '#domain/shapes';
import { streams } from '#domain/streams';

/** Decisions that are not obeyed. */
export const passedOverEvents = {
  DecisionPassedOver: event(
    1,
    {
      name: 'passedover-{population}',
      is: (stream, { population }) => stream === streams.passedOver(population),
    },
    'an event of the population’s calibration stream is not obeyed: for replicas without views, which cannot count its claims',
    {
      population,
      revision: described(count, 'of the event in the calibration stream'),
      problem: described(aReason, 'why, as the end of a sentence that begins with the event'),
      at,
    },
  ),
};

export type DecisionPassedOver = EventIn<typeof passedOverEvents, 'DecisionPassedOver'>;
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
