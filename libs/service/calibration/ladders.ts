/** The ladders that decide: folded from each population's stream, so that an approval counts at once on every replica. */
import { type CalibrationAsset, type LadderEntry, type RejectTarget, shippedEntry } from '#calibration';
import {
  type CalibrationEvent,
  type CalibrationState,
  calibrationDecider,
  type RungState,
  rungOf,
  streams,
} from '#domain';
import type { EventReader } from '#event-store';
import { FoldedStreams } from '../folded-streams.js';
import type { Folded } from '../stored-events.js';

/** A model and the ladder that came with it. */
interface Laddered {
  model: { digest: string };
  asset: CalibrationAsset;
}

export class PopulationLadders {
  private readonly folded: FoldedStreams<CalibrationState, CalibrationEvent>;

  constructor(store: Pick<EventReader, 'readStream'>) {
    this.folded = new FoldedStreams(store, calibrationDecider);
  }

  /** What decides for requests that begin now. `revision` changes with every approval and withdrawal at the rung. */
  async entry(population: string, rung: RejectTarget, of: Laddered): Promise<{ entry: LadderEntry; revision: string }> {
    const { state } = await this.read(population);
    const at = rungOf(state, of.model.digest, rung);
    return { entry: this.entryOf(rung, at, of), revision: at.changes === 0 ? 'shipped' : String(at.changes) };
  }

  /** The approved entry of a rung, or the one that came with the model. */
  entryOf(rung: RejectTarget, { approval }: RungState, { asset }: Laddered): LadderEntry {
    if (!approval) return shippedEntry(asset, rung);
    const { claims, roughs, threshold, expected_genuine_accept } = approval.proposal;
    const on = approval.at.slice(0, 10);
    return {
      reject_target: rung,
      threshold,
      threshold_source: `population-calibrated: ${claims} claims, ${roughs} roughs, approved ${on}`,
      expected_genuine_accept,
    };
  }

  read(population: string): Promise<Folded<CalibrationState>> {
    return this.folded.read(streams.calibration(population));
  }
}
