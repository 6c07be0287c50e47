import { expect, it } from '@jest/globals';
import { InTurn } from './in-turn.js';
import { type JobOptions, type ScoredSides, type ScoringJob, type ScoringQueue, ScoringUnavailable } from './port.js';

/** A queue that ends its jobs when it is told to, and keeps the order in which they came. */
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

const job = (patient = false): ScoringJob => ({
  model: 'm',
  roughCount: 1,
  polishCount: 1,
  spectra: Float32Array.of(7, 8),
  patient,
});
const soon = (by: string) => ({ timeoutMs: 20_000, by });
const settle = () => new Promise((resolve) => setImmediate(resolve));
const reasonOf = (work: Promise<unknown>) => work.catch(({ name, reason }) => reason ?? name);

it('keeps a few jobs in the queue and lets the others go in turn by who asks', async () => {
  const { queue, came, endOne } = held();
  const turns = new InTurn(queue, 100);
  const all = Array.from({ length: 12 }, () => turns.score(job(), soon('a')));
  all.push(turns.score(job(), soon('b')), turns.score(job(), soon('b')));
  expect(came).toEqual(Array(8).fill('a'));
  void turns.score(job(true), soon('patient'));
  expect(came.pop()).toBe('patient');
  for (let n = 0; n < 4; n++) {
    endOne();
    await settle();
  }
  expect(came.slice(8)).toEqual(['a', 'b', 'a', 'b']);
  expect((await turns.state()).waiting).toBe(2);
});

it('refuses who has most waiting first, and leaves nothing of the spectra', async () => {
  const { queue } = held();
  const turns = new InTurn(queue, 3);
  for (let n = 0; n < 8; n++) void turns.score(job(), soon('a'));
  const waiting = [job(), job(), job()];
  const ends = waiting.map((one) => reasonOf(turns.score(one, soon('a'))));
  expect(await reasonOf(turns.score(job(), soon('a')))).toBe('full');
  void turns.score(job(), soon('b'));
  expect(await ends[2]).toBe('full');
  expect([...waiting[2].spectra]).toEqual([0, 0]);
});

it('gives up what waits too long, is cancelled, or outlives the queue', async () => {
  const { queue, ends } = held();
  const turns = new InTurn(queue, 10);
  const inHand = Array.from({ length: 8 }, () => reasonOf(turns.score(job(), soon('a'))));
  expect(await reasonOf(turns.score(job(), { ...soon('a'), timeoutMs: 1 }))).toBe('timed_out');
  const stop = new AbortController();
  const cancelled = reasonOf(turns.score(job(), { ...soon('a'), signal: stop.signal }));
  stop.abort();
  expect(await cancelled).toBe('JobCancelled');
  const away = [1, 2].map(() => reasonOf(turns.score(job(), soon('a'))));
  ends[0].reject(new ScoringUnavailable('unreachable'));
  expect(await Promise.all([inHand[0], ...away])).toEqual(Array(3).fill('unreachable'));
  void turns.score(job(), soon('a'));
  const late = reasonOf(turns.score(job(), soon('a')));
  await turns.close();
  expect(await late).toBe('closed');
});
