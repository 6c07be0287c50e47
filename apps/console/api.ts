/** What the pages ask of the service: one hook for each question, through the client of the signed-in operator. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { MatchVerification, Query } from '#client';
import { isSignedIn, type Session, session } from './session.js';

/** Of a page that is looked at: how old an answer may be. */
const LOOK_AGAIN_MS = 15_000;
/** Rows of one answer. */
export const PAGE_ROWS = 100;

/** @throws where nobody is signed in: pages are drawn only where somebody is */
export function useSession(): Session {
  const state = session.use();
  if (!isSignedIn(state)) throw new Error('nobody is signed in');
  return state;
}

/**
 * An answer of the service. One of a former question stays in sight until that of the new one is there; an answer that was
 * overtaken is ended, and never drawn.
 */
export function useAnswer<T>(
  key: readonly unknown[],
  ask: (client: MatchVerification, signal: AbortSignal) => Promise<T>,
  { everyMs = LOOK_AGAIN_MS, enabled = true }: { everyMs?: number | false; enabled?: boolean } = {},
) {
  const { client } = useSession();
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => ask(client, signal),
    refetchInterval: everyMs,
    placeholderData: keepPreviousData,
    enabled,
  });
}

interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** A listing page by page, each asked for when the end of the one before comes into sight. */
export function useListing<T, P extends Page<T>>(
  key: readonly unknown[],
  ask: (client: MatchVerification, cursor: string | undefined, signal: AbortSignal) => Promise<P & Page<T>>,
) {
  const { client } = useSession();
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => ask(client, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export const useOverview = (window: Query<'showOverview'>, name: string) =>
  useAnswer(['overview', name], (client, signal) => client.overview(window, signal));
/** Health stands for readiness, which is a refusal where it is bad. */
export const useHealth = () => useAnswer(['health'], (client, signal) => client.health(signal));
export const useModels = () => useAnswer(['models'], (client, signal) => client.models(signal));
