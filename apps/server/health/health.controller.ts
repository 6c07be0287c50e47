/** Liveness and readiness probes, open to all; what stands behind them is for operators. */
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EvidenceView } from '#calibration/queries-evidence';
import { Models } from '#calibration/queries-models';
import type { Configuration } from '#config/environment';
import { populationOf, streamPrefixes } from '#domain/streams';
import { ForOperators, OnEveryReplica } from '#kit/http/access';
import { answerTo, LOG_AWAY, refusalBody } from '#kit/http/answers';
import { Answers } from '#kit/http/operations';
import { PROBLEMS, Problem } from '#kit/http/problem';
import { ABOUT, type About, CONFIGURATION, OPERATOR_REPLICAS, SCORING, STORE } from '#kit/http/provided';
import { refusal } from '#kit/http/refusals';
import { ApiOperation, ApiResponse, ApiTags, ref } from '#kit/http/swagger';
import { LogCheck } from '#kit/log/check';
import type { EventReader } from '#kit/log/port';
import { CommandRefused } from '#kit/log/refused';
import { LogSeals } from '#kit/log/seal';
import { within } from '#kit/observe/elapsed';
import { LogOutput } from '#kit/observe/log-output';
import type { OperatorReplicas } from '#kit/queue/bullmq/index';
import type { Scoring } from '#kit/queue/port';
import { Views } from '#kit/views/runner';
import { Disk } from './disk.js';
import { type HealthDetail, healthDetail, type LogSealDetail, liveness, readiness } from './health.dto.js';

@ApiTags('service')
@Controller('health')
export class HealthController {
  private readonly disk: Disk | undefined;

  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(ABOUT) private readonly about: About,
    @Inject(STORE) private readonly store: Pick<EventReader, 'head'>,
    @Inject(SCORING) private readonly scoring: Scoring,
    private readonly seals: LogSeals,
    /** But on a replica for claims with EventStoreDB. */
    @Inject(LogCheck) private readonly logCheck: LogCheck | undefined,
    /** Present if the service runs as a program. */
    @Inject(LogOutput) private readonly logOutput: LogOutput | undefined,
    private readonly models: Models,
    private readonly views: Views,
    /** Present if the service answers operators. */
    @Inject(EvidenceView) private readonly evidence: EvidenceView | undefined,
    @Inject(OPERATOR_REPLICAS) private readonly replicas: OperatorReplicas | undefined,
  ) {
    const { eventStoreUrl, dataDirectory } = configuration;
    // With EventStoreDB a claim writes nothing here: the directory holds views alone.
    if (!eventStoreUrl) this.disk = new Disk(dataDirectory);
  }

  @Get('live')
  @ApiOperation({
    operationId: 'checkLiveness',
    summary: 'Is the process up?',
    description: '200 as soon as the process answers, whatever its parts do: for the probe that restarts it.',
  })
  @Answers('yes', liveness)
  live() {
    return { status: 'ok' };
  }

  /**
   * 200 where a claim would be served now, else 503; of a replica for operators alone, whatever workers there are. A view that has stopped, a damaged event or log lines that are dropped
   * hold up no claim: it is `degraded`. Names no population, stream or event.
   */
  @Get('ready')
  @ApiOperation({
    operationId: 'checkReadiness',
    summary: 'Would a claim be served now?',
    description:
      'For a load balancer. `degraded` serves claims too: a view has stopped, an event is damaged, or lines of the log are dropped.',
  })
  @Answers('yes', readiness)
  @ApiResponse({
    ...refusal(503, ['not_ready']),
    status: 503,
    description: 'no; detail and parts say why',
    content: {
      'application/json': { schema: { allOf: [ref('Problem'), ref('Readiness')] } },
    },
  })
  async ready(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { views, logCheck, logOutput } = this;
    const [needed, operators] = await Promise.all([this.needed(), this.operators()]);
    const stopped = views.health().some(({ failure }) => failure !== undefined);
    const log = logCheck?.state.status;
    const degraded =
      stopped || log === 'damaged' || log === 'failed' || logOutput?.dropping || operators?.status === 'not_seen';
    // One cause may keep several parts from working.
    const { scoring, ...always } = needed;
    const parts = this.configuration.role === 'operators' ? always : needed;
    const missing = new Set(Object.values(parts).flatMap(({ reason }) => reason ?? []));
    const ready = missing.size === 0;
    if (!ready) reply.status(PROBLEMS.not_ready[0]).header('retry-after', '1');
    const why = [PROBLEMS.not_ready[1], ...missing].join('; ');
    return {
      status: ready ? (degraded ? 'degraded' : 'ok') : 'unavailable',
      ...(!ready && refusalBody({ detail: why, code: 'not_ready' }, request.id)),
      version: this.about.version,
      model: needed.model.digest ?? null,
      engine: this.about.engine,
      parts: {
        ...Object.fromEntries(Object.entries(needed).map(([name, { status }]) => [name, { status }])),
        views: { status: stopped ? 'stopped' : 'ok' },
        ...(operators && { operators }),
        ...(log && { log_check: { status: log } }),
        ...(logOutput && { log_output: { status: outputStatus(logOutput) } }),
      },
    };
  }

  /** The same with its figures, the views and what else an operator looks after. */
  @Get('detail')
  @ApiOperation({
    operationId: 'readHealth',
    summary: 'Details of readiness for operators: log, disk, queue, views, models',
    description: 'Each part with its figures and, where it does not work, why. Each replica answers for itself.',
  })
  @Answers('each part', healthDetail)
  @ForOperators()
  @OnEveryReplica()
  async detail(): Promise<HealthDetail> {
    const { evidence, logCheck, logOutput, models, views } = this;
    const [{ model, ...needed }, operators] = await Promise.all([this.needed(), this.operators()]);
    return {
      ...this.about,
      parts: {
        ...needed,
        model: { ...model, installed: [...models.digests] },
        ladders: models.installed.map(({ model: { digest }, ladderDigest, pinned }) => ({
          model: digest,
          ladder_digest: ladderDigest,
          in_card: pinned,
        })),
        views: views.health(),
        log_seal: sealDetail(this.seals),
        ...(logCheck && { log_check: logCheck.state }),
        ...(logOutput && { log_output: { status: outputStatus(logOutput), dropped: logOutput.dropped } }),
        ...(operators && { operators }),
        ...(evidence && {
          calibration: {
            models_not_installed: evidence.notInstalled(models.digests),
            not_obeyed: this.seals.countIn(streamPrefixes.calibration),
            not_obeyed_events: notObeyed(this.seals),
          },
        }),
      },
    };
  }

  /** Reports if another replica looks at log, drift and findings, when this one does not. */
  private async operators(): Promise<{ status: 'ok' | 'not_seen' } | undefined> {
    const seen = await this.replicas?.seen().catch(() => false);
    return seen === undefined ? undefined : { status: seen ? 'ok' : 'not_seen' };
  }

  /** The parts that a claim needs. */
  private async needed() {
    const { store, scoring, models } = this;
    const [event_log, disk, model] = await Promise.all([
      check(async () => ({ position: String(await store.head()) })),
      check(async () => {
        await this.disk?.check();
        return {};
      }, 'the data directory takes no more'),
      check(async () => ({ digest: (await models.live()).model.digest })),
    ]);
    const queue = await check(async () => {
      const { waiting, active, workers } = await scoring.state();
      // The log names the live model: while the log is away, no worker can be found to lack it.
      const able = workers.filter(({ models }) => model.digest === undefined || models.includes(model.digest));
      if (able.length === 0) throw new Problem('busy', ': no worker that holds the live model is ready');
      return { waiting, active, workers: able.length };
    }, 'the scoring queue cannot be used now');
    return { event_log, disk, model, scoring: queue };
  }
}

