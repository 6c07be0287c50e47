/** The lot product, for holders of a workspace's token. */
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from '#config/environment';
import { limits } from '#config/limits';
import { ForWorkspaces } from '#keys/route-access';
import { BodyBudget } from '#kit/http/body-budget';
import { PageQuery } from '#kit/http/dto';
import { FreshViews, paged } from '#kit/http/listing';
import { Answers, AnswersPage, AnswersText, example, Refuses, Repeatable } from '#kit/http/operations';
import { type ErrorCode, Problem } from '#kit/http/problem';
import { CONFIGURATION } from '#kit/http/provided';
import { ReadsBody } from '#kit/http/read-body';
import { OF_SCORING } from '#kit/http/refusals';
import { exchange } from '#kit/http/request';
import { ApiBody, ApiExtraModels, ApiHeader, ApiOperation, ApiParam, ApiTags, ref } from '#kit/http/swagger';
import { checked } from '#kit/http/validation';
import { Stages, since } from '#kit/observe/elapsed';
import { ViewReads } from '#kit/views/reads';
import { LOT_STONES, MIN_SCANS, RETURNED_STONES } from '#science/lots/bounds';
import { lotReport, trayOf } from '#science/lots/report';
import { type LotCall, Lots } from './lots.js';
import { lotCheckSummary, lotSummary } from './queries-shapes.js';
import { EnrolmentForm, LotWish, RehearsalWish, ReturnForm } from './route.dto.js';
import { enrolmentExample, returnExample } from './route-examples.js';
import { type LotForm, readLotForm, refuseThreshold } from './route-form.js';
import {
  boundsAnswer,
  type CheckAnswer,
  checkAnswer,
  type LotAnswer,
  lotAnswer,
  lotWithChecks,
  rehearsalAnswer,
} from './shapes.js';

const OfLot = () => ApiParam({ name: 'lot_id', description: 'the lot' });
const OfCheck = () => ApiParam({ name: 'check_id', description: 'a check of the lot' });
/** Pages and pictures load nothing and run nothing. */
const PRINTED =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const PRINTED_TYPES = { svg: 'image/svg+xml', html: 'text/html' } as const;
const OfRequest = () =>
  ApiHeader({ name: 'X-Request-Id', description: 'your own id of the request; logs and events carry it' });
/** A form of files, which is read by hand. */
const form = (name: string, example: object) => ({
  required: true,
  content: { 'multipart/form-data': { schema: ref(name), example } },
});
/** Refusals of what a holder of a token uploads. */
const UPLOADING: ErrorCode[] = [
  ...([
    'no_threshold',
    'bad_request',
    'unreadable_multipart',
    'slow_request',
    'too_large',
    'wrong_content_type',
  ] as const),
  ...(['compressed', 'unprocessable', 'bodies_full', 'busy', 'unparseable', 'non_finite', 'flat'] as const),
  ...(['no_identity', 'stone_name', 'stone_count', 'stone_scans', 'conflict'] as const),
  ...OF_SCORING,
];

