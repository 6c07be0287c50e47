import { type EventStore, InvalidEvent, type NewEvent, type StreamAppend } from './port.js';

/** The fault of an event that is to go into a stream, as the end of a sentence; undefined if there is none. */
export type AdmissionFault = (stream: string, event: NewEvent) => string | undefined;

/** A store that appends in another way, and reads as it did. */
export const withAppend = (store: EventStore, writing: Pick<EventStore, 'append' | 'appendEarly'>): EventStore => ({
  ...writing,
  readStream: (stream, options) => store.readStream(stream, options),
  readAll: (options) => store.readAll(options),
  readLast: (limit, filter) => store.readLast(limit, filter),
  head: () => store.head(),
  subscribe: (options, handlers) => store.subscribe(options, handlers),
  close: () => store.close(),
});

/** The store behind a wall: where one event of an append has a fault, nothing of it is stored. */
export function guardedStore(store: EventStore, faultOf: AdmissionFault): EventStore {
  const admit = (appends: readonly Omit<StreamAppend, 'expected'>[]) => {
    for (const { stream, events } of appends) {
      for (const event of events) {
        const fault = faultOf(stream, event);
        if (fault !== undefined) throw new InvalidEvent(stream, event.type, fault);
      }
    }
  };
  return withAppend(store, {
    async append(stream, events, expected, before = []) {
      admit([...before, { stream, events }]);
      return store.append(stream, events, expected, before);
    },
    async appendEarly(appends) {
      admit(appends);
      return store.appendEarly(appends);
    },
  });
}
