import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { lostEvent } from '#kit/log/events-lost';
import { exportSeal } from '#kit/log/export-seal';
import { type EventReader, type RecordedEvent, UnreadableEvent } from '#kit/log/port';
import type { SealedReader } from '#kit/log/seal';
import { exportLog } from '#kit/log/transfer';
import { InputError, UsageError } from '../exit.js';
import { eventLine, Lines, type LogOptions, walkLog, withLogOptions, withReader } from '../logs.js';
import { wholeFrom } from '../numbers.js';
import { ALWAYS_JSON, print } from '../print.js';
import { showProgress } from '../progress.js';
import { registerDisown } from './event-disown.js';
import { registerImport } from './event-import.js';
import { registerSeal } from './event-seal.js';
import { registerVerify } from './event-verify.js';

export function register(events: Command): void {
  events.addHelpText('after', '\nEvents are printed as one JSON object per line, as they are stored.');
  const add = (name: string, description: string) => withLogOptions(events.command(name).description(description));
  const filtered = (command: Command) =>
    command
      .option('--prefix <text...>', 'only streams whose name begins so')
      .option('--type <name...>', 'only events of these types');

  filtered(add('list', 'List the streams with their events, in the order of their beginnings.'))
    .option('--json', 'print an array with one object per stream')
    .addHelpText('after', '\nExamples:\n  mvs events list\n  mvs events list --prefix calibration-')
    .action(list);
  filtered(add('show', 'Print events: of one stream, or of the whole log.'))
    .argument('[stream]', 'name of a stream')
    .option('--after <position>', 'only events after this position', position)
    .option('--limit <n>', 'at most so many', wholeFrom(0))
    .option(...ALWAYS_JSON)
    .addHelpText(
      'after',
      '\nExamples:\n  mvs events show key-00ff00ff00ff00ff\n  mvs events show --type ClaimScored --after 4711 --limit 10',
    )
    .action(show);
  filtered(add('tail', 'Print the newest events.'))
    .option('-n, --last <n>', 'so many', wholeFrom(0), 10)
    .option('-f, --follow', 'go on with those to come, until interrupted')
    .option(...ALWAYS_JSON)
    .addHelpText('after', '\nExample:\n  mvs events tail --last 20 --follow --type ClaimScored')
    .action(tail);
  add('export', 'Write the whole log as text: the same bytes for the same log, whatever store holds it.')
    .option('--out <file>', 'write to this file, whole or not at all (default: standard output)')
    .option(
      '--replace-unreadable',
      'write EventLost in place of an event that cannot be read; without it the export fails',
    )
    .option('--json', 'print file, count and digest as an object; without --out the export itself is JSON')
    .addHelpText('after', '\nExample:\n  mvs events export --out log.ndjson')
    .action(exportTo);
  registerImport(add);
  registerVerify(add);
  registerSeal(add);
  registerDisown(add);
}

interface Filtered extends LogOptions {
  prefix?: string[];
  type?: string[];
}

const filterOf = ({ prefix, type }: Filtered) => ({
  ...(prefix && { streamPrefixes: prefix }),
  ...(type && { types: type }),
});

function position(text: string): bigint {
  if (!/^[0-9]{1,18}$/.test(text)) throw new InvalidArgumentError('It is a whole number, as events show it.');
  return BigInt(text);
}

interface Listed {
  events: number;
  unreadable: number;
  first: bigint;
  last: bigint;
  revision: bigint;
  at: Date;
}

/** These commands name each damaged row where it stands. */
const STRICT = { strict: true };

const NONE = { events: 0, unreadable: 0 };

async function list(options: Filtered & { json?: boolean }): Promise<void> {
  const streams = new Map<string, Listed>();
  await withReader(
    options,
    async (reader) => {
      for await (const event of walkLog(reader, 'reading', filterOf(options))) {
        const { position: last, revision, recordedAt: at } = event;
        const { events, unreadable, first } = streams.get(event.stream) ?? { ...NONE, first: last };
        const damaged = event instanceof UnreadableEvent;
        const counts = { events: events + 1, unreadable: unreadable + (damaged ? 1 : 0) };
        streams.set(event.stream, { ...counts, first, last, revision, at });
      }
    },
    STRICT,
  );
  const lines = new Lines();
  const rows = [...streams].map(([stream, { events, unreadable, first, last, revision, at }]) => ({
    stream,
    events,
    ...(unreadable > 0 && { unreadable }),
    last_revision: Number(revision),
    first_position: String(first),
    last_position: String(last),
    last_recorded_at: at.toISOString(),
  }));
  if (options.json) await lines.write(JSON.stringify(rows, null, 2));
  else {
    for (const row of rows) {
      await lines.write(
        `${row.last_recorded_at}  ${row.last_position.padStart(9)}  ${String(row.events).padStart(6)}  ${row.stream}` +
          (row.unreadable ? `  (${row.unreadable} cannot be read)` : ''),
      );
    }
    await lines.write(`${rows.length} streams (last event's time and position, events, name)`);
  }
  await lines.flush();
}

