import { setTimeout as sleep } from 'node:timers/promises';
import { ThreadPool } from './pool.js';

const jobs = new URL('./test/jobs.js', import.meta.url);
const pools: ThreadPool[] = [];
function pool(
  options: {
    threads?: number;
    maxWaiting?: number;
    graceMs?: number;
    idleMs?: number;
    inSqlite?: boolean;
    lost?: Error[];
  } = {},
): ThreadPool {
  const made = new ThreadPool({
    module: new URL('./test/lanes.js', import.meta.url),
    threads: options.threads ?? 1,
    maxWaiting: options.maxWaiting ?? 100,
    graceMs: options.graceMs,
    idleMs: options.idleMs,
    inSqlite: options.inSqlite,
    lanes: {
      first: { batch: 4, rank: 0 },
      second: { batch: 1, rank: 1 },
      patient: { batch: 1, rank: 2, spare: 2 },
    },
    onThreadLost: (error) => options.lost?.push(error),
    fault: (reason, cause) => Object.assign(new Error('given up', { cause }), { reason }),
    revive: (error) => new Error(`revived ${error}`),
  });
  pools.push(made);
  return made;
}
afterEach(() => Promise.all(pools.splice(0).map((made) => made.close())));
const soon = { timeoutMs: 20_000 };

