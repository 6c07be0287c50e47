import {
  type AllStreamResolvedEvent,
  type EventStoreDBClient,
  eventTypeFilter,
  excludeSystemEvents,
  type Filter,
  streamNameFilter,
} from '@eventstore/db-client';
import type {
  EventFilter,
  RecordedEvent,
  SubscribeOptions,
  Subscription,
  SubscriptionHandlers,
  Upcast,
} from '../port.js';
import { sleep } from './client.js';
import { isSystem, place, positionOf, toRecorded } from './events.js';

const RESUBSCRIBE_MS = { first: 50, most: 1_000 };
const BUFFERED = 512;

/**
 * The server's subscriptions end with the connection and never come back, and a consumer that is too slow is dropped.
 * So this one starts anew after the last position that was handled, until it is closed or a handler fails.
 */
export function subscribe(
  client: EventStoreDBClient,
  options: SubscribeOptions,
  handlers: SubscriptionHandlers,
  upcast: Upcast | undefined,
): Subscription {
  const passes = filterOf(options);
  let after = options.after;
  let closed = false;
  let caughtUp = false;
  let cancel = () => {};
  let pause = RESUBSCRIBE_MS.first;

  async function follow(): Promise<void> {
    // Markers arrive beside the events, ahead of those still buffered; each waits until as many events are handled.
    const markers: { behind: number; run: () => void }[] = [];
    let inHand = 0;
    const settle = () => {
      while (markers.length > 0 && markers[0].behind <= 0) markers.shift()?.run();
    };
    const mark = (run: () => void) => {
      markers.push({ behind: reading.readableLength + inHand, run });
      settle();
    };
    const reading = client.subscribeToAll(
      {
        fromPosition: place(after),
        filter: serverFilter(options, async (_, { commit }) => {
          mark(() => {
            after = commit;
            handlers.onCheckpoint?.(commit);
          });
        }),
      },
      { highWaterMark: BUFFERED },
    );
    reading.on('caughtUp', () => {
      mark(() => {
        if (!caughtUp) handlers.onCaughtUp?.();
        caughtUp = true;
      });
    });
    cancel = () => {
      void reading.unsubscribe().catch(() => {});
      reading.destroy();
    };
    for await (const resolved of reading) {
      if (closed) return;
      pause = RESUBSCRIBE_MS.first;
      inHand = 1;
      const event = (resolved as AllStreamResolvedEvent).event;
      if (event && !isSystem(resolved)) {
        try {
          const recorded = toRecorded(event, upcast);
          if (passes(recorded)) await handlers.onEvent(recorded);
        } catch (error) {
          throw new HandlerFailed(error as Error);
        }
        after = positionOf(resolved);
      }
      inHand = 0;
      for (const marker of markers) marker.behind--;
      settle();
    }
  }

  const done = (async () => {
    while (!closed) {
      try {
        await follow();
      } catch (error) {
        cancel();
        if (closed) return;
        if (error instanceof HandlerFailed) {
          closed = true;
          handlers.onDropped?.(error.reason);
          return;
        }
      }
      if (closed) return;
      await sleep(pause);
      pause = Math.min(pause * 2, RESUBSCRIBE_MS.most);
    }
  })();

  return {
    async close() {
      closed = true;
      cancel();
      await done;
    },
  };
}

/** The handler's error, or an event that cannot be read: not the connection's fault, so no new attempt mends it. */
class HandlerFailed extends Error {
  constructor(readonly reason: Error) {
    super(reason.message);
  }
}

export function filterOf({ streamPrefixes, types }: EventFilter): (event: RecordedEvent) => boolean {
  return (event) =>
    (!streamPrefixes || streamPrefixes.some((prefix) => event.stream.startsWith(prefix))) &&
    (!types || types.includes(event.type));
}

/** The server filters by one thing at a time, types by prefix only; the rest is filtered here. */
function serverFilter({ streamPrefixes, types }: EventFilter, checkpointReached: Filter['checkpointReached']): Filter {
  const options = { checkpointInterval: 1, checkpointReached };
  if (streamPrefixes?.length) return streamNameFilter({ ...options, prefixes: [...streamPrefixes] });
  if (types?.length) return eventTypeFilter({ ...options, prefixes: [...types] });
  return excludeSystemEvents(options);
}
