import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { admissionFault } from '#catalogue/admission';
import { streams } from '#domain/streams';
import { newEventId } from '#kit/log/event-id';
import type { LogSealed } from '#kit/log/events-sealed';
import { guardedStore } from '#kit/log/guarded';
import { LogSecretMissing } from '#kit/log/port';
import { formerFile, reseal } from '#kit/log/sqlite/resealing';
import { InputError } from '../exit.js';
import { configuredSecrets, folderOf, type LogOptions, withStore } from '../logs.js';
import { print, printError } from '../print.js';
import { showProgress } from '../progress.js';

export function registerSeal(add: (name: string, description: string) => Command): void {
  add('seal', 'Take over a log, as an operator: that of a release without today’s seals, or of a secret that is lost.')
    .requiredOption('--operator <name>', 'who answers for it', requiredText)
    .requiredOption('--reason <text>', 'why it is taken', requiredText)
    .option('--lost-secret <id...>', 'take what secrets of these ids have sealed, unchecked: they are gone', id)
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
Look first, with the release that wrote the log: mvs events verify names decisions that do not follow from it, and mvs audit
export with mvs audit verify makes each population's thresholds again from its claims.

A SQLite log is written anew beside itself, with a seal for each event; the former file stays as events.db.before. Stop the
service first. On EventStoreDB, where events stay as they are, one sealed event says up to where they are taken; no replica
of an earlier release may append any more.

Example:
  mvs events seal --operator ada --reason "upgraded from 0.2; the log was verified before"`,
    )
    .action(seal);
}

export function requiredText(value: string): string {
  const trimmed = value.trim();
  if (trimmed === '') throw new InvalidArgumentError('It is empty.');
  return trimmed;
}

function id(value: string, before: string[] = []): string[] {
  if (!/^[0-9a-f]{8}$/.test(value))
    throw new InvalidArgumentError('It is 8 hex digits, as mvs events verify shows it.');
  return [...before, value];
}

async function seal(
  options: LogOptions & { operator: string; reason: string; lostSecret?: string[]; json?: boolean },
): Promise<void> {
  const { operator, reason, lostSecret: lost = [], json } = options;
  const decision = { operator, reason, at: new Date().toISOString() };
  const directory = folderOf(options);
  const taken =
    directory === undefined ? await takeServer(options, lost, decision) : takeFile(directory, lost, decision);
  if (json) print(JSON.stringify(taken, null, 2));
  else {
    print(`Sealed the log up to position ${taken.position}: ${taken.events} events.`);
    if (directory !== undefined) print(`The log as it was stands in ${formerFile(directory)}.`);
  }
}

type Decision = Pick<LogSealed['data'], 'operator' | 'reason' | 'at'>;

function takeFile(directory: string, lost: readonly string[], decision: Decision): LogSealed['data'] {
  let bar: ReturnType<typeof showProgress> | undefined;
  let reached = 0;
  try {
    return reseal({
      ...{ directory, secrets: configuredSecrets(), lost, decision },
      onSecretMade: (file) =>
        printError(`mvs: made the secret ${file}, with which events are sealed: keep a copy of it with the backups`),
      onProgress(done, of) {
        bar ??= showProgress('sealing', of);
        bar.advance(done - reached);
        reached = done;
      },
    });
  } catch (error) {
    throw error instanceof LogSecretMissing ? new InputError(error.message) : error;
  } finally {
    bar?.stop();
  }
}

/** A log that has a name and a secret that is here only gets the decision. */
async function takeServer(
  options: LogOptions,
  lost: readonly string[],
  decision: Decision,
): Promise<LogSealed['data']> {
  let taken: LogSealed['data'] | undefined;
  const take = (head: bigint) => {
    taken = { position: String(head), secrets: [...lost], events: 0, ...decision };
    return taken;
  };
  return withStore(
    options,
    async (store) => {
      await store.readStream(streams.log());
      if (taken) return taken;
      const data = take(await store.head());
      const event = { id: newEventId(), type: 'LogSealed', version: 1, data };
      await guardedStore(store, admissionFault).append(streams.log(), [event], 'any');
      return data;
    },
    { take },
  );
}
