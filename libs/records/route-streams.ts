/** The log as operators may read it: one stream, as it was written. */
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { type Static, Type } from 'typebox';
import { isOwnStream } from '#domain/streams';
import { ForOperators } from '#kit/http/access';
import { PageQuery } from '#kit/http/dto';
import { AnswersPage, Refuses } from '#kit/http/operations';
import { Problem } from '#kit/http/problem';
import { STORE } from '#kit/http/provided';
import { ApiOperation, ApiParam, ApiTags } from '#kit/http/swagger';
import type { EventReader } from '#kit/log/port';
import type { Page } from '#kit/views/page';
import { anyObject, integer, string, time } from '#kit/views/shapes';

/** Longer texts and lists of numbers are vectors or a scorer's bytes. */
const LONGEST_TEXT = 2_100;
const LONGEST_VECTOR = 32;
const BASE64 = /^[A-Za-z0-9+/]{200,}={0,2}$/;

const streamEvent = Type.Object(
  {
    id: string('the event'),
    type: string('kind, as docs/reference/events.md lists them'),
    version: integer('version of the event’s form'),
    revision: integer('place in its stream, from 0'),
    position: string('place in the log'),
    recorded_at: time(),
    data: anyObject<Record<string, unknown>>('hashes of credentials masked, vectors in short'),
  },
  { $id: 'StreamEvent' },
);
type StreamEvent = Static<typeof streamEvent>;

@ApiTags('service')
@Controller('api/v1/streams')
@ForOperators()
export class StreamsController {
  constructor(@Inject(STORE) private readonly store: EventReader) {}

  @Get(':stream')
  @ApiOperation({
    operationId: 'readStream',
    summary: 'Events of one stream of the log, oldest first',
    description: 'Streams are named as in docs/reference/events.md. Newer events appear on later pages.',
  })
  @ApiParam({ name: 'stream', description: 'name of the stream' })
  @AnswersPage('events', streamEvent)
  @Refuses('bad_request', 'not_found', 'busy')
  async read(@Param('stream') stream: string, @Query() { limit, cursor }: PageQuery): Promise<Page<StreamEvent>> {
    const from = cursor === undefined ? 0n : revisionIn(cursor);
    // A log may be shared: what others wrote there is not shown.
    const events = isOwnStream(stream) ? await this.store.readStream(stream, { from, limit: limit + 1 }) : [];
    if (events.length === 0 && from === 0n) throw new Problem('not_found', ': the log has no such stream');
    const shown = events.slice(0, limit);
    return {
      items: shown.map(({ id, type, version, revision, position, recordedAt, data }) => ({
        ...{ id, type, version, revision: Number(revision), position: String(position) },
        recorded_at: recordedAt.toISOString(),
        data: shownValue(data) as Record<string, unknown>,
      })),
      next_cursor: events.length > limit ? `r${events[limit].revision}` : null,
    };
  }
}

/** @throws Problem (400) */
function revisionIn(cursor: string): bigint {
  if (!/^r[0-9]{1,15}$/.test(cursor)) throw new Problem('bad_request', ': the cursor is none that a page gave');
  return BigInt(cursor.slice(1));
}

/** A part of an event as operators see it: without hashes of credentials, and with long values in short. */
function shownValue(value: unknown, name = ''): unknown {
  if (name.endsWith('_sha256')) return 'masked';
  if (typeof value === 'string') {
    const isLong = value.length > LONGEST_TEXT || BASE64.test(value);
    return isLong ? `${value.slice(0, 16)}... (${value.length} characters)` : value;
  }
  if (Array.isArray(value)) {
    if (value.length > LONGEST_VECTOR && typeof value[0] === 'number') return `${value.length} numbers`;
    return value.map((one) => shownValue(one));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, of]) => [member, shownValue(of, member)]));
}
