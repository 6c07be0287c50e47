/**
 * Where the labels of keys stand in their streams, in memory: a call reads what was appended since the last one and the labels
 * of its own claims, however many its key holds.
 */
import { streams } from '#domain/streams';
import type { EventReader } from '#kit/log/port';
import { eventsOf, type Folded } from '#kit/log/stored-events';
import type { Label, LabelEvent, LabelState } from './events.js';

/** Events read at once. */
const PAGE = 10_000;
/** Labels, some 100 bytes each, that are held of all keys together, beside those of the key used last. */
const HELD = 500_000;
/** Labels that stand so close to each other are read together. */
const GAP = 32;

/** A key's stream up to a revision. */
interface Known {
  revision: bigint;
  /** By claim: the revision of the label that holds. */
  newest: Map<string, number>;
}

export class LabelIndex {
  /** Those used longest ago first. */
  private readonly known = new Map<string, Known>();

  constructor(private readonly store: Pick<EventReader, 'readStream'>) {}

  /**
   * The labels that hold for these claims, and the revision of the key's last label.
   * @throws StreamUndecidable
   */
  async read(keyId: string, claimIds: Iterable<string>): Promise<Folded<LabelState>> {
    const known = await this.caughtUp(keyId);
    const { revision } = known;
    const wanted = new Map([...claimIds].flatMap((id) => (known.newest.has(id) ? [[known.newest.get(id)!, id]] : [])));
    const places = [...wanted.keys()].sort((a, b) => a - b);
    const state = new Map<string, Label[]>();
    for (let at = 0; at < places.length; ) {
      const from = places[at];
      let to = from;
      for (; places[at] <= to + GAP; at++) to = places[at];
      const { events } = await this.events(keyId, BigInt(from), to - from + 1);
      for (const { revision, data } of events)
        if (wanted.get(Number(revision)) === data.claim_id) state.set(data.claim_id, [data.label]);
    }
    if (state.size === wanted.size) return { state, revision };
    // A row of the stream was disowned since it was read.
    this.known.delete(keyId);
    return this.read(keyId, claimIds);
  }

  private async caughtUp(keyId: string): Promise<Known> {
    const known = this.known.get(keyId) ?? { revision: -1n, newest: new Map<string, number>() };
    this.known.delete(keyId);
    this.known.set(keyId, known);
    for (;;) {
      const { events, last, full } = await this.events(keyId, known.revision + 1n, PAGE);
      // Another call may have been there first.
      for (const { revision, data } of events)
        if (revision > known.revision) known.newest.set(data.claim_id, Number(revision));
      if (last > known.revision) known.revision = last;
      if (!full) break;
    }
    let held = 0;
    for (const { newest } of this.known.values()) held += newest.size;
    for (const [oldest, { newest }] of this.known) {
      if (held <= HELD || oldest === keyId) break;
      this.known.delete(oldest);
      held -= newest.size;
    }
    return known;
  }

  private async events(keyId: string, from: bigint, limit: number) {
    const rows = await this.store.readStream(streams.labels(keyId), { from, limit });
    const last = rows.at(-1)?.revision ?? -1n;
    return { events: eventsOf<LabelEvent>(rows), last, full: rows.length === limit };
  }
}
