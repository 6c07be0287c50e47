import { afterEach, expect, it } from '@jest/globals';
import { type JobOptions, type ScoredSides, type ScoringJob, type ScoringQueue, ScoringUnavailable } from './port.js';
import { SharedQueue } from './shared-queue.js';

/** A queue that ends its jobs when the test says so, and keeps the order in which they came. */
function held() {
  const came: string[] = [];
  const ends: { resolve(sides: ScoredSides): void; reject(error: Error): void }[] = [];
  const queue: ScoringQueue = {
    score: (_job: ScoringJob, { by = '' }: JobOptions) => {
      came.push(by);
      return new Promise((resolve, reject) => ends.push({ resolve, reject }));
    },
    state: () => Promise.resolve({ waiting: 0, active: 0, workers: [] }),
    close: async () => {},
  };
  const sides = { model: '', engine: '', rough: [], polish: [] };
  return { queue, came, ends, endOne: () => ends.shift()!.resolve(sides) };
}

const job = (shadow = false): ScoringJob => ({
  model: 'm',
  roughCount: 1,
  polishCount: 1,
  spectra: Float32Array.of(7, 8),
  shadow,
});
const soon = (by: string) => ({ timeoutMs: 20_000, by });
const opened: SharedQueue[] = [];
function inTurn(queue: ScoringQueue, maxWaiting: number) {
  const turns = new SharedQueue(queue, maxWaiting);
  opened.push(turns);
  return turns;
}
// A job that still waits would be refused after the test's end.
afterEach(() => Promise.all(opened.splice(0).map((turns) => turns.close())));
/** Scores what no test asks after. */
const unasked = (turns: SharedQueue, one: ScoringJob, by: string) => void turns.score(one, soon(by)).catch(() => {});

const settle = () => new Promise((resolve) => setImmediate(resolve));
const reasonOf = (work: Promise<unknown>) => work.catch(({ name, reason }) => reason ?? name);

it('keeps a few jobs in the queue and lets the others go in turn by who asks', async () => {
  const { queue, came, endOne } = held();
  const turns = inTurn(queue, 100);
  for (const by of [...'aaaaaaaaaaaa', 'b', 'b']) unasked(turns, job(), by);
  expect(came).toEqual(Array(8).fill('a'));
  unasked(turns, job(true), 'shadow');
  expect(came.pop()).toBe('shadow');
  for (let n = 0; n < 4; n++) {
    endOne();
    await settle();
  }
  expect(came.slice(8)).toEqual(['a', 'b', 'a', 'b']);
  expect((await turns.state()).waiting).toBe(2);
});

it('refuses who has most waiting first, and leaves nothing of the spectra', async () => {
  const { queue } = held();
  const turns = inTurn(queue, 3);
  for (let n = 0; n < 8; n++) unasked(turns, job(), 'a');
  const waiting = [job(), job(), job()];
  const ends = waiting.map((one) => reasonOf(turns.score(one, soon('a'))));
  expect(await reasonOf(turns.score(job(), soon('a')))).toBe('full');
  unasked(turns, job(), 'b');
  expect(await ends[2]).toBe('full');
  expect([...waiting[2].spectra]).toEqual([0, 0]);
});

it('gives up what waits too long, is cancelled, or outlives the queue', async () => {
  const { queue, ends } = held();
  const turns = inTurn(queue, 10);
  const inHand = Array.from({ length: 8 }, () => reasonOf(turns.score(job(), soon('a'))));
  expect(await reasonOf(turns.score(job(), { ...soon('a'), timeoutMs: 1 }))).toBe('timed_out');
  const stop = new AbortController();
  const cancelled = reasonOf(turns.score(job(), { ...soon('a'), signal: stop.signal }));
  stop.abort();
  expect(await cancelled).toBe('JobCancelled');
  const away = [1, 2].map(() => reasonOf(turns.score(job(), soon('a'))));
  ends[0].reject(new ScoringUnavailable('unreachable'));
  expect(await Promise.all([inHand[0], ...away])).toEqual(Array(3).fill('unreachable'));
  unasked(turns, job(), 'a');
  const late = reasonOf(turns.score(job(), soon('a')));
  await turns.close();
  expect(await late).toBe('closed');
});
