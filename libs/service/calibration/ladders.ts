/** The ladders that decide: folded from each population's stream, so that an approval counts at once on every replica. */
import { type CalibrationAsset, type LadderEntry, type RejectTarget, shippedEntry } from '#calibration';
import { type CalibrationState, obeyAll, type RungState, rungOf, streams } from '#domain';
import { calibrationChain, type EventReader, type RecordedEvent } from '#event-store';
import type { EvidenceView } from '#views';
import { FoldedStreams } from '../folded-streams.js';
import type { Folded } from '../stored-events.js';

/** A stream's events as they are: what they come to depends on more than the stream. */
const whole = {
  initial: [] as readonly RecordedEvent[],
  evolve: (events: readonly RecordedEvent[], event: RecordedEvent) => [...events, event],
};

/** A model and the ladder that came with it. */
interface Laddered {
  model: { digest: string };
  asset: CalibrationAsset;
}

/** A population's stream, and what of it is obeyed. */
export interface ReadLadders extends Folded<CalibrationState> {
  events: readonly RecordedEvent[];
  /** Why an event is passed over, by its revision. */
  problems: ReadonlyMap<bigint, string>;
}

export class PopulationLadders {
  private readonly streams: FoldedStreams<readonly RecordedEvent[], RecordedEvent>;
  /** Of streams as they were read last, once all their events are settled. */
  private readonly settled = new WeakMap<readonly RecordedEvent[], ReadLadders>();

  constructor(
    store: Pick<EventReader, 'readStream'>,
    private readonly evidence: Pick<EvidenceView, 'facts'>,
  ) {
    this.streams = new FoldedStreams(store, whole);
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

  /** The stream at a moment after the call. An event that the evidence does not reach yet is judged by its stream alone. */
  async read(population: string): Promise<ReadLadders> {
    const { state: events, revision } = await this.streams.read(streams.calibration(population));
    const known = this.settled.get(events);
    if (known) return known;
    const { obeyed, problems, settled } = obeyAll(events, calibrationChain, this.evidence.facts());
    const read = { state: obeyed.state, revision, events, problems };
    if (settled) this.settled.set(events, read);
    return read;
  }
}
