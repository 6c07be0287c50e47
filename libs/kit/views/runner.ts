/**
 * Keeps views up to date with the log. Views that stand close together share one subscription, so that an event is read
 * once; one that is being rebuilt has its own and holds up no other. An event that cannot be taken stops a view, with an
 * alarm, until an operator's `ViewSkipped` lets it pass.
 */
import { type EventReader, type RecordedEvent, type Subscription, UnreadableEvent } from '#kit/log/port';
import { type IsKnown, PoisonedEvent, type Projection, poisonForAll } from './projection.js';
import { Skips } from './skips.js';
import { ViewFile, type ViewHealth } from './view-file.js';

export interface ViewsOptions {
  directory: string;
  store: EventReader;
  projections: readonly Projection[];
  /** At any other event the views stop. */
  isKnown: IsKnown;
  /** Prefixes of the streams that are read, if it is not all of the log: the views take nothing else. */
  streamPrefixes?: readonly string[];
  /** Called once when a view stops or is of another log; where disk or log fail, at growing intervals until they do not. */
  onAlarm?(alarm: ViewAlarm): void;
  /** Between checks for an operator's skip, and between attempts where the disk or the log fails. */
  retryMs?: number;
}

export interface ViewAlarm {
  views: string[];
  reason: string;
  /** Present if an event is to blame. */
  position?: string;
  type?: string;
  /** It has not stopped but begins again. */
  rebuilt?: true;
  /** Failures of disk or log in a row, if there was more than one. */
  failures?: number;
}

/** The place where views have stopped. */
export interface Stop {
  poison: PoisonedEvent;
  /** Left out where no view can take the event. */
  views?: string[];
}

/**
 * Events in one transaction, and the time a transaction stays open at most: a page that many events change is written
 * once. Within that time each view commits in a turn of its own, so that none of them holds up requests for long.
 */
const BATCH_EVENTS = 1000;
const BATCH_MILLISECONDS = 1000;
/** Positions within which views share a subscription. */
const CLOSE = 100_000n;

/** Drops a subscription on purpose: its views go on from the state of their files. */
class Again extends Error {}

interface Feed {
  views: ViewFile[];
  subscription?: Subscription;
  pending: number;
  /** Until the next view commits. */
  timer?: NodeJS.Timeout;
  /** Views that may hold what is not committed, those that have waited longest first. */
  due: ViewFile[];
  /** One event a transaction, so that nothing before an event at fault is lost with it. */
  careful: boolean;
}

export class Views {
  private readonly files: ViewFile[];
  private readonly feeds = new Set<Feed>();
  private skips = new Skips();
  /** By view. */
  private readonly failures = new Map<string, number>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private looks: NodeJS.Timeout | undefined;
  private starting: Promise<void>;
  private watching = false;
  private closed = false;

  constructor(private readonly options: ViewsOptions) {
    this.files = options.projections.map((projection) => new ViewFile(projection, options.directory, options.store));
    this.starting = this.start();
  }

  file(name: string): ViewFile {
    const found = this.files.find((file) => file.name === name);
    if (!found) throw new RangeError(`no view ${name}`);
    return found;
  }

  /**
   * The position that a file has to reach to hold everything up to the head. For a part of the log that is the part's last
   * event: if others follow it, a subscription says only now and then how far it is.
   */
  async due(file: ViewFile, head: bigint): Promise<bigint> {
    const { store, streamPrefixes } = this.options;
    if (!streamPrefixes || !file.health().caughtUp) return head;
    let due = file.position;
    for await (const { position } of store.readAll({ after: due, streamPrefixes }))
      if (position <= head) due = position;
    return due;
  }

  health(): ViewHealth[] {
    return this.files.map((file) => file.health());
  }

  /** The views stopped at a position: a skip must name one. */
  stoppedAt(position: string): Stop | undefined {
    const stopped = this.stopped().filter(({ poison }) => String(poison.position) === position);
    if (stopped.length === 0) return undefined;
    const { poison } = stopped[0];
    return { poison, ...(!poison.forAll && { views: stopped.map(({ view }) => view.name) }) };
  }

