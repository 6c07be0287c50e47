import { streams } from '#domain/streams';
import { type RecordedEvent, StoreUnavailable } from '#kit/log/port';
import { CarriedFigures } from './figures.js';

const STREAM = streams.figure('antwerp');
const of = { model: { digest: 'm' }, ladderDigest: 'l' };

/** A stream whose only event says so many of 1,000; it is away where there is none. */
const log = { says: 1 as number | undefined, reads: 0 };
const figures = () =>
  new CarriedFigures({
    async readStream() {
      log.reads++;
      if (log.says === undefined) throw new StoreUnavailable('away');
      const rungs = [{ reject_target: 0.98, wrong_per_1000: log.says }];
      const data = { population: 'antwerp', model: 'm', ladder_digest: 'l', claims: 30, stones: 30, rungs, at: '' };
      return [{ type: 'CarriedMeasured', stream: STREAM, revision: 0n, data } as unknown as RecordedEvent];
    },
  });
const shown = async (of1: CarriedFigures, population = 'antwerp') =>
  (await of1.at(population, 0.98, of))?.wrong_per_1000;
afterEach(() => {
  jest.useRealTimers();
  Object.assign(log, { says: 1, reads: 0 });
});

describe('a figure that may be half a minute old', () => {
  it('is read once for all who ask at a time, and again once it is old, which nobody waits for', async () => {
    jest.useFakeTimers();
    // To the cache a moment 0 is none.
    jest.advanceTimersByTime(1);
    const recent = figures();
    expect(await Promise.all([shown(recent), shown(recent)])).toEqual([1, 1]);
    log.says = 2;
    jest.advanceTimersByTime(29_000);
    expect([await shown(recent), log.reads]).toEqual([1, 1]);
    jest.advanceTimersByTime(2_000);
    expect(await shown(recent)).toBe(1);
    // The log answers within these turns.
    for (let turn = 0; turn < 20; turn++) await null;
    expect([await shown(recent), log.reads]).toEqual([2, 2]);
  });

  it('stays what it was while the log is away, and is none where it never was read', async () => {
    jest.useFakeTimers();
    // To the cache a moment 0 is none.
    jest.advanceTimersByTime(1);
    const recent = figures();
    await shown(recent);
    log.says = undefined;
    jest.advanceTimersByTime(31_000);
    expect(await shown(recent)).toBe(1);
    for (let turn = 0; turn < 20; turn++) await null;
    expect(await shown(recent)).toBe(1);
    expect(await shown(recent, 'other')).toBeUndefined();
  });
});
