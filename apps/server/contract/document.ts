/** Documents that everybody gets alike: sent once, then named by their ETag; gzipped once, where that is accepted. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { header, vary } from '../http/request.js';

const gzipped = promisify(gzip);

export class Document {
  private readonly bytes: Buffer;
  private readonly digest: string;
  private zipped: Promise<Buffer> | undefined;

  /** @param headers its own, besides `content-type` */
  constructor(
    readonly type: string,
    readonly text: string,
    readonly headers: Record<string, string> = {},
  ) {
    this.bytes = Buffer.from(text);
    this.digest = createHash('sha256').update(this.bytes).digest('hex').slice(0, 32);
  }

  static json(value: unknown): Document {
    return new Document('application/json; charset=utf-8', JSON.stringify(value));
  }

  /** Sets status and headers. @returns the body; none with 304 */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<Buffer | undefined> {
    const zip = acceptsGzip(header(request, 'accept-encoding'));
    // Strong: the two encodings are not the same bytes.
    const etag = `"${this.digest}${zip ? '-gzip' : ''}"`;
    vary(reply, 'accept-encoding');
    reply.headers({ 'cache-control': 'no-cache', ...this.headers, etag });
    if (isHeld(etag, header(request, 'if-none-match'))) {
      reply.status(304);
      return undefined;
    }
    reply.header('content-type', this.type);
    if (!zip) return this.bytes;
    reply.header('content-encoding', 'gzip');
    this.zipped ??= gzipped(this.bytes);
    return this.zipped;
  }
}

/** RFC 9110, 12.5.3: a coding of weight 0 is refused; what is not named is as `*` says. */
function acceptsGzip(accepted: string): boolean {
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [coding, weight] = part.split(';').map((piece) => piece.trim());
    weights.set(coding, weight?.startsWith('q=') ? Number(weight.slice(2)) : 1);
  }
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}

/** RFC 9110, 13.1.2: compared weakly, as a proxy may have weakened it. */
const isHeld = (etag: string, held: string) =>
  held.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
