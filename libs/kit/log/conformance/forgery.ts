/** Rows by another writer: whatever they hold and wherever they stand, the log gives what it would give without them. */
import fc from 'fast-check';
import { dataOf, EVENT_TYPES, type EventType } from '#catalogue/test/arbitrary';
import { newEventId } from '../event-id.js';
import type { RecordedEvent } from '../port.js';
import type { SealedStore } from '../seal.js';
import { collect, type TestContext } from './support.js';

/** A row as the store's own file holds it, in words that both stores share. */
export interface ForgedRow {
  stream: string;
  revision: number;
  id: string;
  type: string;
  version: number;
  recordedAt: number;
  /** JSON, the seal in it. */
  metadata: string | null;
  data: string;
}

/** Another hand in the log: it may write what it likes, with checksums that fit, and has no secret. */
export interface OtherHand {
  read(stream: string, revision: number): ForgedRow;
  write(row: ForgedRow): void;
  /** In place of the row that stands at its stream and revision. */
  change(row: ForgedRow): void;
  remove(stream: string, revision: number): void;
}

type Forgery =
  | { kind: 'written'; far: boolean; sealed: 'not' | 'stolen' | 'made up' }
  | { kind: 'copied'; to: 'stream' | 'revision' }
  | { kind: 'changed'; member: 'id' | 'type' | 'version' | 'recordedAt' | 'data' | 'metadata' | 'seal'; at: number };

/** Every kind. A store looks at no type: each kind is tried on some of the types, and each type with one kind. */
const FORGERIES: Forgery[] = [
  ...[true, false].flatMap((far) =>
    (['not', 'stolen', 'made up'] as const).map((sealed): Forgery => ({ kind: 'written', far, sealed })),
  ),
  ...(['stream', 'revision'] as const).map((to): Forgery => ({ kind: 'copied', to })),
  ...(['id', 'type', 'version', 'recordedAt', 'data', 'metadata', 'seal'] as const).map(
    (member): Forgery => ({ kind: 'changed', member, at: 0 }),
  ),
];

/** The text with one character of it another one, such that JSON stays JSON where it can. */
function changed(text: string, at: number): string {
  const digits = [...text.matchAll(/[0-9a-zA-Z]/g)].map(({ index }) => index);
  const place = digits[at % digits.length];
  const next = text[place] === '7' ? '8' : text[place] === 'e' ? 'f' : /[0-9]/.test(text[place]) ? '7' : 'e';
  return text.slice(0, place) + next + text.slice(place + 1);
}

const sealIn = (metadata: string | null): string => JSON.parse(metadata ?? '{}').seal;

function change(row: ForgedRow, member: string, at: number): ForgedRow {
  const seal = sealIn(row.metadata);
  switch (member) {
    case 'id':
      return { ...row, id: newEventId() };
    case 'type':
      return { ...row, type: `${row.type}x` };
    case 'version':
      return { ...row, version: row.version + 1 };
    case 'recordedAt':
      return { ...row, recordedAt: row.recordedAt + 1 + (at % 1000) };
    case 'data':
      return { ...row, data: changed(row.data, at) };
    case 'metadata':
      return { ...row, metadata: JSON.stringify({ ...JSON.parse(row.metadata ?? '{}'), note: `x${at}` }) };
    default:
      return { ...row, metadata: JSON.stringify({ seal: seal.slice(0, -5) + changed(seal.slice(-5), at) }) };
  }
}

