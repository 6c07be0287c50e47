import type { Command } from 'commander';
import { admissionFault } from '#catalogue/admission';
import { streams } from '#domain/streams';
import { newEventId } from '#kit/log/event-id';
import { MAX_DISOWNED, type RowsDisowned } from '#kit/log/events-sealed';
import { guardedStore } from '#kit/log/guarded';
import { UnreadableEvent } from '#kit/log/port';
import type { DamagedRow } from '#kit/log/seal';
import { type LogOptions, walkLog, withReader, withStore } from '../logs.js';
import { print } from '../print.js';
import { requiredText } from './event-seal.js';

/** Before every place of a log, those that another hand chose among them. */
const BEFORE_ALL = BigInt(-Number.MAX_SAFE_INTEGER);
/** Names of streams that hold what no event does are shown without it. */
const SHOWN_NAME = /[\0\p{Surrogate}]/gu;

export function registerDisown(add: (name: string, description: string) => Command): void {
  add(
    'disown',
    'Have all damaged rows passed over for ever, as an operator: their streams can be read again, without what those rows say.',
  )
    .requiredOption('--operator <name>', 'who answers for it', requiredText)
    .requiredOption('--reason <text>', 'why they are disowned', requiredText)
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
Look first: mvs events verify names the rows. A row of another hand says nothing that was acknowledged; one of the
service's own whose bytes were damaged did, and a copy of the log may still hold it.

Writes one sealed event that names the rows. A SQLite log is to be had for itself: stop the service first. Replicas on
EventStoreDB see it at their next start.

Example:
  mvs events disown --operator ada --reason "rows of an intruder, seen on Monday; access changed"`,
    )
    .action(disown);
}

async function disown(options: LogOptions & { operator: string; reason: string; json?: boolean }): Promise<void> {
  const { operator, reason, json } = options;
  const found: DamagedRow[] = [];
  await withReader(
    options,
    async (reader) => {
      for await (const read of walkLog(reader, 'looking', { after: BEFORE_ALL }))
        if (read instanceof UnreadableEvent) found.push({ ...read, problem: read.reason } as DamagedRow);
    },
    { strict: true },
  );
  const rows = found.map(({ position, stream }) => ({
    position: String(position),
    stream: stream.slice(0, 2048).replace(SHOWN_NAME, '?'),
  }));
  if (rows.length > 0)
    await withStore(
      options,
      async (store) => {
        const guarded = guardedStore(store, admissionFault);
        const at = new Date().toISOString();
        for (let from = 0; from < rows.length; from += MAX_DISOWNED) {
          const data: RowsDisowned['data'] = { rows: rows.slice(from, from + MAX_DISOWNED), operator, reason, at };
          await guarded.append(streams.log(), [{ id: newEventId(), type: 'RowsDisowned', version: 1, data }], 'any');
        }
      },
      { onDamaged: () => {} },
    );
  if (json) print(JSON.stringify({ disowned: rows }, null, 2));
  else {
    for (const { position, stream, type, problem } of found)
      print(`row ${position} (${type} in stream ${stream}) ${problem}`);
    print(rows.length === 0 ? 'No row is damaged: nothing was written.' : `Disowned ${rows.length} rows.`);
  }
}
