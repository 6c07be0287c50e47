/** Attacks during the requests: connections that send nothing, or a byte at a time, and keys guessed by the thousand. */
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

export interface Target {
  hostname: string;
  port: number;
}

/** Statuses of the answers on one connection, until it closes or `patience` is over. */
export function exchange(
  { hostname, port }: Target,
  work: (socket: Socket) => Promise<void> | void,
  patienceMs = 20_000,
): Promise<number[]> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, hostname, () => void work(socket));
    socket.setTimeout(patienceMs, () => socket.destroy());
    socket.on('data', (data) => {
      text += data.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve([...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))));
  });
}

/** Opens connections that never send a byte. Returns how many could be opened, and how to let them go. */
export async function idle(target: Target, count: number): Promise<{ opened: number; release(): void }> {
  const sockets: Socket[] = [];
  let opened = 0;
  for (let left = count; left > 0; left -= 100) {
    await Promise.all(
      Array.from({ length: Math.min(100, left) }, () => {
        const socket = connect(target.port, target.hostname);
        sockets.push(socket);
        return new Promise<void>((resolve) => {
          socket.once('connect', () => {
            opened++;
            resolve();
          });
          socket.on('error', () => resolve());
        });
      }),
    );
  }
  return {
    opened,
    release: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Sends a beginning and then a byte at a time, until the service has enough of it. */
const drip = (target: Target, beginning: string, byte: string): Promise<number[]> =>
  exchange(target, async (socket) => {
    socket.write(beginning);
    while (!socket.destroyed && socket.writable) {
      await setTimeout(200);
      if (socket.writable) socket.write(byte);
    }
  });

export const slowHeader = (target: Target) => drip(target, 'GET /api/v1 HTTP/1.1\r\nHost: soak\r\nX-Slow: ', 'x');

export const slowBody = (target: Target, apiKey: string) =>
  drip(
    target,
    `POST /api/v1/verify-match HTTP/1.1\r\nHost: soak\r\nX-Api-Key: ${apiKey}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"rough": ',
    ' ',
  );

/** One burst of guessed keys on one connection. */
export const guessKeys = (target: Target, count: number, from: number) =>
  exchange(target, (socket) => {
    const guess = (n: number) => {
      const key = `mvs_live_${n.toString(16).padStart(16, '0')}_${'A'.repeat(43)}`;
      const close = n === from + count - 1 ? 'Connection: close\r\n' : '';
      return `POST /api/v1/verify-match HTTP/1.1\r\nHost: soak\r\nX-Api-Key: ${key}\r\nContent-Length: 2\r\n${close}\r\n{}`;
    };
    socket.write(Array.from({ length: count }, (_, i) => guess(from + i)).join(''));
  });
