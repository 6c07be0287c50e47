import { afterEach, expect, it } from '@jest/globals';
import { ThreadPool } from './thread-pool.js';

const jobs = new URL('./test/jobs.js', import.meta.url);
const pools: ThreadPool[] = [];
const pool = (size: number) => pools[pools.push(new ThreadPool(size)) - 1];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((one) => one.close()));
});

it('runs an export of a module and moves buffers both ways', async () => {
  const values = Float32Array.of(1, 2, 3.5);
  expect(await pool(1).run(jobs, 'sum', [values])).toBe(6.5);
  const result = await pools[0].run<Float32Array>(jobs, 'doubled', [values], [values.buffer]);
  expect([...result]).toEqual([2, 4, 7]);
  expect(values.byteLength).toBe(0);
});

it('works on as many tasks at once as it has threads, and keeps what a module holds', async () => {
  const made = pool(2);
  const first = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(() => made.run<{ thread: number; calls: number }>(jobs, 'whoami', [20])),
  );
  expect(new Set(first.map(({ thread }) => thread)).size).toBe(2);
  expect(Math.max(...first.map(({ calls }) => calls))).toBeGreaterThan(1);
});

it('hands on what a job throws, and refuses what cannot be cloned', async () => {
  const made = pool(1);
  await expect(made.run(jobs, 'refuse')).rejects.toMatchObject({ name: 'RangeError', message: 'not like this' });
  await expect(made.run(jobs, 'missing')).rejects.toThrow('exports no function missing');
  await expect(made.run(jobs, 'unclonable')).rejects.toThrow('could not be cloned');
  await expect(made.run(jobs, 'sum', [() => {}])).rejects.toMatchObject({ name: 'DataCloneError' });
  await expect(made.run(new URL('./nowhere.js', jobs), 'sum')).rejects.toThrow('nowhere.js');
  expect(await made.run(jobs, 'sum', [Float32Array.of(4)])).toBe(4);
});

it('rejects the task of a thread that dies, and replaces the thread', async () => {
  const made = pool(1);
  for (const how of ['exit', 'throw later']) {
    const crashed = made.run(jobs, 'crash', [how]);
    const waiting = made.run(jobs, 'sum', [Float32Array.of(1, 1)]);
    await expect(crashed).rejects.toThrow('a worker thread died in crash');
    expect(await waiting).toBe(2);
  }
});

it('rejects everything when it is closed', async () => {
  const made = pool(1);
  const tasks = [made.run(jobs, 'whoami', [60_000]), made.run(jobs, 'sum', [Float32Array.of(1)])];
  const outcomes = Promise.allSettled(tasks);
  await made.close();
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected' });
  await expect(made.run(jobs, 'sum', [Float32Array.of(1)])).rejects.toThrow('closed');
});

it('gives its threads the kernel', async () => {
  const result = await pool(1).run<Float32Array>(jobs, 'product', [40]);
  expect(result.every((value) => value === 40)).toBe(true);
});
