/**
 * Who is signed in: an operator, or the holder of a workspace's token, who sees its lots alone. The key is in the memory of the tab, and of the browser's other tabs on the console; in the tab's session
 * storage only where the operator asked for it, and while the page reloads by itself; never in an address, a cookie or anything that
 * outlives the tab.
 */
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { Aborted, Authentication, ConnectionFailed, MatchVerification, type Operator, Unavailable } from '#client';
import { clearDrafts } from './drafts.js';
import { lookForRelease, reload, watchRelease } from './release.js';
import { Store } from './store.js';
import { askForKey, joinTabs, tellKey, tellOut } from './tabs.js';
import { forgetNotes } from './undo.js';

export interface Session {
  client: MatchVerification;
  operator: Operator;
  /** True of the holder of a workspace's token. */
  trader?: boolean;
}

interface SignedOut {
  /** True until it is known whether this tab, or another one, has a key that is let in. */
  resuming?: boolean;
  /** The reason why an operator who was in is out. */
  notice?: string;
}

const STORED = 'mvs-operator-key';
/** The key, from the moment at which the page reloads by itself until it is there again. */
const HANDED_OVER = 'mvs-operator-key-over-a-reload';
/** Between two looks at a service that cannot be reached. */
const LOOK_MS = 3_000;

export const session = new Store<Session | SignedOut>({ resuming: true });
/** The reason why the service does not answer; undefined while it does. */
export const lost = new Store<string | undefined>(undefined);

export const isSignedIn = (state: Session | SignedOut): state is Session => 'client' in state;
export const mayReview = ({ operator }: Session): boolean => operator.scopes.includes('review');
export const mayOperate = ({ operator }: Session): boolean => operator.scopes.includes('operate');

