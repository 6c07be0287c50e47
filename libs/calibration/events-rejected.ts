/**
 * Calibration events that are rejected, as replicas of 0.2 found that counted claims. Nothing writes it any more; what
 * stands recorded holds (`passed-over.ts`).
 */

import { type EventIn, event } from '#domain/catalogue-entry';
import { count, described } from '#domain/schemas';
import { aReason, at, population } from '#domain/shapes';
import { streams } from '#domain/streams';

/** Decisions that are rejected. */
export const rejectedDecisionEvents = {
  DecisionPassedOver: event(
    1,
    {
      name: 'passedover-{population}',
      is: (stream, { population }) => stream === streams.rejectedDecisions(population),
    },
    'replicas of 0.2 found that an event of the population’s calibration stream is rejected; no longer written',
    {
      population,
      revision: described(count, 'of the event in the calibration stream'),
      problem: described(aReason, 'why, as the end of a sentence that begins with the event'),
      at,
    },
  ),
};

export type DecisionPassedOver = EventIn<typeof rejectedDecisionEvents, 'DecisionPassedOver'>;
