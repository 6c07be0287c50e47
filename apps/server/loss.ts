/**
 * Holds the log to what was acknowledged: a log that lacks such events is not served, unless an operator says that it is to
 * be.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ConfigurationError } from '#config/error';
import { streams } from '#domain/streams';
import { acceptedHoles, type Hole, type LossAccepted, MAX_HOLES } from '#kit/log/events-lost';
import { type HighWaterMark, holds, type MarkedEvent, readMark } from '#kit/log/high-water-mark';
import { type EventStore, LogLoss, StoreUnavailable, UnreadableEvent } from '#kit/log/port';
import type { LogSeals } from '#kit/log/seal';
import { holesOf, ORDER, type Places } from '#kit/log/sqlite/order';
import { ThreadPool } from '#kit/threads/pool';

export interface LossOptions {
  store: EventStore;
  /** Of the log. */
  seals: LogSeals;
  mark: HighWaterMark;
  directory: string;
  /** True for an SQLite log in that directory: its seals tell what is gone. */
  sqlite: boolean;
  /** The operator's reason for going on with a log that lost events. */
  acceptLoss?: string;
  logger: Logger;
  now(): Date;
  newId(): string;
  /** Events at a SQLite log's end whose order is looked at before it is served (20,000); that of others is right after. */
  lookedAtFirst?: bigint;
}

export interface Loss {
  /** The newest event that was acknowledged, if the log lacks it. */
  newest?: MarkedEvent;
  /** Where the log ends. */
  head: bigint;
  /** Events that are gone at least; undefined where the log does not tell. */
  missing?: number;
  /** Their places. */
  holes: readonly Hole[];
}

const LOOKED_AT_FIRST = 20_000n;

/**
 * The events that the log has lost, if any.
 * @param after of a SQLite log: the order of what stands behind this place alone is looked at
 * @throws StoreUnavailable, LogCorrupt where the mark cannot be read
 */
async function lossOf({ store, seals, directory, sqlite }: LossOptions, after?: bigint): Promise<Loss | undefined> {
  const marked = readMark(directory);
  const newest = marked && !(await holds(store, marked)) ? marked : undefined;
  if (!sqlite) return newest && { newest, head: await store.head(), holes: [] };
  const holes = await holesOf(directory, seals.given, await acceptedIn(store), { after });
  if (!newest && holes.length === 0) return undefined;
  const head = await store.head();
  const tail = newest && newest.position > head ? [{ from: head + 1n, to: newest.position }] : [];
  return lossAt([...holes, ...tail], head, newest);
}

function lossAt(holes: readonly Hole[], head: bigint, newest?: MarkedEvent): Loss {
  const missing = holes.reduce((sum, { from, to }) => sum + Number(to - from) + 1, 0);
  return { newest, head, missing: Math.max(1, missing), holes };
}

/** Where the log's own record cannot be read, losses that were accepted are found once more. */
const acceptedIn = async (store: EventStore) =>
  acceptedHoles(await store.readStream(streams.log()).catch(unlessUnreadable));

function unlessUnreadable(error: unknown): [] {
  if (error instanceof UnreadableEvent) return [];
  throw error;
}

const SHOWN = 10;

