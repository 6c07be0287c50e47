import { createServer } from 'node:net';

/** Below those that Linux gives away by itself, to connections and to who listens on port 0 (from 32768 on). */
const FIRST = 12_000;
const COUNT = 20_000;
/** Processes beside each other look at places far from each other. */
let next = (process.pid * 499) % COUNT;

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/**
 * A port on which nobody listens, for a server that is started later, or closed and opened again on it: nobody else gets it
 * meanwhile by chance.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (next++ % COUNT);
    if (await isFree(port)) return port;
  }
}
