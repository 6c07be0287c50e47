/** The newcomer's operator key and replay token: made once, kept in a file that only its owner can read. */
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Configuration } from '#config/environment';
import { ConfigurationError } from '#config/error';
import { makeFolder } from '#config/folder';
import type { Operator } from '#config/operators';

export interface Secrets {
  file: string;
  operatorKey: string;
  replayToken: string;
}

const LINE = /^(MVS_OPERATOR_KEY|MVS_REPLAY_TOKEN)=(mvs_(?:operator|replay)_[A-Za-z0-9_-]{43})$/gm;

/** Reads the file, or makes it. */
export function keepSecrets(directory: string): Secrets {
  const file = join(directory, 'operator.env');
  if (!existsSync(file)) {
    makeFolder(directory, 0o700);
    const fresh = (what: string) => `mvs_${what}_${randomBytes(32).toString('base64url')}`;
    const text = `MVS_OPERATOR_KEY=${fresh('operator')}\nMVS_REPLAY_TOKEN=${fresh('replay')}\n`;
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  }
  if (statSync(file).mode & 0o077) chmodSync(file, 0o600);
  const found = Object.fromEntries(
    [...readFileSync(file, 'utf8').matchAll(LINE)].map(([, name, value]) => [name, value]),
  );
  if (!found.MVS_OPERATOR_KEY || !found.MVS_REPLAY_TOKEN) {
    throw new ConfigurationError(
      `${file} does not hold an operator key and a replay token: move it away to get new ones`,
    );
  }
  return { file, operatorKey: found.MVS_OPERATOR_KEY, replayToken: found.MVS_REPLAY_TOKEN };
}

/** The configuration with the kept secrets for what it leaves open; nothing is made where nothing is left open. */
export function withSecrets(configuration: Configuration): { configuration: Configuration; secrets?: Secrets } {
  if ((configuration.operators.length > 0 || configuration.oidcIssuer) && configuration.replayToken !== '')
    return { configuration };
  const secrets = keepSecrets(configuration.dataDirectory);
  const hash = (secret: string) => createHash('sha256').update(secret).digest('hex');
  const own: Operator[] = [{ name: 'operator', sha256: hash(secrets.operatorKey), scopes: ['operate'] }];
  return {
    secrets,
    configuration: {
      ...configuration,
      operators: configuration.operators.length > 0 || configuration.oidcIssuer ? configuration.operators : own,
      replayToken: configuration.replayToken || hash(secrets.replayToken),
    },
  };
}
