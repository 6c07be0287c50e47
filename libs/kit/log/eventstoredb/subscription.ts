import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EventFilter,
  StoreUnavailable,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionHandlers,
} from '../port.js';
import type { Connection } from './connection.js';
import { filterOf, passed, place, positionOf, type Reading } from './events.js';
import { asOurs, isAway } from './failures.js';
import type { Followed, Passing } from './streams.js';

const RESUBSCRIBE_MS = { first: 50, max: 1_000 };
const LEADER_WITHIN_MS = 500;
/**
 * Status 2 ends the subscriptions of a server that stops, and is also how 23.10 refuses a position inside a record: so
 * often in a row, and never confirmed, it is a refusal.
 */
const UNKNOWN = 2;
const REFUSALS = 5;

/**
 * The server's subscriptions end with the connection and never come back, and a consumer that is too slow is dropped.
 * So this one starts again after the last position that was handled, until it is closed, refused or a handler fails.
 */
export class LastingSubscription implements Subscription {
  private readonly wanted: ReturnType<typeof filterOf>;
  private after: bigint | undefined;
  private closed = false;
  private caughtUp = false;
  private cancel = () => {};
  private pause = RESUBSCRIBE_MS.first;
  private unconfirmed = 0;
  private readonly done: Promise<void>;

  constructor(
    private readonly connection: Connection,
    private readonly options: SubscribeOptions,
    private readonly handlers: SubscriptionHandlers,
    private readonly settled: () => Promise<Reading>,
  ) {
    this.wanted = filterOf(options);
    this.after = options.after;
    this.done = this.run();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.cancel();
    await this.done;
  }

  private async run(): Promise<void> {
    while (!this.closed) {
      try {
        await this.follow();
      } catch (error) {
        this.cancel();
        if (this.closed) return;
        const reason = this.whyOver(error as Error);
        if (reason) {
          this.closed = true;
          this.handlers.onDropped?.(reason);
          return;
        }
      }
      if (this.closed) return;
      await sleep(this.pause);
      this.pause = Math.min(this.pause * 2, RESUBSCRIBE_MS.max);
    }
  }

  /** One subscription of the server, to its end. */
  private async follow(): Promise<void> {
    const { connection } = this;
    const node = await connection.serving(Date.now() + LEADER_WITHIN_MS);
    const how = await this.settled().catch((error: Error) => {
      throw error instanceof StoreUnavailable ? (error.cause ?? error) : new HandlerFailed(error);
    });
    const following = node.streams.follow(place(this.after), passingOf(this.options));
    this.cancel = () => following.cancel(new StoreUnavailable('the subscription is closed'));
    // A node that stands still says nothing: another one that leads has what comes next.
    const left = () => following.cancel(new StoreUnavailable('another node of EventStoreDB leads now'));
    node.onLeft.add(left);
    try {
      for await (const item of following) {
        if (this.closed) return;
        if (item === 'confirmed') {
          this.unconfirmed = 0;
          connection.trust(node);
          continue;
        }
        this.pause = RESUBSCRIBE_MS.first;
        await this.handle(item, how).catch((error: Error) => {
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

  private async handle(item: Exclude<Followed, 'confirmed'>, how: Reading): Promise<void> {
    if (item === 'caught up') {
      if (!this.caughtUp) this.handlers.onCaughtUp?.();
      this.caughtUp = true;
    } else if ('checkpoint' in item) {
      const { commit, prepare } = item.checkpoint;
      // Those with prepare 0 are nothing to go on from: 23.10 sends the start of the page just read while it catches up, later
      // servers also the place where the next event will stand. Some repeat an old one.
      if (commit !== prepare || commit <= (this.after ?? 0n)) return;
      this.after = commit;
      this.handlers.onCheckpoint?.(this.after);
    } else {
      const wanted = this.wanted(item);
      const event = wanted ? passed(item, { ...how, strict: false }) : undefined;
      if (event) await this.handlers.onEvent(event);
      this.after = positionOf(item);
      if (wanted && !event) this.handlers.onCheckpoint?.(this.after);
    }
  }

  /** The reason why no new attempt would get further; `undefined`: it may. */
  private whyOver(error: Error): Error | undefined {
    if (error instanceof HandlerFailed) return error.reason;
    if ((error as { code?: number }).code === UNKNOWN) this.unconfirmed++;
    if (isAway(error) && this.unconfirmed < REFUSALS) return undefined;
    const why = isAway(error) ? error.message : asOurs(error).message;
    return new StoreUnavailable(`no subscription after position ${this.after ?? 0n}: ${why}`, 1, { cause: error });
  }
}

/** The handler's error, or an event that cannot be read: not the connection's fault, so no new attempt mends it. */
class HandlerFailed extends Error {
  constructor(readonly reason: Error) {
    super(reason.message);
  }
}

/** The server filters by one thing at a time, types by prefix only; the rest is filtered here. */
function passingOf({ streamPrefixes, types }: EventFilter): Passing {
  if (streamPrefixes?.length) return { streams: streamPrefixes };
  return types?.length ? { types } : 'all';
}