/** Failed answers have one place to go: no page handles a lost key or a lost connection of its own. */
export function failed(error: unknown): void {
  const state = session.get();
  const trader = isSignedIn(state) && state.trader;
  if (!trader && error instanceof Authentication && error.code === 'credential_workspace')
    workspace.set({ notice: 'No active workspace has this token.' });
  else if (error instanceof Authentication)
    signOut('The service no longer knows this key. Sign in again: this page is kept.');
  else if (isLost(error)) void untilItAnswers(error);
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

/** In place of a key: the browser has a cookie of the identity provider's. */
const COOKIE = '';
/** As the service wrote it into the page; undefined where operators have keys alone. */
export const signOn = document.querySelector<HTMLMetaElement>('meta[name=sign-on]');

const clientOf = (key: string) =>
  new MatchVerification({
    baseUrl: location.origin,
    ...(isToken(key) ? { workspaceToken: key } : key === COOKIE ? { operatorToken: key } : { operatorKey: key }),
    maxRetries: 1,
  });

/** A workspace that is looked at: its token opens lots and nothing else. It is in this tab's memory alone. */
export interface OpenWorkspace {
  client: MatchVerification;
  /** First characters of its token, by which listings name it. */
  prefix: string;
}
export const workspace = new Store<OpenWorkspace | { notice?: string }>({});
export const isOpen = (state: OpenWorkspace | { notice?: string }): state is OpenWorkspace => 'client' in state;
const TOKEN = 'mvs_lots_';
export const isToken = (key: string): boolean => key.startsWith(TOKEN);
/** A token as listings show it. */
const shown = (token: string): string => token.slice(0, TOKEN.length + 16);

export function openWorkspace(token: string): void {
  const client = new MatchVerification({ baseUrl: location.origin, workspaceToken: token, maxRetries: 1 });
  workspace.set({ client, prefix: shown(token) });
}

/** The key or token of who is signed in. */
let held: string | undefined;

/** Somebody whom the service lets in: `begin` opens the pages. */
export interface Admitted {
  operator: Operator;
  begin: () => void;
}

/** @param keep in the tab, over a reload @throws every error of the client: no operator is signed in then */
export async function admit(key: string, keep: boolean): Promise<Admitted> {
  const client = clientOf(key);
  const trader = isToken(key);
  if (trader) await client.lots({ limit: 1 }).next();
  const operator = trader ? { name: shown(key), scopes: [] } : await client.operator();
  const begin = () => {
    if (keep) sessionStorage.setItem(STORED, key);
    held = key;
    if (trader) workspace.set({ client, prefix: operator.name });
    session.set({ client, operator, trader });
  };
  return { operator, begin };
}

/** In this tab, and in all others that wait for a key. */
export function begin({ begin }: Admitted): void {
  begin();
  if (held !== undefined) tellKey(held);
}

function signOut(notice?: string): void {
  sessionStorage.removeItem(STORED);
  held = undefined;
  workspace.set({});
  // After a lost key somebody goes on with the page: what he wrote stays. Who signs out takes it along.
  if (notice === undefined) clearDrafts();
  forgetNotes();
  session.set({ notice });
  queries.removeQueries({ predicate: ({ queryKey: [of] }) => of !== FILES });
}

/** First member of the keys of the page's own files among what is kept: they belong to no operator. */
export const FILES = 'file';

/** All tabs of the browser. */
export function signOutEverywhere(): void {
  const byCookie = held === COOKIE;
  signOut();
  tellOut();
  if (byCookie) location.assign('/console/sign-out');
}

/** With a key that the tab kept or that another tab has; asked again for as long as the service does not answer. */
async function resumeWith(key: string, keep: boolean): Promise<void> {
  for (;;) {
    try {
      (await admit(key, keep)).begin();
      return;
    } catch (error) {
      if (error instanceof Authentication) return signOut('The service no longer knows this key.');
      if (!(isLost(error) || error instanceof Unavailable)) return session.set({ notice: sentenceOf(error) });
      await untilItAnswers(error);
    }
  }
}

function handedOver(): string | null {
  const key = sessionStorage.getItem(HANDED_OVER);
  sessionStorage.removeItem(HANDED_OVER);
  return key;
}

/** Begins with whatever key there is: this tab's, over a reload, or another tab's. */
export async function resume(): Promise<void> {
  watchRelease(handOver);
  joinTabs({
    key: () => held,
    told: (key) => {
      const state = session.get();
      if (!isSignedIn(state) && !state.resuming) void resumeWith(key, false);
    },
    out: () => {
      if (held !== undefined) signOut('Signed out in another tab.');
    },
  });
  const kept = sessionStorage.getItem(STORED);
  const key = handedOver() ?? kept ?? (signOn?.dataset.in === 'true' ? COOKIE : await askForKey());
  if (key === undefined) session.set({ notice: signOn?.dataset.notice || undefined });
  else await resumeWith(key, kept !== null);
}

function handOver(): void {
  if (held !== undefined && sessionStorage.getItem(STORED) === null) sessionStorage.setItem(HANDED_OVER, held);
}

/** Loads the page again, with the operator signed in. */
export const reloadPage = (): void => reload(handOver);

let watching: Promise<void> | undefined;

/** Asks until the service answers again, and then for all that is shown. */
function untilItAnswers(error: Error): Promise<void> {
  lost.set(error.message);
  watching ??= look();
  return watching;
}

async function look(): Promise<void> {
  const probe = new MatchVerification({ baseUrl: location.origin, maxRetries: 0, timeout: LOOK_MS });
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    try {
      await probe.liveness();
      break;
    } catch {}
  }
  watching = undefined;
  lost.set(undefined);
  void queries.invalidateQueries();
  void lookForRelease();
}

/** An error as a sentence for the operator. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Aborted) return 'The call was ended.';
  if (isLost(error)) return 'The service cannot be reached.';
  if (error instanceof Error && 'detail' in error) return String(error.detail);
  return error instanceof Error ? error.message : String(error);
}
