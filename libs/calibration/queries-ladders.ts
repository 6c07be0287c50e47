/** The scorers and ladders that decide: folded from each population's stream, so that an approval counts at once on every replica. */

import type { Deciding } from '#claims/ladders';
import { streams } from '#domain/streams';
import { FoldedStreams } from '#kit/log/folded-streams';
import type { EventReader } from '#kit/log/port';
import type { Folded } from '#kit/log/stored-events';
import { type CalibrationAsset, shippedEntry } from '#science/calibration/asset';
import type { LadderEntry, RejectTarget } from '#science/calibration/ladder';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import { type CalibrationState, type RungState, rungOf, scorerOf, uncalibrated } from './events.js';
import type { CarriedFigures } from './figures.js';
import { type Decided, decidedReader, evolveDecided } from './rejected-decisions.js';
import type { PopulationScorers } from './scorers.js';

/** A model and the ladder that came with it. */
interface Laddered {
  model: { digest: string };
  asset: CalibrationAsset;
  ladderDigest: string;
}

export interface PopulationLaddersDependencies {
  store: Pick<EventReader, 'readStream'>;
  scorers: Pick<PopulationScorers, 'load'>;
  figures: Pick<CarriedFigures, 'at'>;
}

/** A population's stream after all its events. */
export type ReadLadders = Folded<CalibrationState>;

export class PopulationLadders {
  private readonly streams: FoldedStreams<CalibrationState, Decided>;

  constructor(private readonly dependencies: PopulationLaddersDependencies) {
    this.streams = new FoldedStreams(decidedReader(dependencies.store), {
      initial: uncalibrated,
      evolve: evolveDecided,
    });
  }

  /**
   * The values that decide for requests that begin now, or that began when the ladders were read.
   * @throws Refusal of kind `asset`, StoreUnavailable
   */
  async entry(population: string, rung: RejectTarget, of: Laddered, read?: ReadLadders): Promise<Deciding> {
    const { state } = read ?? (await this.read(population));
    const scorer = await this.scorerIn(state, population, of);
    const at = rungOf(state, of.model.digest, rung);
    const ofRung = at.changes === 0 ? 'shipped' : String(at.changes);
    const revision = scorer ? `${ofRung}@${scorer.digest}` : ofRung;
    const carried = !scorer && !at.approval;
    return {
      entry: this.entryOf(rung, at, of, scorer),
      revision,
      ...(scorer && { scorer }),
      ...(carried && { letsThrough: this.dependencies.figures.at(population, rung, of) }),
    };
  }

  /** The scorer in force, as a state of the population has it. */
  async scorerIn(
    state: CalibrationState,
    population: string,
    { model }: Pick<Laddered, 'model'>,
  ): Promise<PopulationScorer | undefined> {
    const { approval } = scorerOf(state, model.digest);
    return approval && this.dependencies.scorers.load(population, approval.proposal);
  }

  /** The approved entry of a rung, or the one that came with the model for raw scores or for the scorer. */
  entryOf(
    rung: RejectTarget,
    { approval }: RungState,
    { asset }: Pick<Laddered, 'asset'>,
    scorer?: PopulationScorer,
  ): LadderEntry {
    if (!approval) return scorer ? scorer.entry(rung) : shippedEntry(asset, rung);
    const { claims, roughs, threshold, expected_genuine_accept } = approval.proposal;
    const on = approval.at.slice(0, 10);
    return {
      reject_target: rung,
      threshold,
      threshold_source: `population-calibrated: ${claims} claims, ${roughs} roughs, approved ${on}`,
      expected_genuine_accept,
    };
  }

  /** The stream at a moment after the call. */
  read(population: string): Promise<ReadLadders> {
    return this.streams.read(streams.calibration(population));
  }
}
