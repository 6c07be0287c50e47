import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AllStreamResolvedEvent,
  eventTypeFilter,
  excludeSystemEvents,
  type Filter,
  streamNameFilter,
} from '@eventstore/db-client';
import {
  type EventFilter,
  StoreUnavailable,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionHandlers,
  type Upcast,
} from '../port.js';
import type { Connection } from './connection.js';
import { filterOf, place, positionOf, toRecorded } from './events.js';
import { asOurs, isAway } from './failures.js';

const RESUBSCRIBE_MS = { first: 50, max: 1_000 };
const LEADER_WITHIN_MS = 500;
const BUFFERED = 512;
/**
 * Status 2 ends the subscriptions of a server that stops, and is also how 23.10 refuses a position inside a record: so
 * often in a row, and never confirmed, it is a refusal.
 */
const UNKNOWN = 2;
const REFUSALS = 5;

/** The client's reports besides the events; put between them, in the order in which they came. */
type Marker = 'caught up' | { checkpoint: bigint };

/**
 * The server's subscriptions end with the connection and never come back, and a consumer that is too slow is dropped.
 * So this one starts again after the last position that was handled, until it is closed, refused or a handler fails.
 */
export function subscribe(
  connection: Connection,
  options: SubscribeOptions,
  handlers: SubscriptionHandlers,
  upcast: Upcast | undefined,
): Subscription {
  const wanted = filterOf(options);
  let after = options.after;
  let closed = false;
  let caughtUp = false;
  let cancel = () => {};
  let pause = RESUBSCRIBE_MS.first;
  let unconfirmed = 0;

  async function handle(item: AllStreamResolvedEvent | Marker): Promise<void> {
    if (item === 'caught up') {
      if (!caughtUp) handlers.onCaughtUp?.();
      caughtUp = true;
    } else if ('checkpoint' in item) {
      // Some servers repeat an old one.
      if (item.checkpoint <= (after ?? 0n)) return;
      after = item.checkpoint;
      handlers.onCheckpoint?.(after);
    } else {
      const event = wanted(item);
      if (event) await handlers.onEvent(toRecorded(event, upcast));
      after = positionOf(item);
    }
  }

  async function follow(): Promise<void> {
    const node = await connection.serving(Date.now() + LEADER_WITHIN_MS);
    const mark = (marker: Marker) => void reading.push(marker);
    const reading = node.client.subscribeToAll(
      {
        fromPosition: place(after),
        filter: serverFilter(options, async (_, { commit, prepare }) => {
          // Those with prepare 0 are nothing to go on from: 23.10 sends the start of the page just read while it catches up,
          // later servers also the place where the next event will stand.
          if (commit === prepare) mark({ checkpoint: commit });
        }),
      },
      { highWaterMark: BUFFERED },
    );
    // A call that fails after it was given up still says so.
    reading.on('error', () => {});
    reading.on('confirmation', () => {
      unconfirmed = 0;
      connection.trust(node);
    });
    reading.on('caughtUp', () => mark('caught up'));
    cancel = () => {
      void reading.unsubscribe().catch(() => {});
      reading.destroy();
    };
    // A node that stands still says nothing: another one that leads has what comes next.
    const left = () => reading.destroy(new StoreUnavailable('another node of EventStoreDB leads now'));
    node.onLeft.add(left);
    try {
      for await (const item of reading as AsyncIterable<AllStreamResolvedEvent | Marker>) {
        if (closed) return;
        pause = RESUBSCRIBE_MS.first;
        await handle(item).catch((error: Error) => {
          throw new HandlerFailed(error);
        });
      }
    } catch (error) {
      if (!(error instanceof HandlerFailed) && isAway(error)) connection.doubt(node);
      throw error;
    } finally {
      node.onLeft.delete(left);
    }
  }

  /** The reason why no new attempt would get further; `undefined`: it may. */
  function whyOver(error: Error): Error | undefined {
    if (error instanceof HandlerFailed) return error.reason;
    if ((error as { code?: number }).code === UNKNOWN) unconfirmed++;
    if (isAway(error) && unconfirmed < REFUSALS) return undefined;
    const why = isAway(error) ? error.message : asOurs(error).message;
    return new StoreUnavailable(`no subscription after position ${after ?? 0n}: ${why}`, 1, { cause: error });
  }

  const done = (async () => {
    while (!closed) {
      try {
        await follow();
      } catch (error) {
        cancel();
        if (closed) return;
        const reason = whyOver(error as Error);
        if (reason) {
          closed = true;
          handlers.onDropped?.(reason);
          return;
        }
      }
      if (closed) return;
      await sleep(pause);
      pause = Math.min(pause * 2, RESUBSCRIBE_MS.max);
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

/** The server filters by one thing at a time, types by prefix only; the rest is filtered here. */
function serverFilter({ streamPrefixes, types }: EventFilter, checkpointReached: Filter['checkpointReached']): Filter {
  const options = { checkpointInterval: 1, checkpointReached };
  if (streamPrefixes?.length) return streamNameFilter({ ...options, prefixes: [...streamPrefixes] });
  if (types?.length) return eventTypeFilter({ ...options, prefixes: [...types] });
  return excludeSystemEvents(options);
}
