import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import pino from 'pino';
import { startTracing, type Tracing } from '#observability';
import { redisIsHere, startRedis, type TestRedis } from '../../test/redis.js';
import { startWorker } from '../worker/worker.js';
import { claimOf, TestService } from './test/fixture.js';

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
    expect(value('mvs_scoring_queue{what="workers"}')).toBe(2);
    expect(value('mvs_view_lag{view="ledger"}')).toBeGreaterThanOrEqual(0);
    expect(text).not.toContain(tested.apiKey);
  });

  it('holds every metric that the example dashboard asks for', async () => {
    const { body } = await tested.call('GET', '/metrics', { headers: tested.operator });
    const dashboard = JSON.parse(readFileSync('docs/monitoring/grafana.json', 'utf8'));
    const asked: string[] = dashboard.panels.flatMap((panel: { targets?: { expr: string }[] }) =>
      (panel.targets ?? []).map(({ expr }) => expr),
    );
    const names = asked.flatMap((expr) => expr.match(/\b(?:mvs|http|process|nodejs)_[a-z0-9_]+/g) ?? []);
    expect(asked.length).toBeGreaterThan(9);
    for (const name of new Set(names)) {
      const family = name.replace(/_(?:bucket|count)$/, '');
      expect([name, body.includes(`# TYPE ${family} `)]).toEqual([name, true]);
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
    tested = await TestService.start({ REDIS_URL: redis.url, MVS_THREADS: '1' });
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
    for (let waited = 0; waited < 100 && !spans.some(({ name }) => name.startsWith('HTTP')); waited++) {
      await sleep(100);
      spans = exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === caller);
    }
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
