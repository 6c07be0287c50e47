/**
 * Events that are gone. `EventLost` stands where one stood that could not be read when its log was exported: nothing can be
 * decided from its stream. `NoEvent` stands for a row that an operator has disowned: it takes a place, and says nothing.
 * `LossAccepted` says that an operator goes on with a log that lacks events.
 */
import { type EventIn, event, only } from '#domain/catalogue-entry';
import { count, described, list, object, orNull, text } from '#domain/schemas';
import { anId, aPlace, at, reason } from '#domain/shapes';
import { streams } from '#domain/streams';
import type { UnreadableEvent } from './port.js';

/** Holes that an event names one by one; the last one spans all that are left. */
export const MAX_HOLES = 1000;

/** Events that were lost. */
export const lostEvents = {
  LossAccepted: event(
    1,
    only(streams.log()),
    'the log had lost events that were acknowledged, and an operator had the service go on with it',
    {
      newest: described(
        orNull(object({ position: aPlace, stream: text(2048), revision: count, id: anId })),
        'the newest event that was acknowledged, if the log lacks it: its place, its stream, its revision in it, its id',
      ),
      head: described(aPlace, 'place at which the log ended'),
      missing: described(orNull(count), 'number of events that are gone at least; null where the places do not tell'),
      holes: described(
        list(object({ from: aPlace, to: aPlace }), MAX_HOLES),
        'places whose events are gone: `from` to `to`',
      ),
      reason,
      at,
    },
  ),
  EventLost: event(
    1,
    { name: 'any', is: () => true },
    'an event could not be read when the log was exported, and the operator had this written in its place; views skip it, and nothing is decided from its stream any more',
    {
      type: described(text(256), "the lost event's"),
      position: described(aPlace, 'its place in the log that was exported'),
      reason: described(text(4096), 'why it could not be read'),
    },
  ),
  NoEvent: event(
    1,
    { name: 'any', is: () => true },
    'a damaged row stood here, which an operator had disowned when the log was exported; nobody reads it',
    {},
  ),
};

export type EventLost = EventIn<typeof lostEvents, 'EventLost'>;
export type LossAccepted = EventIn<typeof lostEvents, 'LossAccepted'>;

/** Places in a log at which no event stands. */
export interface Hole {
  from: bigint;
  to: bigint;
}

/** The holes that operators have accepted, in order. @param events of the stream `log` */
export const acceptedHoles = (events: readonly { type: string; data: object }[]): Hole[] =>
  events
    .flatMap(({ type, data }) => (type === 'LossAccepted' ? (data as LossAccepted['data']).holes : []))
    .map(({ from, to }) => ({ from: BigInt(from), to: BigInt(to) }))
    .sort((a, b) => (a.from < b.from ? -1 : 1));

/** Stands in place of an event that cannot be read. */
export function lostEvent({ type, position, reason }: Pick<UnreadableEvent, keyof EventLost['data']>): EventLost {
  return { type: 'EventLost', version: 1, data: { type, position: String(position), reason } };
}