  private stopped(): { view: ViewFile; poison: PoisonedEvent }[] {
    return this.files.flatMap((view) => (view.stopped instanceof PoisonedEvent ? { view, poison: view.stopped } : []));
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const timer of this.timers) clearTimeout(timer);
    clearInterval(this.looks);
    await this.starting;
    await Promise.all([...this.feeds].map(({ subscription }) => subscription?.close()));
    for (const { timer } of this.feeds) clearTimeout(timer);
    for (const file of this.files) file.close();
  }

  private async start(): Promise<void> {
    try {
      this.skips = await Skips.read(this.options.store).catch(noneIfDamaged);
      for (const file of this.files) {
        const why = await file.confirm();
        if (why) this.alarm({ views: [file.name], reason: `${why}: it is rebuilt from nothing`, rebuilt: true });
      }
    } catch (error) {
      this.failed(this.files, error as Error);
      this.later(() => {
        this.starting = this.start();
      });
      return;
    }
    this.failures.clear();
    this.looks ??= setInterval(() => this.lookForFiles(), this.options.retryMs ?? 1000).unref();
    const leading = this.files.reduce((max, { position }) => (position > max ? position : max), 0n);
    const together = this.files.filter(({ position }) => position > 0n && leading - position <= CLOSE);
    const apart = this.files.filter((file) => !together.includes(file));
    // Views without any file are built together: there is nothing newer to hold up.
    if (together.length === 0) this.feed(apart);
    else {
      this.feed(together);
      for (const file of apart) this.feed([file]);
    }
  }

  private feed(views: ViewFile[], careful = false): void {
    if (this.closed || views.length === 0) return;
    const feed: Feed = { views, pending: 0, due: [], careful };
    this.feeds.add(feed);
    const after = views.reduce((min, { position }) => (position < min ? position : min), views[0].position);
    const { store, streamPrefixes } = this.options;
    feed.subscription = store.subscribe(
      { after, streamPrefixes },
      {
        onEvent: (event) => this.take(feed, event),
        onCheckpoint: (position) => {
          for (const view of feed.views) view.reach(position);
        },
        onCaughtUp: () => this.caughtUp(feed),
        onDropped: (error) => this.dropped(feed, error),
      },
    );
  }

  private take(feed: Feed, event: RecordedEvent): void {
    const poison = poisonForAll(event, this.options.isKnown);
    if (poison && !this.allPass(feed, poison)) throw poison;
    for (const view of feed.views) {
      if (this.passes(view, event)) view.reach(event.position);
      else this.each(feed, view, () => view.take(event));
    }
    feed.pending++;
    for (const view of feed.views) if (!feed.due.includes(view)) feed.due.push(view);
    this.commitLater(feed);
    if (feed.careful || feed.pending >= BATCH_EVENTS) this.commit(feed);
  }

  private passes(view: ViewFile, event: Pick<RecordedEvent, 'position' | 'stream'>): boolean {
    return event.position <= view.position || this.skips.pass(view.name, event);
  }

  private allPass(feed: Feed, poison: PoisonedEvent): boolean {
    return feed.views.every((view) => this.passes(view, poison));
  }

  private each(feed: Feed, view: ViewFile, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof PoisonedEvent)) throw error;
      // The events that the view took earlier in this transaction are lost with it: it goes on alone, event by event.
      feed.views = feed.views.filter((other) => other !== view);
      if (feed.careful) this.stop([view], error);
      else this.feed([view], true);
      if (feed.views.length === 0) throw new Again();
    }
  }

  private commit(feed: Feed): void {
    clearTimeout(feed.timer);
    feed.timer = undefined;
    feed.pending = 0;
    feed.due = [];
    for (const view of feed.views) this.each(feed, view, () => view.commit());
  }

  /** One view after the other, each in a turn of its own. */
  private commitLater(feed: Feed): void {
    if (feed.timer || feed.due.length === 0) return;
    feed.timer = setTimeout(() => {
      feed.timer = undefined;
      try {
        const view = feed.due.shift() as ViewFile;
        if (feed.views.includes(view)) this.each(feed, view, () => view.commit());
        this.commitLater(feed);
      } catch (error) {
        void feed.subscription?.close();
        this.dropped(feed, error as Error);
      }
    }, BATCH_MILLISECONDS / feed.views.length);
  }

  private caughtUp(feed: Feed): void {
    this.commit(feed);
    for (const view of feed.views) {
      view.finish();
      this.failures.delete(view.name);
    }
  }

  private dropped(feed: Feed, error: Error): void {
    if (!this.feeds.delete(feed)) return;
    clearTimeout(feed.timer);
    if (this.closed || error instanceof Again) return;
    const poison = asPoison(error, this.options.isKnown);
    if (poison && this.allPass(feed, poison)) {
      for (const view of feed.views) view.reach(poison.position);
      this.feed(feed.views);
    } else if (poison) {
      try {
        this.commit(feed);
      } catch {
        // Folded again once the operator lets it pass.
      }
      this.stop(feed.views, poison);
    } else {
      // The disk or the log: worth another try.
      this.failed(feed.views, error);
      for (const view of feed.views) view.stop(error);
      this.later(() => {
        for (const view of feed.views) view.resume();
        this.feed(feed.views);
      });
    }
  }

  /** Views whose files are gone are made again, and go on by themselves. */
  private lookForFiles(): void {
    const gone = this.files.filter((view) => {
      try {
        return view.restoreIfGone();
      } catch (error) {
        this.failed([view], error as Error);
        return false;
      }
    });
    if (gone.length === 0) return;
    const reason = 'the file was taken away: it is made again, from nothing';
    this.alarm({ views: gone.map(({ name }) => name), reason, rebuilt: true });
    const fed = gone.filter((view) => [...this.feeds].some(({ views }) => views.includes(view)));
    for (const feed of this.feeds) {
      feed.views = feed.views.filter((view) => !gone.includes(view));
      if (feed.views.length > 0) continue;
      this.feeds.delete(feed);
      clearTimeout(feed.timer);
      void feed.subscription?.close();
    }
    // Those that have stopped begin when they are let go on.
    this.feed(fed);
  }

  /** Said the first time, the second, the fourth and so on: an outage of an hour is not a thousand errors. */
  private failed(files: ViewFile[], { message }: Error): void {
    const views = files.map(({ name }) => name);
    const failures = 1 + Math.max(...views.map((name) => this.failures.get(name) ?? 0));
    for (const name of views) this.failures.set(name, failures);
    if (Number.isInteger(Math.log2(failures)))
      this.alarm({ views, reason: message, ...(failures > 1 && { failures }) });
  }

  private stop(views: ViewFile[], poison: PoisonedEvent): void {
    for (const view of views) view.stop(poison);
    const { message, position, type } = poison;
    this.alarm({ views: views.map(({ name }) => name), reason: message, position: String(position), type });
    if (this.watching) return;
    this.watching = true;
    this.later(() => void this.lookForSkips());
  }

  private async lookForSkips(): Promise<void> {
    this.skips = await Skips.read(this.options.store).catch(() => this.skips);
    const stopped = this.stopped();
    const free = stopped.filter(({ view, poison }) => this.skips.pass(view.name, poison)).map(({ view }) => view);
    // Events that they had not committed before it are folded again.
    for (const view of free) view.resume();
    this.feed(free);
    this.watching = stopped.length > free.length;
    if (this.watching) this.later(() => void this.lookForSkips());
  }

  private later(work: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      if (!this.closed) work();
    }, this.options.retryMs ?? 1000);
    timer.unref();
    this.timers.add(timer);
  }

  private alarm(alarm: ViewAlarm): void {
    this.options.onAlarm?.(alarm);
  }
}

/** Where the stream of skips is damaged, views stop at what one of them lets pass. */
function noneIfDamaged(error: Error): Skips {
  if (error instanceof UnreadableEvent) return new Skips();
  throw error;
}

function asPoison(error: Error, isKnown: IsKnown): PoisonedEvent | undefined {
  if (error instanceof PoisonedEvent) return error;
  return error instanceof UnreadableEvent ? poisonForAll(error, isKnown) : undefined;
}
