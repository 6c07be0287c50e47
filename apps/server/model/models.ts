/** The models at hand, and which of them is live: folded from one stream, so that a switch counts on every replica. */
import type { CalibrationAsset } from '#calibration';
import { evolveModel, fold, liveModel, type ModelState, type ModelSwitched, neverSwitched, streams } from '#domain';
import type { EventReader } from '#event-store';
import type { Model } from '#matching';
import { type Folded, FoldedStreams } from '#service';
import type { Proposals } from '../calibration/proposals.js';
import { Problem } from '../http/problem.js';

export interface InstalledModel {
  model: Model;
  asset: CalibrationAsset;
  proposals: Proposals;
}

export class Models {
  private readonly folded: FoldedStreams<ModelState, ModelSwitched>;
  readonly digests: readonly string[];

  /** @param installed the program's own model first, then the shadow's where there is one */
  constructor(
    private readonly store: EventReader,
    readonly installed: readonly InstalledModel[],
  ) {
    this.folded = new FoldedStreams(store, evolveModel, neverSwitched);
    this.digests = installed.map(({ model }) => model.digest);
  }

  /** Digest of the model that is live where nobody ever switched. */
  get own(): string {
    return this.digests[0];
  }

  find(digest: string): InstalledModel | undefined {
    return this.installed.find(({ model }) => model.digest === digest);
  }

  /** What the log says. */
  read(): Promise<Folded<ModelState>> {
    return this.folded.read(streams.model());
  }

  /** Digest of the model that is live for requests that begin now, installed or not. */
  async liveDigest(): Promise<string> {
    return liveModel((await this.read()).state, this.own);
  }

  /** @throws Problem (503) where the live model is not installed here: no other one answers in its place */
  async live(): Promise<InstalledModel> {
    const digest = await this.liveDigest();
    const live = this.find(digest);
    if (!live) throw new Problem('busy', `: ${notInstalled(digest)}`, { headers: { 'retry-after': '30' } });
    return live;
  }

  /** The installed model that is not live: it scores beside. */
  beside(live: InstalledModel): InstalledModel | undefined {
    return this.installed.find((one) => one !== live);
  }

  /** Digest of the model that was live at a time. */
  async liveAt(time: Date): Promise<string> {
    const events = (await this.store.readStream(streams.model())) as unknown as ModelSwitched[];
    return liveModel(fold(evolveModel, neverSwitched, happenedBy(events, time)), events[0]?.data.from ?? this.own);
  }
}

export const notInstalled = (digest: string) => `the live model ${digest} is not installed here`;

/** A stream's events up to a time. A clock may step back; what was decided later stays later. */
export function happenedBy<E extends { data: { at: string } }>(events: E[], time: Date): E[] {
  let latest = '';
  const end = events.findIndex(({ data }) => {
    latest = data.at > latest ? data.at : latest;
    return Date.parse(latest) > time.getTime();
  });
  return end < 0 ? events : events.slice(0, end);
}
