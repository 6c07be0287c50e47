import { type RecordedEvent, StoreUnavailable } from './port.js';
import { RecentStates } from './recent-states.js';

const count = { initial: 0, evolve: (state: number) => state + 1 };

/** A stream of `events`, which is away where there are none. */
const log = { events: 1 as number | undefined, reads: 0 };
const states = () =>
  new RecentStates<number, RecordedEvent>(
    {
      async readStream() {
        log.reads++;
        if (log.events === undefined) throw new StoreUnavailable('away');
        return Array.from(
          { length: log.events },
          (_, n) => ({ stream: 'calibration-x', revision: BigInt(n) }) as RecordedEvent,
        );
      },
    },
    count,
  );
afterEach(() => {
  jest.useRealTimers();
  Object.assign(log, { events: 1, reads: 0 });
});

describe('a state that may be half a minute old', () => {
  it('is read once for all who ask at a time, and again once it is old, which nobody waits for', async () => {
    jest.useFakeTimers();
    const recent = states();
    expect(await Promise.all([recent.at('one'), recent.at('one')])).toEqual([1, 1]);
    log.events = 2;
    jest.advanceTimersByTime(29_000);
    expect([await recent.at('one'), log.reads]).toEqual([1, 1]);
    jest.advanceTimersByTime(2_000);
    expect(await recent.at('one')).toBe(1);
    // The log answers within these turns.
    for (let turn = 0; turn < 10; turn++) await null;
    expect([await recent.at('one'), log.reads]).toEqual([2, 2]);
  });

  it('stays what it was while the log is away, and is none where it never was read', async () => {
    jest.useFakeTimers();
    const recent = states();
    await recent.at('one');
    log.events = undefined;
    jest.advanceTimersByTime(31_000);
    expect(await recent.at('one')).toBe(1);
    await expect(recent.at('other')).rejects.toThrow(StoreUnavailable);
  });
});