async function show(stream: string | undefined, options: Filtered & { after?: bigint; limit?: number }): Promise<void> {
  const lines = new Lines();
  await withReader(
    options,
    async (reader) => {
      if (stream === undefined) {
        const { after, limit } = options;
        for await (const event of walkLog(reader, 'reading', { ...filterOf(options), after, limit })) {
          await lines.write(eventLine(event));
        }
      } else {
        const events = await streamThrough(reader, stream);
        if (events.length === 0)
          throw new InputError(`there is no stream ${stream}: mvs events list shows their names`);
        const { after = 0n, limit, type, prefix } = options;
        const shown = events.filter(
          (event) =>
            event.position > after &&
            (!type || type.includes(event.type)) &&
            (!prefix || prefix.some((one) => stream.startsWith(one))),
        );
        for (const event of shown.slice(0, limit)) await lines.write(eventLine(event));
      }
      await lines.flush();
    },
    STRICT,
  );
}

/** A stream; where an event of it cannot be read, found in the log, which takes longer. */
async function streamThrough(reader: EventReader, stream: string): Promise<(RecordedEvent | UnreadableEvent)[]> {
  try {
    return await reader.readStream(stream);
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
  }
  const events: (RecordedEvent | UnreadableEvent)[] = [];
  for await (const event of walkLog(reader, 'reading', { streamPrefixes: [stream] })) {
    if (event.stream === stream) events.push(event);
  }
  return events;
}

async function tail(options: Filtered & { last: number; follow?: boolean }): Promise<void> {
  const lines = new Lines();
  await withReader(options, async (reader) => {
    const head = await reader.head();
    const last = await reader.readLast(options.last, filterOf(options));
    for (const event of last) await lines.write(eventLine(event));
    await lines.flush();
    if (!options.follow) return;
    const newest = last[last.length - 1]?.position ?? 0n;
    await new Promise<void>((resolve, reject) => {
      const following = reader.subscribe(
        { ...filterOf(options), after: newest > head ? newest : head },
        {
          onEvent: async (event) => {
            await lines.write(eventLine(event));
            await lines.flush();
          },
          onDropped: reject,
        },
      );
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.once(signal, () => void following.close().then(resolve));
      }
    });
  });
}

async function exportTo(
  options: LogOptions & { out?: string; replaceUnreadable?: boolean; json?: boolean },
): Promise<void> {
  const { out } = options;
  const write = async (reader: SealedReader) => {
    const bar = out === undefined ? undefined : showProgress('exporting', Number(await reader.head()));
    let reached = 0n;
    let end = { events: 0, sha256: '' };
    const { given } = reader.seals;
    const text = exportLog(reader, {
      seal: (end) => (given.length > 0 ? exportSeal(given[0], end) : undefined),
      ...(options.replaceUnreadable && { inPlaceOf: lostEvent }),
      onEvent: ({ position }) => {
        bar?.advance(Number(position - reached));
        reached = position;
      },
      onEnd: (found) => {
        end = found;
      },
    });
    try {
      if (out === undefined) {
        const lines = new Lines();
        for await (const line of text) await lines.write(line);
        await lines.flush();
      } else {
        await writeWhole(out, text);
        const { events, sha256 } = end;
        const file = { file: out, events, sha256 };
        print(options.json ? JSON.stringify(file, null, 2) : `Wrote ${out}: ${events} events, digest ${sha256}.`);
      }
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      throw new InputError(
        `${error.message}: put a copy of the log back, or export it with --replace-unreadable, which writes EventLost in its place`,
      );
    } finally {
      bar?.stop();
    }
  };
  await withReader(options, write, STRICT);
}

/** Under another name until it is whole, readable by its owner alone: it holds what the log holds. */
async function writeWhole(file: string, text: AsyncIterable<string>): Promise<void> {
  const part = `${file}.part`;
  const out = createWriteStream(part, { mode: 0o600, flush: true });
  try {
    await once(out, 'open');
    const failed = once(out, 'error').then(([error]) => Promise.reject(error));
    failed.catch(() => {});
    const written = async () => {
      const lines = new Lines(out);
      for await (const line of text) await lines.write(line);
      await lines.flush();
      const closed = once(out, 'close');
      out.end();
      await closed;
    };
    await Promise.race([written(), failed]);
    await rename(part, file);
  } catch (error) {
    out.destroy();
    await rm(part, { force: true });
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw syscall === undefined ? error : new UsageError(`${file} cannot be written: ${message}`);
  }
}
