/** The seals of a SQLite log: the secret that it keeps for itself, and what it takes without a seal. */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLogSecrets } from '#config/log-secrets';
import { streams } from '#domain/streams';
import type { LogSealed } from '#kit/log/events-sealed';
import { claimOf, type LogSeals, withoutSeal } from '../seal.js';
import type { Connection } from './database.js';
import { contentOf, LAST_PLACE, ROW, type Row } from './row.js';

const PAGE = 256;

export const secretFile = (directory: string) => join(directory, 'log.secret');

/** The secrets that lie beside a log, the newest first; none where it keeps none. @throws ConfigurationError */
function keptSecrets(directory: string): string[] {
  const file = secretFile(directory);
  if (!existsSync(file)) return [];
  if (statSync(file).mode & 0o077) chmodSync(file, 0o600);
  return readLogSecrets(readFileSync(file, 'utf8'), file);
}

/** Those given, alone: where they are kept elsewhere, whoever writes in the folder brings no secret of his own. */
export const secretsOf = (directory: string, given: readonly string[] = []): string[] =>
  given.length > 0 ? [...given] : keptSecrets(directory);

export const freshSecret = (): string => randomBytes(32).toString('base64url');

/** @returns the file */
export function keepSecret(directory: string, secret: string): string {
  const file = secretFile(directory);
  writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
  return file;
}

/** Whether a row is a copy of another, as `Reading` asks it. */
export function copiesIn(db: Connection): (row: Row) => boolean {
  const twin = db.prepare('SELECT 1 FROM events WHERE id = ? AND position <> ? LIMIT 1').raw();
  return ([position, , , id]) => twin.all(id, position).length > 0;
}

/** Settles what is taken without a seal. @throws LogSecretMissing */
export function beginSeals(db: Connection, seals: LogSeals): void {
  const decisions = db
    .prepare(`SELECT ${ROW} FROM events WHERE stream = ? AND type = 'LogSealed' ORDER BY revision`)
    .raw()
    .all(streams.log()) as Row[];
  const taken = decisions.flatMap((row) =>
    beganBy(row, seals) === undefined ? [] : (JSON.parse(row[9]) as LogSealed['data']),
  );
  const sealed = db
    .prepare(
      `SELECT ${ROW} FROM events WHERE position < ? AND metadata LIKE '%"seal":"%' ORDER BY position DESC LIMIT ${PAGE}`,
    )
    .raw();
  const others = new Map<string, bigint>();
  let newest: bigint | undefined;
  for (let before = LAST_PLACE; newest === undefined && taken.length === 0; ) {
    const rows = sealed.all(before) as Row[];
    for (const row of rows) {
      newest = beganBy(row, seals);
      if (newest !== undefined) break;
      const claim = claimOf(withoutSeal(row[8]).seal);
      if (claim && !others.has(claim.id)) others.set(claim.id, claim.began);
    }
    if (rows.length < PAGE) break;
    before = Number(rows[rows.length - 1][0]);
  }
  const [head] = db
    .prepare(`SELECT coalesce(max(position), 0) FROM events WHERE position <= ${LAST_PLACE}`)
    .raw()
    .all() as [number][];
  seals.begin({ taken, newest, others, head: BigInt(head[0]) });
}

function beganBy(row: Row, seals: LogSeals): bigint | undefined {
  const { event, seal } = contentOf(row);
  return seal === undefined ? undefined : seals.beganBy(seal, event);
}