describe('lanes of a thread pool', () => {
  it('runs jobs and hands back what they answer', async () => {
    const data = Float32Array.of(1, 2, 3);
    const sum = await pool().submit('first', { do: 'sum', data }, { ...soon, transfer: [data.buffer] });
    expect(sum).toBe(6);
    expect(data.length).toBe(0);
  });

  it('deals jobs that wait together as one batch', async () => {
    const made = pool();
    const jobs = Array.from({ length: 4 }, () => made.submit<{ batch: number }>('first', { do: 'nothing' }, soon));
    expect((await Promise.all(jobs)).map((job) => job.batch)).toEqual([4, 4, 4, 4]);
  });

  it('spreads jobs over its threads', async () => {
    const made = pool({ threads: 2 });
    await made.ready();
    const jobs = Array.from({ length: 8 }, () =>
      made.submit<{ thread: number }>('first', { do: 'sleep', ms: 5 }, soon),
    );
    expect(new Set((await Promise.all(jobs)).map((job) => job.thread)).size).toBe(2);
  });

  it('answers what a job refuses through `revive`', async () => {
    await expect(pool().submit('second', { do: 'refuse' }, soon)).rejects.toThrow('revived Error: refused');
  });

  it('refuses more than may wait', async () => {
    const made = pool({ maxWaiting: 2 });
    const jobs = [1, 2].map(() => made.submit('second', { do: 'nothing' }, soon));
    await expect(made.submit('second', { do: 'nothing' }, soon)).rejects.toMatchObject({ reason: 'full' });
    await Promise.all(jobs);
  });

  it('serves who asks in turn, and one who comes to a busy pool next', async () => {
    const made = pool();
    await made.ready();
    const ended: string[] = [];
    const asked = (by: string, n: number) =>
      made.submit('second', { do: 'sleep', ms: 20 }, { ...soon, by }).then(() => ended.push(`${by}${n}`));
    const many = Array.from({ length: 20 }, (_, i) => asked('a', i + 1));
    // Two of them are at hand in the thread.
    await sleep(5);
    const before = ended.length;
    const few = [asked('b', 1), asked('b', 2)];
    await Promise.all([...many, ...few]);
    // Not behind those that wait, nor behind the one that is at hand and not begun.
    expect(ended.indexOf('b1') - before).toBeLessThanOrEqual(2);
    expect(ended.indexOf('b2') - before).toBeLessThanOrEqual(5);
  });

  it('refuses the newest of who has most waiting, not who has less', async () => {
    const made = pool({ maxWaiting: 4 });
    const refused: string[] = [];
    const data = Array.from({ length: 4 }, () => Float32Array.of(7, 8));
    const many = data.map((one, i) =>
      made
        .submit('second', { do: 'sleep', ms: 10 }, { ...soon, by: 'a', transfer: [one.buffer] })
        .catch(({ reason }) => refused.push(`a${i + 1} ${reason}`)),
    );
    const few = [1, 2].map(() => made.submit('second', { do: 'nothing' }, { ...soon, by: 'b' }));
    await expect(made.submit('second', { do: 'nothing' }, { ...soon, by: 'b' })).rejects.toMatchObject({
      reason: 'full',
    });
    await Promise.all([...many, ...few]);
    expect(refused).toEqual(['a4 full', 'a3 full']);
    expect([...data[3]]).toEqual([0, 0]);
  });

  it('runs the jobs of a spare lane when nothing else is in hand, and refuses these alone where many wait', async () => {
    const made = pool({ maxWaiting: 3 });
    await made.ready();
    const ended: string[] = [];
    const patient = [1, 2].map((i) =>
      made.submit('patient', { do: 'nothing' }, soon).then(() => ended.push(`patient ${i}`)),
    );
    const refused = Float32Array.of(7, 8);
    const third = made.submit('patient', { do: 'nothing' }, { ...soon, transfer: [refused.buffer] });
    await expect(third).rejects.toMatchObject({ reason: 'full' });
    expect([...refused]).toEqual([0, 0]);
    const others = [1, 2, 3].map((i) =>
      made.submit('second', { do: 'sleep', ms: 10 }, soon).then(() => ended.push(`other ${i}`)),
    );
    await Promise.all([...patient, ...others]);
    // One was in hand before the others came; the next waits for all of them.
    expect(ended).toEqual(['patient 1', 'other 1', 'other 2', 'other 3', 'patient 2']);
  });

  it('gives up a job that takes too long, and goes on', async () => {
    const made = pool();
    await made.ready();
    await expect(made.submit('first', { do: 'sleep', ms: 300 }, { timeoutMs: 20 })).rejects.toMatchObject({
      reason: 'timed_out',
    });
    await made.submit('first', { do: 'nothing' }, soon);
    expect(made.counts()).toEqual({ waiting: 0, active: 0, threads: 1 });
  });

  it('gives up a job that waits too long', async () => {
    const made = pool();
    const first = [1, 2, 3].map(() => made.submit('second', { do: 'sleep', ms: 100 }, soon));
    await expect(made.submit('second', { do: 'crash' }, { timeoutMs: 20 })).rejects.toMatchObject({
      reason: 'timed_out',
    });
    await Promise.all(first);
  });

  it('never runs a job that was cancelled while it waited', async () => {
    const made = pool();
    const first = [1, 2].map(() => made.submit('second', { do: 'sleep', ms: 50 }, soon));
    const stop = new AbortController();
    const data = Float32Array.of(7, 8);
    const job = made.submit('second', { do: 'crash' }, { ...soon, signal: stop.signal, transfer: [data.buffer] });
    stop.abort();
    await expect(job).rejects.toMatchObject({ reason: 'cancelled' });
    expect([...data]).toEqual([0, 0]);
    await Promise.all(first);
    await expect(made.submit('first', {}, { ...soon, signal: stop.signal })).rejects.toMatchObject({
      reason: 'cancelled',
    });
  });

  it.each(['crash', 'throw'])('fails the jobs of a thread that ends by a %s and replaces it', async (how) => {
    const lost: Error[] = [];
    const made = pool({ lost });
    await expect(made.submit('first', { do: how }, soon)).rejects.toMatchObject({ reason: 'worker_lost' });
    expect(lost).toHaveLength(1);
    await made.submit('first', { do: 'nothing' }, soon);
    expect(made.counts().threads).toBe(1);
  });

  it('replaces a thread that hangs', async () => {
    const lost: Error[] = [];
    const made = pool({ graceMs: 20, lost });
    await made.ready();
    await expect(made.submit('first', { do: 'hang' }, { timeoutMs: 20 })).rejects.toMatchObject({
      reason: 'timed_out',
    });
    while (lost.length === 0) await sleep(5);
    await made.submit('first', { do: 'nothing' }, soon);
    expect(lost.map((error) => error.message)).toEqual(['worker thread hangs']);
  });

  it('lets a thread that is in SQLite end by itself: terminated there it would take the process with it', async () => {
    const lost: Error[] = [];
    for (const graceMs of [1, 2000]) {
      const made = pool({ graceMs, inSqlite: true, lost });
      let asked = () => {};
      const begun = new Promise<void>((resolve) => (asked = resolve));
      const gone = new AbortController();
      const job = made.run(jobs, 'askSqlite', [], { signal: gone.signal, onProgress: () => asked() });
      const ended = expect(job).rejects.toMatchObject({ reason: graceMs === 1 ? 'cancelled' : 'closed' });
      await begun;
      if (graceMs === 1) gone.abort();
      // One that is taken for hung makes room at once.
      while (graceMs === 1 && lost.length === 0) await sleep(5);
      if (graceMs === 1) await made.submit('first', { do: 'nothing' }, soon);
      await made.close();
      await ended;
    }
    expect(lost.map((error) => error.message)).toEqual(['worker thread hangs']);
  });

  it('ends a job in steps once its caller has gone, and replaces a thread that works on without them', async () => {
    const lost: Error[] = [];
    const made = pool({ graceMs: 500, lost });
    await made.ready();
    const given = async (job: object) => {
      const gone = new AbortController();
      const running = made.submit('first', job, { signal: gone.signal });
      await sleep(50);
      gone.abort();
      await expect(running).rejects.toMatchObject({ reason: 'cancelled' });
    };
    const { thread } = await made.submit<{ thread: number }>('first', { do: 'nothing' }, soon);
    await given({ do: 'steps' });
    expect(await made.submit('first', { do: 'nothing' }, soon)).toMatchObject({ thread });
    expect(lost).toEqual([]);
    await given({ do: 'hang' });
    while (lost.length === 0) await sleep(5);
    expect(await made.submit<{ thread: number }>('first', { do: 'nothing' }, soon)).not.toMatchObject({ thread });
    expect(lost.map((error) => error.message)).toEqual(['worker thread hangs']);
  });

  it('replaces no thread for a job that waits there behind another', async () => {
    const lost: Error[] = [];
    const made = pool({ graceMs: 20, lost });
    await made.ready();
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const works = made.submit('second', { do: 'wait', gate }, soon);
    const gone = new AbortController();
    const waits = made.submit('second', { do: 'nothing' }, { signal: gone.signal });
    await sleep(20);
    gone.abort();
    await expect(waits).rejects.toMatchObject({ reason: 'cancelled' });
    await sleep(200);
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    await works;
    expect(lost).toEqual([]);
  });

  it('ends a thread that has nothing to do, and starts one for the next job', async () => {
    const lost: Error[] = [];
    const made = pool({ idleMs: 100, lost });
    for (let time = 0; time < 2; time++) {
      // It works for longer than it may be idle.
      await made.submit('second', { do: 'sleep', ms: 300 }, soon);
      expect(made.counts().threads).toBe(1);
      while (made.counts().threads > 0) await sleep(5);
    }
    expect(lost).toEqual([]);
  });

  it('says when a payload is read: at an answer, at a drop, late where the job was given up, never where the thread is lost', async () => {
    const [made, losing] = [pool(), pool({ graceMs: 20 })];
    await Promise.all([made.ready(), losing.ready()]);
    const read: string[] = [];
    const job = (name: string, payload: object, timeoutMs = 20_000, on = made) =>
      on.submit('second', payload, { timeoutMs, onRead: () => read.push(name) }).catch(() => {});
    await job('answered', { do: 'nothing' });
    await job('refused', { do: 'refuse' });
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const waits = made.submit('second', { do: 'wait', gate }, soon);
    const behind = [job('given up', { do: 'nothing' }, 20), job('dropped', { do: 'nothing' }, 20)];
    await Promise.all(behind);
    expect(read).toEqual(['answered', 'refused', 'dropped']);
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    await waits;
    await job('after', { do: 'nothing' });
    expect(read).toEqual(['answered', 'refused', 'dropped', 'given up', 'after']);
    await job('hung', { do: 'hang' }, 20, losing);
    await job('crashed', { do: 'crash' }, 20_000, losing);
    await job('last', { do: 'nothing' }, 20_000, losing);
    expect(read.slice(5)).toEqual(['last']);
  });

  it('keeps a thread for small jobs while large ones run', async () => {
    const made = pool({ threads: 2 });
    await made.ready();
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const done: string[] = [];
    const submit = async (name: string, job: object, large: boolean) => {
      await made.submit('second', job, { ...soon, large });
      done.push(name);
    };
    const large = [1, 2].map(() => submit('large', { do: 'wait', gate }, true));
    await submit('small', { do: 'nothing' }, false);
    expect(done).toEqual(['small']);
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    await Promise.all(large);
    expect(done).toEqual(['small', 'large', 'large']);
  });

  it('fails everything when it closes', async () => {
    const made = pool();
    await made.ready();
    const jobs = [1, 2, 3].map(() =>
      made.submit('second', { do: 'sleep', ms: 10_000 }, soon).catch((error) => error as { reason: string }),
    );
    await sleep(20);
    await made.close();
    expect((await Promise.all(jobs)).map((error) => (error as { reason: string }).reason)).toEqual([
      'closed',
      'closed',
      'closed',
    ]);
    await expect(made.submit('first', {}, soon)).rejects.toMatchObject({ reason: 'closed' });
  });
});

