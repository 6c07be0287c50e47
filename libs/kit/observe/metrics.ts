/** Prometheus metrics of one process: under the names that dashboards expect, and `mvs_` for what is this service's own. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { streamPrefixes } from '#domain/streams';
import { LOG_CHECK_STATUSES, type LogCheckState } from '#kit/log/damage';
import type { LogSeals } from '#kit/log/seal';

const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 30];

/** Read when the metrics are; what cannot be read then is left out. */
export interface Readings {
  queue(): Promise<{ waiting: number; active: number; workers: number }>;
  /** Positions between the log's head and what each view has seen. */
  viewLag(): Promise<Record<string, number>>;
  /** Lines of the process's own log that its output did not take, where they are counted. */
  logLinesDropped(): number | undefined;
  /** State of the check of the whole log, if there is one. */
  logCheck(): LogCheckState | undefined;
  /** The seals of the log. */
  seals(): Pick<LogSeals, 'found' | 'countIn'>;
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(readings: Readings) {
  const registry = new Registry();
  const registers = [registry];
  // The delay of the event loop is measured at each tick of this many ms: those of 10 are half of what an idle process spends.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from request to answer',
    labelNames: ['method', 'route', 'status_code'],
    buckets: SECONDS,
    registers,
  });
  const events = new Counter({
    name: 'mvs_events_appended_total',
    help: 'Events acknowledged by the event log',
    labelNames: ['type'],
    registers,
  });
  const verdicts = new Counter({
    name: 'mvs_verdicts_total',
    help: 'Claims scored, by verdict and rung',
    labelNames: ['verdict', 'reject_target'],
    registers,
  });
  const shadow = new Counter({
    name: 'mvs_shadow_claims_total',
    help: 'Answered claims for the shadow model: scored, or why not',
    labelNames: ['outcome'],
    registers,
  });
  const appends = new Histogram({
    name: 'mvs_append_duration_seconds',
    help: 'Time of one append to the event log',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
  });
  readWhenAsked(registers, readings);
  const closedConnections = new Counter({
    name: 'mvs_connections_closed_total',
    help: 'Connections closed as their address had too many',
    registers,
  });
  const drift = new Gauge({
    name: 'mvs_drift',
    help: '1 while recent claims of the population differ from its baseline, else 0',
    labelNames: ['population'],
    registers,
  });
  const hygiene = new Gauge({
    name: 'mvs_hygiene_found',
    help: 'Breaches that the hygiene checks found when they last ran',
    labelNames: ['check'],
    registers,
  });
  return { registry, requests, events, verdicts, shadow, appends, closedConnections, drift, hygiene };
}

/** Metrics whose values are read when the registry's are. */
function readWhenAsked(registers: Registry[], readings: Readings): void {
  new Gauge({
    name: 'mvs_scoring_queue',
    help: 'Jobs waiting and active, workers that report themselves',
    labelNames: ['what'],
    registers,
    async collect() {
      this.reset();
      const state = await readings.queue().catch(() => undefined);
      if (state) for (const [what, value] of Object.entries(state)) this.set({ what }, value);
    },
  });
  new Gauge({
    name: 'mvs_view_lag',
    help: 'Positions of the event log that a view has not seen yet',
    labelNames: ['view'],
    registers,
    async collect() {
      this.reset();
      const lags = await readings.viewLag().catch(() => ({}));
      for (const [view, value] of Object.entries(lags)) this.set({ view }, value);
    },
  });
  new Gauge({
    name: 'mvs_log_check',
    help: '1 for what the check of the whole log comes to: running, sound, damaged or failed',
    labelNames: ['status'],
    registers,
    collect() {
      this.reset();
      const { status } = readings.logCheck() ?? {};
      for (const one of status ? LOG_CHECK_STATUSES : []) this.set({ status: one }, one === status ? 1 : 0);
    },
  });
  new Gauge({
    name: 'mvs_log_check_positions',
    help: 'Positions of the log that were checked since the start, how many there were then, and events found damaged',
    labelNames: ['what'],
    registers,
    collect() {
      this.reset();
      const { checked, head, damaged } = readings.logCheck() ?? {};
      for (const [what, value] of Object.entries({ checked, head, damaged }))
        if (value !== undefined && value !== null) this.set({ what }, Number(value));
    },
  });
  new Gauge({
    name: 'mvs_log_damaged_rows',
    help: 'Rows of the event log without a seal of the service that fits, which nobody has disowned',
    registers,
    collect() {
      this.set(readings.seals().found.count);
    },
  });
  new Gauge({
    name: 'mvs_calibration_not_obeyed',
    help: 'Those of them that stand in calibration streams, and decide nothing',
    registers,
    collect() {
      this.set(readings.seals().countIn(streamPrefixes.calibration));
    },
  });
  new Counter({
    name: 'mvs_log_lines_dropped_total',
    help: 'Log lines that the standard output did not take, since the start',
    registers,
    collect() {
      this.reset();
      this.inc(readings.logLinesDropped() ?? 0);
    },
  });
}
