/** The one call of all appends: what comes together, what fails beside others, and a connection that is lost anywhere. */
import type { ClientHttp2Session } from 'node:http2';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { status as Status } from '@grpc/grpc-js';
import { newEventId } from '#kit/log/event-id';
import { parseAddress } from '#kit/log/eventstoredb/address';
import { NodeStreams } from '#kit/log/eventstoredb/batch';
import { Channel } from '#kit/log/eventstoredb/channel';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import { endings } from '../endings.js';
import { until } from '../until.js';
import { type Double, LOG_SECRET, startDouble } from './double.js';
import { openDoubleLog } from './log.js';
import { MAX_APPEND_SIZE } from './protocol.js';

const atEnd = endings();
const started = async () => atEnd(await startDouble(openDoubleLog(':memory:')), (made) => made.close());
const opened = (port: number) =>
  atEnd(
    openEventStoreDB({
      ...{ secrets: [LOG_SECRET], connectionString: `esdb://127.0.0.1:${port}?tls=false` },
      ...{ awayWithinMs: 60_000, answerWithinMs: 60_000 },
    }),
    (made) => made.close(),
  );
const direct = (double: Double, withinMs?: number, silentWithinMs?: number) => {
  const channel = new Channel(`127.0.0.1:${double.port}`, parseAddress(double.connectionString), silentWithinMs);
  return atEnd(new NodeStreams(channel, withinMs), (made) => made.close());
};
const event = (n: number) => ({ id: newEventId(), type: 'Tested', version: 1, data: { n } });
const proposed = (stream: string, text = '{}', after = -1n) => ({
  ...{ stream, after, events: [{ id: newEventId(), type: 'Tested', text, metadata: {} }] },
});
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'stored',
    ({ type }) => type,
  );

it('puts all appends into one call, where one that is refused is its own affair', async () => {
  const double = await started();
  const streams = direct(double);
  await streams.append(proposed('taken'));
  const refused = [proposed('taken'), proposed('large', JSON.stringify({ text: 'x'.repeat(MAX_APPEND_SIZE) }))];
  const others = Array.from({ length: 40 }, (_, n) => proposed(`s-${n}`));
  const all = [...others.slice(0, 20), ...refused, ...others.slice(20)];
  const wanted = all.map((one) =>
    one === refused[0] ? 'wrong-expected-version' : one === refused[1] ? 'maximum-append-size-exceeded' : 'stored',
  );
  expect(await Promise.all(all.map((one) => outcome(streams.append(one))))).toEqual(wanted);
  await expect(streams.append(proposed('taken', '{}', 4n))).rejects.toMatchObject({ actualVersion: 0n });
  expect(double.calls).toMatchObject({ append: 0, batchAppend: 1 });
});

it('ends its calls where a connection is lost before it is said to be made', async () => {
  const double = await started();
  const channel = new Channel(`127.0.0.1:${double.port}`, parseAddress(double.connectionString));
  const over = new Promise((done) =>
    channel.call('event_store.client.streams.Streams/BatchAppend', { onMessage: () => {}, onOver: done }),
  );
  const [session] = (channel as unknown as { sessions: Set<ClientHttp2Session> }).sessions;
  // Before the channel hears of it, which must not end the process.
  session.prependListener('connect', () => session.destroy());
  expect(await over).toMatchObject({ code: Status.UNAVAILABLE });
});

it('takes the first of two answers', async () => {
  const double = await started();
  double.faults.answerTwice = true;
  const streams = direct(double);
  for (let n = 0; n < 5; n++) expect(await outcome(streams.append(proposed(`s-${n}`)))).toBe('stored');
  expect(double.calls.batchAppend).toBe(1);
});

it('gives an append up that is never answered; the next go into a new call, the others of the first are answered', async () => {
  const double = await started();
  double.faults.ignoreAppends = 1;
  Object.assign(double.faults, { late: { streams: 'late', ms: 3_000 } });
  const streams = direct(double, 4_000);
  const never = streams.append(proposed('never'));
  await sleep(2_000);
  const late = outcome(streams.append(proposed('late')));
  await expect(never).rejects.toThrow('unanswered');
  expect(await outcome(streams.append(proposed('after')))).toBe('stored');
  expect([await late, double.calls.batchAppend]).toEqual(['stored', 2]);
});

it('leaves a connection on which nothing comes any more', async () => {
  const double = await started();
  const streams = direct(double, 60_000, 500);
  await until(async () => (await outcome(streams.append(proposed(newEventId())))) === 'stored');
  double.relay.silence();
  await expect(streams.append(proposed('s'))).rejects.toThrow('the connection brings nothing');
  await until(async () => (await outcome(streams.append(proposed(newEventId())))) === 'stored');
});

it('stores an append once, wherever its connection is lost', async () => {
  const double = await started();
  /** Bytes to the server, or of it, that pass on the next connection; then it is reset. */
  const budget = { to: Number.POSITIVE_INFINITY, from: Number.POSITIVE_INFINITY };
  const relay = createServer((near) => {
    const far = connect(double.port, '127.0.0.1');
    const left = { ...budget };
    Object.assign(budget, { to: Number.POSITIVE_INFINITY, from: Number.POSITIVE_INFINITY });
    for (const [side, other, name] of [
      [near, far, 'to'],
      [far, near, 'from'],
    ] as const)
      side
        .on('data', (chunk) => {
          other.write(chunk.subarray(0, left[name]));
          left[name] -= chunk.length;
          if (left[name] <= 0) for (const one of [near, far]) one.destroySoon();
        })
        .on('error', () => {})
        .on('close', () => other.destroy());
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  atEnd(relay, (made) => made.close());
  const { port } = relay.address() as { port: number };
  let n = 0;
  for (const way of ['to', 'from'] as const)
    for (let bytes = 1; bytes < 700; bytes += 23) {
      budget[way] = bytes;
      const store = openEventStoreDB({
        ...{ secrets: [LOG_SECRET], connectionString: `esdb://127.0.0.1:${port}?tls=false` },
        ...{ awayWithinMs: 60_000, answerWithinMs: 60_000 },
      });
      const one = `s-${n}`;
      expect((await store.append(one, [event(n++)], 'no_stream')).revision).toBe(0n);
      expect((await store.append(one, [event(n)], 0n)).revision).toBe(1n);
      expect(await store.readStream(one)).toHaveLength(2);
      await store.close();
    }
  const stored = await opened(double.port).readLast(1_000, { types: ['Tested'] });
  expect(stored).toHaveLength(2 * n);
});
