/** Seals a SQLite log anew: one of a former release, which has no seals of today's, or one whose secret is gone. */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import Database from 'libsql';
import { privateDatabase } from '#config/folder';
import { streams } from '#domain/streams';
import type { LogSealed } from '#kit/log/events-sealed';
import { newEventId } from '../event-id.js';
import { readMark } from '../high-water-mark.js';
import { LogSecretMissing, type Metadata, StoreUnavailable } from '../port.js';
import { LogSeals, metadataText, sealedBy } from '../seal.js';
import { type Connection, FORMAT, formatOf, guarded, lockDirectory, logFile, nameOf, SCHEMA } from './database.js';
import { packed } from './packed.js';
import { COLUMNS, dataOf, type Row, sealableOf } from './row.js';
import { freshSecret, keepSecret, secretsOf } from './seals.js';

/** Rows of one step. */
const PAGE = 500;

export interface ToReseal {
  directory: string;
  secrets: readonly string[];
  /** Ids of secrets that are gone. */
  lost: readonly string[];
  decision: Pick<LogSealed['data'], 'operator' | 'reason' | 'at'>;
  onSecretMade(file: string): void;
  onProgress(done: number, of: number): void;
}

/** The log before it, which an operator may remove. */
export const formerFile = (directory: string) => `${logFile(directory)}.before`;

/**
 * Writes the log anew beside itself, every row at its place with a seal, and puts it in the log's place in one step.
 * @returns what was taken
 * @throws LogInUse, LogSecretMissing, StoreUnavailable
 */
export function reseal(to: ToReseal): LogSealed['data'] {
  const { directory } = to;
  const file = logFile(directory);
  if (!existsSync(file)) throw new StoreUnavailable(`no event log at ${file}`);
  const lock = lockDirectory(directory);
  const fresh = `${file}.sealing`;
  const remove = () => {
    for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${fresh}${end}`, { force: true });
  };
  try {
    remove();
    const kept = secretsOf(directory, to.secrets);
    const [made] = kept.length === 0 ? [freshSecret()] : [];
    const taken = guarded(file, () => {
      const old = new Database(privateDatabase(file));
      try {
        old.exec('PRAGMA wal_checkpoint(TRUNCATE)');
        return copy(old, fresh, new LogSeals(made === undefined ? kept : [made]), to);
      } finally {
        old.close();
      }
    });
    // A process that dies between these steps leaves the log as it was, or sealed by a secret that is there.
    if (made !== undefined) to.onSecretMade(keepSecret(directory, made));
    rmSync(formerFile(directory), { force: true });
    linkSync(file, formerFile(directory));
    for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    renameSync(fresh, file);
    const folder = openSync(directory, 'r');
    fsyncSync(folder);
    closeSync(folder);
    return taken;
  } finally {
    remove();
    lock.release();
  }
}

function copy(old: Connection, fresh: string, seals: LogSeals, to: ToReseal): LogSealed['data'] {
  const { directory, lost, decision, onProgress } = to;
  const format = formatOf(old);
  const isFormer = format >= 1 && format < FORMAT;
  if (!isFormer && format !== FORMAT) throw new StoreUnavailable(`the event log has format ${format}: upgrade`);
  if (isFormer && readMark(directory)?.sealed)
    throw new StoreUnavailable(
      `acknowledged.json in ${directory} says that this log had seals, and its rows have none: another hand took them. Put a ` +
        'copy of the log back; only where you know better, move that file away first',
    );
  const [many, head] = old.prepare('SELECT count(*), coalesce(max(position), 0) FROM events').raw().get() as [
    number,
    number,
  ];
  const db = new Database(privateDatabase(fresh));
  try {
    const name = isFormer ? randomUUID() : nameOf(old);
    db.exec(`PRAGMA synchronous = FULL; BEGIN IMMEDIATE; ${SCHEMA} INSERT INTO log VALUES ('${name}')`);
    seals.begin(name);
    const insert = db.prepare(`INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    const columns = isFormer ? COLUMNS.replace('before, seal', "'' AS before, '' AS seal") : COLUMNS;
    const page = old.prepare(`SELECT ${columns} FROM events WHERE position > ? ORDER BY position LIMIT ${PAGE}`).raw();
    let before = '';
    let events = 0;
    const others = new Set<string>();
    const put = (row: Row) => {
      const seal = seals.seal(sealableOf(row.with(9, before) as Row));
      insert.run(
        ...(row
          .with(8, packed(dataOf(row)))
          .with(9, before)
          .with(10, seal) as Row),
      );
      before = seal;
      events++;
    };
    let done = 0;
    for (let after = Number.MIN_SAFE_INTEGER; ; ) {
      const rows = page.all(after) as Row[];
      for (const row of rows) {
        const by = sealedBy(row[10]);
        if (isFormer ? isWhole(row) : isOurs(row, seals, by, lost)) put(isFormer ? withoutSeal(row) : row);
        else {
          // It stays the damage that it was.
          if (by !== undefined && !seals.ids.includes(by)) others.add(by);
          insert.run(...row);
        }
      }
      done += rows.length;
      onProgress(done, many);
      if (rows.length < PAGE) break;
      after = rows[rows.length - 1][0];
    }
    if (!isFormer && events === 0 && others.size > 0) throw new LogSecretMissing([...others]);
    const taken: LogSealed['data'] = { position: String(head), secrets: [...lost], events, ...decision };
    const [revision] = old
      .prepare('SELECT coalesce(max(revision), -1) + 1 FROM events WHERE stream = ?')
      .raw()
      .get(streams.log()) as [number];
    const last = [
      head + 1,
      streams.log(),
      revision,
      newEventId(),
      'LogSealed',
      1,
      Date.parse(decision.at),
      null,
    ] as const;
    put([...last, JSON.stringify(taken), '', '']);
    db.exec('COMMIT');
    return { ...taken, events: events - 1 };
  } finally {
    db.close();
  }
}

const isOurs = (row: Row, seals: LogSeals, by: string | undefined, lost: readonly string[]): boolean =>
  (by !== undefined && lost.includes(by)) || seals.faultOf(sealableOf(row), row[10]) === undefined;

/** What a former release could have written. */
function isWhole(row: Row): boolean {
  try {
    return [row[7] ?? '{}', dataOf(row)]
      .map((text) => JSON.parse(text))
      .every((one) => typeof one === 'object' && one !== null);
  } catch {
    return false;
  }
}

/** Metadata of a former form of the log had the seal in them. */
function withoutSeal(row: Row): Row {
  if (row[7] === null) return row;
  const { seal: _, ...metadata } = JSON.parse(row[7]) as Metadata;
  return row.with(7, metadataText(metadata)) as Row;
}