export function describeForgery({ test }: TestContext, tested: () => { store: SealedStore; hand?: OtherHand }): void {
  describe('rows by another hand', () => {
    const sample = (type: EventType) => fc.sample(dataOf(type), { numRuns: 1 })[0];

    for (const [i, type] of EVENT_TYPES.entries()) {
      const forging = FORGERIES[i % FORGERIES.length];
      test(`are no events: ${type}, ${forging.kind}, case ${i}`, async ({ stream }) => {
        const { store, hand } = tested();
        if (!hand) return;
        const chosen = fc.asyncProperty(fc.nat(), dataOf(type), (at, data) =>
          holds(store, hand, `telemetry-${stream}`, type, { ...forging, at } as Forgery, data),
        );
        await fc.assert(chosen, { numRuns: 1 });
      });
    }

    async function holds(
      store: SealedStore,
      hand: OtherHand,
      own: string,
      type: EventType,
      forgery: Forgery,
      data: Record<string, unknown>,
    ): Promise<void> {
      const start = await store.head();
      const event = () => ({
        id: newEventId(),
        type,
        version: 1,
        data: sample(type),
        metadata: { correlationId: 'r' },
      });
      const written = [event(), event(), event()];
      await store.append(own, written, 'no_stream');
      const other = `${own}other`;
      const row = hand.read(own, 1);
      const known = store.seals.found.count;
      const victim = forge(hand, { own, other, row, type, data }, forgery);
      const wanted = written.map(({ id }) => id).filter((_, i) => i !== victim);

      const ids = (events: readonly RecordedEvent[]) => events.map(({ id }) => id);
      expect(ids(await store.readStream(own))).toEqual(wanted);
      expect(ids(await store.readStream(own, { direction: 'backwards', limit: 1 }))).toEqual(wanted.slice(-1));
      expect(ids(await store.readStream(own, { limit: 2 }))).toEqual(wanted.slice(0, 2));
      expect(await store.readStream(other)).toEqual([]);
      const filter = { streamPrefixes: [own] };
      expect(ids(await collect(store.readAll({ ...filter, after: start })))).toEqual(wanted);
      expect(ids(await store.readLast(2, filter))).toEqual(wanted.slice(-2));
      expect(ids(await heard(store, own, start))).toEqual(wanted);

      // Both streams go on, and a new one begins, whatever stands in the way.
      const [next, again, first] = [event(), event(), event()];
      const last = (await store.readStream(own)).at(-1)?.revision as bigint;
      const appended = await store.append(own, [next], last);
      expect(await store.append(own, [next], last)).toEqual(appended);
      await store.append(own, [again], 'any');
      await store.append(other, [first], 'no_stream');
      expect(ids(await store.readStream(own))).toEqual([...wanted, next.id, again.id]);
      expect(ids(await store.readStream(other))).toEqual([first.id]);
      expect(ids(await store.readStream(own, { from: appended.revision }))).toEqual([next.id, again.id]);

      expect(store.seals.found.count).toBeGreaterThan(known);
    }

    /** @returns the place of the event that is none any more, if one is */
    function forge(
      hand: OtherHand,
      { own, other, row, type, data }: { own: string; other: string; row: ForgedRow; type: string; data: object },
      forgery: Forgery,
    ): number | undefined {
      if (forgery.kind === 'changed') {
        hand.change(change(row, forgery.member, forgery.at));
        return 1;
      }
      if (forgery.kind === 'copied') {
        hand.write(forgery.to === 'stream' ? { ...row, stream: other, revision: 0 } : { ...row, revision: 3 });
        return undefined;
      }
      const seals = {
        not: undefined,
        stolen: sealIn(row.metadata),
        'made up': `00ff00ff.9999999999.${'A'.repeat(43)}`,
      };
      const seal = seals[forgery.sealed];
      hand.write({
        ...{ stream: own, revision: forgery.far ? 1_000_000 : 3, id: newEventId(), type, version: 1 },
        ...{ recordedAt: Date.now(), data: JSON.stringify(data) },
        metadata: seal === undefined ? null : JSON.stringify({ seal }),
      });
      return undefined;
    }

    const heard = (store: SealedStore, prefix: string, after: bigint) =>
      new Promise<RecordedEvent[]>((resolve, reject) => {
        const events: RecordedEvent[] = [];
        const following = store.subscribe(
          { after, streamPrefixes: [prefix] },
          {
            onEvent: (event) => void events.push(event),
            onCaughtUp: () => void following.close().then(() => resolve(events)),
            onDropped: reject,
          },
        );
      });
  });
}
