import { connect, createServer, type Socket } from 'node:net';

export interface Relay {
  port: number;
  /** Resets every connection at once. */
  cut(): void;
  /** Nothing passes any more on the connections so far, and nobody is told. */
  silence(): void;
  close(): Promise<void>;
}

/** Passes what comes to a port of this machine on. */
export async function startRelay(to: { port: number; host?: string }, port = 0): Promise<Relay> {
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host: '127.0.0.1', ...to, noDelay: true });
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    near.pipe(far).pipe(near);
    for (const side of pair) {
      side.on('error', () => {});
      side.on('close', () => {
        pairs.delete(pair);
        for (const one of pair) one.destroy();
      });
    }
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const cut = () => {
    for (const [near] of pairs) near.resetAndDestroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    cut,
    silence() {
      for (const side of [...pairs].flat()) side.unpipe().resume();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