@ApiTags('lots')
@Controller('api/lotscan')
@ForWorkspaces()
export class LotsController {
  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly lots: Lots,
    private readonly reads: ViewReads,
    private readonly fresh: FreshViews,
    private readonly budget: BodyBudget,
  ) {}

  @Get('bounds')
  @ApiOperation({
    operationId: 'showBounds',
    summary: 'Bounds and exclusions of lot checks',
    description:
      'The one source of the numbers that other answers quote. Specified and measured bounds are kept apart.',
  })
  @Answers('the bounds', boundsAnswer)
  @Refuses('busy')
  showBounds() {
    return this.lots.bounds();
  }

  @Post('lots')
  @Repeatable()
  @ApiOperation({
    operationId: 'enrolLot',
    summary: 'Enrol a lot',
    description:
      `${LOT_STONES.min} to ${LOT_STONES.max} stones with at least ${MIN_SCANS} scans each, ${limits.lotScans} scans in all. A file belongs to ` +
      'the stone that its name has before the last _<number>. The same files under the same name are the same lot; a ' +
      'name stays with its files.',
    requestBody: form('LotForm', enrolmentExample()),
  })
  @OfRequest()
  @ApiExtraModels(EnrolmentForm)
  @Answers('the lot as it was enrolled before', lotAnswer)
  @Answers('the lot', lotAnswer, 201)
  @Refuses(...UPLOADING)
  async enrol(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { lot, fresh } = await this.withFiles(request, reply, ({ name, ...sent }, call) => {
      if (name === undefined) throw new Problem('unprocessable', ': name is missing');
      return this.lots.enrol(name, sent, call);
    });
    void reply.status(fresh ? 201 : 200);
    return lot;
  }

  @Get('lots')
  @ApiOperation({
    operationId: 'listLots',
    summary: 'List the workspace’s lots',
    description: 'Each with its status, the number of its checks and when it was enrolled; retired lots too.',
  })
  @AnswersPage('lots, newest first', lotSummary)
  @Refuses('bad_request', 'busy')
  async list(
    @Query() page: PageQuery,
    @Req() { workspace }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.fresh.wait(['lots'], reply);
    return paged(this.reads.ask('lots', 'lots', workspace!.id, page));
  }

  @Get('lots/:lot_id')
  @ApiOperation({
    operationId: 'getLot',
    summary: 'A lot and its checks',
    description:
      'The answer holds the latest checks and how many there are; GET /api/lotscan/lots/{lot_id}/checks lists them all.',
  })
  @OfLot()
  @Answers('the lot', lotWithChecks)
  @Refuses('not_found', 'busy')
  async show(
    @Param('lot_id') lotId: string,
    @Req() { workspace }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const lot = await this.lots.lot(workspace!, lotId);
    await this.fresh.wait(['lots'], reply);
    const { count, latest } = await this.reads.ask('lots', 'latestChecks', workspace!.id, lotId);
    return { ...this.lots.answer(lot), check_count: count, checks: latest };
  }

  @Patch('lots/:lot_id')
  @ReadsBody()
  @ApiOperation({
    operationId: 'changeLot',
    summary: 'Rename a lot, or correct its declared session type',
    description: 'The enrolment stays in the history as it was. A name that a lot once had stays with it.',
  })
  @OfLot()
  @ApiBody({ type: LotWish, examples: example({ name: 'spring, second part', session_type: 'table-up' }) })
  @Answers('the lot as it is then', lotAnswer)
  @Refuses('not_found', 'conflict', 'busy', ...OF_SCORING)
  async change(
    @Param('lot_id') lotId: string,
    @Body() wish: LotWish,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const lot = await this.lots.lot(request.workspace!, lotId);
    return this.lots.change(lot, wish, this.callOf(request, reply));
  }

  @Delete('lots/:lot_id')
  @ApiOperation({
    operationId: 'retireLot',
    summary: 'Retire a lot: it is read as before, and no longer checked',
    description: 'Its name, history and checks stay. Retiring it again changes nothing.',
  })
  @OfLot()
  @Answers('the retired lot', lotAnswer)
  @Refuses('not_found', 'busy')
  async retire(
    @Param('lot_id') lotId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const lot = await this.lots.lot(request.workspace!, lotId);
    return this.lots.retire(lot, this.callOf(request, reply));
  }

  @Get('lots/:lot_id/checks')
  @ApiOperation({
    operationId: 'listLotChecks',
    summary: 'List the checks of a lot',
    description: 'Each in short; GET /api/lotscan/lots/{lot_id}/checks/{check_id} answers one in full.',
  })
  @OfLot()
  @AnswersPage('checks, newest first', lotCheckSummary)
  @Refuses('bad_request', 'not_found', 'busy')
  async listChecks(
    @Param('lot_id') lotId: string,
    @Query() page: PageQuery,
    @Req() { workspace }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.lots.lot(workspace!, lotId);
    await this.fresh.wait(['lots'], reply);
    return paged(this.reads.ask('lots', 'checks', workspace!.id, lotId, page));
  }

  @Get('lots/:lot_id/checks/:check_id')
  @ApiOperation({
    operationId: 'getLotCheck',
    summary: 'A check, as it was answered',
    description: 'It is read from the log, not checked again.',
  })
  @OfLot()
  @OfCheck()
  @Answers('stone by stone, and member by member', checkAnswer)
  @Refuses('not_found', 'busy')
  showCheck(@Param('lot_id') lotId: string, @Param('check_id') checkId: string, @Req() { workspace }: FastifyRequest) {
    return this.lots.checkOf(workspace!, lotId, checkId);
  }

  @Get('lots/:lot_id/checks/:check_id/tray.svg')
  @ApiOperation({
    operationId: 'drawLotCheck',
    summary: 'The tray of a check, as a picture that fits a page',
    description: 'An SVG picture of one sheet of A4. It follows light and dark pages.',
  })
  @OfLot()
  @OfCheck()
  @AnswersText('the tray', 'image/svg+xml')
  @Refuses('not_found', 'busy')
  async drawTray(
    @Param('lot_id') lotId: string,
    @Param('check_id') checkId: string,
    @Req() { workspace }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.printed(trayOf, 'svg', { workspace: workspace!, lotId, checkId }, reply);
  }

  @Get('lots/:lot_id/checks/:check_id/report')
  @ApiOperation({
    operationId: 'reportLotCheck',
    summary: 'A check as a page to be printed',
    description: 'HTML that loads and runs nothing.',
  })
  @OfLot()
  @OfCheck()
  @AnswersText('lot, date, operator, instrument, model, tray, stones and limits', 'text/html')
  @Refuses('not_found', 'busy')
  async report(
    @Param('lot_id') lotId: string,
    @Param('check_id') checkId: string,
    @Req() { workspace }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.printed(lotReport, 'html', { workspace: workspace!, lotId, checkId }, reply);
  }

  @Post('lots/:lot_id/check')
  @HttpCode(200)
  @Repeatable()
  @ApiOperation({
    operationId: 'checkLot',
    summary: 'Which stones of a returned lot are members?',
    description:
      `${RETURNED_STONES.min} to ${RETURNED_STONES.max} stones with at least ${MIN_SCANS} scans each; there may be more than members. Each ` +
      'member is confirmed at most once. Sending the same return again answers the same check.',
    requestBody: form('ReturnForm', returnExample()),
  })
  @OfLot()
  @OfRequest()
  @ApiExtraModels(ReturnForm)
  @Answers('stone by stone, and member by member', checkAnswer)
  @Refuses(...UPLOADING, 'enrolment_files', 'copied_scans', 'not_found')
  async check(
    @Param('lot_id') lotId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const lot = await this.lots.lot(request.workspace!, lotId);
    return this.withFiles(request, reply, ({ name, ...sent }, call) => {
      if (name !== undefined) throw new Problem('bad_request', ': a check takes no name');
      return this.lots.check(lot, sent, call);
    });
  }

  @Post('lots/:lot_id/rehearse')
  @HttpCode(200)
  @ReadsBody({ optional: true })
  @Repeatable()
  @ApiOperation({
    operationId: 'rehearseLot',
    summary: 'How much of a substitution on this lot would be caught?',
    description: 'The same seed, the same answer. Genuine members are not rehearsed.',
  })
  @OfLot()
  @ApiBody({ type: RehearsalWish, required: false, examples: example({ substitution: 0.2, seed: 7 }) })
  @Answers('what would be caught', rehearsalAnswer)
  @Refuses('no_threshold', 'not_found', 'conflict', 'busy', ...OF_SCORING)
  async rehearse(
    @Param('lot_id') lotId: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    refuseThreshold(request.query, body);
    const { substitution, seed, draws, source } = checked(RehearsalWish, body, 'unprocessable');
    const lot = await this.lots.lot(request.workspace!, lotId);
    return this.lots.rehearse(lot, { substitution, seed, draws, source }, this.callOf(request, reply));
  }

  private async printed(
    draw: (lot: LotAnswer, check: CheckAnswer) => string,
    ending: keyof typeof PRINTED_TYPES,
    of: { workspace: LotCall['workspace']; lotId: string; checkId: string },
    reply: FastifyReply,
  ): Promise<string> {
    const lot = this.lots.answer(await this.lots.lot(of.workspace, of.lotId));
    const made = await this.lots.checkOf(of.workspace, of.lotId, of.checkId);
    void reply
      .type(`${PRINTED_TYPES[ending]}; charset=utf-8`)
      .header('content-disposition', `inline; filename="${of.checkId}.${ending}"`)
      .header('content-security-policy', PRINTED);
    return draw(lot, made);
  }

  /** Reads the form and works on it. The files lie in memory meanwhile, and may have to give way to somebody else's. */
  private async withFiles<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (form: LotForm, call: LotCall) => Promise<T>,
  ): Promise<T> {
    refuseThreshold(request.query);
    const gone = new AbortController();
    const call = this.callOf(request, reply, gone);
    const both = exchange(request, reply);
    const began = performance.now();
    try {
      const form = await readLotForm(both, this.configuration, this.budget);
      this.budget.memory.of(both.response, both.by).giveWay = (why) => gone.abort(why);
      call.stages.latency.body = since(began);
      return await work(form, call);
    } catch (error) {
      throw gone.signal.reason instanceof Problem ? gone.signal.reason : error;
    }
  }

  private callOf(request: FastifyRequest, reply: FastifyReply, gone = new AbortController()): LotCall {
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) gone.abort();
    });
    return {
      workspace: request.workspace!,
      requestId: request.id,
      deadline: performance.now() + this.configuration.requestTimeoutMs,
      signal: gone.signal,
      stages: new Stages(),
    };
  }
}
