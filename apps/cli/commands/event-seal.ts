import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { admissionFault } from '#catalogue/admission';
import { streams } from '#domain/streams';
import { newEventId } from '#kit/log/event-id';
import type { LogSealed } from '#kit/log/events-sealed';
import { guardedStore } from '#kit/log/guarded';
import { LogSecretMissing } from '#kit/log/port';
import type { SealedStore } from '#kit/log/seal';
import { TakenDigest } from '#kit/log/taken';
import { type LogOptions, walkLog, withStore } from '../logs.js';
import { print } from '../print.js';

export function registerSeal(add: (name: string, description: string) => Command): void {
  add(
    'seal',
    'Take the log as it stands, as an operator: events of before there were seals, those of a secret that is lost, and the knowledge of what is no event.',
  )
    .requiredOption('--operator <name>', 'who answers for it', text)
    .requiredOption('--reason <text>', 'why it is taken', text)
    .option('--lost-secret <id...>', 'take what secrets of these ids have sealed, unchecked: they are gone', id)
    .option('--unsealed', 'take rows without a seal too, up to the end: replicas of an earlier release wrote them')
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
Look first, at what nobody asks about afterwards: mvs events verify names decisions that do not follow from the log, and
mvs audit export with mvs audit verify makes each population's thresholds again from its claims.

Writes one sealed event with the place and the digest of all before it, which the service and mvs events verify hold the
log to from then on. A SQLite log is to be had for itself: stop the service first.

Example:
  mvs events seal --operator ada --reason "upgraded from 0.2; the log was verified before"`,
    )
    .action(seal);
}

function text(value: string): string {
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
  options: LogOptions & { operator: string; reason: string; lostSecret?: string[]; unsealed?: boolean; json?: boolean },
): Promise<void> {
  const { operator, reason, lostSecret: secrets = [], unsealed = false, json } = options;
  const data = await withStore(options, (store) => take(store, { operator, reason, secrets }, unsealed), {
    lenient: true,
  });
  if (json) print(JSON.stringify(data, null, 2));
  else print(`Sealed the log up to position ${data.position}: ${data.events} events, digest ${data.sha256}.`);
}

async function take(
  store: SealedStore,
  { operator, reason, secrets }: Pick<LogSealed['data'], 'operator' | 'reason' | 'secrets'>,
  unsealed: boolean,
): Promise<LogSealed['data']> {
  const { seals } = store;
  const head = await store.head();
  // Known once the log was looked at.
  await store.readStream(streams.log());
  const missing = seals.missing.filter((one) => !secrets.includes(one));
  if (missing.length > 0) throw new LogSecretMissing(missing);
  const { unsealedTo } = seals.known!;
  const former = new Set(seals.known!.taken.flatMap((one) => one.secrets));
  const decision: LogSealed['data'] = {
    ...{ position: String(head), unsealed_to: String(unsealed ? head : unsealedTo) },
    ...{ secrets: [...new Set([...former, ...secrets])], events: 0, sha256: '0'.repeat(64) },
    ...{ operator, reason, at: new Date().toISOString() },
  };
  seals.take(decision);
  const digest = new TakenDigest();
  for await (const read of walkLog(store, 'reading')) if (read.position <= head) digest.take(read);
  const data = { ...decision, events: digest.events, sha256: digest.hex() };
  const event = { id: newEventId(), type: 'LogSealed', version: 1, data };
  await guardedStore(store, admissionFault).append(streams.log(), [event], 'any');
  return data;
}
