import type { Decider } from '#domain/decider';
import { CommandHandler } from './command-handler.js';
import { type EventStore, StoreUnavailable, WrongExpectedRevision } from './port.js';

interface Added {
  type: 'Added';
  version: 1;
  data: { by: number };
}
const added = (by: number): Added => ({ type: 'Added', version: 1, data: { by } });

/** A sum that never exceeds ten. */
const sum: Decider<number, number, Added, 'too_much'> = {
  initial: 0,
  evolve: (state, { data }) => state + data.by,
  decide: (state, by) => (state + by > 10 ? { refusal: 'too_much' } : { events: by === 0 ? [] : [added(by)] }),
};

/** A stream in memory; `meanwhile` is appended by somebody else just before an append. */
function storeOf(meanwhile: number[] = [], { behind = false } = {}) {
  const log: { type: string; data: object; id: string; metadata?: object }[] = [];
  const expectations: unknown[] = [];
  let shown = 0;
  const store: Pick<EventStore, 'append' | 'readStream'> = {
    async readStream(stream) {
      const read = log.slice(0, behind ? shown : undefined);
      return read.map((event, i) => ({ ...event, stream, revision: BigInt(i) })) as never;
    },
    async append(stream, events, expected) {
      expectations.push(expected);
      const other = meanwhile.shift();
      if (other !== undefined) log.push({ ...added(other), id: 'other' });
      const actual = BigInt(log.length) - 1n;
      const holds =
        expected === 'any' || expected === 'stream_exists' || expected === (actual < 0n ? 'no_stream' : actual);
      if (!holds) throw new WrongExpectedRevision(stream, expected, actual);
      log.push(...events);
      shown = log.length;
      return { revision: BigInt(log.length) - 1n, position: 1n };
    },
  };
  let ids = 0;
  return { handler: new CommandHandler(store, () => `id-${ids++}`), log, expectations };
}

describe('a command', () => {
  it('is decided on its stream and appended at the revision seen', async () => {
    const { handler, log, expectations } = storeOf();
    expect(await handler.handle(sum, 4, { stream: 's', requestId: 'r' })).toMatchObject({ state: 4, revision: 0n });
    expect(await handler.handle(sum, 5, { stream: 's' })).toMatchObject({ state: 9, revision: 1n });
    expect(expectations).toEqual(['no_stream', 0n]);
    expect(log.map(({ id, metadata }) => [id, metadata])).toEqual([
      ['id-0', { correlationId: 'r' }],
      ['id-1', undefined],
    ]);
  });

  it('is refused with the state it was refused in, and appends nothing', async () => {
    const { handler, log } = storeOf();
    await handler.handle(sum, 8, { stream: 's' });
    expect(await handler.handle(sum, 3, { stream: 's' })).toEqual({ state: 8, revision: 0n, refusal: 'too_much' });
    expect(log).toHaveLength(1);
  });

  it('with nothing to do appends nothing', async () => {
    const { handler, expectations } = storeOf();
    expect(await handler.handle(sum, 0, { stream: 's' })).toEqual({ state: 0, revision: -1n, events: [] });
    expect(expectations).toEqual([]);
  });
});

describe('a lost race', () => {
  it('is decided again on what won', async () => {
    const { handler, log } = storeOf([3, 2]);
    expect(await handler.handle(sum, 5, { stream: 's' })).toMatchObject({ state: 10, revision: 2n });
    expect(log.map(({ data }) => data)).toEqual([{ by: 3 }, { by: 2 }, { by: 5 }]);
  });

  it('can end in a refusal', async () => {
    const { handler } = storeOf([7]);
    expect(await handler.handle(sum, 5, { stream: 's' })).toMatchObject({ refusal: 'too_much', state: 7 });
  });

  it('is answered at once where whoever decides must look again', async () => {
    const { handler } = storeOf([3]);
    await expect(handler.handle(sum, 5, { stream: 's', attempts: 1 })).rejects.toThrow(WrongExpectedRevision);
  });

  it('costs a command that commutes nothing', async () => {
    const { handler, expectations } = storeOf([1, 1]);
    await handler.handle(sum, 2, { stream: 's', commutes: true });
    await handler.handle(sum, 3, { stream: 's', commutes: true });
    expect(expectations).toEqual(['any', 'stream_exists']);
  });

  it('whose winner cannot be read yet is the store’s fault, and nothing is stored', async () => {
    const { handler, log } = storeOf([3], { behind: true });
    await expect(handler.handle(sum, 5, { stream: 's' })).rejects.toThrow(StoreUnavailable);
    expect(log).toHaveLength(1);
  });
});

it('decides first on what is known without a read', async () => {
  const { handler, log } = storeOf([4]);
  let reads = 0;
  const read = async () => {
    reads++;
    return { state: 4, revision: 0n };
  };
  const handled = await handler.handle(sum, 1, { stream: 's', seen: { state: 0, revision: -1n }, read });
  expect([handled.state, reads, log.length]).toEqual([5, 1, 2]);
});

it('splits what one append cannot hold, each part expecting what the one before left', async () => {
  const large = 'x'.repeat(400_000);
  const many: Decider<number, number, { type: 'Large'; version: 1; data: object }, never> = {
    initial: 0,
    evolve: (state) => state + 1,
    decide: (_state, count) => ({
      events: Array.from({ length: count }, () => ({ type: 'Large' as const, version: 1 as const, data: { large } })),
    }),
  };
  const { handler, expectations } = storeOf();
  expect(await handler.handle(many, 5, { stream: 's' })).toMatchObject({ state: 5, revision: 4n });
  expect(expectations).toEqual(['no_stream', 1n, 3n]);
});

it('reports what no decider stands behind', async () => {
  const { handler, expectations, log } = storeOf();
  await handler.record('s', [added(20)], 'r');
  expect([expectations, log.length]).toEqual([['any'], 1]);
});
