/** gRPC calls over one HTTP/2 connection to a node, which is made when it is needed, and anew once it is lost. */
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2';
import type { Address } from './address.js';
import { STATUS } from './failures.js';

/** A connection that is not made for so long, or leaves a ping unanswered, is lost. Milliseconds. */
const SILENT_WITHIN_MS = 10_000;
/** Bytes on their way before the reader has taken any. */
const WINDOW_BYTES = 1024 * 1024;
/** Of a message: whether it is compressed, which nothing here is, and its length. */
const PREFIX_BYTES = 5;

export interface Call {
  /** In one write. */
  write(messages: readonly Uint8Array[]): void;
  /** Nothing more is written; the answer may still come. */
  end(): void;
  /** Nothing is taken from the server until it goes on. */
  pause(): void;
  resume(): void;
  cancel(): void;
}

export interface CallHandlers {
  onMessage(message: Buffer): void;
  /** Once, in the end. */
  onOver(failure: Error | undefined): void;
}

interface Link {
  session: ClientHttp2Session;
  /** It stands; and the other end has said something. */
  made: boolean;
  heard: boolean;
}

export class Channel {
  private link: Link | undefined;
  /** One that the node is about to end still answers what was asked of it. */
  private readonly sessions = new Set<ClientHttp2Session>();
  private closed = false;

  constructor(
    /** `host:port` */
    private readonly node: string,
    private readonly address: Pick<Address, 'tls' | 'authorization'>,
    private readonly silentWithinMs = SILENT_WITHIN_MS,
  ) {}

  /**
   * By the leader alone: a follower may not know the latest revocation yet.
   * @param method as `package.Service/Method`
   */
  call(method: string, { onMessage, onOver }: CallHandlers): Call {
    const link = this.linked();
    const { authorization } = this.address;
    const stream = link.session.request({
      [constants.HTTP2_HEADER_METHOD]: constants.HTTP2_METHOD_POST,
      [constants.HTTP2_HEADER_PATH]: `/${method}`,
      [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
      [constants.HTTP2_HEADER_TE]: 'trailers',
      'requires-leader': 'true',
      ...(authorization !== undefined && { authorization }),
    });
    let said: IncomingHttpHeaders = {};
    let failure: Error | undefined;
    const hear = (headers: IncomingHttpHeaders) => {
      said = { ...said, ...headers };
    };
    stream.on('response', hear).on('trailers', hear);
    const take = messagesOf(onMessage);
    stream.on('data', (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        soon(() => stream.destroy(error as Error));
      }
    });
    stream.on('error', (error) => {
      failure = error;
    });
    // The server has said all. Not `close`, which resets a stream: servers take many resets for an attack.
    stream.on('end', () => {
      if (!stream.writableEnded) stream.end();
    });
    stream.on('close', () => onOver(failureOf(said, failure, link)));
    return {
      write: (messages) => void stream.write(framed(messages)),
      end: () => void stream.end(),
      pause: () => void stream.pause(),
      resume: () => void stream.resume(),
      cancel: () => soon(() => stream.close(constants.NGHTTP2_CANCEL)),
    };
  }

  close(): void {
    this.closed = true;
    for (const session of this.sessions) session.destroy();
  }

  private linked(): Link {
    if (this.closed) throw new Error('the node was left');
    if (this.link && !this.link.session.closed && !this.link.session.destroyed) return this.link;
    const { tls } = this.address;
    const session = connect(`${tls ? 'https' : 'http'}://${this.node}`, {
      ...tls,
      settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
      // By default an answer is refused while 10 MB wait to be sent. The client package has no bound either.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
    });
    this.sessions.add(session);
    const link: Link = { session, made: false, heard: false };
    let pinging = false;
    const look = () => {
      if (session.destroyed) return;
      if (!link.made || pinging) return session.destroy(new Error('the connection brings nothing'));
      pinging = true;
      session.ping((error) => {
        pinging = error !== null;
      });
    };
    // A process that stood still itself first hears what has come meanwhile.
    const timer = setInterval(setImmediate, this.silentWithinMs, look).unref();
    session.on('connect', () => {
      link.made = true;
      // Node says so a turn later, when the connection may be lost already.
      if (!session.destroyed) session.setLocalWindowSize(WINDOW_BYTES);
    });
    session.on('remoteSettings', () => {
      link.heard = true;
    });
    // Its calls are told, each by itself.
    session.on('error', () => {});
    session.on('close', () => {
      clearInterval(timer);
      this.sessions.delete(session);
    });
    this.link = link;
    return link;
  }
}

/** Node ends itself where a stream is reset while its connection is being read. */
const soon = setImmediate;

function framed(messages: readonly Uint8Array[]): Buffer {
  const whole = Buffer.alloc(messages.reduce((sum, { length }) => sum + PREFIX_BYTES + length, 0));
  let at = 0;
  for (const message of messages) {
    whole.writeUInt32BE(message.length, at + 1);
    whole.set(message, at + PREFIX_BYTES);
    at += PREFIX_BYTES + message.length;
  }
  return whole;
}

/** Takes what comes apart, wherever it is cut. */
function messagesOf(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer[] = [];
  let bytes = 0;
  let wanted = PREFIX_BYTES;
  return (chunk) => {
    rest.push(chunk);
    bytes += chunk.length;
    if (bytes < wanted) return;
    let whole = rest.length === 1 ? chunk : Buffer.concat(rest);
    for (wanted = PREFIX_BYTES; whole.length >= wanted; wanted = PREFIX_BYTES) {
      wanted += whole.readUInt32BE(1);
      if (whole.length < wanted) break;
      onMessage(whole.subarray(PREFIX_BYTES, wanted));
      whole = whole.subarray(wanted);
    }
    rest = whole.length > 0 ? [whole] : [];
    bytes = whole.length;
  };
}

/** The status that the server ended the call with; without any, the connection was lost. */
function failureOf(said: IncomingHttpHeaders, failure: Error | undefined, { made, heard }: Link): Error | undefined {
  const status = said['grpc-status'];
  if (status === '0') return undefined;
  if (status !== undefined) {
    const code = Number(status);
    const message = `status ${code}: ${decodeURIComponent(String(said['grpc-message'] ?? ''))}`;
    return Object.assign(new Error(message), { code, type: said.exception });
  }
  // Of a connection that was never made, Node says that the call was cancelled, and why beside it.
  const cause = failure?.cause instanceof Error ? failure.cause : failure;
  const why = made && !heard ? 'the connection was ended at once' : (cause?.message ?? 'the connection was lost');
  return Object.assign(new Error(why, { cause: failure }), { code: STATUS.unavailable });
}
