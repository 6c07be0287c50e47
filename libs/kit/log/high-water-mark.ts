/**
 * The newest event that was acknowledged, kept in a file outside the log: a log that was cut, rolled back or restored shows
 * nothing of it itself.
 */
import { readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Static, Type } from 'typebox';
import { faultOf } from '#domain/guard';
import { withAppend } from './guarded.js';
import { type EventReader, type EventStore, LogCorrupt, UnreadableEvent } from './port.js';

const whole = Type.String({ pattern: '^[0-9]{1,20}$' });
const mark = Type.Object({
  /** 1: by a release without today's seals. */
  mvs_acknowledged: Type.Union([Type.Literal(1), Type.Literal(2)]),
  position: whole,
  stream: Type.String(),
  revision: whole,
  id: Type.String(),
  /** When it was acknowledged, ISO 8601. */
  at: Type.String(),
});

export interface MarkedEvent {
  position: bigint;
  stream: string;
  revision: bigint;
  id: string;
}

export const markFile = (directory: string) => join(directory, 'acknowledged.json');

/** The file is renewed this often (ms) while events come. */
const RENEWED_EVERY_MS = 1000;

/** @returns undefined where there is no file; `sealed` where the log had today's seals then @throws LogCorrupt */
export function readMark(directory: string): (MarkedEvent & { sealed: boolean }) | undefined {
  const file = markFile(directory);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw unusable(file, message);
  }
  const fault = faultOf(mark, value, 'it');
  if (fault !== undefined) throw unusable(file, fault);
  const { mvs_acknowledged, position, stream, revision, id } = value as Static<typeof mark>;
  return { position: BigInt(position), stream, revision: BigInt(revision), id, sealed: mvs_acknowledged === 2 };
}

const unusable = (file: string, why: string) =>
  new LogCorrupt(
    `${file}, which names the newest event that was acknowledged, cannot be used (${why}): put a copy of it back, or move ` +
      'it away; nothing tells then if the log has lost events',
  );

/** True if a log holds the event, wherever: a log that was moved keeps streams, revisions and ids. @throws StoreUnavailable */
export async function holds(
  log: Pick<EventReader, 'readStream'>,
  { stream, revision, id }: MarkedEvent,
): Promise<boolean> {
  try {
    const [found] = await log.readStream(stream, { from: revision, limit: 1 });
    return found?.revision === revision && found.id === id;
  } catch (error) {
    // Damage is told by the checks of the log's bytes.
    if (error instanceof UnreadableEvent) return error.id === id;
    throw error;
  }
}

export class HighWaterMark {
  private newest: (MarkedEvent & { at: string }) | undefined;
  private written: MarkedEvent | undefined;
  private writing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private lastWrite = Number.NEGATIVE_INFINITY;
  private held = true;

  /** @param onFailure the file cannot be written; it is tried again with the next event */
  constructor(
    private readonly directory: string,
    private readonly onFailure: (error: Error) => void,
  ) {}

  /** The event that the file names, as far as this process wrote it. */
  get kept(): MarkedEvent | undefined {
    return this.written;
  }

  /** The log was held to the file as it was: from now on it may be written. */
  release(): void {
    this.held = false;
    if (this.newest) this.schedule();
  }

  /** An event that the log holds: the file names it within a second, at once after a pause. */
  note(event: MarkedEvent): void {
    if (this.newest && event.position <= this.newest.position) return;
    this.newest = { ...event, at: new Date().toISOString() };
    if (!this.held) this.schedule();
  }

  private schedule(): void {
    const pause = this.lastWrite + RENEWED_EVERY_MS - performance.now();
    this.timer ??= setTimeout(() => void this.flush(), Math.max(0, pause)).unref();
  }

  /** The file names the newest event when this is done. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.lastWrite = performance.now();
    this.writing = this.writing.then(() => this.write()).catch(this.onFailure);
    return this.writing;
  }

  private async write(): Promise<void> {
    const { newest } = this;
    if (this.held || !newest || newest === this.written) return;
    const { position, stream, revision, id, at } = newest;
    const value: Static<typeof mark> = {
      mvs_acknowledged: 2,
      ...{ position: String(position), stream, revision: String(revision), id, at },
    };
    const file = markFile(this.directory);
    const fresh = await open(`${file}.new`, 'w', 0o600);
    try {
      await fresh.writeFile(`${JSON.stringify(value)}\n`);
      await fresh.sync();
    } finally {
      await fresh.close();
    }
    await rename(`${file}.new`, file);
    const folder = await open(dirname(file), 'r');
    await folder.sync().finally(() => folder.close());
    this.written = newest;
  }
}

/** A store whose appends are noted, and at its close written down. */
export function markedStore(store: EventStore, mark: HighWaterMark): EventStore {
  const marked = withAppend(store, async (stream, events, expected) => {
    const { revision, position } = await store.append(stream, events, expected);
    const last = events.at(-1);
    if (last) mark.note({ position, stream, revision, id: last.id.toLowerCase() });
    return { revision, position };
  });
  return {
    ...marked,
    async close() {
      await store.close();
      await mark.flush();
    },
  };
}
