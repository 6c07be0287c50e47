/** The pages' questions to the service: one hook for each question, through the client of the signed-in operator. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Calibration, ClaimRow, Drift, Finding, LotSummary, MatchVerification, Query } from '#client';
import { failed, isSignedIn, lost, type OpenWorkspace, type Session, session } from './session.js';

/** Of a page that is looked at: how old an answer may be. */
const LOOK_AGAIN_MS = 15_000;
/** Rows of one answer. */
export const PAGE_ROWS = 100;

/** @throws where no operator is signed in: pages are drawn only where one is */
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
  { everyMs = false, enabled = true }: { everyMs?: number | false; enabled?: boolean } = {},
) {
  const { client } = useSession();
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => ask(client, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
    enabled,
  });
}

/** Items on all pages, as far as they are counted. */
export interface Total {
  total?: number;
  total_exact?: boolean;
}

interface Paging {
  cursor?: string;
  limit: number;
  total?: boolean;
}

/** A listing and how long it is. That is asked for once its rows are there and are not all: counting must hold up no row. */
function useCounted<T>(
  key: readonly unknown[],
  ask: (client: MatchVerification, paging: Paging, signal: AbortSignal) => Promise<Page<T> & Total>,
  everyMs: number | false = false,
) {
  const { client } = useSession();
  const listing = useListing<T, Page<T>>(
    key,
    (client, cursor, signal) => ask(client, { cursor, limit: PAGE_ROWS }, signal),
    { everyMs },
  );
  const counted = useQuery({
    queryKey: [...key, 'total'],
    queryFn: ({ signal }) => ask(client, { limit: 1, total: true }, signal),
    enabled: listing.hasNextPage && !listing.isPlaceholderData,
  });
  return { ...listing, counted: counted.data as Total | undefined };
}

export const useOverview = (window: Query<'showOverview'>, name: string) =>
  useAnswer(['overview', name], (client, signal) => client.overview(window, signal));
const useSummary = () => useAnswer(['summary'], (client, signal) => client.summary(signal), { everyMs: false }).data;
/** Public keys of the bundles that this service signs, the newest first; undefined until they are known. */
export const useAuditKeys = () => useSummary()?.audit_keys?.map(({ public_key }) => public_key);
/** The same keys as receipts name them. */
export const useReceiptKeys = () => useSummary()?.receipt_keys;
/** Populations on a page; a service with more has them by their address. */
export const MOST_POPULATIONS = 1000;
export const useCalibrations = () =>
  useAnswer(['calibrations'], async (client, signal) => {
    const found: Calibration[] = [];
    for await (const one of client.calibrations({}, signal)) if (found.push(one) >= MOST_POPULATIONS) break;
    return found;
  });
/** Health stands for readiness, which is a refusal where it is bad. */
export const useHealth = () => useAnswer(['health'], (client, signal) => client.health(signal));
export const useModels = () => useAnswer(['models'], (client, signal) => client.models(signal));
export const useScores = (population: string, model: string) =>
  useAnswer(
    ['scores', population, model],
    (client, signal) => client.calibrationScores(population, { model }, signal),
    { everyMs: false },
  );

/** Filters as the address has them: the service reads and checks them. */
type Asked = Readonly<Record<string, string | undefined>>;

export const useClaimRows = (filters: Asked, live = false) =>
  useCounted<ClaimRow>(['claims', live, filters], (client, paging, signal) =>
    client.claimRowsPage({ ...(filters as object), ...paging }, signal),
  );
/** Work that several share: others take from the queue too. */
export const useClaimQueue = (filters: Asked) =>
  useCounted<ClaimRow>(
    ['claims', 'queue', filters],
    (client, paging, signal) => client.claimRowsPage({ ...(filters as object), ...paging }, signal),
    LOOK_AGAIN_MS,
  );
export const useClaim = (id: string) => useAnswer(['claim', id], (client, signal) => client.claim(id, signal));
export const useFindings = (filters: Asked) =>
  useCounted<Finding>(
    ['findings', filters],
    (client, paging, signal) => client.findingsPage({ ...(filters as object), ...paging }, signal),
    LOOK_AGAIN_MS,
  );
