import { setImmediate } from 'node:timers/promises';
import { Holds } from './holds.js';

describe('holds', () => {
  it('are let go before what ends a thing is done, and none is taken until it is', async () => {
    const holds = new Holds();
    const done: string[] = [];
    const [a, b] = [await holds.hold('key'), await holds.hold('key')];
    const end = holds.end('key', async () => {
      done.push('end');
      await setImmediate();
      done.push('ended');
    });
    const late = holds.hold('key').then((release) => {
      done.push('late');
      release();
    });
    const other = await holds.hold('other');
    a();
    // Twice is once.
    a();
    await setImmediate();
    expect(done).toEqual([]);
    b();
    await Promise.all([end, late]);
    expect(done).toEqual(['end', 'ended', 'late']);
    other();
  });

  it('end one after the other, and go on where the work fails', async () => {
    const holds = new Holds();
    const done: number[] = [];
    const first = holds.end('key', async () => {
      await setImmediate();
      done.push(1);
      throw new Error('the log is away');
    });
    const second = holds.end('key', async () => done.push(2));
    await expect(first).rejects.toThrow('away');
    await second;
    expect(done).toEqual([1, 2]);
    (await holds.hold('key'))();
  });
});
