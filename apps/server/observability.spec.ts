import { readFileSync } from 'node:fs';
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import pino from 'pino';
import { startTracing, type Tracing } from '#kit/observe/tracing';
import { redisIsHere, startRedis, type TestRedis } from '../../test/redis.js';
import { until } from '../../test/until.js';
import { startWorker } from '../worker/worker.js';
import { claimOf, TestService } from './test/fixture.js';

interface Panel {
  id: number;
  type: string;
  title: string;
  datasource: object;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { refId: string; expr: string; datasource: object }[];
}

describe('GET /metrics', () => {
  let tested: TestService;
  beforeAll(async () => {
    tested = await TestService.start();
  });
  afterAll(() => tested.stop());

  it('401 without an operator key', async () => {
    expect((await tested.call('GET', '/metrics')).status).toBe(401);
    // Stored before whatever the next test appends.
    tested.service.api.tally.flush();
  });

  it('200: requests, verdicts, appends, queue and view lag as Prometheus reads them', async () => {
    const { body } = await tested.verify(claimOf(1));
    const { status, body: text, headers } = await tested.call('GET', '/metrics', { headers: tested.operator });
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')]);
    const lines: string[] = text.split('\n');
    const value = (start: string) =>
      Number(
        lines
          .find((line) => line.startsWith(start))
          ?.split(' ')
          .at(-1),
      );
    expect(
      value('http_request_duration_seconds_count{method="POST",route="/api/v1/verify-match",status_code="200"}'),
    ).toBe(1);
    expect(value(`mvs_verdicts_total{verdict="${body.verdict}",reject_target="0.98"}`)).toBe(1);
    expect(value('mvs_events_appended_total{type="ClaimSubmitted"}')).toBe(1);
    expect(value('mvs_events_appended_total{type="RefusalsCounted"}')).toBe(1);
    expect(value('mvs_append_duration_seconds_count{outcome="stored"}')).toBeGreaterThan(2);
    expect(value('mvs_scoring_queue{what="workers"}')).toBe(1);
    expect(value('mvs_view_lag{view="ledger"}')).toBeGreaterThanOrEqual(0);
    expect(text).not.toContain(tested.apiKey);
  });

  const dashboard = JSON.parse(readFileSync('docs/monitoring/grafana.json', 'utf8'));
  const rules = readFileSync('docs/monitoring/alerts.yml', 'utf8');

  it('holds every metric that the example dashboard and the alarm rules ask for', async () => {
    const { body } = await tested.call('GET', '/metrics', { headers: tested.operator });
    const shown: string[] = dashboard.panels.flatMap((panel: Panel) => panel.targets.map(({ expr }) => expr));
    const alerting = [...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expr]) => expr);
    expect([shown.length > 9, alerting.length > 9]).toEqual([true, true]);
    const names = [...shown, ...alerting].flatMap(
      (expr) => expr.replace(/\{[^}]*\}|by \([^)]*\)/g, '').match(/\b[a-z]+_[a-z0-9_]+/g) ?? [],
    );
    const ofPrometheus = /^(?:histogram_quantile|min_over_time)$/;
    for (const name of new Set(names.filter((name) => !ofPrometheus.test(name)))) {
      const family = name.replace(/_(?:bucket|count)$/, '');
      expect([name, body.includes(`# TYPE ${family} `)]).toEqual([name, true]);
    }
  });

  it('has a dashboard that Grafana can lay out', () => {
    expect(dashboard).toMatchObject({ uid: 'match-verification', schemaVersion: expect.any(Number), time: {} });
    const source = { type: 'prometheus', uid: `\${${dashboard.templating.list[0].name}}` };
    const taken = new Set<string>();
    const { panels }: { panels: Panel[] } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { type, title, datasource, targets, gridPos } of panels) {
      expect([type, title]).toEqual(['timeseries', expect.stringMatching(/./)]);
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      for (const one of [{ datasource }, ...targets]) expect(one.datasource).toEqual(source);
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      const cells = Array.from({ length: gridPos.w * gridPos.h }, (_, i) => {
        const [x, y] = [gridPos.x + (i % gridPos.w), gridPos.y + Math.floor(i / gridPos.w)];
        return `${x} ${y}`;
      });
      expect(cells.filter((cell) => taken.has(cell))).toEqual([]);
      for (const cell of cells) taken.add(cell);
    }
  });
});

(redisIsHere ? describe : describe.skip)('one trace of a claim through Redis', () => {
  const exporter = new InMemorySpanExporter();
  let tracing: Tracing;
  let redis: TestRedis;
  let tested: TestService;
  let worker: Awaited<ReturnType<typeof startWorker>>;

  beforeAll(async () => {
    tracing = await startTracing('test', 'http://127.0.0.1:1', exporter);
    redis = await startRedis();
    tested = await TestService.start({ REDIS_URL: redis.url }, undefined, { ofModules: true });
    worker = await startWorker({
      redisUrl: redis.url,
      concurrency: 4,
      batch: 4,
      logger: pino({ level: 'silent' }),
      modelFolders: [tested.directory],
      engine: 'simd',
    });
  });
  afterAll(async () => {
    await tested.stop();
    await worker.close();
    await redis.stop();
    await tracing.close();
  });

  it('holds the request, its appends, the scoring and the worker, under the trace of the caller', async () => {
    const caller = '0af7651916cd43dd8448eb211c80319c';
    await tested.verify(claimOf(3), { traceparent: `00-${caller}-b7ad6b7169203331-01` });
    let spans: ReadableSpan[] = [];
    await until(() => {
      spans = exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === caller);
      return spans.some(({ name }) => name.startsWith('HTTP'));
    });
    const names = spans.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['HTTP POST', 'append', 'score', 'encode']));
    // The submission; then both sides' vectors with the verdict.
    expect(names.filter((name) => name === 'append')).toHaveLength(2);
    const id = (name: string) => spans.find((span) => span.name === name)?.spanContext().spanId;
    const parent = (name: string) => spans.find((span) => span.name === name)?.parentSpanContext?.spanId;
    expect([parent('score'), parent('encode')]).toEqual([id('HTTP POST'), id('score')]);
    expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain(tested.apiKey);
  });
});
