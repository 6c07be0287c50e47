import { createReadStream } from 'node:fs';
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { admissionFault, recordedFault } from '#catalogue/admission';
import { isKnownEvent } from '#catalogue/upcast';
import { IMPORT_VARIABLES, readVariables } from '#config/environment';
import { isOwnStream, streams } from '#domain/streams';
import { newEventId } from '#kit/log/event-id';
import type { LogImported } from '#kit/log/events-sealed';
import { exportSealFault, sealedBy } from '#kit/log/export-seal';
import { guardedStore } from '#kit/log/guarded';
import type { EventStore, RecordedEvent } from '#kit/log/port';
import { BadExport, checkExport, type ExportSummary, importLog, linesOf } from '#kit/log/transfer';
import { InputError, UsageError } from '../exit.js';
import { io } from '../io.js';
import { type LogOptions, withStore } from '../logs.js';
import { print } from '../print.js';
import { showProgress } from '../progress.js';

export function registerImport(add: (name: string, description: string) => Command): void {
  add('import', 'Write an export into a log that is empty, or go on with an interrupted import.')
    .argument('<file>', 'an export, which is checked before anything is written')
    .option('--operator <name>', 'who imports it, and answers for it where no seal was checked (default: your user)')
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
With the secret of the log that it comes from in MVS_SENDER_SECRET, or the path of its file in MVS_SENDER_SECRET_FILE, an
export is taken only with a seal that fits. Without it the import is at the operator's word. One event says which.

Example:
  mvs events import log.ndjson --operator ada --eventstore "esdb://127.0.0.1:2113?tls=false"`,
    )
    .action(importFrom);
}

/** Events of later versions of the program, and of other applications, are taken as they are. */
function refuseMisshapen(event: RecordedEvent): void {
  const { position, stream, type } = event;
  const fault = isOwnStream(stream) && isKnownEvent(event) ? recordedFault(event) : undefined;
  if (fault !== undefined)
    throw new BadExport(
      `line ${position} of the export (${type} of stream ${stream}) ${fault}: no program wrote it so`,
    );
}

/** @returns id of the sender's secret; null where none is given @throws BadExport */
function checkSeal({ events, sha256, passed, seal }: ExportSummary): string | null {
  const { senderSecrets } = readVariables(IMPORT_VARIABLES, io().env);
  if (senderSecrets.length === 0) return null;
  const fault = exportSealFault(seal, { events, sha256, noEvents: passed }, senderSecrets);
  if (fault !== undefined)
    throw new BadExport(`the export ${fault}; without MVS_SENDER_SECRET it is imported at the word of who imports it`);
  return sealedBy(seal) as string;
}

/** Once for each export. */
async function record(store: EventStore, data: LogImported['data']): Promise<void> {
  const own = await store.readStream(streams.log());
  if (own.some(({ type, data: { sha256 } }) => type === 'LogImported' && sha256 === data.sha256)) return;
  const event = { id: newEventId(), type: 'LogImported', version: 1, data };
  await guardedStore(store, admissionFault).append(streams.log(), [event], 'any');
}

async function importFrom(file: string, options: LogOptions & { operator?: string; json?: boolean }): Promise<void> {
  const lines = () => linesOf(createReadStream(file, { highWaterMark: 1 << 20 }));
  try {
    const summary = await checkExport(lines(), refuseMisshapen);
    const sealed_by = checkSeal(summary);
    const operator = (options.operator ?? userInfo().username).trim();
    if (operator === '') throw new UsageError('--operator is empty');
    const { events, streams: many, sha256, passed } = summary;
    const { present, written } = await withStore(options, async (store, together) => {
      const bar = showProgress('importing', events);
      try {
        const done = await importLog(lines(), store, { together, onEvent: () => bar.advance() });
        const at = new Date().toISOString();
        await record(store, { events, sha256, sealed_by, operator, at });
        return done;
      } finally {
        bar.stop();
      }
    });
    const left = passed > 0 ? ` ${passed} revisions hold no event, as in the export.` : '';
    const were = present > 0 ? `, ${present} were there already` : '';
    const word = sealed_by === null ? ` No seal was checked: taken at the word of ${operator}.` : ` Its seal fits.`;
    print(
      options.json
        ? JSON.stringify(
            {
              ...{ events, streams: many, present, written },
              ...(passed > 0 && { passed }),
              ...{ sha256, sealed_by, operator },
            },
            null,
            2,
          )
        : `Imported ${written} events${were}: ${events} events in ${many} streams, digest ${sha256}.${left}${word}`,
    );
  } catch (error) {
    if (error instanceof BadExport) throw new InputError(`${file}: ${error.message}`);
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code && (syscall === 'open' || syscall === 'read')) throw new UsageError(`${file} cannot be read (${code})`);
    throw error;
  }
}
