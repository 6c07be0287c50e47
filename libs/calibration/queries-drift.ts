/** Each population's recent claims against its baseline: every replica reads the same log and finds the same. */

import { streams } from '#domain/streams';
import type { CommandHandler } from '#kit/log/command-handler';
import { type EventReader, WrongExpectedRevision } from '#kit/log/port';
import { CommandRefused } from '#kit/log/refused';
import { readState } from '#kit/log/stored-events';
import type { ViewReads } from '#kit/views/reads';
import type { Views } from '#kit/views/runner';
import type { CalibrationAsset } from '#science/calibration/asset';
import {
  DRIFT_LIMIT,
  DRIFT_WINDOW,
  DriftGathering,
  type DriftMeasure,
  type DriftSample,
  DriftWatch,
  driftedMeasures,
  MAX_BASELINE_CLAIMS,
  shippedBaseline,
} from '#science/calibration/drift';
import { type DriftBaseline, type DriftEvent, driftBaseline, driftDecider, sameBaseline } from './events-drift.js';
import type { Drift } from './queries-drift-shapes.js';
import type { PopulationLadders } from './queries-ladders.js';

/** Claims read before others get a turn. */
const CLAIMS_A_TURN = 250;

interface LiveModel {
  model: { digest: string };
  asset: CalibrationAsset;
}

interface Followed {
  baseline: DriftBaseline;
  /** Nothing where there is no baseline. */
  watch: DriftWatch | undefined;
  /** Place in the log of the last claim taken. */
  after: number;
  /** Reads of new claims, one after the other. */
  reading: Promise<void>;
}

export interface DriftsDependencies {
  store: Pick<EventReader, 'readStream'>;
  commands: CommandHandler;
  reads: Pick<ViewReads, 'ask'>;
  views: Pick<Views, 'file'>;
  ladders: Pick<PopulationLadders, 'read'>;
  models: { live(): Promise<LiveModel> };
}

export class Drifts {
  private readonly followed = new Map<string, Followed>();

  constructor(private readonly dependencies: DriftsDependencies) {}

  /** By all claims that the views hold now. @throws CommandRefused (behind) where they are behind the baseline */
  async driftOf(population: string): Promise<Drift> {
    return shown(population, await this.follow(population));
  }

  /** Populations that drift, as they were when somebody last looked. */
  drifting(): { population: string; since: string; measures: DriftMeasure[] }[] {
    return [...this.followed].flatMap(([population, held]) => {
      const { alarm, began } = shown(population, held);
      return alarm && began ? [{ population, since: began.until, measures: driftedMeasures(began) }] : [];
    });
  }

  /** Stores what has not been recorded yet of a population; nothing where another replica comes first. */
  async record(population: string, at: Date): Promise<readonly DriftEvent[]> {
    const { store, commands } = this.dependencies;
    // The record is read before the present state, so that an older check never overrules a newer one.
    const stream = streams.drift(population);
    const seen = await readState(store, stream, driftDecider);
    const { baseline, watch } = await this.follow(population);
    const command = { population, baseline, changes: watch?.changes ?? [], at: at.toISOString() };
    try {
      const handled = await commands.handle(driftDecider, command, { stream, seen, attempts: 1 });
      return handled.refusal === undefined ? handled.events : [];
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return [];
      throw error;
    }
  }

  private async follow(population: string): Promise<Followed> {
    const { ladders, models } = this.dependencies;
    const { state } = await ladders.read(population);
    const { model, asset } = await models.live();
    const baseline = driftBaseline(state, model.digest, asset.source.stones);
    let held = this.followed.get(population);
    if (!held || !sameBaseline(held.baseline, baseline)) {
      held = { baseline, watch: undefined, after: Number(baseline.position), reading: Promise.resolve() };
      held.reading = this.begin(population, held, asset);
      this.followed.set(population, held);
    }
    const followed = held;
    followed.reading = followed.reading.then(() => this.read(population, followed));
    try {
      await followed.reading;
      return followed;
    } catch (error) {
      // The next check begins again.
      if (this.followed.get(population) === followed) this.followed.delete(population);
      throw error;
    }
  }

  private async begin(population: string, held: Followed, asset: CalibrationAsset): Promise<void> {
    const { baseline } = held;
    if (baseline.source === 'shipped') {
      const shipped = shippedBaseline(asset);
      held.watch = shipped && new DriftWatch(shipped);
      return;
    }
    const sample = await this.approvedSample(population, baseline);
    held.watch = new DriftWatch(() => sample);
  }

  /** Scores of the claims behind an approval, and their gauges. */
  private async approvedSample(population: string, { model, claims, position }: DriftBaseline): Promise<DriftSample> {
    const { reads, views } = this.dependencies;
    const scored = await reads.ask('evidence', 'scored', population, model, claims, MAX_BASELINE_CLAIMS);
    if (views.file('telemetry').position < BigInt(position) || scored.length < Math.min(claims, MAX_BASELINE_CLAIMS))
      throw behind();
    const gathering = new DriftGathering();
    for (let from = 0; from < scored.length; from += CLAIMS_A_TURN) {
      const some = scored.slice(from, from + CLAIMS_A_TURN);
      const ids = some.map(({ claim_id }) => claim_id);
      const gauges = await reads.ask('telemetry', 'driftGauges', ids);
      for (const { claim_id, position, at, rough, polish, score } of some) {
        const found = gauges.get(claim_id);
        if (!found) continue;
        const { scans, values } = found;
        gathering.add({ position: Number(position), at, rough, polish, scans, values: [score, ...values] });
      }
    }
    return gathering.sample();
  }

  /** Takes up what was scored since. */
  private async read(population: string, held: Followed): Promise<void> {
    const { baseline, watch } = held;
    if (!watch) return;
    for (;;) {
      const { reads } = this.dependencies;
      const claims = await reads.ask('telemetry', 'driftClaims', population, baseline.model, held.after, CLAIMS_A_TURN);
      for (const claim of claims) {
        watch.take(claim);
        held.after = claim.position;
      }
      if (claims.length < CLAIMS_A_TURN) return;
    }
  }
}

const behind = () => new CommandRefused('behind', 'the views have not caught up with the log');

function shown(population: string, { baseline, watch }: Followed): Drift {
  const { model, ...held } = baseline;
  const status = statusOf(baseline, watch);
  return {
    population,
    model,
    status,
    alarm: status === 'drifting',
    baseline: held,
    window_claims: DRIFT_WINDOW,
    windows: watch?.windows ?? 0,
    waiting: watch?.waiting ?? 0,
    began: watch?.began ?? null,
    latest: watch?.latest ?? null,
    limit: DRIFT_LIMIT,
    bands: watch?.bands ?? [],
    history: (watch?.history ?? []).map(({ until, claims, measures }) => ({
      until,
      claims,
      measures: measures.map(({ measure, drifted, window_median, shift }) => ({
        ...{ measure, drifted, window_median, shift },
      })),
    })),
    episodes: watch?.episodes ?? [],
  };
}

function statusOf({ source }: DriftBaseline, watch: DriftWatch | undefined): Drift['status'] {
  if (!watch) return 'no_baseline';
  if (watch.began) return source === 'shipped' ? 'differs_from_shipped' : 'drifting';
  return watch.windows > 0 ? 'steady' : 'gathering';
}
