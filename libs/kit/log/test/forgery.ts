/** Rows by another writer: whatever they hold and wherever they stand, none becomes an event, and its stream is refused. */
import fc from 'fast-check';
import { dataOf, EVENT_TYPES, type EventType } from '#catalogue/test/arbitrary';
import { newEventId } from '../event-id.js';
import { type RecordedEvent, UnreadableEvent, WrongExpectedRevision } from '../port.js';
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
  metadata: string | null;
  data: string;
  seal: string | null;
  /** Where each seal covers the one before it. */
  before?: string;
}

/** Another hand in the log: it may write what it likes, and has no secret. */
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

function change(row: ForgedRow, member: string, at: number): ForgedRow {
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
      return { ...row, seal: (row.seal as string).slice(0, -5) + changed((row.seal as string).slice(-5), at) };
  }
}

export function describeForgery(
  { test }: TestContext,
  tested: () => { store: SealedStore; hand?: OtherHand; reopen(): Promise<SealedStore> },
): void {
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

    test('are passed over for ever once an operator has disowned them', async ({ store, stream }) => {
      const { hand, reopen } = tested();
      if (!hand) return;
      const own = `telemetry-${stream}`;
      const event = () => ({ id: newEventId(), type: 'Tested', version: 1, data: {} });
      const [first, last] = [event(), event()];
      await store.append(own, [first], 'no_stream');
      hand.write({ ...hand.read(own, 0), revision: 1, id: newEventId() });
      const { position } = (await store.readStream(own).catch((error) => error)) as UnreadableEvent;
      const rows = [{ position: String(position), stream: own }];
      const data = { rows, operator: 'ada', reason: 'seen', at: new Date().toISOString() };
      await store.append('log', [{ id: newEventId(), type: 'RowsDisowned', version: 1, data }], 'any');
      const again = await reopen();
      expect((await again.readStream(own)).map(({ type, revision }) => [type, revision])).toEqual([
        ['Tested', 0n],
        ['NoEvent', 1n],
      ]);
      expect((await again.append(own, [last], 1n)).revision).toBe(2n);
      const read = await collect(again.readAll({ streamPrefixes: [own] }));
      expect(read.map(({ id }) => id)).toEqual([first.id, last.id]);
      hand.change({ ...hand.read(own, 1), type: 'Changed' });
      expect((await again.readStream(own)).map(({ type }) => type)).toEqual(['Tested', 'NoEvent', 'Tested']);
    });

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
      const elsewhere = forgery.kind === 'copied' && forgery.to === 'stream';
      const damaged = elsewhere ? other : own;
      if (elsewhere) expect(ids(await store.readStream(own))).toEqual(wanted);
      await expect(store.readStream(damaged)).rejects.toMatchObject({ name: 'UnreadableEvent', stream: damaged });
      await expect(store.readStream(damaged, { direction: 'backwards' })).rejects.toThrow(UnreadableEvent);
      const filter = { streamPrefixes: [own] };
      expect(ids(await collect(store.readAll({ ...filter, after: start })))).toEqual(wanted);
      expect(ids(await store.readLast(2, filter))).toEqual(wanted.slice(-2));
      expect(ids(await heard(store, own, start))).toEqual(wanted);

      // A row takes its place: nobody appends as if it were not there, and what is appended behind it is stored.
      const [next, first] = [event(), event()];
      const stands = forgery.kind !== 'changed';
      if (stands) {
        const seen = elsewhere ? 'no_stream' : 2n;
        await expect(store.append(damaged, [first], seen)).rejects.toThrow(WrongExpectedRevision);
      }
      await store.append(damaged, [next], 'any');
      expect(ids(await collect(store.readAll({ ...filter, after: start })))).toContain(next.id);

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
        not: null,
        stolen: row.seal,
        'made up': `00ff00ff.${'A'.repeat(43)}`,
      };
      const seal = seals[forgery.sealed];
      hand.write({
        ...{ stream: own, revision: forgery.far ? 1_000_000 : 3, id: newEventId(), type, version: 1 },
        ...{ recordedAt: Date.now(), data: JSON.stringify(data) },
        ...{ metadata: null, seal, ...(row.before !== undefined && { before: row.before }) },
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
