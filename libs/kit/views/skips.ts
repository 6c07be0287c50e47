import { isOwnStream, streams } from '#domain/streams';
import type { EventReader, RecordedEvent } from '#kit/log/port';
import { readEvents } from '#kit/log/stored-events';
import type { ViewSkipped } from './events-skips.js';

/** The events that views skip: those that operators named, and those of other writers of the log. */
export class Skips {
  private readonly said = new Map<string, ViewSkipped['data'][]>();

  static async read(log: EventReader): Promise<Skips> {
    const skips = new Skips();
    for (const { data } of await readEvents<ViewSkipped>(log, streams.views())) {
      skips.said.set(data.position, [...(skips.said.get(data.position) ?? []), data]);
    }
    return skips;
  }

  /** Positions are a store's own: in a copy of the log another event may stand there, mostly of another stream. */
  pass(view: string, { position, stream }: Pick<RecordedEvent, 'position' | 'stream'>): boolean {
    if (!isOwnStream(stream)) return true;
    if (this.said.size === 0) return false;
    const said = this.said.get(String(position)) ?? [];
    return said.some((one) => one.stream === stream && (!one.views || one.views.includes(view)));
  }
}