export const useFinding = (id: string) => useAnswer(['finding', id], (client, signal) => client.finding(id, signal));

/**
 * Claims as their verdicts are stored, while it is on; taken up where it was once a lost service answers again.
 * @returns why there is no stream, where there is none
 */
export function useClaimStream(on: boolean, each: (claim: ClaimRow) => void): unknown {
  const { client } = useSession();
  const away = lost.use() !== undefined;
  const [refusal, setRefusal] = useState<unknown>();
  const take = useRef(each);
  take.current = each;
  useEffect(() => {
    if (!on || away) return;
    const leaving = new AbortController();
    const read = async () => {
      try {
        for await (const { claim } of client.claimStream({ signal: leaving.signal })) take.current(claim);
      } catch (error) {
        if (leaving.signal.aborted) return;
        failed(error);
        setRefusal(error);
      }
    };
    setRefusal(undefined);
    void read();
    return () => leaving.abort();
  }, [on, away, client]);
  return refusal;
}

export const useKeyList = () =>
  useListing(['keys'], (client, cursor, signal) => client.keysPage({ cursor, limit: PAGE_ROWS }, signal));
export const useStream = (stream: string) =>
  useListing(
    ['stream', stream],
    (client, cursor, signal) => client.streamPage(stream, { cursor, limit: PAGE_ROWS }, signal),
    { enabled: stream !== '' },
  );

export const useTelemetry = (filters: Asked) =>
  useAnswer(['telemetry', filters], (client, signal) => client.telemetrySummary(filters as object, signal));
/** @param name of the window, which ends now */
export const useTrend = (window: Query<'summariseCalls'>, name: string) =>
  useAnswer(['trend', name], (client, signal) => client.telemetrySummary(window, signal)).data?.buckets;
export const useCalls = (filters: Asked) =>
  useListing(['calls', filters], (client, cursor, signal) =>
    client.telemetryPage({ ...(filters as object), cursor, limit: PAGE_ROWS }, signal),
  );
export const useDrift = (filters: Asked) =>
  useListing(['drift', filters], (client, cursor, signal) =>
    client.driftPage({ ...(filters as object), cursor, limit: 20 }, signal),
  );
/** Nine tenths of the claims that a population is watched against, by measure; nothing before its first window. */
export function useBaseline(population: string): Drift['bands'] | undefined {
  const { data } = useAnswer(['baseline', population], (client, signal) => client.driftPage({ population }, signal), {
    everyMs: false,
  });
  return data?.items[0]?.bands;
}
export const useHygiene = () => useAnswer(['hygiene'], (client, signal) => client.hygiene(signal), { everyMs: 60_000 });

/** Lots of a workspace that are on the page; one with more has them by their address. */
const MOST_LOTS = 1000;
export const useLots = ({ client, prefix }: OpenWorkspace) =>
  useAnswer(['lots', prefix], async (_, signal) => {
    const found: LotSummary[] = [];
    for await (const lot of client.lots({}, signal)) if (found.push(lot) >= MOST_LOTS) break;
    return found;
  });
export const useLot = ({ client, prefix }: OpenWorkspace, id: string) =>
  useAnswer(['lot', prefix, id], (_, signal) => client.lot(id, signal));
/** As SVG; a check’s tray never changes. */
export const useTray = ({ client, prefix }: OpenWorkspace, lot: string, check: string) =>
  useAnswer(['tray', prefix, lot, check], (_, signal) => client.lotCheckTray(lot, check, signal), { everyMs: false });

/** True if all that a population has came with keys that call their stones simulated, as those of a trial do. */
export function useSimulated(population: string): boolean {
  const keys = useKeyList();
  const own = keys.data?.pages.flatMap(({ items }) => items).filter((key) => key.population === population) ?? [];
  return own.length > 0 && own.every(({ name }) => name.startsWith('simulated'));
}
/** Claims under test keys: they make no threshold. */
export const useTestClaims = (population: string) =>
  useAnswer(['test claims', population], (client, signal) =>
    client.claimRowsPage({ population, key_kind: 'test', limit: 1, total: true }, signal),
  );
