import { newEventId } from '../event-id.js';
import type { EventStore, NewEvent, RecordedEvent } from '../port.js';

/** The bench of one conformance test: a stream name of its own, and the log's head when it began. */
export interface Bench {
  store: EventStore;
  stream: string;
  start: bigint;
}

export interface TestContext {
  test(what: string, run: (bench: Bench) => Promise<void>): void;
}

export const event = (type = 'Tested', data: Record<string, unknown> = {}): NewEvent => ({
  id: newEventId(),
  type,
  version: 1,
  data,
  metadata: { correlationId: 'request-1', causationId: 'cause-1' },
});
export const events = (count: number, type?: string) => Array.from({ length: count }, (_, n) => event(type, { n }));
export const numbers = (recorded: RecordedEvent[]) => recorded.map(({ data }) => data.n);

export async function collect(source: AsyncIterable<RecordedEvent>): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const one of source) all.push(one);
  return all;
}
