/** The secret that a SQLite log keeps for itself. */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLogSecrets } from '#config/log-secrets';

export const secretFile = (directory: string) => join(directory, 'log.secret');

/** The secrets that lie beside a log, the newest first; none where it keeps none. @throws ConfigurationError */
function keptSecrets(directory: string): string[] {
  const file = secretFile(directory);
  if (!existsSync(file)) return [];
  if (statSync(file).mode & 0o077) chmodSync(file, 0o600);
  return readLogSecrets(readFileSync(file, 'utf8'), file);
}

/** Those given, alone: where they are kept elsewhere, one that another hand lays into the folder counts for nothing. */
export const secretsOf = (directory: string, given: readonly string[] = []): string[] =>
  given.length > 0 ? [...given] : keptSecrets(directory);

export const freshSecret = (): string => randomBytes(32).toString('base64url');

/** @returns the file */
export function keepSecret(directory: string, secret: string): string {
  const file = secretFile(directory);
  writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
  return file;
}
