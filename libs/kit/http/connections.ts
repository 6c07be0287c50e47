/** Connections of one address, bounded so that no client holds all that the process may have open. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface Held {
  /** Requests that are not answered yet. */
  inHand: number;
  /** Bytes that had come when it was last looked at. */
  bytes: number;
  /** When it last came, was answered, or was seen to have sent something, on the clock of `performance.now()`. */
  since: number;
  /** True while a request is awaited soon: it is new, or a part of a request's head has come. */
  begun: boolean;
}

/** A client that has just come, or begun a request's head, is taken for one that has been idle for so much less. */
const GRACE_MS = 1_000;

/**
 * Closes what one address has too many of: the connection that has been idle longest. One whose request is in hand is never
 * closed, one that is sending a request only where no other is left; where all have a request in hand, the new one is.
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
    const close = (one: Socket | undefined) => {
      if (!one) return;
      all.delete(one);
      one.destroy();
      onClosed();
    };
    const idle = all.size < most ? undefined : longestIdle(all);
    const held = { inHand: 0, bytes: 0, since: performance.now(), begun: true };
    all.set(socket, held);
    known.set(socket, held);
    socket.once('close', () => {
      all.delete(socket);
      if (all.size === 0 && byAddress.get(address) === all) byAddress.delete(address);
    });
    if (all.size <= most) return;
    if (!idle) return close(socket);
    // A request may have come that is not read yet: one is chosen after a whole turn of the event loop.
    setImmediate(() => setImmediate(() => all.size > most && close(longestIdle(all))));
  });

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const held = known.get(socket);
    if (!held) return;
    held.inHand++;
    response.once('close', () => {
      held.inHand--;
      Object.assign(held, { bytes: socket.bytesRead, since: performance.now(), begun: false });
    });
  });
}

/** Between two words to a client that has ended its side. */
const WORD_MS = 200;

/**
 * A client may end its sending side behind its request, and is answered. Whether it only did that, or is gone, shows when it is
 * written to: `100 Continue`, which means nothing behind a body, closes the connection of one that is gone, so that nothing is
 * computed for it.
 */
export function answersHalfClosed(server: Server): void {
  // In Node since its beginnings, but not in its types. Else Node ends the connection with its client's side.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('request', ({ socket, httpVersion }: IncomingMessage, response: ServerResponse) => {
    // Those of HTTP/1.0 know no word but the answer.
    if (httpVersion !== '1.1') return;
    let words: NodeJS.Timeout | undefined;
    const ended = () => {
      words = setInterval(() => !response.headersSent && response.writeContinue(), WORD_MS);
    };
    socket.once('end', ended);
    response.once('close', () => {
      clearInterval(words);
      socket.off('end', ended);
    });
  });
}

/** Some ten parts of the service wait for an answer's end, a file that is sent as it is made among them: Node takes 11 for a leak. */
const MAX_LISTENERS = 20;

/** Between two looks for what holds up a server's end. */
const END_LOOK_MS = 20;

/** @returns awaits the end of every request in hand, those that come meanwhile too */
export function answered(server: Server): () => Promise<void> {
  /** By connection. */
  const inHand = new Map<Socket, number>();
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    // Of requests that wait for the answer to another on their connection, its end alone is told.
    if (!inHand.has(socket)) socket.once('close', () => inHand.delete(socket));
    inHand.set(socket, (inHand.get(socket) ?? 0) + 1);
    response.setMaxListeners(MAX_LISTENERS);
    response.once('close', () => {
      const count = inHand.get(socket);
      if (count !== undefined) inHand.set(socket, count - 1);
    });
  });
  return async () => {
    while ([...inHand.values()].some((count) => count > 0)) await sleep(END_LOOK_MS);
  };
}

/**
 * Node closes idle connections when a server closes, but waits for one that has sent nothing yet as long as a request's head may take. Those
 * are closed here once the server takes no more.
 * @returns awaits the server's end, begun by `close`
 */
export function endsUnused(server: Server): (close: () => Promise<void>) => Promise<void> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return async (close) => {
    const looks = setInterval(() => {
      if (server.listening) return;
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    }, END_LOOK_MS);
    try {
      await close();
    } finally {
      clearInterval(looks);
    }
  };
}

function longestIdle(all: Map<Socket, Held>): Socket | undefined {
  const now = performance.now();
  let longest: Socket | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [socket, held] of all) {
    if (held.inHand > 0) continue;
    if (socket.bytesRead !== held.bytes) Object.assign(held, { bytes: socket.bytesRead, since: now, begun: true });
    const since = held.since + (held.begun ? GRACE_MS : 0);
    if (since >= least) continue;
    longest = socket;
    least = since;
  }
  return longest;
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
