/**
 * Where the labels of keys stand in their streams, in memory: a call reads what was appended since the last one and the labels
 * of its own claims, however many its key holds. Full pages of a stream are kept, so that a start does not read it whole.
 */
import { streams } from '#domain/streams';
import type { EventReader } from '#kit/log/port';
import type { LogSeals } from '#kit/log/seal';
import { eventsOf, type Folded } from '#kit/log/stored-events';
import type { KeptResults } from '#kit/views/kept-results';
import type { Label, LabelEvent, LabelState } from './events.js';

/** Events of a page. */
const PAGE = 2000;
/** Labels, some 100 bytes each, with more of which those of the key used last alone are held on. */
const HELD = 500_000;
/** Labels that stand so close to each other are read together. */
const GAP = 32;

/** A key's stream up to a revision. */
interface Known {
  revision: number;
  /** By claim: the revision of the label that holds. */
  newest: Map<string, number>;
}

export class LabelIndex {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly store: Pick<EventReader, 'readStream'>,
    private readonly pages: Pick<KeptResults, 'get'>,
    private readonly seals: Pick<LogSeals, 'countIn'>,
  ) {}

  /**
   * The labels that hold for these claims, and the revision of the key's last label.
   * @throws StreamUndecidable
   */
  async read(keyId: string, claimIds: Iterable<string>, pages = this.pages): Promise<Folded<LabelState>> {
    const known = await this.caughtUp(keyId, pages);
    const revision = BigInt(known.revision);
    const wanted = new Map([...claimIds].flatMap((id) => (known.newest.has(id) ? [[known.newest.get(id)!, id]] : [])));
    const places = [...wanted.keys()].sort((a, b) => a - b);
    const state = new Map<string, Label[]>();
    for (let at = 0; at < places.length; ) {
      const from = places[at];
      let to = from;
      for (; places[at] <= to + GAP; at++) to = places[at];
      for (const { revision, data } of eventsOf<LabelEvent>(await this.rows(keyId, from, to - from + 1)))
        if (wanted.get(Number(revision)) === data.claim_id) state.set(data.claim_id, [data.label]);
    }
    if (state.size === wanted.size) return { state, revision };
    // A row of the stream was disowned since it was read.
    this.known.delete(keyId);
    return this.read(keyId, claimIds, { get: (_, compute) => compute() });
  }

  private async caughtUp(keyId: string, pages: Pick<KeptResults, 'get'>): Promise<Known> {
    const known = this.known.get(keyId) ?? { revision: -1, newest: new Map<string, number>() };
    this.known.set(keyId, known);
    for (let full = true; full; ) {
      const from = known.revision + 1;
      const many = PAGE - (from % PAGE);
      const read = () => this.page(keyId, from, many);
      // A page that the stream has gone past stays as it is, but for damage; its last event tells it from another history's.
      const [last] = many === PAGE ? await this.rows(keyId, from + PAGE - 1, 1) : [];
      const of = ['labels', keyId, from, last?.id ?? '', this.seals.countIn(streams.labels(keyId))];
      const page = await (last ? pages.get(of, read) : read());
      // Another call may have been there first.
      for (const [claim, revision] of page.labels) if (revision > known.revision) known.newest.set(claim, revision);
      known.revision = Math.max(known.revision, page.last);
      full = page.full;
    }
    let held = 0;
    for (const { newest } of this.known.values()) held += newest.size;
    if (held > HELD) for (const other of this.known.keys()) if (other !== keyId) this.known.delete(other);
    return known;
  }

  /** Where labels stand, as JSON holds it. */
  private async page(keyId: string, from: number, limit: number) {
    const rows = await this.rows(keyId, from, limit);
    const labels = eventsOf<LabelEvent>(rows).map(({ data, revision }) => [data.claim_id, Number(revision)] as const);
    return { labels, last: Number(rows.at(-1)?.revision ?? -1), full: rows.length === limit };
  }

  private rows = (keyId: string, from: number, limit: number) =>
    this.store.readStream(streams.labels(keyId), { from: BigInt(from), limit });
}
