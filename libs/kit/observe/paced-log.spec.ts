import { paced, SELDOM_MS } from './paced-log.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('writes the first line at once, then one a second with a count, each message by itself', () => {
  const lines: unknown[] = [];
  const log = paced({ warn: (...line: unknown[]) => void lines.push(line) } as never);
  for (let request = 0; request < 5; request++) log.warn({ request }, 'away');
  log.warn({ request: 9 }, 'other');
  expect(lines.splice(0)).toEqual([
    [{ request: 0 }, 'away'],
    [{ request: 9 }, 'other'],
  ]);
  jest.advanceTimersByTime(1_000);
  expect(lines.splice(0)).toEqual([[{ request: 4, count: 4 }, 'away']]);
  log.warn({ request: 5 }, 'away');
  jest.advanceTimersByTime(999);
  expect(lines).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(lines.splice(0)).toEqual([[{ request: 5, count: 1 }, 'away']]);
  jest.advanceTimersByTime(1_000);
  log.warn({ request: 6 }, 'away');
  expect(lines).toEqual([[{ request: 6 }, 'away']]);
});

it('writes a line at once and then one every ten seconds of what an operator has to mend', () => {
  const lines: unknown[] = [];
  const log = paced({ warn: (...line: unknown[]) => void lines.push(line) } as never, SELDOM_MS);
  for (let attempt = 0; attempt < 400; attempt++) {
    log.warn({ reason: 'refused' }, 'redis');
    jest.advanceTimersByTime(50);
  }
  expect(lines).toEqual([
    [{ reason: 'refused' }, 'redis'],
    [{ reason: 'refused', count: 199 }, 'redis'],
    [{ reason: 'refused', count: 200 }, 'redis'],
  ]);
});