function sealDetail({ taken, ids, found }: LogSeals): LogSealDetail {
  const last = taken.at(-1);
  return {
    secrets: ids,
    taken: last ? { position: last.position, operator: last.operator, reason: last.reason, at: last.at } : null,
    damaged: found.count,
    damaged_rows: found.first.map(({ position, revision, ...row }) => ({
      ...row,
      position: String(position),
      revision: Number(revision),
    })),
  };
}

/** The same rows, as far as they stand in calibration streams. */
const notObeyed = ({ found }: LogSeals) =>
  found.first
    .filter(({ stream }) => stream.startsWith(streamPrefixes.calibration))
    .map(({ position, revision, ...row }) => ({
      ...row,
      ...{ position: String(position), revision: Number(revision), population: populationOf(row.stream) },
    }))
    .reverse();

/** A probe does not wait longer (ms) for what is away, or busy. */
const TOLD_WITHIN_MS = 2_000;

const outputStatus = ({ dropping }: LogOutput) => (dropping ? ('dropping' as const) : ('ok' as const));

/** @param otherwise the reason given where a failure's own words may name files and servers */
async function check<T extends object>(
  ask: () => Promise<T>,
  otherwise = LOG_AWAY,
): Promise<{ status: 'ok' | 'unavailable'; reason?: string } & Partial<T>> {
  try {
    return { status: 'ok', ...(await within(TOLD_WITHIN_MS, ask(), () => new Error('a part does not answer'))) };
  } catch (error) {
    const refused = error instanceof Problem || error instanceof CommandRefused;
    return { status: 'unavailable', reason: refused ? answerTo(error).detail : otherwise } as never;
  }
}
