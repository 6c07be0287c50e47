/** Programs as they are shipped: bundled by the build. */
import { join } from 'node:path';
import { root } from './client/packed.js';

export const program = (name: 'server' | 'run' | 'worker' | 'worker-health' | 'mvs' | 'vendor-sandbox'): string =>
  join(root, 'dist/programs', `${name}.js`);

/** The service's `run`, in its bundle: for programs that add something to it. */
export const bundledService = async (): Promise<typeof import('../apps/server/run.js')> => import(program('run'));
