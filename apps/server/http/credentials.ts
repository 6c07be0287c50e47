/** Secrets, compared over fixed-length hashes in constant time. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { NamedHash } from '#config';

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether the secret has this SHA-256 (hex). */
export const hasHash = (secret: string, hash: string): boolean =>
  timingSafeEqual(sha256(secret), Buffer.from(hash, 'hex'));

/** The credentials that come by configuration. */
export class ConfiguredCredentials {
  constructor(
    private readonly operators: readonly NamedHash[],
    private readonly replayToken: string,
  ) {}

  /** The operator whose key this is. Every known one is compared, so that the time tells nothing. */
  operator(secret: string): string | undefined {
    let found: string | undefined;
    for (const { name, sha256: hash } of this.operators) if (hasHash(secret, hash)) found = name;
    return secret === '' ? undefined : found;
  }

  isReplayToken(secret: string): boolean {
    return secret !== '' && this.replayToken !== '' && hasHash(secret, this.replayToken);
  }
}
