/** Why a use case does not do what it was asked. Whoever called it (HTTP, a timer, the command line) says it in its way. */
export type RefusalReason =
  /** The caller may not, or no longer: by its key, by its workspace's token. */
  | 'credential'
  | 'token'
  /** What was asked has not the form that it needs. */
  | 'invalid'
  | 'not_found'
  /** It clashes with what is there, or somebody decided first. */
  | 'conflict'
  /** Something must catch up first; to be asked again. */
  | 'behind';

export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';

  /** @param retryAfterSeconds of `behind` alone */
  constructor(
    readonly reason: RefusalReason,
    message: string,
    readonly retryAfterSeconds = 2,
  ) {
    super(message);
  }
}