export function sentenceOf({ newest, head, missing, holes }: Loss): string {
  const count = missing ? `${missing} event${missing === 1 ? '' : 's'}` : 'events';
  const named = newest
    ? `the newest of them stood at position ${newest.position} (revision ${newest.revision} of stream ${newest.stream}), the log ends at ${head}`
    : `the log ends at ${head}`;
  const shown = holes.slice(0, SHOWN).map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`));
  const more = holes.length > SHOWN ? ` and ${holes.length - SHOWN} more ranges` : '';
  const places = shown.length > 0 ? `; no event stands at ${shown.join(', ')}${more}` : '';
  return (
    `The log lacks ${count} that were acknowledged: ${named}${places}. Bring the log back from where it is whole, or start ` +
    'once with --accept-loss "REASON", which is recorded: keys that were revoked in what is lost then open again.'
  );
}

/**
 * Looks for losses and, where an operator accepts them, records that.
 * @throws LogLoss, ConfigurationError, StoreUnavailable, LogCorrupt
 */
export async function refuseLoss(options: LossOptions, after?: bigint): Promise<void> {
  const { store, mark, directory, sqlite, acceptLoss, logger } = options;
  const loss = await lossOf(options, after);
  if (loss && acceptLoss === undefined) throw new LogLoss(sentenceOf(loss));
  if (!loss && acceptLoss !== undefined)
    throw new ConfigurationError('--accept-loss: the log lacks nothing that was acknowledged; start without it');
  if (loss) await accept(loss, acceptLoss as string, options);
  else if (sqlite) {
    const [last] = await store.readLast(1);
    if (last && readMark(directory) === undefined)
      logger.warn({ position: String(last.position) }, 'no file named the newest event: earlier losses cannot be seen');
    if (last) mark.note(last);
  }
  mark.release();
}

async function accept({ newest, head, missing, holes }: Loss, reason: string, options: LossOptions): Promise<void> {
  const { store, mark, logger, now, newId } = options;
  // The last one that is named spans those that are left.
  const named =
    holes.length <= MAX_HOLES ? holes : [...holes.slice(0, MAX_HOLES - 1), spanOf(holes.slice(MAX_HOLES - 1))];
  const event: LossAccepted = {
    type: 'LossAccepted',
    version: 1,
    data: {
      newest: newest
        ? { position: String(newest.position), stream: newest.stream, revision: Number(newest.revision), id: newest.id }
        : null,
      head: String(head),
      missing: missing ?? null,
      holes: named.map(({ from, to }) => ({ from: String(from), to: String(to) })),
      reason,
      at: now().toISOString(),
    },
  };
  const id = newId();
  const { position, revision } = await store.append(streams.log(), [{ ...event, id }], 'any');
  mark.note({ position, stream: streams.log(), revision, id });
  logger.warn({ alarm: 'log_loss_accepted', ...event.data }, 'the log goes on without events that were acknowledged');
}

const spanOf = (holes: readonly Hole[]): Hole => ({ from: holes[0].from, to: holes[holes.length - 1].to });

/** A server that is away is waited for (ms) before the service serves, and asked again after; a log is looked at again after. */
const ANSWERED_WITHIN_MS = 2000;
const AWAY_MS = 1000;
const AGAIN_MS = 60_000;

/** Looks at the order of what stands up to that place, on a thread. @throws LogLoss */
async function refuseEarlierLoss({ store, seals, directory }: LossOptions, upTo: bigint, pool: ThreadPool) {
  const args = [directory, seals.given, await acceptedIn(store), { upTo } satisfies Places];
  const holes = await pool.run<Hole[]>(ORDER, 'holesOf', args);
  if (holes.length > 0) throw new LogLoss(sentenceOf(lossAt(holes, await store.head())));
}

/**
 * The same for a whole run: a server that is away at the start is looked at as soon as it answers, what a SQLite log holds
 * before its newest events right after the start, and the newest event that was acknowledged each minute.
 * @param onLoss the log turns out to lack events: it must not be served
 * @returns what ends it
 * @throws as `refuseLoss`, but for StoreUnavailable
 */
export async function watchLoss(options: LossOptions, onLoss: (error: Error) => void): Promise<() => Promise<void>> {
  const { store, mark, sqlite, acceptLoss, logger, lookedAtFirst = LOOKED_AT_FIRST } = options;
  const closing = new AbortController();
  const pool = new ThreadPool({ threads: 1, inSqlite: true });
  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal: closing.signal });
  // What an operator accepts is looked for in all of the log first.
  const before = sqlite && acceptLoss === undefined ? (await store.head()) - lookedAtFirst : 0n;
  const after = before > 0n ? before : undefined;
  const first = async () => {
    for (;;) {
      try {
        return await refuseLoss(options, after);
      } catch (error) {
        if (sqlite || !(error instanceof StoreUnavailable)) throw error;
        await pause(AWAY_MS);
      }
    }
  };
  const earlier = async () => {
    if (after === undefined) return;
    try {
      await refuseEarlierLoss(options, after, pool);
    } catch (error) {
      if (error instanceof LogLoss || closing.signal.aborted) throw error;
      logger.warn({ err: error }, 'the order of earlier events was not looked at: the check of the log does that');
    } finally {
      await pool.close();
    }
  };
  const again = async () => {
    for (let kept: MarkedEvent | undefined; kept === undefined || (await holds(store, kept).catch(() => true)); ) {
      await pause(AGAIN_MS);
      kept = mark.kept;
    }
    logger.error(
      { alarm: 'log_loss', position: String(mark.kept?.position) },
      'the log lost events while it was served',
    );
  };
  const looked = first();
  const unlessClosed = (then: (error: Error) => void) => (error: Error) => {
    if (!closing.signal.aborted) then(error);
  };
  looked.then(earlier).then(again).catch(unlessClosed(onLoss));
  await (sqlite ? looked : Promise.race([looked, pause(ANSWERED_WITHIN_MS)]));
  return async () => {
    closing.abort();
    await pool.close();
  };
}
