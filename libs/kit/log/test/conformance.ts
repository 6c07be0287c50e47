import { randomUUID } from 'node:crypto';
import type { EventStore } from '../port.js';
import type { SealedStore } from '../seal.js';
import { describeForgery, type OtherHand } from './forgery.js';
import { describeSubscriptions } from './subscriptions.js';
import { collect, event, events, numbers, type TestContext } from './support.js';

export interface EventStoreUnderTest {
  store: SealedStore;
  /** Who else can write into the log; left out where nobody can. */
  hand?: OtherHand;
  /** Closes the store and opens the same log again. */
  reopen(): Promise<SealedStore>;
  dispose(): Promise<void>;
}

/**
 * Checks that every adapter of the event store port must pass. The log may hold other streams and other writers' events:
 * each test keeps to stream names of its own.
 */
export function describeEventStore(name: string, create: () => Promise<EventStoreUnderTest>): void {
  describe(`event store: ${name}`, () => {
    let tested: EventStoreUnderTest;
    let store: SealedStore;
    let stream: string;
    let start: bigint;

    beforeAll(async () => {
      tested = await create();
      store = tested.store;
    });
    afterAll(() => tested.dispose());

    const test: TestContext['test'] = (what, run) =>
      it(what, async () => {
        stream = `test${randomUUID().replaceAll('-', '')}-a`;
        start = await store.head();
        await run({ store, stream, start });
      });
    const reopen = async () => {
      store = await tested.reopen();
      return store;
    };

    const rejection = async (work: Promise<unknown>) => {
      const error = (await work.then(
        () => ({ name: 'nothing was thrown' }),
        (reason) => reason,
      )) as { name: string; actual?: unknown; expected?: unknown; stream?: unknown };
      return { name: error.name, actual: error.actual };
    };
    const wrong = (actual: bigint | 'no_stream') => ({ name: 'WrongExpectedRevision', actual });

    describe('append', () => {
      test('gives back what was written, in order, with its place in stream and log', async () => {
        const before = Date.now();
        const written = [
          event('First', { text: 'ä\u0000\ud83d\ude00"', number: 0.1 + 0.2, deep: [null, { a: -0.5 }] }),
          event('Second'),
        ];
        const appended = await store.append(stream, written, 'no_stream');
        const read = await store.readStream(stream);
        expect(read.map(({ position, recordedAt, ...rest }) => rest)).toEqual(
          written.map((one, i) => ({
            ...{ ...one, stream, revision: BigInt(i) },
            sealedBy: expect.stringMatching(/^[0-9a-f]{8}$/),
          })),
        );
        expect(appended).toEqual({ revision: 1n, position: read[1].position });
        expect(read[0].position > start && read[1].position > read[0].position).toBe(true);
        for (const { recordedAt } of read) expect(Math.abs(recordedAt.getTime() - before)).toBeLessThan(60_000);
      });

      test('keeps an event without metadata and its version', async () => {
        const { metadata, ...bare } = event('Bare', { n: 1 });
        await store.append(stream, [{ ...bare, version: 3 }], 'any');
        const [read] = await store.readStream(stream);
        expect(read.version).toBe(3);
        expect(read.metadata?.correlationId).toBeUndefined();
      });

      test('keeps the time of a copied event', async () => {
        const recordedAt = new Date('2024-02-29T23:59:59.999Z');
        await store.append(stream, [{ ...event(), recordedAt }, event()], 'no_stream');
        const [copied, own] = await store.readStream(stream);
        expect([copied.recordedAt.toISOString(), copied.metadata]).toEqual([
          recordedAt.toISOString(),
          event().metadata,
        ]);
        expect(own.recordedAt.getTime()).toBeGreaterThan(recordedAt.getTime() + 86_400_000);
      });

      test('no_stream: once, then wrong with the actual revision', async () => {
        await store.append(stream, events(2), 'no_stream');
        expect(await rejection(store.append(stream, events(1), 'no_stream'))).toEqual(wrong(1n));
      });

      test('exact revision: right, behind, ahead, and of a stream that is not there', async () => {
        expect(await rejection(store.append(stream, events(1), 0n))).toEqual(wrong('no_stream'));
        await store.append(stream, events(1), 'no_stream');
        expect((await store.append(stream, events(2), 0n)).revision).toBe(2n);
        expect(await rejection(store.append(stream, events(1), 0n))).toEqual(wrong(2n));
        expect(await rejection(store.append(stream, events(1), 7n))).toEqual(wrong(2n));
      });

      test('stream_exists: only where there is one', async () => {
        expect(await rejection(store.append(stream, events(1), 'stream_exists'))).toEqual(wrong('no_stream'));
        await store.append(stream, events(1), 'any');
        expect((await store.append(stream, events(1), 'stream_exists')).revision).toBe(1n);
      });

      test('any: there or not', async () => {
        expect((await store.append(stream, events(1), 'any')).revision).toBe(0n);
        expect((await store.append(stream, events(1), 'any')).revision).toBe(1n);
      });

      test('of nothing creates nothing', async () => {
        await store.append(stream, [], 'no_stream');
        expect(await store.readStream(stream)).toEqual([]);
        expect((await store.append(stream, events(1), 'no_stream')).revision).toBe(0n);
      });

      test('writes all of an append or nothing', async () => {
        await store.append(stream, events(1), 'no_stream');
        await rejection(store.append(stream, events(5), 'no_stream'));
        expect(await store.readStream(stream)).toHaveLength(1);
      });

      test('takes what fills the limit and refuses what exceeds it, whole', async () => {
        const big = (bytes: number) => event('Big', { text: 'x'.repeat(bytes) });
        await store.append(stream, [big(500_000), big(500_000)], 'no_stream');
        const refused = await rejection(store.append(stream, [big(10), big(1_100_000)], 'any'));
        expect(refused.name).toBe('AppendTooLarge');
        expect(await store.readStream(stream)).toHaveLength(2);
      });

      test('refuses ids and names that are none', async () => {
        const refused = [
          store.append(stream, [{ ...event(), id: 'not-a-uuid' }], 'any'),
          store.append('', events(1), 'any'),
          store.append(`${stream}\u0000`, events(1), 'any'),
          store.append(stream, [event('')], 'any'),
          store.append(stream, [{ ...event(), version: 0 }], 'any'),
          store.append(stream, [{ ...event(), data: [1] as never }], 'any'),
        ];
        for (const attempt of refused) expect((await rejection(attempt)).name).toBe('TypeError');
        expect(await store.readStream(stream)).toEqual([]);
      });
    });

    describe('a retried append', () => {
      for (const expected of ['no_stream', 'any'] as const) {
        test(`answers the first one's place (${expected}), also after later events`, async () => {
          const written = events(2);
          const first = await store.append(stream, written, expected);
          expect(await store.append(stream, written, expected)).toEqual(first);
          await store.append(stream, events(3), 1n);
          expect(await store.append(stream, written, expected)).toEqual(first);
          expect(await store.readStream(stream)).toHaveLength(5);
        });
      }

      test("answers the first one's place (exact revision, stream_exists)", async () => {
        await store.append(stream, events(1), 'no_stream');
        const exact = events(2);
        const first = await store.append(stream, exact, 0n);
        expect(await store.append(stream, exact, 0n)).toEqual(first);
        const loose = events(1);
        const second = await store.append(stream, loose, 'stream_exists');
        expect(await store.append(stream, loose, 'stream_exists')).toEqual(second);
        expect(await store.readStream(stream)).toHaveLength(4);
      });

      test('answers it after the log was opened again', async () => {
        const written = events(2);
        const first = await store.append(stream, written, 'no_stream');
        await reopen();
        expect(await store.append(stream, written, 'no_stream')).toEqual(first);
        expect(await store.readStream(stream)).toHaveLength(2);
      });

      test('with an old head and new events is a wrong revision', async () => {
        const written = events(1);
        await store.append(stream, written, 'no_stream');
        expect(await rejection(store.append(stream, [...written, event()], 'no_stream'))).toEqual(wrong(0n));
        expect(await store.readStream(stream)).toHaveLength(1);
      });

      test('at the current revision is a new append', async () => {
        const written = events(1);
        await store.append(stream, written, 'no_stream');
        expect((await store.append(stream, written, 0n)).revision).toBe(1n);
      });
    });

    describe('concurrent appends', () => {
      test('to one stream with one expectation: exactly one wins', async () => {
        const outcomes = await Promise.all(
          events(20).map((one) => rejection(store.append(stream, [one], 'no_stream'))),
        );
        expect(outcomes.filter(({ name }) => name === 'nothing was thrown')).toHaveLength(1);
        expect(outcomes.filter(({ name }) => name === 'WrongExpectedRevision')).toHaveLength(19);
        expect(await store.readStream(stream)).toHaveLength(1);
      });

      test('to many streams: none is lost, each has its own outcome, revisions are dense', async () => {
        const streams = Array.from({ length: 10 }, (_, i) => `${stream}${i}-`);
        const written = Array.from({ length: 200 }, (_, i) => event('Tested', { n: i }));
        const answers = await Promise.all(written.map((one, i) => store.append(streams[i % 10], [one], 'any')));
        for (const [i, one] of streams.entries()) {
          const read = await store.readStream(one);
          expect(read.map(({ revision }) => revision)).toEqual(Array.from({ length: 20 }, (_, k) => BigInt(k)));
          // The store chooses the order of those under way at once.
          for (const { data, revision, position } of read) {
            expect([Number(data.n) % 10, answers[Number(data.n)]]).toEqual([i, { revision, position }]);
          }
        }
      });
    });

    describe('reading a stream', () => {
      test('that is not there gives nothing', async () => {
        expect(await store.readStream(stream)).toEqual([]);
        expect(await store.readStream(stream, { direction: 'backwards', from: 3n, limit: 2 })).toEqual([]);
      });

      test('forwards and backwards, from a revision, up to a limit', async () => {
        await store.append(stream, events(5), 'no_stream');
        const read = async (options: Parameters<EventStore['readStream']>[1]) =>
          numbers(await store.readStream(stream, options));
        expect(await read({})).toEqual([0, 1, 2, 3, 4]);
        expect(await read({ from: 3n })).toEqual([3, 4]);
        expect(await read({ from: 1n, limit: 2 })).toEqual([1, 2]);
        expect(await read({ direction: 'backwards' })).toEqual([4, 3, 2, 1, 0]);
        expect(await read({ direction: 'backwards', limit: 1 })).toEqual([4]);
        expect(await read({ direction: 'backwards', from: 2n, limit: 2 })).toEqual([2, 1]);
        expect(await read({ from: 5n })).toEqual([]);
        expect(await read({ direction: 'backwards', from: 99n, limit: 1 })).toEqual([4]);
      });

      test('from its end: nothing, until something is appended', async () => {
        expect(await store.readStream(stream, { from: 0n })).toEqual([]);
        expect(await store.readStream(stream, { from: 2n })).toEqual([]);
        await store.append(stream, events(1), 'no_stream');
        expect(await store.readStream(stream, { from: 2n })).toEqual([]);
        expect(numbers(await store.readStream(stream, { from: 0n }))).toEqual([0]);
        for (let n = 1; n < 4; n++) {
          expect(await store.readStream(stream, { from: BigInt(n) })).toEqual([]);
          const [appended] = events(1);
          await store.append(stream, [appended], BigInt(n - 1));
          const tail = await store.readStream(stream, { from: BigInt(n) });
          expect(tail.map(({ id }) => id)).toEqual([appended.id]);
        }
      });

      test('that is long, whole and in order both ways', async () => {
        await store.append(stream, events(1500), 'no_stream');
        const expected = Array.from({ length: 1500 }, (_, n) => n);
        expect(numbers(await store.readStream(stream))).toEqual(expected);
        expect(numbers(await store.readStream(stream, { direction: 'backwards' }))).toEqual(expected.reverse());
        expect(await store.readStream(stream, { from: 100n, limit: 1200 })).toHaveLength(1200);
      });

      test('sees no stream whose name it is a beginning of', async () => {
        await store.append(`${stream}2`, events(1), 'no_stream');
        expect(await store.readStream(stream)).toEqual([]);
      });
    });

    describe('reading all', () => {
      test('in the order of appends, exclusive of the position, with growing positions', async () => {
        await store.append(`${stream}1`, events(2), 'no_stream');
        await store.append(`${stream}2`, events(1), 'no_stream');
        await store.append(`${stream}1`, events(1), 1n);
        const all = await collect(store.readAll({ after: start, streamPrefixes: [stream] }));
        expect(all.map((one) => `${one.stream.slice(stream.length)}@${one.revision}`)).toEqual([
          '1@0',
          '1@1',
          '2@0',
          '1@2',
        ]);
        for (let i = 1; i < 4; i++) expect(all[i].position > all[i - 1].position).toBe(true);
        const rest = await collect(store.readAll({ after: all[1].position, streamPrefixes: [stream] }));
        expect(rest).toEqual(all.slice(2));
        expect((await store.head()) >= all[3].position).toBe(true);
      });

      test('filters by stream prefixes and types, both where both are given, and limits', async () => {
        await store.append(`${stream}x-1`, [event('A', { n: 0 }), event('B', { n: 1 })], 'no_stream');
        await store.append(`${stream}y-1`, [event('A', { n: 2 }), event('C', { n: 3 })], 'no_stream');
        await store.append(`${stream}z-1`, [event('B', { n: 4 })], 'no_stream');
        const read = async (streams: string[], types?: string[], limit?: number) =>
          numbers(
            await collect(
              store.readAll({ after: start, streamPrefixes: streams.map((s) => stream + s), types, limit }),
            ),
          );
        expect(await read(['x-', 'y-'])).toEqual([0, 1, 2, 3]);
        expect(await read(['z-'])).toEqual([4]);
        expect(await read([''], ['B', 'C'])).toEqual([1, 3, 4]);
        expect(await read(['x-', 'z-'], ['B'])).toEqual([1, 4]);
        expect(await read([''], undefined, 2)).toEqual([0, 1]);
        expect(await read(['none-'])).toEqual([]);
      });

      test('gives the newest events, oldest of them first, whatever stands behind them', async () => {
        await store.append(stream, events(300, 'Kept'), 'no_stream');
        await store.append(`${stream}b`, events(700, 'Other'), 'no_stream');
        const last = async (limit: number, types?: string[]) =>
          numbers(await store.readLast(limit, { streamPrefixes: [stream], types }));
        expect(await last(3)).toEqual([697, 698, 699]);
        expect(await last(2, ['Kept'])).toEqual([298, 299]);
        expect(await last(5000)).toHaveLength(1000);
        expect(await last(0)).toEqual([]);
        expect(await last(3, ['Absent'])).toEqual([]);
      });

      test("up to the log's head as it was at the first step", async () => {
        await store.append(stream, events(1500), 'no_stream');
        let read = 0;
        for await (const one of store.readAll({ after: start, streamPrefixes: [stream] })) {
          if (read === 0) await store.append(stream, events(1), 'any');
          expect(one.revision).toBe(BigInt(read++));
        }
        expect(read).toBe(1500);
      });

      test('may be left early and begun again', async () => {
        await store.append(stream, events(3), 'no_stream');
        for (let i = 0; i < 5; i++) {
          for await (const one of store.readAll({ after: start, streamPrefixes: [stream] })) {
            expect(one.data.n).toBe(0);
            break;
          }
        }
        expect(await collect(store.readAll({ after: start, streamPrefixes: [stream] }))).toHaveLength(3);
      });
    });

    describeSubscriptions({ test });
    describeForgery({ test }, () => ({ store, hand: tested.hand, reopen }));

    test('the log opened again holds what was acknowledged', async () => {
      const appended = await store.append(stream, events(3), 'no_stream');
      const before = await store.readStream(stream);
      await reopen();
      expect(await store.readStream(stream)).toEqual(before);
      expect((await store.head()) >= appended.position).toBe(true);
      expect((await store.append(stream, events(1), 2n)).position > appended.position).toBe(true);
    });

    test('what was asked before close is finished, what comes after is refused', async () => {
      const late = store.append(stream, events(2), 'no_stream');
      await store.close();
      expect((await late).revision).toBe(1n);
      expect((await rejection(store.append(stream, events(1), 'any'))).name).toBe('StoreUnavailable');
      await reopen();
      expect(await store.readStream(stream)).toHaveLength(2);
    });
  });
}
