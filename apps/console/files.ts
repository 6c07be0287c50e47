/** Parts of the page in files of their own: fetched while the browser is idle, so that they are there when the service is not. */
import { useQuery } from '@tanstack/react-query';
import VERIFIER_FILE from './audit/verify.worker.ts?worker&url';
import { loaded } from './release.js';
import { FILES, queries } from './session.js';

/** Between two looks for a part that did not come. */
const AGAIN_MS = 3_000;

interface File<T> {
  name: string;
  load: () => Promise<T>;
}

/** The library behind charts. */
export const ECHARTS = { name: 'echarts', load: () => import('./parts/echarts.js') };

/** The verifier of bundles, whose file the browser keeps: a worker is started from it at each use. */
const VERIFIER = {
  name: 'verifier',
  load: async () => {
    const response = await fetch(VERIFIER_FILE);
    if (!response.ok) throw new Error(`${VERIFIER_FILE}: ${response.status}`);
    return (await response.arrayBuffer()).byteLength;
  },
};
export const startVerifier = () => new Worker(VERIFIER_FILE, { type: 'module' });

const asked = <T>({ name, load }: File<T>) => ({
  queryKey: [FILES, name],
  queryFn: () => loaded(load),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  structuralSharing: false as const,
});

/** The part once it is there; one that could not be fetched is asked for again until it comes. */
export const useFile = <T>(file: File<T>) =>
  useQuery({ ...asked(file), refetchInterval: ({ state }) => (state.error ? AGAIN_MS : false) });

const idle = (): Promise<unknown> =>
  new Promise((resolve) =>
    'requestIdleCallback' in globalThis ? requestIdleCallback(resolve, { timeout: 2_000 }) : setTimeout(resolve, 200),
  );

/** Asked for before they are needed; one that does not come now is asked for when it is. */
export async function fetchAhead(): Promise<void> {
  for (const file of [ECHARTS, VERIFIER] as File<unknown>[]) {
    await idle();
    await queries.prefetchQuery(asked(file));
  }
}
