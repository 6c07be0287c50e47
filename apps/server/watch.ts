/**
 * Looks after what no call asks for: drift of the populations and the hygiene checks, as alarms in the log and in metrics;
 * what shipped thresholds let through, and scorers to propose.
 */
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { FigureMeasurements } from '#calibration/figures';
import type { Drifts } from '#calibration/queries-drift';
import type { EvidenceView } from '#calibration/queries-evidence';
import type { ScorerDecisions } from '#calibration/scorer-decisions';
import type { EventReader } from '#kit/log/port';
import type { Metrics } from '#kit/observe/metrics';
import type { Views } from '#kit/views/runner';
import type { Hygiene } from '#records/hygiene';
import { breachOf } from '#records/queries-hygiene';

const CHECK_MILLISECONDS = 60_000;
/** Time for the views to hold everything stored when a check begins; after it the rest is left to the next check. */
const WAIT_MILLISECONDS = 1000;

export interface WatchParts {
  store: EventReader;
  views: Views;
  evidence: EvidenceView;
  drifts: Drifts;
  measurements: Pick<FigureMeasurements, 'record'>;
  scorers: Pick<ScorerDecisions, 'propose'>;
  hygiene: Hygiene;
  metrics: Metrics;
  logger: Logger;
  now(): Date;
}

export class Watch {
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> | undefined;
  private closed = false;
  /** By check: breaches that were reported and are still there. */
  private readonly reported = new Map<string, Set<string>>();

  constructor(private readonly parts: WatchParts) {
    this.timer = setInterval(() => void this.check(), CHECK_MILLISECONDS).unref();
  }

  /** One check, or the one that is under way. */
  check(): Promise<void> {
    this.running ??= this.checkAll()
      .catch((error) => this.failed(error))
      .finally(() => {
        this.running = undefined;
      });
    return this.running;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.running;
  }

  private failed(error: Error, population?: string): void {
    if (!this.closed) this.parts.logger.error({ err: error, population }, 'the watch failed');
  }

  private async checkAll(): Promise<void> {
    const { store, views } = this.parts;
    const head = await store.head();
    const files = ['evidence', 'findings', 'telemetry'].map((name) => views.file(name));
    const reached = await Promise.all(files.map((file) => file.waitFor(head, WAIT_MILLISECONDS)));
    if (!reached.every(Boolean)) return;
    for (const population of this.parts.evidence.populations()) {
      if (this.closed) return;
      await this.checkDrift(population).catch((error) => this.failed(error, population));
      await this.measure(population).catch((error) => this.failed(error, population));
      await setImmediate();
    }
    await this.checkHygiene();
  }

  private async measure(population: string): Promise<void> {
    const { measurements, scorers, now } = this.parts;
    await measurements.record(population, now());
    await scorers.propose(population);
  }

  private async checkDrift(population: string): Promise<void> {
    const { drifts, metrics, logger, now } = this.parts;
    for (const { type, data } of await drifts.record(population, now())) {
      const { baseline, window } = data;
      if (type === 'DriftBegan') {
        const measures = data.window.measures.filter((one) => one.drifted);
        logger.error({ alarm: 'drift', population, baseline, until: data.window.until, measures }, 'drift began');
      } else logger.warn({ population, baseline, until: window?.until }, 'drift ended');
    }
    const { alarm } = await drifts.driftOf(population);
    metrics.drift.set({ population }, alarm ? 1 : 0);
  }

  private async checkHygiene(): Promise<void> {
    const { hygiene, metrics, logger, now } = this.parts;
    for (const { check, meaning, advice, found, items } of await hygiene.check(now())) {
      metrics.hygiene.set({ check }, found);
      const before = this.reported.get(check);
      const fresh = items.filter((item) => !before?.has(breachOf(item)));
      if (fresh.length > 0)
        logger.error({ alarm: 'hygiene', check, meaning, advice, found, items: fresh }, 'breach found');
      this.reported.set(check, new Set(items.map(breachOf)));
    }
  }
}
