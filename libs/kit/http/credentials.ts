import type { Operator } from '#config/operators';
import { hasHash } from '#kit/log/secrets';

/** The credentials that come by configuration. */
export class ConfiguredCredentials {
  constructor(
    private readonly operators: readonly Operator[],
    private readonly replayToken: string,
  ) {}

  /** The operator whose key this is. Every known one is compared, so that the time reveals nothing. */
  operator(secret: string): Operator | undefined {
    let found: Operator | undefined;
    for (const operator of this.operators) if (hasHash(secret, operator.sha256)) found = operator;
    return secret === '' ? undefined : found;
  }

  isReplayToken(secret: string): boolean {
    return secret !== '' && this.replayToken !== '' && hasHash(secret, this.replayToken);
  }
}
