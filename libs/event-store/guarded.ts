import { EventRefused, type EventStore, type NewEvent } from './port.js';

/** What is wrong with an event that is to go into a stream, as the end of a sentence; undefined where nothing is. */
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
export const guardedStore = (store: EventStore, faultOf: AdmissionFault): EventStore =>
  withAppend(store, async (stream, events, expected, before = []) => {
    for (const one of [...before, { stream, events }]) {
      for (const event of one.events) {
        const fault = faultOf(one.stream, event);
        if (fault !== undefined) throw new EventRefused(one.stream, event.type, fault);
      }
    }
    return store.append(stream, events, expected, before);
  });
