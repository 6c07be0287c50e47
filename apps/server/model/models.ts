/** The models at hand, and which of them is live: folded from one stream, so that a switch counts on every replica. */
import type { CalibrationAsset } from '#calibration';
import {
  beginWith,
  type ClaimSubmitted,
  evolveModel,
  fold,
  liveModel,
  type ModelState,
  type ModelSwitched,
  neverSwitched,
  streams,
} from '#domain';
import { type EventStore, type NewEvent, WrongExpectedRevision } from '#event-store';
import type { Model } from '#matching';
import { type Folded, FoldedStreams } from '#service';
import type { Proposals } from '../calibration/proposals.js';
import { Problem } from '../http/problem.js';

export interface InstalledModel {
  model: Model;
  asset: CalibrationAsset;
  /** SHA-256 of the asset's file, 64 hex digits; whether the model's card names it. */
  ladderDigest: string;
  pinned: boolean;
  proposals: Proposals;
}

/** A probe does not wait longer (ms) for a log that is away. */
const TOLD_WITHIN_MS = 250;

export class Models {
  private readonly folded: FoldedStreams<ModelState, ModelSwitched>;
  readonly digests: readonly string[];

  private known: InstalledModel | undefined;
  private beginning: Promise<string> | undefined;

  /** @param installed those of the program, newest first, then the shadow's where there is one */
  constructor(
    private readonly store: Pick<EventStore, 'readStream' | 'readAll' | 'append'>,
    readonly installed: readonly InstalledModel[],
    private readonly options: {
      /** Digest of the shadow's. */
      shadow?: string;
      now(): Date;
      newId(): string;
    },
  ) {
    this.folded = new FoldedStreams(store, evolveModel, neverSwitched);
    this.digests = installed.map(({ model }) => model.digest);
  }

  /**
   * Digest of the model that is live where nobody ever switched: that of the log's first claim, or the newest. A log
   * without a claim is told so where the program has several, so that a program of another version knows.
   */
  own(): Promise<string> {
    this.beginning ??= this.begin().catch((error) => {
      this.beginning = undefined;
      throw error;
    });
    return this.beginning;
  }

  private async begin(): Promise<string> {
    const { store, digests, options } = this;
    const [newest] = digests;
    if (digests.filter((digest) => digest !== options.shadow).length < 2) return newest;
    for await (const { data } of store.readAll({ types: ['ClaimSubmitted'], limit: 1 })) {
      const { model } = data as unknown as ClaimSubmitted['data'];
      return digests.includes(model) ? model : newest;
    }
    const event = beginWith(newest, { requestId: 'beginning', at: options.now().toISOString() });
    try {
      await store.append(streams.model(), [{ ...event, id: options.newId() } as unknown as NewEvent], 'no_stream');
    } catch (error) {
      // Somebody switched, or began, before.
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
    return newest;
  }

  find(digest: string): InstalledModel | undefined {
    return this.installed.find(({ model }) => model.digest === digest);
  }

  /** What the log says. */
  async read(): Promise<Folded<ModelState>> {
    await this.own();
    return this.folded.read(streams.model());
  }

  /** Digest of the model that is live for requests that begin now, installed or not. */
  async liveDigest(): Promise<string> {
    return liveModel((await this.read()).state, await this.own());
  }

  /** @throws Problem (503) where the live model is not installed here: no other one answers in its place */
  async live(): Promise<InstalledModel> {
    const digest = await this.liveDigest();
    const live = this.find(digest);
    if (!live) throw new Problem('busy', `: ${notInstalled(digest)}`, { headers: { 'retry-after': '30' } });
    this.known = live;
    return live;
  }

  /** The live model, or where the log does not say soon the one that it named last: for who only wants to be told. */
  async lastKnown(): Promise<InstalledModel> {
    let timer: NodeJS.Timeout | undefined;
    const known = () => this.known ?? this.installed[0];
    const late = new Promise<InstalledModel>((resolve) => {
      timer = setTimeout(() => resolve(known()), TOLD_WITHIN_MS);
    });
    return Promise.race([this.live().catch(known), late]).finally(() => clearTimeout(timer));
  }

  /** The model that scores beside: the shadow's or, where that is live or there is none, the newest, unless it is live. */
  beside({ model: live }: InstalledModel): InstalledModel | undefined {
    const digest = [this.options.shadow, this.digests[0]].find((one) => one !== undefined && one !== live.digest);
    return digest === undefined ? undefined : this.find(digest);
  }

  /** Digest of the model that was live at a time. */
  async liveAt(time: Date): Promise<string> {
    const events = (await this.store.readStream(streams.model())) as unknown as ModelSwitched[];
    return liveModel(
      fold(evolveModel, neverSwitched, happenedBy(events, time)),
      events[0]?.data.from ?? (await this.own()),
    );
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
