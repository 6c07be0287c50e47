/** Common parts of all listings: pages, and views that are as new as the request. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventReader } from '#kit/log/port';
import type { Coding, Encoded, EncodedLines } from '#kit/views/encode';
import { BadCursor } from '#kit/views/page';
import { PoisonedEvent } from '#kit/views/projection';
import type { Views } from '#kit/views/runner';
import type { ViewFile } from '#kit/views/view-file';
import { codingsOf } from './compression.js';
import type { PageQuery } from './dto.js';
import { Problem } from './problem.js';
import { vary } from './request.js';

/** A page of names in ascending order; the cursor holds the last one. */
export function namesOf(
  names: string[],
  { limit, cursor }: PageQuery,
): { names: string[]; next_cursor: string | null } {
  const after = cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString();
  const rest = names.filter((name) => name > after);
  const shown = rest.slice(0, limit);
  const last = rest.length > limit ? shown[shown.length - 1] : undefined;
  return { names: shown, next_cursor: last === undefined ? null : Buffer.from(last).toString('base64url') };
}

/** A time as the views hold times. */
export const utc = (time: string | undefined) => (time === undefined ? undefined : new Date(time).toISOString());

/** Views that are as new as the request that reads them. */
export class FreshViews {
  constructor(
    private readonly store: Pick<EventReader, 'head'>,
    private readonly views: Views,
    private readonly waitMs: number,
  ) {}

  /**
   * Waits until the views hold all that was stored when the request came. While a changed one is being rebuilt its old
   * file answers, and `X-View-Position` says how far that goes.
   * @throws Problem (503) after a bounded wait
   */
  async wait(names: string[], reply?: FastifyReply): Promise<void> {
    const head = await this.store.head();
    const files = names.map((name) => this.views.file(name));
    const reach = async (file: ViewFile) => file.waitFor(await this.views.due(file, head), this.waitMs);
    const reached = await Promise.all(files.map((file) => (file.served === undefined ? reach(file) : true)));
    const late = files.filter((_, i) => !reached[i]);
    if (late.length > 0) {
      const { stopped } = late[0];
      const cannot = stopped ? 'cannot be written now' : 'has not caught up with the log';
      const why = stopped instanceof PoisonedEvent ? `has ${stopped.message}` : cannot;
      throw new Problem('busy', `: the view "${late[0].name}" ${why}`, { headers: { 'retry-after': '2' } });
    }
    const old = files.flatMap(({ served }) => served ?? []);
    if (old.length > 0) void reply?.header('x-view-position', old.join(', '));
  }
}

/** @throws Problem (400) for a cursor that no page gave */
export async function paged<T>(page: Promise<T>): Promise<T> {
  try {
    return await page;
  } catch (error) {
    if (error instanceof BadCursor) throw new Problem('bad_request', `: ${error.message}`);
    throw error;
  }
}

/** An answer that is JSON already. */
export type Answered = Buffer;

/** What a view's thread has made of it, in the coding that the caller takes. @throws Problem (400) */
export const answerOf = (
  request: FastifyRequest,
  reply: FastifyReply,
  read: (codings: readonly Coding[]) => Promise<Encoded>,
): Promise<Answered> => answered(request, reply, 'application/json', read);

export const NDJSON = 'application/x-ndjson';

/** A page as lines of JSON, the next one's cursor in a header. @throws Problem (400) */
export const linesOf = (
  request: FastifyRequest,
  reply: FastifyReply,
  read: (codings: readonly Coding[]) => Promise<EncodedLines>,
): Promise<Answered> =>
  answered(request, reply, NDJSON, async (codings) => {
    const page = await read(codings);
    if (page.next_cursor !== null) void reply.header('x-next-cursor', page.next_cursor);
    return page;
  });

async function answered(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  read: (codings: readonly Coding[]) => Promise<Encoded>,
): Promise<Answered> {
  const { bytes, coding } = await paged(read(codingsOf(request)));
  vary(reply, 'accept-encoding');
  void reply.header('content-type', `${type}; charset=utf-8`);
  if (coding !== undefined) void reply.header('content-encoding', coding);
  return Buffer.from(bytes.buffer);
}
