import { type EventStore, InvalidEvent, type NewEvent } from './port.js';

/** The fault of an event that is to go into a stream, as the end of a sentence; undefined if there is none. */
export type AdmissionFault = (stream: string, event: NewEvent) => string | undefined;

/** A store that appends in another way, and reads as it did. */
export const withAppend = (store: EventStore, append: EventStore['append']): EventStore => ({
  append,
  readStream: (stream, options) => store.readStream(stream, options),
  readAll: (options) => store.readAll(options),
  readLast: (limit, filter) => store.readLast(limit, filter),
  head: () => store.head(),
  subscribe: (options, handlers) => store.subscribe(options, handlers),
  close: () => store.close(),
});

/** The store behind a wall: where one event of an append has a fault, nothing of it is stored. */
export function guardedStore(store: EventStore, faultOf: AdmissionFault): EventStore {
  return withAppend(store, async (stream, events, expected) => {
    for (const event of events) {
      const fault = faultOf(stream, event);
      if (fault !== undefined) throw new InvalidEvent(stream, event.type, fault);
    }
    return store.append(stream, events, expected);
  });
}
