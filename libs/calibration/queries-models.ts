/** The models at hand, and which of them is live: folded from one stream, so that a switch counts on every replica. */

import type { ClaimSubmitted } from '#claims/events';
import { fold } from '#domain/decider';
import { streams } from '#domain/streams';
import type { CommandHandler } from '#kit/log/command-handler';
import { FoldedStreams } from '#kit/log/folded-streams';
import type { EventReader } from '#kit/log/port';
import { CommandRefused } from '#kit/log/refused';
import { type Folded, readEvents, readFirst } from '#kit/log/stored-events';
import { within } from '#kit/observe/elapsed';
import type { CalibrationAsset } from '#science/calibration/asset';
import type { Model } from '#science/matching/model';
import { modelDecider } from './decide-model.js';
import { liveModel, type ModelState, type ModelSwitched } from './events-model.js';
import type { Proposals } from './queries-proposals.js';
import type { ScorerProposals } from './queries-scorer-proposals.js';

/** A model as claims are judged by it. */
export interface ServedModel {
  model: Model;
  asset: CalibrationAsset;
  /** SHA-256 of the asset's file, 64 hex digits; whether the model's card names it. */
  ladderDigest: string;
  pinned: boolean;
}

/** With what is proposed for it, where claims are counted. */
export interface InstalledModel extends ServedModel {
  proposals: Proposals;
  /** Nothing where the model came without ladders for populations' own scorers. */
  scorers?: ScorerProposals;
}

/** A probe does not wait longer (ms) for a log that is away. */
const TOLD_WITHIN_MS = 250;

export interface ModelsDependencies<M extends ServedModel> {
  store: Pick<EventReader, 'readStream' | 'readAll'>;
  commands: CommandHandler;
  /** Those of the program, newest first, then the shadow's where there is one. */
  installed: readonly M[];
  /** Digest of the shadow's. */
  shadow?: string;
  now(): Date;
}

export class Models<M extends ServedModel = InstalledModel> {
  private readonly folded: FoldedStreams<ModelState, ModelSwitched>;
  readonly installed: readonly M[];
  readonly digests: readonly string[];

  private known: M | undefined;
  private beginning: Promise<string> | undefined;

  constructor(private readonly dependencies: ModelsDependencies<M>) {
    this.folded = new FoldedStreams(dependencies.store, modelDecider);
    this.installed = dependencies.installed;
    this.digests = dependencies.installed.map(({ model }) => model.digest);
  }

  /**
   * Digest of the model that is live where none was ever switched to: that of the log's first claim, or the newest. A log
   * without a claim records it where the program has several, so that a program of another version knows.
   */
  own(): Promise<string> {
    this.beginning ??= this.begin().catch((error) => {
      this.beginning = undefined;
      throw error;
    });
    return this.beginning;
  }

  private async begin(): Promise<string> {
    const { digests } = this;
    const { store, commands, shadow, now } = this.dependencies;
    const [newest] = digests;
    if (digests.filter((digest) => digest !== shadow).length < 2) return newest;
    const first = await readFirst<ClaimSubmitted>(store, 'ClaimSubmitted');
    if (first) return digests.includes(first.data.model) ? first.data.model : newest;
    // Nothing to do where somebody switched, or began, before.
    const command = { type: 'begin', model: newest, requestId: 'beginning', at: now().toISOString() } as const;
    const seen = { state: modelDecider.initial, revision: -1n };
    await commands.handle(modelDecider, command, { stream: streams.model(), seen });
    return newest;
  }

  find(digest: string): M | undefined {
    return this.installed.find(({ model }) => model.digest === digest);
  }

  /** The state by the log. */
  async read(): Promise<Folded<ModelState>> {
    await this.own();
    return this.folded.read(streams.model());
  }

  /** Digest of the model that is live for requests that begin now, installed or not. */
  async liveDigest(): Promise<string> {
    return liveModel((await this.read()).state, await this.own());
  }

  /** @throws CommandRefused (behind) where the live model is not installed here: no other one answers in its place */
  async live(): Promise<M> {
    const digest = await this.liveDigest();
    const live = this.find(digest);
    if (!live) throw new CommandRefused('behind', notInstalled(digest), 30);
    this.known = live;
    return live;
  }

  /** The live model, or where the log does not say soon the one that it named last: for who only shows it. */
  lastKnown(): Promise<M> {
    const late = () => new Error('the log does not answer');
    return within(TOLD_WITHIN_MS, this.live(), late).catch(() => this.known ?? this.installed[0]);
  }

  /** The shadow model: the one named or, where that is live or there is none, the newest, unless it is live. */
  shadow({ model: live }: { model: { digest: string } }): M | undefined {
    const digest = [this.dependencies.shadow, this.digests[0]].find((one) => one !== undefined && one !== live.digest);
    return digest === undefined ? undefined : this.find(digest);
  }

  /** Digest of the model that was live at a time. */
  async liveAt(time: Date): Promise<string> {
    const events = await readEvents<ModelSwitched>(this.dependencies.store, streams.model());
    return liveModel(
      fold(modelDecider.evolve, modelDecider.initial, eventsUntil(events, time)),
      events[0]?.data.from ?? (await this.own()),
    );
  }
}

export const notInstalled = (digest: string) => `the live model ${digest} is not installed here`;

/** A stream's events up to a time. A clock may step back; what was decided later stays later. */
export function eventsUntil<E extends { data: { at: string } }>(events: E[], time: Date): E[] {
  let latest = '';
  const end = events.findIndex(({ data }) => {
    latest = data.at > latest ? data.at : latest;
    return Date.parse(latest) > time.getTime();
  });
  return end < 0 ? events : events.slice(0, end);
}
