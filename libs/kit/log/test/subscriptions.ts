import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore, RecordedEvent, SubscribeOptions } from '../port.js';
import { collect, event, events, numbers, type TestContext } from './support.js';

export function describeSubscriptions({ test }: TestContext): void {
  describe('subscriptions', () => {
    /** Subscribes and notes all that happens; `until` resolves when the notes satisfy. */
    const listen = (
      store: EventStore,
      options: SubscribeOptions,
      onEvent?: (one: RecordedEvent) => void | Promise<void>,
    ) => {
      const notes: (number | string)[] = [];
      const checkpoints: bigint[] = [];
      let check = () => {};
      const note = (what: number | string) => {
        notes.push(what);
        check();
      };
      const subscription = store.subscribe(options, {
        onEvent: async (one) => {
          await onEvent?.(one);
          note(one.data.n as number);
        },
        onCaughtUp: () => note('caught up'),
        onCheckpoint: (position) => {
          checkpoints.push(position);
          check();
        },
        onDropped: (error) => note(`dropped: ${error.message}`),
      });
      const until = (satisfied: () => boolean) =>
        new Promise<void>((resolve) => {
          check = () => satisfied() && resolve();
          check();
        });
      return { notes, checkpoints, until, close: () => subscription.close() };
    };

    test('give history, one caught-up, then what comes, once each and in order', async ({ store, stream, start }) => {
      await store.append(stream, events(3), 'no_stream');
      const heard = listen(store, { after: start, streamPrefixes: [stream] });
      await heard.until(() => heard.notes.includes('caught up'));
      await store.append(stream, [event('Tested', { n: 3 }), event('Tested', { n: 4 })], 2n);
      await store.append(stream, [event('Tested', { n: 5 })], 4n);
      await heard.until(() => heard.notes.includes(5));
      expect(heard.notes).toEqual([0, 1, 2, 'caught up', 3, 4, 5]);
      await heard.close();
    });

    test('catch up on nothing', async ({ store, stream, start }) => {
      const heard = listen(store, { after: start, streamPrefixes: [stream] });
      await heard.until(() => heard.notes.length > 0);
      expect(heard.notes).toEqual(['caught up']);
      await heard.close();
    });

    test('are exclusive of the checkpoint and resume with nothing skipped or doubled', async ({
      store,
      stream,
      start,
    }) => {
      await store.append(stream, events(10), 'no_stream');
      const all = await collect(store.readAll({ after: start, streamPrefixes: [stream] }));
      for (const from of [0, 4, 9]) {
        const heard = listen(store, { after: all[from].position, streamPrefixes: [stream] });
        await heard.until(() => heard.notes.includes('caught up'));
        expect(heard.notes.filter((note) => typeof note === 'number')).toEqual(numbers(all.slice(from + 1)));
        await heard.close();
      }
    });

    test('move the checkpoint past what the filter leaves out; resuming there loses nothing', async ({
      store,
      stream,
      start,
    }) => {
      const heard = listen(store, { after: start, streamPrefixes: [`${stream}wanted`] });
      await heard.until(() => heard.notes.includes('caught up'));
      let last = start;
      const moved = () => heard.checkpoints.some((position) => position > start);
      for (let i = 0; i < 40 && !moved(); i++)
        last = (await store.append(`${stream}other`, events(50), 'any')).position;
      await heard.until(moved);
      await store.append(`${stream}wanted`, [event('Tested', { n: 7 })], 'any');
      await heard.until(() => heard.notes.includes(7));
      await heard.close();
      const checkpoint = heard.checkpoints.filter((position) => position <= last).at(-1) ?? start;
      const again = listen(store, { after: checkpoint, streamPrefixes: [`${stream}wanted`] });
      await again.until(() => again.notes.includes('caught up'));
      expect(again.notes).toEqual([7, 'caught up']);
      await again.close();
    });

    test('filter by type', async ({ store, stream, start }) => {
      await store.append(stream, [event('A', { n: 0 }), event('B', { n: 1 }), event('A', { n: 2 })], 'no_stream');
      const heard = listen(store, { after: start, streamPrefixes: [stream], types: ['A'] });
      await heard.until(() => heard.notes.includes('caught up'));
      expect(heard.notes).toEqual([0, 2, 'caught up']);
      await heard.close();
    });

    test('wait for a slow handler and lose nothing of a burst', async ({ store, stream, start }) => {
      let running = 0;
      let max = 0;
      const heard = listen(store, { after: start, streamPrefixes: [stream] }, async () => {
        max = Math.max(max, ++running);
        await sleep(1);
        running--;
      });
      await Promise.all(Array.from({ length: 10 }, () => store.append(stream, events(20), 'any')));
      await heard.until(() => heard.notes.filter((note) => typeof note === 'number').length === 200);
      expect(max).toBe(1);
      await heard.close();
    });

    test('end with the handler that fails, and say so', async ({ store, stream, start }) => {
      await store.append(stream, events(3), 'no_stream');
      const heard = listen(store, { after: start, streamPrefixes: [stream] }, (one) => {
        if (one.data.n === 1) throw new Error('cannot take 1');
      });
      await heard.until(() => heard.notes.some((note) => String(note).startsWith('dropped')));
      expect(heard.notes).toEqual([0, 'dropped: cannot take 1']);
      await heard.close();
    });

    test('end with the marker that fails, and say so', async ({ store, stream, start }) => {
      await store.append(stream, events(40), 'no_stream');
      for (const marker of ['onCaughtUp', 'onCheckpoint']) {
        const calls: string[] = [];
        const fails = (name: string) => () => {
          calls.push(name);
          if (name === marker) throw new Error(`${name} cannot`);
        };
        let why: Error | undefined;
        const dropped = new Promise<void>((resolve) => {
          const onDropped = (error: Error) => {
            why = error;
            resolve();
          };
          store.subscribe(
            { after: start, streamPrefixes: [`${stream}none`] },
            { onEvent: () => {}, onCaughtUp: fails('onCaughtUp'), onCheckpoint: fails('onCheckpoint'), onDropped },
          );
        });
        // A checkpoint that counts may come only with what is written after the history.
        while (!why) {
          await store.append(stream, events(40), 'any');
          await Promise.race([dropped, sleep(20)]);
        }
        expect((why as Error).message).toBe(`${marker} cannot`);
        await store.append(stream, events(1), 'any');
        expect(calls.filter((name) => name === marker)).toHaveLength(1);
      }
    });

    test('are silent once closed', async ({ store, stream, start }) => {
      const heard = listen(store, { after: start, streamPrefixes: [stream] });
      await heard.until(() => heard.notes.includes('caught up'));
      await heard.close();
      await store.append(stream, events(2), 'no_stream');
      await sleep(50);
      expect(heard.notes).toEqual(['caught up']);
    });
  });
}
