/** Shared parts of the commands that work on an event log: choosing it, walking it with progress, printing lines. */

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { Command } from 'commander';
import { readVariables, VARIABLES } from '#config/environment';
import type { Beginning } from '#kit/log/eventstoredb/beginning';
import { HighWaterMark, markedStore, readMark } from '#kit/log/high-water-mark';
import {
  type EventReader,
  LogSecretMissing,
  LogUnsealed,
  type ReadAllOptions,
  type RecordedEvent,
  StoreUnavailable,
  UnreadableEvent,
  type Upcast,
} from '#kit/log/port';
import { readThrough } from '#kit/log/read-through';
import type { DamagedRow, SealedReader, SealedStore } from '#kit/log/seal';
import { logFile } from '#kit/log/sqlite/database';
import { openSqliteEventReader, openSqliteEventStore } from '#kit/log/sqlite/store';
import { InputError, UsageError } from './exit.js';
import { io } from './io.js';
import { printError } from './print.js';
import { showProgress } from './progress.js';

export interface LogOptions {
  data?: string;
  eventstore?: string;
}

export function withLogOptions(command: Command): Command {
  return command
    .option('--data <dir>', 'data directory (default: MVS_DATA_DIR, else var)')
    .option('--eventstore <url>', 'EventStoreDB in place of a SQLite log (default: EVENTSTORE_URL)');
}

/** The place of the log in this environment's service. */
const configured = () => {
  const { dataDirectory, eventStoreUrl, logSecrets } = VARIABLES;
  return readVariables({ dataDirectory, eventStoreUrl, logSecrets }, io().env);
};

export const configuredSecrets = (): string[] => configured().logSecrets;

export const dataDirectory = ({ data }: LogOptions): string => data ?? configured().dataDirectory;

/** The EventStoreDB that is meant, if no SQLite log is: what stands on the command line goes first. */
function serverOf({ data, eventstore }: LogOptions): string | undefined {
  if (data !== undefined && eventstore !== undefined) throw new UsageError('give --data or --eventstore, not both');
  return eventstore ?? (data === undefined ? configured().eventStoreUrl || undefined : undefined);
}

async function openServer(connectionString: string, how: ReaderOptions & Beginning): Promise<SealedStore> {
  try {
    const { openEventStoreDB } = await import('#kit/log/eventstoredb/store');
    return openEventStoreDB({ connectionString, secrets: configuredSecrets(), ...saying(how) });
  } catch (error) {
    throw new UsageError(`--eventstore: ${(error as Error).message}`);
  }
}

function openDirectory(directory: string, how: ReaderOptions): SealedReader {
  try {
    return openSqliteEventReader({ directory, secrets: configuredSecrets(), ...saying(how) });
  } catch (error) {
    if (isForOperator(error)) throw new InputError(error.message);
    if (!(error instanceof StoreUnavailable)) throw error;
    // A log that is not there was named wrongly; one that cannot be used is refused.
    throw existsSync(logFile(directory)) ? new InputError(error.message) : new UsageError(error.message);
  }
}

/** Folder of the log that is meant, where it is a SQLite one. */
export const folderOf = (options: LogOptions): string | undefined =>
  serverOf(options) === undefined ? dataDirectory(options) : undefined;

export interface ReaderOptions {
  /** Without it events come as they are stored. */
  upcast?: Upcast;
  /** Each damaged row stops a reading. */
  strict?: boolean;
  /** Told of each damaged row that is passed over; by default it is said. */
  onDamaged?(found: DamagedRow): void;
}

/** Damaged rows that are said one by one. */
const MAX_SAID = 20;
let said = 0;

/** Where rows are passed over, it is said which. */
function onDamaged({ position, stream, type, problem }: DamagedRow): void {
  if (said++ < MAX_SAID) printError(`mvs: row ${position} (${type} in stream ${stream}) is damaged: it ${problem}`);
}

