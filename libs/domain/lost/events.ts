/** Stands where an event stood that could not be read when its log was exported. Nothing can be decided from its stream. */
import { type EventIn, event } from '../catalogue-entry.js';
import { described, text } from '../members.js';
import { aPlace } from '../shapes.js';

/** Events that were lost. */
export const lostEvents = {
  EventLost: event(
    1,
    { name: 'any', is: () => true },
    'an event could not be read when the log was exported, and the operator had this written in its place; views pass over it, and nothing is decided from its stream any more',
    {
      type: described(text(256), "the lost event's"),
      position: described(aPlace, 'its place in the log that was exported'),
      reason: described(text(4096), 'why it could not be read'),
    },
  ),
};

export type EventLost = EventIn<typeof lostEvents, 'EventLost'>;

export const lostEvent = ({
  type,
  position,
  reason,
}: {
  type: string;
  position: bigint;
  reason: string;
}): EventLost => ({
  type: 'EventLost',
  version: 1,
  data: { type, position: String(position), reason },
});
