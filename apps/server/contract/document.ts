/** Documents that everybody gets alike: sent once, then named by their ETag; compressed once, where that is accepted. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { codingsOf } from '#kit/http/compression';
import { header, vary } from '#kit/http/request';
import type { Coding } from '#kit/views/encode';

const gzipped = promisify(gzip);

export class Document {
  readonly digest: string;
  private readonly bytes: Buffer;

  /**
   * @param headers its own, besides `content-type`
   * @param coded what the build has compressed; gzip is made here where it is not
   */
  constructor(
    readonly type: string,
    content: string | Buffer,
    readonly headers: Record<string, string> = {},
    private readonly coded: Partial<Record<Coding, Buffer>> = {},
  ) {
    this.bytes = Buffer.from(content);
    this.digest = createHash('sha256').update(this.bytes).digest('hex').slice(0, 32);
  }

  static json(value: unknown): Document {
    return new Document('application/json; charset=utf-8', JSON.stringify(value));
  }

  /** Sets status and headers. @returns the body; none with 304 */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<Buffer | undefined> {
    const coding = codingsOf(request).find((one) => one === 'gzip' || this.coded[one]);
    // Strong: two codings are not the same bytes.
    const etag = `"${this.digest}${coding ? `-${coding}` : ''}"`;
    vary(reply, 'accept-encoding');
    reply.headers({ 'cache-control': 'no-cache', ...this.headers, etag });
    if (isHeld(etag, header(request, 'if-none-match'))) {
      reply.status(304);
      return undefined;
    }
    reply.header('content-type', this.type);
    if (!coding) return this.bytes;
    reply.header('content-encoding', coding);
    this.coded[coding] ??= await gzipped(this.bytes);
    return this.coded[coding];
  }
}

/** RFC 9110, 13.1.2: compared weakly, because a proxy may have weakened it. */
const isHeld = (etag: string, held: string) =>
  held.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
