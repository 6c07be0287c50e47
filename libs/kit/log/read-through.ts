import { type EventReader, type ReadAllOptions, type RecordedEvent, UnreadableEvent } from './port.js';

/** The log up to its head; an event that cannot be read comes as the error that says so, and those after it follow. */
export async function* readThrough(
  reader: EventReader,
  options: ReadAllOptions = {},
): AsyncGenerator<RecordedEvent | UnreadableEvent> {
  let { after, limit = Number.POSITIVE_INFINITY } = options;
  for (let damaged = true; damaged && limit > 0; ) {
    damaged = false;
    try {
      for await (const event of reader.readAll({ ...options, after, limit })) {
        after = event.position;
        limit--;
        yield event;
      }
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      damaged = true;
      after = error.position;
      limit--;
      yield error;
    }
  }
}
