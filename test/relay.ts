import { connect, createServer, type Socket } from 'node:net';

/** Passes a port of this machine on. After `silence` nothing passes on the connections so far, and nobody is told. */
export async function startRelay(port: number) {
  const pairs: [Socket, Socket][] = [];
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    pairs.push([near, far]);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ])
      from.on('error', () => to.destroy()).pipe(to);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    silence() {
      for (const side of pairs.flat()) side.unpipe().resume();
    },
    close() {
      for (const side of pairs.flat()) side.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