const plain = (threads = 1) => pools[pools.push(new ThreadPool({ threads })) - 1];

describe('calls on a thread pool', () => {
  it('run an export of a module and move buffers both ways', async () => {
    const made = plain();
    const values = Float32Array.of(1, 2, 3.5);
    expect(await made.run(jobs, 'sum', [values])).toBe(6.5);
    const result = await made.run<Float32Array>(jobs, 'doubled', [values], { transfer: [values.buffer] });
    expect([...result]).toEqual([2, 4, 7]);
    expect(values.byteLength).toBe(0);
  });

  it('report on their way', async () => {
    const reported: unknown[] = [];
    const onProgress = (value: unknown) => reported.push(value);
    expect(await plain().run(jobs, 'count', [3], { onProgress })).toBe('counted');
    expect(reported).toEqual([1, 2, 3]);
  });

  it('run as many at once as there are threads, and keep what a module holds', async () => {
    const made = plain(2);
    const met = new Int32Array(new SharedArrayBuffer(4));
    const first = await Promise.all([1, 2].map(() => made.run<{ thread: number }>(jobs, 'meet', [met, 2])));
    expect(new Set(first.map(({ thread }) => thread)).size).toBe(2);
    const later = await Promise.all([1, 2, 3].map(() => made.run<{ calls: number }>(jobs, 'whoami', [1])));
    expect(Math.max(...later.map(({ calls }) => calls))).toBeGreaterThan(1);
  });

  it('hand on what is thrown, and refuse what cannot be cloned', async () => {
    const made = plain();
    await expect(made.run(jobs, 'refuse')).rejects.toMatchObject({ name: 'RangeError', message: 'not like this' });
    await expect(made.run(jobs, 'missing')).rejects.toThrow('exports no function missing');
    await expect(made.run(jobs, 'unclonable')).rejects.toThrow('could not be cloned');
    await expect(made.run(jobs, 'sum', [() => {}])).rejects.toMatchObject({ name: 'DataCloneError' });
    await expect(made.run(new URL('./nowhere.js', jobs), 'sum')).rejects.toThrow('nowhere.js');
    expect(await made.run(jobs, 'sum', [Float32Array.of(4)])).toBe(4);
  });

  it('reject with the thread that dies alone, and go on with another', async () => {
    const made = plain();
    for (const how of ['exit', 'throw later']) {
      const crashed = made.run(jobs, 'crash', [how]);
      const waiting = made.run(jobs, 'sum', [Float32Array.of(1, 1)]);
      await expect(crashed).rejects.toThrow('a worker thread was lost');
      expect(await waiting).toBe(2);
    }
  });

  it('reject where no thread can start', async () => {
    const module = new URL('./test/lanes.js', import.meta.url);
    pools.push(new ThreadPool({ threads: 1, module, data: 'cannot start' }));
    await expect(pools.at(-1)!.ready()).rejects.toThrow('no model');
    await expect(pools.at(-1)!.run(jobs, 'sum', [Float32Array.of(1)])).rejects.toThrow('no model');
  });

  it('reject when the pool is closed', async () => {
    const made = plain();
    const tasks = [made.run(jobs, 'whoami', [60_000]), made.run(jobs, 'sum', [Float32Array.of(1)])];
    const outcomes = Promise.allSettled(tasks);
    await made.close();
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected' });
    await expect(made.run(jobs, 'sum', [Float32Array.of(1)])).rejects.toThrow('closed');
  });
});
