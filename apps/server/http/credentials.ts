import type { NamedHash } from '#config';
import { hasHash } from '#service';

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