/** A strict reading names each row where it stands. */
const saying = <How extends ReaderOptions>(how: How): How => (how.strict ? how : { onDamaged, ...how });

/** Runs `work` on a log that may be live; nothing can be written. @throws InputError where its secret is not given */
export async function withReader<T>(
  options: LogOptions,
  work: (reader: SealedReader) => Promise<T>,
  how: ReaderOptions = {},
) {
  const server = serverOf(options);
  const reader =
    server === undefined
      ? openDirectory(dataDirectory(options), how)
      : await openServer(server, { readOnly: true, ...how });
  try {
    return await orRefused(() => work(reader));
  } finally {
    await reader.close();
  }
}

/** An SQLite log as the service writes it: the file that names the newest event never goes back. */
async function openMarked(directory: string, how: ReaderOptions): Promise<SealedStore> {
  const store = await openSqliteEventStore({
    ...{ directory, secrets: configuredSecrets(), ...saying(how) },
    onSecretMade: (file) =>
      printError(`mvs: made the secret ${file}, with which events are sealed: keep a copy of it with the backups`),
  });
  const mark = new HighWaterMark(directory, (error) =>
    printError(`mvs: the newest event is not noted: ${error.message}`),
  );
  const before = readMark(directory);
  if (before) mark.note(before);
  mark.release();
  return { ...markedStore(store, mark), seals: store.seals };
}

/** Runs `work` on a log as its writer; `together` is how many appends one tick writes in order and as a whole. */
export async function withStore<T>(
  options: LogOptions,
  work: (store: SealedStore, together: number) => Promise<T>,
  how: Pick<ReaderOptions, 'onDamaged'> & Beginning = {},
): Promise<T> {
  const server = serverOf(options);
  const store =
    server === undefined
      ? await orRefused(() => openMarked(dataDirectory(options), how))
      : await openServer(server, how);
  try {
    return await orRefused(() => work(store, server === undefined ? 256 : 1));
  } finally {
    await store.close();
  }
}

/** What the caller has to give or to run first. */
const isForOperator = (error: unknown): error is Error =>
  error instanceof LogSecretMissing || error instanceof LogUnsealed;

async function orRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isForOperator(error) ? new InputError(error.message) : error;
  }
}

/** `readThrough` with a bar over the log's positions. */
export async function* walkLog(
  reader: EventReader,
  what: string,
  options: ReadAllOptions = {},
): AsyncGenerator<RecordedEvent | UnreadableEvent> {
  let { after = 0n } = options;
  const bar = showProgress(what, Number((await reader.head()) - after));
  try {
    for await (const event of readThrough(reader, options)) {
      bar.advance(Number(event.position - after));
      after = event.position;
      yield event;
    }
  } finally {
    bar.stop();
  }
}

/** Writes lines in large pieces and no faster than they are taken. */
export class Lines {
  #waiting: string[] = [];
  #size = 0;

  constructor(private readonly out: Writable = io().stdout) {}

  async write(line: string): Promise<void> {
    this.#waiting.push(line);
    this.#size += line.length;
    if (this.#size > 65_536) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const text = `${this.#waiting.join('\n')}\n`;
    this.#waiting = [];
    this.#size = 0;
    if (!this.out.write(text)) await once(this.out, 'drain');
  }
}

/** An event as one line of JSON with its place in the log; one that cannot be read has the reason in place of its data. */
export function eventLine(event: RecordedEvent | UnreadableEvent): string {
  const { position, stream, revision, id, type, recordedAt } = event;
  const [at, recorded_at] = [
    { position: String(position), stream, revision: Number(revision), id, type },
    recordedAt.toISOString(),
  ];
  if (event instanceof UnreadableEvent) return JSON.stringify({ ...at, recorded_at, unreadable: event.reason });
  const { version, metadata, data } = event;
  return JSON.stringify({ ...at, version, recorded_at, ...(metadata && { metadata }), data });
}
