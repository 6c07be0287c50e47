/**
 * The signed-in operator. The key is in the client, in memory; in the tab's session storage only where the operator asked for it;
 * never in an address, a cookie or anything that outlives the tab.
 */
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { Aborted, Authentication, ConnectionFailed, MatchVerification, type Operator, Unavailable } from '#client';
import { Store } from './store.js';

export interface Session {
  client: MatchVerification;
  operator: Operator;
}

interface SignedOut {
  /** The reason why an operator who was in is out. */
  notice?: string;
}

const STORED = 'mvs-operator-key';
/** Between two looks at a service that cannot be reached. */
const LOOK_MS = 3_000;

export const session = new Store<Session | SignedOut>({});
/** The reason why the service does not answer; undefined while it does. */
export const lost = new Store<string | undefined>(undefined);

export const isSignedIn = (state: Session | SignedOut): state is Session => 'client' in state;
export const mayOperate = ({ operator }: Session): boolean => operator.scopes.includes('operate');

/** Failed answers have one place to go: no page handles a lost key or a lost connection of its own. */
export function failed(error: unknown): void {
  if (error instanceof Authentication)
    signOut('The service no longer knows this key. Sign in again: this page is kept.');
  else if (isLost(error)) watchFor(error);
}

export const isLost = (error: unknown): error is Error =>
  error instanceof ConnectionFailed || (error instanceof Unavailable && error.code === undefined);

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: failed }),
  defaultOptions: {
    // The client retries what may pass.
    queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always', onError: failed },
  },
});

const clientOf = (operatorKey: string) =>
  new MatchVerification({ baseUrl: location.origin, operatorKey, maxRetries: 1 });

/** @param keep in the tab, over a reload @throws every error of the client: nobody is signed in then */
export async function signIn(key: string, keep: boolean): Promise<void> {
  const client = clientOf(key);
  const operator = await client.operator();
  if (keep) sessionStorage.setItem(STORED, key);
  session.set({ client, operator });
}

export function signOut(notice?: string): void {
  sessionStorage.removeItem(STORED);
  session.set({ notice });
  queries.clear();
}

/** After a reload, with the key that the operator let the tab keep. */
export async function resume(): Promise<void> {
  const key = sessionStorage.getItem(STORED);
  if (key === null) return;
  await signIn(key, true).catch((error: unknown) => {
    if (error instanceof Authentication) signOut('The service no longer knows this key.');
    else session.set({ notice: sentenceOf(error) });
  });
}

let watching = false;

/** Asks until the service answers again, and then for all that is shown. */
function watchFor(error: Error): void {
  lost.set(error.message);
  if (watching) return;
  watching = true;
  const probe = new MatchVerification({ baseUrl: location.origin, maxRetries: 0, timeout: LOOK_MS });
  const look = async () => {
    try {
      await probe.liveness();
    } catch {
      setTimeout(look, LOOK_MS);
      return;
    }
    watching = false;
    lost.set(undefined);
    await queries.invalidateQueries();
  };
  setTimeout(look, LOOK_MS);
}

/** An error as a sentence for the operator. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Aborted) return 'The call was ended.';
  if (isLost(error)) return 'The service cannot be reached.';
  if (error instanceof Error && 'detail' in error) return String(error.detail);
  return error instanceof Error ? error.message : String(error);
}
