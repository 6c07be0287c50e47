import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './ports.js';

export interface Relay {
  port: number;
  /** Resets every connection at once. */
  cut(): void;
  /** Nothing passes any more on the connections so far, and nobody is notified. */
  silence(): void;
  /** Nothing passes, also on new connections, until it goes on: then all that came meanwhile. */
  stall(): void;
  resume(): void;
  /** Ends every connection and refuses new ones. */
  close(): Promise<void>;
  /** Takes connections again on the same port. */
  reopen(): Promise<void>;
}

/** Passes what comes to a port of this machine on. */
export async function startRelay(to: { port: number; host?: string }, port = 0): Promise<Relay> {
  const pairs = new Set<[Socket, Socket]>();
  let stalled = false;
  const pipe = ([near, far]: [Socket, Socket]) => near.pipe(far).pipe(near);
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host: '127.0.0.1', ...to, noDelay: true });
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    if (!stalled) pipe(pair);
    for (const side of pair) {
      side.on('error', () => {});
      side.on('close', () => {
        pairs.delete(pair);
        for (const one of pair) one.destroy();
      });
    }
  });
  const listen = (on: number) =>
    new Promise<void>((resolve, reject) => server.once('error', reject).listen(on, '127.0.0.1', resolve));
  const own = port || (await freePort());
  await listen(own);
  const cut = () => {
    // A socket that is closing already cannot be reset, and one that is reset then is never let go of.
    for (const [near] of pairs) near.writableEnded ? near.destroy() : near.resetAndDestroy();
  };
  return {
    port: own,
    cut,
    silence() {
      for (const side of [...pairs].flat()) side.unpipe().resume();
    },
    stall() {
      stalled = true;
      for (const side of [...pairs].flat()) side.unpipe().pause();
    },
    resume() {
      stalled = false;
      for (const pair of pairs) pipe(pair);
    },
    async close() {
      stalled = false;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const side of [...pairs].flat()) side.destroy();
      await closed;
    },
    reopen: () => listen(own),
  };
}
