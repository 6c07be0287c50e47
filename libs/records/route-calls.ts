/** Telemetry for operators: a summary of a window, and the records. */
import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Drifts } from '#calibration/queries-drift';
import { ForOperators } from '#kit/http/access';
import { answerOf, FreshViews, linesOf, NDJSON, utc } from '#kit/http/listing';
import { Answers, AnswersPage, Refuses } from '#kit/http/operations';
import { Problem } from '#kit/http/problem';
import { CLOCK, SCORING } from '#kit/http/provided';
import { header } from '#kit/http/request';
import { ApiOperation, ApiTags } from '#kit/http/swagger';
import type { Scoring } from '#kit/queue/port';
import { ViewReads } from '#kit/views/reads';
import { GAUGE_BANDS } from '#science/spectra/gauges/index';
import { type CallSummaryQuery, TooManyBuckets, type WindowSummary } from './queries-calls.js';
import { RecordsQuery, SummaryQuery, type TelemetrySummary, telemetrySummary } from './route-calls.dto.js';
import { callRecord } from './shapes-calls.js';

@ApiTags('ledger')
@Controller('api/telemetry')
@ForOperators()
export class TelemetryController {
  constructor(
    @Inject(SCORING) private readonly scoring: Scoring,
    @Inject(CLOCK) private readonly now: () => Date,
    private readonly reads: ViewReads,
    private readonly drifts: Drifts,
    private readonly fresh: FreshViews,
  ) {}

  @Get('summary')
  @ApiOperation({
    operationId: 'summariseCalls',
    summary: 'Calls of a window: statuses, verdicts, warnings, latency, scores, gauges, findings, labels, queue',
    description: 'The last 24 hours by default. Replays are counted apart, repeats are no second verdict.',
  })
  @Answers('the window', telemetrySummary)
  @Refuses('bad_request', 'busy')
  async summary(
    @Query() { from, to, ...given }: SummaryQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TelemetrySummary> {
    await this.fresh.wait(['telemetry', 'findings', 'lots'], reply);
    const window = await this.windowOf({ ...given, from: utc(from), to: utc(to) });
    return {
      ...window,
      lots: await this.reads.ask('lots', 'counts', window.from, window.to),
      drift: this.drifts
        .drifting()
        .filter((one) => given.population === undefined || one.population === given.population),
      gauge_bands: [...GAUGE_BANDS],
      queue: await this.scoring.state().catch((error: Error) => ({ unavailable: error.message })),
    };
  }

  /** @throws Problem (400) where it has more buckets than are listed */
  private async windowOf(query: CallSummaryQuery): Promise<WindowSummary> {
    try {
      return await this.reads.ask('telemetry', 'window', query, this.now());
    } catch (error) {
      if (error instanceof TooManyBuckets) throw new Problem('bad_request', `: ${error.message}`);
      throw error;
    }
  }

  /** Latest first; as lines of JSON where the caller accepts them, the next page's cursor in `X-Next-Cursor`. */
  @Get('events')
  @ApiOperation({
    operationId: 'listCalls',
    summary: 'Records of calls, refused ones too, latest first',
    description:
      'With `Accept: application/x-ndjson` one record per line, and the next page’s cursor in X-Next-Cursor. Calls refused ' +
      'for their credential or rate are one record per minute and reason, with their count.',
  })
  @AnswersPage('records', callRecord)
  @Refuses('bad_request', 'busy')
  async events(
    @Query() { from, to, ...rest }: RecordsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.fresh.wait(['telemetry'], reply);
    const asked = { ...rest, from: utc(from), to: utc(to) };
    return header(request, 'accept').includes(NDJSON)
      ? linesOf(request, reply, (codings) => this.reads.lines(codings, 'telemetry', 'calls', asked))
      : answerOf(request, reply, (codings) => this.reads.encoded(codings, 'telemetry', 'calls', asked));
  }
}
