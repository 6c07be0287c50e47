import type { Command } from 'commander';
import { LogWalk } from '#audit/log-walk';
import { isOwnStream } from '#domain/streams';
import type { LogDamage } from '#kit/log/damage';
import { UnreadableEvent } from '#kit/log/port';
import type { SealedReader } from '#kit/log/seal';
import { checkSteps } from '#kit/log/sqlite/check';
import { exportLine, isExported, LogDigest } from '#kit/log/transfer';
import { Exit } from '../exit.js';
import { exitWith } from '../io.js';
import { configuredSecrets, folderOf, type LogOptions, walkLog, withReader } from '../logs.js';
import { print } from '../print.js';
import { showProgress } from '../progress.js';

/** Violations that are spelled out; all are counted. */
const SHOWN_VIOLATIONS = 100;

export function registerVerify(add: (name: string, description: string) => Command): void {
  add(
    'verify',
    'Check the log: sealed by the service, readable, found by its indices, dense, known events, no verdict without its claim, no spectrum. Exits 1 if not.',
  )
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      '\nSeals are checked with MVS_LOG_SECRET, or the secret that lies beside a SQLite log.\n\nExample:\n  mvs events verify --data var --json',
    )
    .action(verify);
}

/** Events of a SQLite log whose damage no reading in the log's order shows, such as an index that does not lead to them. */
function* damagedIn(directory: string): Generator<LogDamage> {
  let bar: ReturnType<typeof showProgress> | undefined;
  let reached = 0;
  try {
    for (const { checked, head, damage } of checkSteps({ directory, secrets: configuredSecrets() })) {
      bar ??= showProgress('checking rows', head);
      bar.advance(checked - reached);
      reached = checked;
      for (const { position, stream, type, problem } of damage) {
        if (stream !== null && !isOwnStream(stream)) continue;
        const what =
          type === null ? `position ${position}` : `event ${position} (${type} in stream ${stream}) is damaged`;
        yield { position, stream, revision: null, type, problem: `${what}: ${problem}` };
      }
    }
  } finally {
    bar?.stop();
  }
}

class Findings {
  readonly digest = new LogDigest();
  readonly shown: LogDamage[] = [];
  readonly unreadable = new Set<string>();
  violations = 0;
  streams = 0;
  /** Rows that are no events, which an operator has seen. */
  known = 0;
  /** Events of before there were seals, which no operator has taken as they are. */
  unsealedTo: bigint | undefined;

  add(violation: LogDamage): void {
    if (this.violations++ < SHOWN_VIOLATIONS) this.shown.push(violation);
  }
}

/** Seals, invariants and what operators took, in one walk. */
async function readLog(options: LogOptions, found: Findings): Promise<void> {
  const read = async (reader: SealedReader) => {
    const { seals } = reader;
    const walk = await LogWalk.of(reader);
    for await (const read of walkLog(reader, 'checking')) {
      const { position, stream, revision, type } = read;
      const at = { position: String(position), stream, type };
      for (const fault of walk.take(read)) found.add(fault);
      if (read instanceof UnreadableEvent) {
        found.unreadable.add(at.position);
        if (isOwnStream(stream)) found.add({ ...at, revision: null, problem: read.message });
      } else if (read.unsealed === undefined) {
        if (isExported(read)) found.digest.add(exportLine(read));
      } else if (seals.isKnown(position)) found.known++;
      else if (isOwnStream(stream))
        found.add({ ...at, revision: revision < 0n ? null : Number(revision), problem: read.unsealed });
    }
    for (const fault of walk.end()) found.add(fault);
    found.streams = walk.streams;
    if (!seals.isSealed) found.unsealedTo = seals.known?.unsealedTo;
  };
  await withReader(options, read, { rows: true });
}

async function verify(options: LogOptions & { json?: boolean }): Promise<void> {
  const found = new Findings();
  await readLog(options, found);
  const folder = folderOf(options);
  for (const damaged of folder === undefined ? [] : damagedIn(folder))
    if (!found.unreadable.has(damaged.position)) found.add(damaged);
  const { digest, streams, shown, violations, known, unsealedTo } = found;
  const { events } = digest;
  const sha256 = digest.hex();
  if (options.json) {
    const more = { ...(known > 0 && { known }), ...(unsealedTo !== undefined && { unsealed_to: String(unsealedTo) }) };
    print(JSON.stringify({ events, streams, sha256, violations, ...more, shown }, null, 2));
  } else {
    for (const { position, stream, revision, type, problem } of shown) {
      print(
        revision === null
          ? problem
          : `event ${position} (${type}, revision ${revision} of stream ${stream}) ${problem}`,
      );
    }
    if (violations > shown.length) print(`... and ${violations - shown.length} more`);
    if (known > 0) print(`${known} rows are no events, as an operator has seen.`);
    if (unsealedTo !== undefined)
      print(`Events up to position ${unsealedTo} have no seal: mvs events seal takes them as they stand.`);
    const verdict = violations === 0 ? 'sound' : `${violations} violations`;
    print(`${events} events in ${streams} streams, digest ${sha256}: ${verdict}`);
  }
  if (violations > 0) exitWith(Exit.unsound);
}
