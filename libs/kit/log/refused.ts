/** The reason why a use case refuses. Each caller (HTTP, a timer, the command line) says it in its own way. */
export type RefusalReason =
  /** The caller may not, or no longer: by its key, by its workspace's token. */
  | 'credential'
  | 'token'
  /** The key is the right one, and opens nothing now. */
  | 'expired'
  | 'paused'
  /** The request has not the form that it needs. */
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
