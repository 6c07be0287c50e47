/** Connections of one address, bounded so that no client holds all that the process may have open. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Held {
  /** True once a whole request head came. */
  asked: boolean;
  /** Requests that are not answered yet. */
  inHand: number;
}

/**
 * Closes what one address has too many of: the oldest connection that waits for its first request, else the oldest between
 * two requests, else the new one.
 * @param most connections of one address; 0: as many as come
 * @param onClosed called for each that was closed for this
 */
export function boundConnections(server: Server, most: number, onClosed: () => void): void {
  if (most === 0) return;
  const byAddress = new Map<string, Map<Socket, Held>>();
  const known = new WeakMap<Socket, Held>();

  server.on('connection', (socket: Socket) => {
    const address = senderOf(socket.remoteAddress ?? '');
    const all = byAddress.get(address) ?? new Map<Socket, Held>();
    byAddress.set(address, all);
    const release = (one: Socket) => {
      all.delete(one);
      if (all.size === 0 && byAddress.get(address) === all) byAddress.delete(address);
    };
    const held = { asked: false, inHand: 0 };
    all.set(socket, held);
    known.set(socket, held);
    socket.once('close', () => release(socket));
    if (all.size <= most) return;
    const others = [...all].slice(0, -1);
    const given = others.find(([, { asked }]) => !asked) ?? others.find(([, { inHand }]) => inHand === 0);
    const [closed] = given ?? [socket];
    release(closed);
    closed.destroy();
    onClosed();
  });

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const held = known.get(socket);
    if (!held) return;
    held.asked = true;
    held.inHand++;
    response.once('close', () => held.inHand--);
  });
}

/** The sender for whom an address stands: itself, or with IPv6 the 64 bits that one network has for its machines. */
export function senderOf(address: string): string {
  const [, v4] = /^(?:::ffff:)?(\d+(?:\.\d+){3})$/i.exec(address) ?? [];
  if (v4 !== undefined) return v4;
  const [head, tail] = address
    .split('%', 1)[0]
    .split('::', 2)
    .map((part) => part.split(':').filter(Boolean));
  const gap = tail === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  return [...head, ...Array<string>(gap).fill('0'), ...(tail ?? [])].slice(0, 4).join(':');
}
