/** Claims as their verdicts are stored: server-sent events out of the ledger's view. */
import { Readable, type Writable } from 'node:stream';
import { Controller, Get, Inject, type OnModuleDestroy, Req, Res, StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from '#config/environment';
import { mayUse } from '#config/operators';
import { ForOperators, Lasts } from '#kit/http/access';
import { ConfiguredCredentials } from '#kit/http/credentials';
import { FreshViews } from '#kit/http/listing';
import { AnswersText, Refuses } from '#kit/http/operations';
import { Problem } from '#kit/http/problem';
import { CONFIGURATION } from '#kit/http/provided';
import { header } from '#kit/http/request';
import { ApiHeader, ApiOperation, ApiTags } from '#kit/http/swagger';
import { ViewReads } from '#kit/views/reads';
import { Views } from '#kit/views/runner';
import type { ViewFile } from '#kit/views/view-file';

/** Open at once, of one operator and replica. */
const STREAMS_AN_OPERATOR = 8;
/** Claims read in one step: what a slow reader has waiting in memory. */
const CLAIMS_A_STEP = 100;
const HEARTBEAT_MS = 15_000;
/** Between two checks of a view that stands still. */
const PAUSE_MS = 1_000;

@ApiTags('ledger')
@Controller('api/v1/claims/stream')
@ForOperators()
export class ClaimStreamController implements OnModuleDestroy {
  /** By operator: those whose client is gone count no longer. */
  private readonly open = new Map<string, Set<Writable>>();
  private readonly shutdown = new AbortController();

  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly credentials: ConfiguredCredentials,
    private readonly reads: ViewReads,
    private readonly views: Views,
    private readonly fresh: FreshViews,
  ) {}

  onModuleDestroy(): void {
    this.shutdown.abort();
  }

  @Get()
  @Lasts()
  @ApiOperation({
    operationId: 'streamClaims',
    summary: 'Claims in short as their verdicts are stored, as server-sent events',
    description:
      'Each event `claim` is a row of /api/v1/claims/rows. Begins now, or after the event that Last-Event-ID names. A ' +
      'comment comes every 15 s; the stream ends with the service or the credential.',
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'id of the last event that was seen' })
  @AnswersText('the stream', 'text/event-stream')
  @Refuses('bad_request', 'too_many', 'busy')
  async stream(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const last = header(request, 'last-event-id');
    if (!/^[0-9]{0,15}$/.test(last)) throw new Problem('bad_request', ': Last-Event-ID is none that a stream gave');
    await this.fresh.wait(['ledger', 'findings']);
    const view = this.views.file('ledger');
    const operator = request.operator!;
    const open = [...(this.open.get(operator) ?? [])].filter(({ destroyed }) => !destroyed);
    if (open.length >= STREAMS_AN_OPERATOR) {
      const headers = { 'retry-after': '5' };
      throw new Problem('too_many', `: ${open.length} streams of this operator are open`, { headers });
    }
    this.open.set(operator, new Set([...open, reply.raw]));
    const left = new AbortController();
    // A client may have gone already, while the views were waited for.
    if (reply.raw.destroyed || request.socket.readableEnded) left.abort();
    // One that ends its sending side reads no further: whether it is gone would show at the next heartbeat alone.
    const leave = () => left.abort();
    request.socket.once('end', leave);
    reply.raw.once('close', () => {
      leave();
      request.socket.off('end', leave);
      this.open.get(operator)?.delete(reply.raw);
    });
    if (request.method === 'HEAD') left.abort();
    const holds = async () => {
      const known = await this.credentials.sender(request);
      return known !== undefined && mayUse(known, 'audit');
    };
    const signal = AbortSignal.any([left.signal, this.shutdown.signal]);
    const from = last === '' ? Number(view.position) : Number(last);
    void reply.headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    // Pulled step by step as the client reads.
    const events = Readable.from(this.events(view, from, holds, signal), { objectMode: false });
    return new StreamableFile(events, { type: 'text/event-stream; charset=utf-8' });
  }

  private async *events(view: ViewFile, from: number, holds: () => Promise<boolean>, signal: AbortSignal) {
    // A client that is cut off at once goes on from here.
    yield `retry: 2000\nid: ${from}\n\n`;
    // The socket is closed where nothing is written for as long as a request may take.
    const beat = Math.min(HEARTBEAT_MS, this.configuration.requestTimeoutMs / 2);
    for (let at = from; !signal.aborted && (await holds()); ) {
      const seen = view.position;
      const claims = await this.reads.ask('ledger', 'scoredAfter', at, CLAIMS_A_STEP);
      if (claims.length > 0) {
        at = claims[claims.length - 1].position;
        yield claims.map(({ position, claim }) => frame(position, claim)).join('');
      } else if (!(await moved(view, seen, beat, signal)) && !signal.aborted) yield ':\n\n';
    }
  }
}

const frame = (id: number, claim: object) => `id: ${id}\nevent: claim\ndata: ${JSON.stringify(claim)}\n\n`;

/** True if the view went on within the time; ends with the signal, which may have come before. */
function moved(view: ViewFile, from: bigint, withinMs: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = () => resolve(false);
    signal.addEventListener('abort', end, { once: true });
    void view.waitFor(from + 1n, withinMs).then((came) => {
      signal.removeEventListener('abort', end);
      // A view that has stopped answers at once.
      if (came) resolve(true);
      else setTimeout(end, PAUSE_MS).unref();
    });
  });
}
