import { afterEach, describe, expect, it } from '@jest/globals';
import { ThreadPool } from './thread-pool.js';

const pools: ThreadPool[] = [];
function pool(options: { threads?: number; maxWaiting?: number; graceMs?: number; lost?: Error[] } = {}): ThreadPool {
  const made = new ThreadPool({
    module: new URL('./test/thread.js', import.meta.url),
    threads: options.threads ?? 1,
    maxWaiting: options.maxWaiting ?? 100,
    graceMs: options.graceMs,
    lanes: {
      first: { batch: 4, rank: 0 },
      second: { batch: 1, rank: 1, revive: (e) => new Error(`revived ${e}`) },
      patient: { batch: 1, rank: 2, spare: 2 },
    },
    onThreadLost: (error) => options.lost?.push(error),
  });
  pools.push(made);
  return made;
}
afterEach(() => Promise.all(pools.splice(0).map((made) => made.close())));
const soon = { timeoutMs: 20_000 };

describe('thread pool', () => {
  it('runs jobs and hands back what they answer', async () => {
    const data = Float32Array.of(1, 2, 3);
    const sum = await pool().run('first', { do: 'sum', data }, { ...soon, transfer: [data.buffer] });
    expect(sum).toBe(6);
    expect(data.length).toBe(0);
  });

  it('deals jobs that wait together as one batch', async () => {
    const made = pool();
    const jobs = Array.from({ length: 4 }, () => made.run<{ batch: number }>('first', { do: 'nothing' }, soon));
    expect((await Promise.all(jobs)).map((job) => job.batch)).toEqual([4, 4, 4, 4]);
  });

  it('spreads jobs over its threads', async () => {
    const made = pool({ threads: 2 });
    await made.ready();
    const jobs = Array.from({ length: 8 }, () => made.run<{ thread: number }>('first', { do: 'sleep', ms: 5 }, soon));
    expect(new Set((await Promise.all(jobs)).map((job) => job.thread)).size).toBe(2);
  });

  it('answers a refusal through the lane', async () => {
    await expect(pool().run('second', { do: 'refuse' }, soon)).rejects.toThrow('revived Error: refused');
  });

  it('refuses more than may wait', async () => {
    const made = pool({ maxWaiting: 2 });
    const jobs = [1, 2].map(() => made.run('second', { do: 'nothing' }, soon));
    await expect(made.run('second', { do: 'nothing' }, soon)).rejects.toMatchObject({ reason: 'full' });
    await Promise.all(jobs);
  });

  it('serves who asks in turn, and one who comes to a busy pool next', async () => {
    const made = pool();
    await made.ready();
    const ended: string[] = [];
    const asked = (by: string, n: number) =>
      made.run('second', { do: 'sleep', ms: 20 }, { ...soon, by }).then(() => ended.push(`${by}${n}`));
    const many = Array.from({ length: 20 }, (_, i) => asked('a', i + 1));
    // Two of them are at hand in the thread.
    await new Promise((resolve) => setTimeout(resolve, 5));
    const few = [asked('b', 1), asked('b', 2)];
    await Promise.all([...many, ...few]);
    // Not behind those that wait, nor behind the one that is at hand and not begun.
    expect(ended.indexOf('b1')).toBeLessThanOrEqual(2);
    expect(ended.indexOf('b2')).toBeLessThanOrEqual(5);
  });

  it('refuses the newest of who has most waiting, not who has less', async () => {
    const made = pool({ maxWaiting: 4 });
    const refused: string[] = [];
    const data = Array.from({ length: 4 }, () => Float32Array.of(7, 8));
    const many = data.map((one, i) =>
      made
        .run('second', { do: 'sleep', ms: 10 }, { ...soon, by: 'a', transfer: [one.buffer] })
        .catch(({ reason }) => refused.push(`a${i + 1} ${reason}`)),
    );
    const few = [1, 2].map(() => made.run('second', { do: 'nothing' }, { ...soon, by: 'b' }));
    await expect(made.run('second', { do: 'nothing' }, { ...soon, by: 'b' })).rejects.toMatchObject({ reason: 'full' });
    await Promise.all([...many, ...few]);
    expect(refused).toEqual(['a4 full', 'a3 full']);
    expect([...data[3]]).toEqual([0, 0]);
  });

  it('runs the jobs of a spare lane when nothing else is in hand, and refuses these alone where many wait', async () => {
    const made = pool({ maxWaiting: 3 });
    await made.ready();
    const ended: string[] = [];
    const patient = [1, 2].map((i) =>
      made.run('patient', { do: 'nothing' }, soon).then(() => ended.push(`patient ${i}`)),
    );
    const refused = Float32Array.of(7, 8);
    const third = made.run('patient', { do: 'nothing' }, { ...soon, transfer: [refused.buffer] });
    await expect(third).rejects.toMatchObject({ reason: 'full' });
    expect([...refused]).toEqual([0, 0]);
    const others = [1, 2, 3].map((i) =>
      made.run('second', { do: 'sleep', ms: 10 }, soon).then(() => ended.push(`other ${i}`)),
    );
    await Promise.all([...patient, ...others]);
    // One was in hand before the others came; the next waits for all of them.
    expect(ended).toEqual(['patient 1', 'other 1', 'other 2', 'other 3', 'patient 2']);
  });

  it('gives up a job that takes too long, and goes on', async () => {
    const made = pool();
    await made.ready();
    await expect(made.run('first', { do: 'sleep', ms: 300 }, { timeoutMs: 20 })).rejects.toMatchObject({
      reason: 'timed_out',
    });
    await made.run('first', { do: 'nothing' }, soon);
    expect(made.counts()).toEqual({ waiting: 0, active: 0, threads: 1 });
  });

  it('gives up a job that waits too long', async () => {
    const made = pool();
    const first = [1, 2, 3].map(() => made.run('second', { do: 'sleep', ms: 100 }, soon));
    await expect(made.run('second', { do: 'crash' }, { timeoutMs: 20 })).rejects.toMatchObject({ reason: 'timed_out' });
    await Promise.all(first);
  });

  it('never runs a job that was cancelled while it waited', async () => {
    const made = pool();
    const first = [1, 2].map(() => made.run('second', { do: 'sleep', ms: 50 }, soon));
    const stop = new AbortController();
    const data = Float32Array.of(7, 8);
    const job = made.run('second', { do: 'crash' }, { ...soon, signal: stop.signal, transfer: [data.buffer] });
    stop.abort();
    await expect(job).rejects.toMatchObject({ name: 'JobCancelled' });
    expect([...data]).toEqual([0, 0]);
    await Promise.all(first);
    await expect(made.run('first', {}, { ...soon, signal: stop.signal })).rejects.toMatchObject({
      name: 'JobCancelled',
    });
  });

  it.each(['crash', 'throw'])('fails the jobs of a thread that ends by a %s and replaces it', async (how) => {
    const lost: Error[] = [];
    const made = pool({ lost });
    await expect(made.run('first', { do: how }, soon)).rejects.toMatchObject({ reason: 'worker_lost' });
    expect(lost).toHaveLength(1);
    await made.run('first', { do: 'nothing' }, soon);
    expect(made.counts().threads).toBe(1);
  });

  it('replaces a thread that hangs', async () => {
    const lost: Error[] = [];
    const made = pool({ graceMs: 20, lost });
    await made.ready();
    await expect(made.run('first', { do: 'hang' }, { timeoutMs: 20 })).rejects.toMatchObject({ reason: 'timed_out' });
    while (lost.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await made.run('first', { do: 'nothing' }, soon);
    expect(lost.map((error) => error.message)).toEqual(['worker thread hangs']);
  });

  it('keeps a thread for small jobs while large ones run', async () => {
    const made = pool({ threads: 2 });
    await made.ready();
    const ended: string[] = [];
    const large = [1, 2].map(() =>
      made.run('second', { do: 'sleep', ms: 200 }, { ...soon, large: true }).then(() => ended.push('large')),
    );
    await made.run('second', { do: 'nothing' }, soon).then(() => ended.push('small'));
    await Promise.all(large);
    expect(ended).toEqual(['small', 'large', 'large']);
  });

  it('fails everything when it closes', async () => {
    const made = pool();
    await made.ready();
    const jobs = [1, 2, 3].map(() =>
      made.run('second', { do: 'sleep', ms: 10_000 }, soon).catch((error) => error as { reason: string }),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    await made.close();
    expect((await Promise.all(jobs)).map((error) => (error as { reason: string }).reason)).toEqual([
      'closed',
      'closed',
      'closed',
    ]);
    await expect(made.run('first', {}, soon)).rejects.toMatchObject({ reason: 'closed' });
  });
});
