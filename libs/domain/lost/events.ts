import type { EventOf } from '../catalogue.js';
/** Stands where an event stood that could not be read when its log was exported. Nothing can be decided from its stream. */
export type EventLost = EventOf<'EventLost'>;

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
