/** The ladders that decide: folded from each population's stream, so that an approval counts at once on every replica. */
import { type LadderEntry, type RejectTarget, shippedEntry } from '#calibration';
import {
  type CalibrationEvent,
  type CalibrationState,
  evolveCalibration,
  fold,
  type RungState,
  rungOf,
  streams,
  uncalibrated,
} from '#domain';
import type { EventReader } from '#event-store';
import type { InstalledModel } from '../model/models.js';

interface Held {
  state: CalibrationState;
  /** Revision of the last event folded, -1n before the first. */
  revision: bigint;
}

export class PopulationLadders {
  /** What was folded so far of each population; only a stream's tail is read again. */
  private readonly held = new Map<string, Held>();

  constructor(private readonly store: EventReader) {}

  /** What decides for requests that begin now. `revision` changes with every approval and withdrawal at the rung. */
  async entry(
    population: string,
    rung: RejectTarget,
    of: InstalledModel,
  ): Promise<{ entry: LadderEntry; revision: string }> {
    const { state } = await this.read(population);
    const at = rungOf(state, of.model.digest, rung);
    return { entry: this.entryOf(rung, at, of), revision: at.changes === 0 ? 'shipped' : String(at.changes) };
  }

  /** The approved entry of a rung, or the one that came with the model. */
  entryOf(rung: RejectTarget, { approval }: RungState, { asset }: InstalledModel): LadderEntry {
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

  async read(population: string): Promise<Held> {
    const held = this.held.get(population) ?? { state: uncalibrated, revision: -1n };
    const tail = await this.store.readStream(streams.calibration(population), { from: held.revision + 1n });
    if (tail.length === 0) return held;
    const read = {
      state: fold(evolveCalibration, held.state, tail as unknown as CalibrationEvent[]),
      revision: tail[tail.length - 1].revision,
    };
    this.held.set(population, read);
    return read;
  }
}
