/**
 * A log as text: one JSON object per line, the same bytes whatever store it came from, so that two logs are compared by
 * their digests. Positions are not in it: they are the store's own.
 */
import { createHash } from 'node:crypto';
import { streams } from '#domain/streams';
import { splitIntoAppends } from './encode.js';
import type { ExportEnd } from './export-seal.js';
import {
  type EventReader,
  type EventStore,
  MAX_APPEND_BYTES,
  type NewEvent,
  type RecordedEvent,
  UnreadableEvent,
} from './port.js';
import { readThrough } from './read-through.js';
import { StreamStates } from './stream-states.js';

const FORMAT = 1;
const HEADER = JSON.stringify({ mvs_events: FORMAT });
/** An event is at most what one append holds; JSON may escape each byte as six. */
const MAX_LINE_CHARACTERS = 6 * MAX_APPEND_BYTES + 4096;

/** The text is no whole export, or the log that it is to go into is not its beginning. */
export class BadExport extends Error {
  override readonly name = 'BadExport';
}

/** An event as its line in an export; `metadata` in a fixed order, since stores keep it in their own. */
export function exportLine({ stream, revision, id, type, version, recordedAt, metadata, data }: RecordedEvent): string {
  const kept = Object.entries(metadata ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({
    stream,
    revision: Number(revision),
    id: id.toLowerCase(),
    type,
    version,
    recorded_at: recordedAt.toISOString(),
    ...(kept.length > 0 && { metadata: Object.fromEntries(kept) }),
    data,
  });
}

/** False of the log's own story, which is another's in another log. */
export const isExported = ({ stream }: Pick<RecordedEvent, 'stream'>): boolean => stream !== streams.log();

/** SHA-256 over a log's lines in their order. */
export class LogDigest {
  readonly #hash = createHash('sha256');
  events = 0;

  add(line: string): void {
    this.#hash.update(line).update('\n');
    this.events++;
  }

  /** Of the lines so far, 64 hex digits. */
  hex(): string {
    return this.#hash.copy().digest('hex');
  }
}

export interface ExportOptions {
  /** The event written in place of one that cannot be read: revisions stay dense. Without it the export fails. */
  inPlaceOf?(lost: UnreadableEvent): Pick<RecordedEvent, 'type' | 'version' | 'data'>;
  onEvent?(event: RecordedEvent): void;
  /** By the log's newest secret: the last line then has the seal. */
  seal?(end: ExportEnd): string | undefined;
  /** Told the count and the digest that the last line has. */
  onEnd?(end: { events: number; sha256: string }): void;
}

/**
 * The log up to its head, line by line, between a header and a line with the count and the digest.
 * @param reader a strict one: a disowned row is an event `NoEvent` in the text
 * @throws UnreadableEvent
 */
export async function* exportLog(
  reader: EventReader,
  { inPlaceOf, onEvent, onEnd, ...how }: ExportOptions = {},
): AsyncGenerator<string> {
  const digest = new LogDigest();
  yield HEADER;
  for await (const read of readThrough(reader)) {
    const event = read instanceof UnreadableEvent ? standIn(read, inPlaceOf) : read;
    if (!isExported(event)) continue;
    const line = exportLine(event);
    digest.add(line);
    yield line;
    onEvent?.(event);
  }
  const end = { events: digest.events, sha256: digest.hex() };
  const seal = how.seal?.(end);
  yield JSON.stringify({ end: { ...end, seal } });
  onEnd?.(end);
}

function standIn(lost: UnreadableEvent, inPlaceOf: ExportOptions['inPlaceOf']): RecordedEvent {
  if (!inPlaceOf) throw lost;
  const { id, stream, revision, position, recordedAt } = lost;
  return { id, stream, revision, position, recordedAt, ...inPlaceOf(lost) };
}

export interface ExportSummary {
  events: number;
  streams: number;
  sha256: string;
  /** As the last line has it. */
  seal?: string;
}

/** Reads an export to its end and writes nothing. @throws BadExport naming the line */
export async function checkExport(
  lines: AsyncIterable<string>,
  onEvent?: (event: RecordedEvent) => void,
): Promise<ExportSummary> {
  const last = new StreamStates();
  const digest = new LogDigest();
  let end: End | undefined;
  await walk(lines, (entry, line, fail, number) => {
    if ('end' in entry) {
      end = entry.end;
      return;
    }
    if (end) fail('stands after the last one');
    const { stream, revision } = entry.event;
    const expected = (last.get(stream)?.revision ?? -1) + 1;
    if (revision !== expected) fail(`has revision ${revision} of stream ${stream} where ${expected} comes next`);
    if (exportLine(recorded(entry.event)) !== line) fail('is not written as an export writes it');
    last.set(stream, { revision, note: 0 });
    digest.add(line);
    onEvent?.({ ...recorded(entry.event), position: BigInt(number) });
  });
  if (!end) throw new BadExport('the export was cut: its last line, with the count of events, is missing');
  const sha256 = digest.hex();
  if (end.events !== digest.events || end.sha256 !== sha256) {
    throw new BadExport(`the export is damaged: its last line promises ${end.events} events of another digest`);
  }
  return { events: digest.events, streams: last.size, sha256, ...(typeof end.seal === 'string' && { seal: end.seal }) };
}

export interface ImportOptions {
  /**
   * Appends sent together. More than one only for a store that writes what it is given in one tick in order and as a
   * whole, as the SQLite log does: the order of the log is kept, and an import that stops leaves no hole.
   */
  together: number;
  onEvent?(): void;
}

/**
 * Writes a checked export into a store that is empty or holds the beginning of the same log, as an interrupted import
 * leaves it. Streams, revisions, ids, times and the order of the log are kept; each event is sealed anew.
 * @throws BadExport where the store holds anything else
 */
export async function importLog(
  lines: AsyncIterable<string>,
  store: EventStore,
  { together, onEvent }: ImportOptions,
): Promise<{ present: number; written: number }> {
  const existing = exported(store.readAll())[Symbol.asyncIterator]();
  let held = await existing.next();
  let present = 0;
  let written = 0;
  let window: Placed[] = [];
  let appends = 0;
  const flush = async () => {
    await Promise.all(asAppends(window).map(({ stream, events, expected }) => store.append(stream, events, expected)));
    written += window.length;
    for (const _ of window) onEvent?.();
    window = [];
    appends = 0;
  };
  await walk(lines, async (entry, line) => {
    if ('end' in entry) return;
    const { event } = entry;
    const { stream } = event;
    if (!held.done) {
      if (exportLine(held.value) !== line) throw otherLog(held.value);
      held = await existing.next();
      present++;
      onEvent?.();
      return;
    }
    const continues = stream === window[window.length - 1]?.stream;
    if (!continues && ++appends > together) {
      await flush();
      appends = 1;
    }
    window.push(event);
    if (window.length >= 500) await flush();
  });
  if (!held.done) throw otherLog(held.value);
  await flush();
  return { present, written };
}

async function* exported(events: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent> {
  for await (const event of events) if (isExported(event)) yield event;
}

function otherLog({ position, stream, revision }: RecordedEvent): BadExport {
  return new BadExport(
    `the log to import into holds other events than the export, first at position ${position} ` +
      `(revision ${revision} of stream ${stream}): import into an empty one`,
  );
}

type Placed = NewEvent & { stream: string; revision: number };

/** Neighbours of one stream go into one append. */
function asAppends(window: Placed[]) {
  const runs: (typeof window)[] = [];
  for (const event of window) {
    const run = runs[runs.length - 1];
    if (run?.[0].stream === event.stream) run.push(event);
    else runs.push([event]);
  }
  return runs
    .flatMap((run) => splitIntoAppends(run, MAX_APPEND_BYTES))
    .map((run) => ({
      stream: run[0].stream,
      expected: run[0].revision === 0 ? ('no_stream' as const) : BigInt(run[0].revision - 1),
      events: run.map(({ stream: _, revision: __, ...event }) => event),
    }));
}

type ExportedEvent = NewEvent & { stream: string; revision: number; recordedAt: Date };
type End = { events: number; sha256: string; seal?: unknown };
type Entry = { event: ExportedEvent } | { end: End };

const recorded = (event: ExportedEvent): RecordedEvent => ({
  ...event,
  revision: BigInt(event.revision),
  position: 0n,
});

/** Hands over every line after the header. */
async function walk(
  lines: AsyncIterable<string>,
  take: (entry: Entry, line: string, fail: (what: string) => never, number: number) => void | Promise<void>,
): Promise<void> {
  let number = 0;
  const fail = (what: string): never => {
    throw new BadExport(`line ${number} of the export ${what}`);
  };
  for await (const line of lines) {
    number++;
    if (number === 1) {
      if (line !== HEADER)
        throw new BadExport(`this is no export of events of a whole log: its first line is not ${HEADER}`);
      continue;
    }
    const taken = take(parse(line, fail), line, fail, number);
    if (taken) await taken;
  }
  if (number === 0) throw new BadExport('the export is empty');
}

function parse(line: string, fail: (what: string) => never): Entry {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    fail('is no JSON');
  }
  const isObject = (one: unknown): one is Record<string, unknown> =>
    typeof one === 'object' && one !== null && !Array.isArray(one);
  if (!isObject(value)) return fail('is no object');
  if (isObject(value.end)) return { end: value.end as End };
  const { stream, revision, id, type, version, recorded_at, metadata, data } = value;
  const recordedAt = new Date(String(recorded_at));
  if (typeof stream !== 'string' || typeof id !== 'string' || typeof type !== 'string' || !isObject(data)) {
    return fail('is no event');
  }
  if (!Number.isSafeInteger(revision) || !Number.isSafeInteger(version)) return fail('has no revision or version');
  if (Number.isNaN(recordedAt.getTime())) return fail('has no time');
  if (metadata !== undefined && !isObject(metadata)) return fail('has metadata that is no object');
  return {
    event: {
      stream,
      revision: revision as number,
      id,
      type,
      version: version as number,
      recordedAt,
      ...(metadata && { metadata }),
      data,
    },
  };
}

/** The lines of a text in chunks. @throws BadExport where it is no UTF-8 or a line is longer than any event */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new BadExport('the export is no UTF-8 text');
    }
  };
  let rest = '';
  for await (const chunk of chunks) {
    const parts = (rest + decode(chunk)).split('\n');
    rest = parts.pop() ?? '';
    if (rest.length > MAX_LINE_CHARACTERS) throw new BadExport('the export has a line that is longer than any event');
    yield* parts;
  }
  rest += decode();
  if (rest !== '') yield rest;
}
