/** Failures of the server and of the way to it, in the port's words. */
import { StoreUnavailable } from '../port.js';
import type { FailureType } from './streams.js';

/** gRPC's. */
export const STATUS = { invalidArgument: 3, permissionDenied: 7, unavailable: 14, unauthenticated: 16 };

/** Answers that do not change by asking again. */
const DECIDED: ReadonlySet<unknown> = new Set<FailureType | number>([
  'wrong-expected-version',
  'stream-not-found',
  'stream-deleted',
  'maximum-append-size-exceeded',
  'invalid-argument',
  'access-denied',
  STATUS.invalidArgument,
  STATUS.permissionDenied,
  STATUS.unauthenticated,
]);

/** The words of Node for a way to the server that is not as the connection string has it. */
const MISTAKES: readonly [said: RegExp, ours: (said: string) => string][] = [
  [/altnames/, () => "EventStoreDB's certificate is for another name than the connection string gives its host"],
  [
    /^([^:]*certificate[^:]*)$/s,
    (said) => `EventStoreDB's certificate is not trusted: ${said} (tlsCAFile names a file of those that are)`,
  ],
  [/SSL routines/, () => 'EventStoreDB does not speak TLS here, as the connection string says (tls=false: without)'],
  [/was ended at once/, () => 'EventStoreDB ends every connection at once: it may speak TLS alone (tls=true)'],
];

type Failure = { code?: number; type?: FailureType };

/**
 * True if the server or the way to it is to blame. Every failure counts as such, but for a decision: a node that starts or
 * is busy, one that does not lead, and one that stops (status 2 or 13) all say it in words of their own.
 */
export const isAway = (error: unknown): boolean => {
  const { code, type } = error as Failure;
  return !DECIDED.has(type) && !DECIDED.has(code);
};

/** The remedy that a person would have to apply, if the failure tells. */
export function mistakeOf(error: unknown): string | undefined {
  const { message = '' } = error as Partial<Error>;
  for (const [said, ours] of MISTAKES) {
    const found = said.exec(message);
    if (found) return ours(found[1]);
  }
  return undefined;
}

/** Node's words may name the server's address: they are the cause, not the caller's answer. */
export function asOurs(error: unknown): Error {
  if (error instanceof StoreUnavailable) return error;
  const { code, type } = error as Failure;
  const away = (why: string) => new StoreUnavailable(why, 1, { cause: error });
  if (code === STATUS.unauthenticated) return away('EventStoreDB denies access: its user or password is not right');
  if (code === STATUS.permissionDenied || type === 'access-denied')
    return away(
      'EventStoreDB denies access: its user may not append, or not read $all, where the service must do both',
    );
  return isAway(error) ? away(mistakeOf(error) ?? 'EventStoreDB is away') : (error as Error);
}
