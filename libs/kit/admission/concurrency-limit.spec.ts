import { ConcurrencyLimit } from './concurrency-limit.js';

const HOUR_MS = 3_600_000;
let now: number;
let places: ConcurrencyLimit;
/** Callers that got a place, in order, and their ways to leave it. */
let entered: { by: string; leave(): void }[];
let refused: { by: string; error: unknown }[];
let over: AbortController;

beforeEach(() => {
  over = new AbortController();
  now = 0;
  places = new ConcurrencyLimit({
    shared: 4,
    alone: 8,
    maxWaiting: 20,
    fault: (reason) => new Error(reason),
    now: () => now,
  });
  entered = [];
  refused = [];
});

// A caller that still waits would keep the run from ending for an hour.
afterEach(() => over.abort());

const settled = () => new Promise(setImmediate);
async function claims(by: string, count: number, { gone, taken }: { gone?: AbortSignal; taken?: number } = {}) {
  const signal = AbortSignal.any(gone ? [over.signal, gone] : [over.signal]);
  for (let n = 0; n < count; n++) {
    places.enter({ by, timeoutMs: HOUR_MS, signal }, taken).then(
      (leave) => entered.push({ by, leave }),
      (error) => refused.push({ by, error }),
    );
  }
  await settled();
}
const inWork = () => entered.map(({ by }) => by).join('');
async function leave(by: string) {
  const at = entered.findIndex((one) => one.by === by);
  entered.splice(at, 1)[0].leave();
  await settled();
}

describe('places for work in hand', () => {
  it('are all of one caller while nobody else is present; the next enters where one leaves', async () => {
    await claims('a', 12);
    expect([inWork(), places.waiting]).toEqual(['a'.repeat(8), 4]);
    await leave('a');
    expect([inWork(), places.waiting]).toEqual(['a'.repeat(8), 3]);
  });

  it('are shared once another caller comes: it enters at once, and the first gets no more than its share', async () => {
    await claims('a', 20);
    await claims('b', 3);
    expect(inWork()).toBe(`${'a'.repeat(8)}bb`);
    for (let n = 0; n < 7; n++) await leave('a');
    expect(inWork()).toBe('abba');
    await leave('b');
    expect(inWork()).toBe('abab');
    // A second after the other's last work left, the first has all of them again.
    await leave('b');
    await leave('b');
    expect(inWork()).toBe('aa');
    now = 1_001;
    await leave('a');
    expect(inWork()).toBe('a'.repeat(8));
  });

  it('are one for each caller at least, however many come', async () => {
    for (const by of 'abcdefghij') await claims(by, 2);
    expect(new Set(inWork())).toEqual(new Set('abcdefghij'));
    // The first entered while it was alone.
    expect(inWork()).toBe('aabbcdefghij');
  });

  it('are taken several at once by large work, which enters where any is left', async () => {
    await claims('a', 20, { taken: 4 });
    expect(inWork()).toBe('aa');
    await claims('b', 1);
    await leave('a');
    expect(inWork()).toBe('ab');
    await leave('a');
    expect(inWork()).toBe('ba');
    await claims('b', 2);
    expect(inWork()).toBe('bab');
  });

  it('are refused, where too many wait, to the caller with most of them', async () => {
    await claims('a', 28);
    await claims('a', 1);
    expect(refused).toEqual([{ by: 'a', error: new Error('full') }]);
    await claims('b', 3);
    expect(refused.map(({ by }) => by)).toEqual(['a', 'a']);
    expect(places.waiting).toBe(20);
  });

  it('are not waited for by a caller that has gone, or beyond its time', async () => {
    const gone = new AbortController();
    await claims('a', 8);
    await claims('a', 1, { gone: gone.signal });
    await claims('a', 1, { gone: AbortSignal.abort() });
    gone.abort();
    places.enter({ by: 'a', timeoutMs: 1 }).catch((error) => refused.push({ by: 'late', error }));
    while (refused.length < 3) await settled();
    expect(refused.map(({ error }) => (error as Error).message)).toEqual(['cancelled', 'cancelled', 'timed_out']);
    expect(places.waiting).toBe(0);
  });
});
