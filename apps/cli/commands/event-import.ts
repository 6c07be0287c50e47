import { createReadStream } from 'node:fs';
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { admissionFault, recordedFault } from '#catalogue/admission';
import { isKnownEvent } from '#catalogue/upcast';
import { IMPORT_VARIABLES, readVariables } from '#config/environment';
import { isOwnStream, streams } from '#domain/streams';
import { newEventId } from '#kit/log/event-id';
import type { LogImported } from '#kit/log/events-sealed';
import { exportSealFault } from '#kit/log/export-seal';
import { guardedStore } from '#kit/log/guarded';
import type { EventStore, RecordedEvent } from '#kit/log/port';
import { secretId } from '#kit/log/seal';
import { secretsOf } from '#kit/log/sqlite/seals';
import { BadExport, checkExport, type ExportSummary, importLog, linesOf } from '#kit/log/transfer';
import { InputError, UsageError } from '../exit.js';
import { io } from '../io.js';
import { configuredSecrets, folderOf, type LogOptions, withStore } from '../logs.js';
import { print } from '../print.js';
import { showProgress } from '../progress.js';

export function registerImport(add: (name: string, description: string) => Command): void {
  add('import', 'Write an export into a log that is empty, or go on with an interrupted import.')
    .argument('<file>', 'an export, which is checked before anything is written')
    .option('--operator <name>', 'who imports it, and answers for it where no seal was checked (default: your user)')
    .option('--unchecked <reason>', 'take an export whose seal cannot be checked, at the word of the operator')
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
An export is taken with a seal that fits: by the secret of the log that it goes into, or of the one that it comes from, in
MVS_SENDER_SECRET or the file that MVS_SENDER_SECRET_FILE names. One without a seal, or by a secret that is not at hand, is
taken with --unchecked. One event says which.

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

/** @returns id of the secret by which the seal fits; null where it was not to be checked @throws BadExport */
function checkSeal(
  { events, sha256, seal }: ExportSummary,
  options: LogOptions & { unchecked?: string },
): string | null {
  const folder = folderOf(options);
  const own = folder === undefined ? configuredSecrets() : secretsOf(folder, configuredSecrets());
  const secrets = [...readVariables(IMPORT_VARIABLES, io().env).senderSecrets, ...own];
  const fault = exportSealFault(seal, { events, sha256 }, secrets);
  const by = secrets.map(secretId).find((id) => seal?.startsWith(`${id}.`));
  if (fault === undefined) return by as string;
  // A seal by a secret that is at hand is checked, whatever the operator says.
  if (by === undefined && options.unchecked !== undefined) return null;
  const way = by === undefined ? '; give the secret of its log in MVS_SENDER_SECRET, or --unchecked REASON' : '';
  throw new BadExport(`the export ${fault}${way}`);
}

/** Once for each export. */
async function record(store: EventStore, data: LogImported['data']): Promise<void> {
  const own = await store.readStream(streams.log());
  if (own.some(({ type, data: { sha256 } }) => type === 'LogImported' && sha256 === data.sha256)) return;
  const event = { id: newEventId(), type: 'LogImported', version: 1, data };
  await guardedStore(store, admissionFault).append(streams.log(), [event], 'any');
}

async function importFrom(
  file: string,
  options: LogOptions & { operator?: string; unchecked?: string; json?: boolean },
): Promise<void> {
  const lines = () => linesOf(createReadStream(file, { highWaterMark: 1 << 20 }));
  try {
    const summary = await checkExport(lines(), refuseMisshapen);
    const unchecked = options.unchecked?.trim();
    if (unchecked === '') throw new UsageError('--unchecked is empty');
    const sealed_by = checkSeal(summary, { ...options, unchecked });
    const operator = (options.operator ?? userInfo().username).trim();
    if (operator === '') throw new UsageError('--operator is empty');
    const { events, streams: many, sha256 } = summary;
    const { present, written } = await withStore(options, async (store, together) => {
      const bar = showProgress('importing', events);
      try {
        const done = await importLog(lines(), store, { together, onEvent: () => bar.advance() });
        const at = new Date().toISOString();
        const word = { sealed_by, unchecked: sealed_by === null ? (unchecked as string) : null, operator, at };
        await record(store, { events, sha256, ...word });
        return done;
      } finally {
        bar.stop();
      }
    });
    const were = present > 0 ? `, ${present} were there already` : '';
    const word = sealed_by === null ? ` No seal was checked: taken at the word of ${operator}.` : ` Its seal fits.`;
    print(
      options.json
        ? JSON.stringify(
            { ...{ events, streams: many, present, written }, ...{ sha256, sealed_by, operator } },
            null,
            2,
          )
        : `Imported ${written} events${were}: ${events} events in ${many} streams, digest ${sha256}.${word}`,
    );
  } catch (error) {
    if (error instanceof BadExport) throw new InputError(`${file}: ${error.message}`);
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code && (syscall === 'open' || syscall === 'read')) throw new UsageError(`${file} cannot be read (${code})`);
    throw error;
  }
}
