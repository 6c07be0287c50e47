import type { Command } from 'commander';
import { walk } from '#audit/log-walk';
import type { LogDamage } from '#kit/log/damage';
import type { SealedReader } from '#kit/log/seal';
import { exportLine, isExported, LogDigest } from '#kit/log/transfer';
import { Exit } from '../exit.js';
import { exitWith } from '../io.js';
import { folderOf, type LogOptions, withReader } from '../logs.js';
import { print } from '../print.js';
import { showProgress } from '../progress.js';

/** Violations that are spelled out; all are counted. */
const SHOWN_VIOLATIONS = 100;

export function registerVerify(add: (name: string, description: string) => Command): void {
  add(
    'verify',
    'Check the log: sealed by the service, in its order and without a gap, found by its indices, known events, no verdict without its claim, no spectrum. Exits 1 if not.',
  )
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      '\nSeals are checked with MVS_LOG_SECRET, or the secret that lies beside a SQLite log. mvs events disown has damaged rows\npassed over.\n\nExample:\n  mvs events verify --data var --json',
    )
    .action(verify);
}

const sentenceOf = ({ position, stream, revision, type, problem }: LogDamage): string => {
  if (stream === null) return position === '0' ? problem : `event ${position}: ${problem}`;
  const place = revision === null ? `in stream ${stream}` : `revision ${revision} of stream ${stream}`;
  return `event ${position} (${[type, place].filter(Boolean).join(', ')}) ${problem}`;
};

async function verify(options: LogOptions & { json?: boolean }): Promise<void> {
  const digest = new LogDigest();
  const shown: LogDamage[] = [];
  let violations = 0;
  let streams = 0;
  const add = (violation: LogDamage) => {
    if (violations++ < SHOWN_VIOLATIONS) shown.push(violation);
  };
  const onEvent = (event: Parameters<typeof exportLine>[0]) => {
    if (isExported(event)) digest.add(exportLine(event));
  };
  const read = async (reader: SealedReader) => {
    const bar = showProgress('checking', Number(await reader.head()));
    let reached = 0n;
    try {
      for await (const step of walk(reader, { directory: folderOf(options), onEvent })) {
        bar.advance(Number(step.checked - reached));
        reached = step.checked;
        streams = step.streams;
        for (const { position, revision, ...row } of step.rows)
          add({ ...row, position: String(position), revision: revision < 0n ? null : Number(revision) });
        for (const one of step.damage) add(one);
      }
    } finally {
      bar.stop();
    }
  };
  await withReader(options, read, { strict: true });
  const { events } = digest;
  const sha256 = digest.hex();
  if (options.json) print(JSON.stringify({ events, streams, sha256, violations, shown }, null, 2));
  else {
    for (const one of shown) print(sentenceOf(one));
    if (violations > shown.length) print(`... and ${violations - shown.length} more`);
    const verdict = violations === 0 ? 'sound' : `${violations} violations`;
    print(`${events} events in ${streams} streams, digest ${sha256}: ${verdict}`);
  }
  if (violations > 0) exitWith(Exit.unsound);
}
