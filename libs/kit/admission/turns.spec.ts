import { Turns } from './turns.js';

describe('turns', () => {
  it('go to everybody, first to what was begun, and let others run between', async () => {
    const turns = new Turns(8, 60_000);
    const went: string[] = [];
    const reader = (by: string, name: string) => ({ by, go: () => void went.push(name) });
    for (let n = 0; n < 20; n++) turns.wait(reader('a', `a${n}`), false);
    turns.wait(reader('a', 'a begun'), true);
    const left = reader('b', 'b1');
    turns.wait(left, false);
    turns.wait(reader('b', 'b2'), false);
    turns.leave(left);
    expect(went).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(went).toEqual(['a begun', 'b2', 'a0', 'a1', 'a2', 'a3', 'a4', 'a5']);
    while (went.length < 22) await new Promise((resolve) => setImmediate(resolve));
    expect(went.at(-1)).toBe('a19');
  });

  it('end for this turn of the event loop once they took their time, but for one', async () => {
    const turns = new Turns(8, 0);
    let went = 0;
    for (let n = 0; n < 3; n++) turns.wait({ by: 'a', go: () => void went++ }, false);
    for (const expected of [1, 2, 3]) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(went).toBe(expected);
    }
  });

  it('are fewer where what the last ones let come took long', async () => {
    const turns = new Turns(8, 60_000);
    let went = 0;
    for (let n = 0; n < 20; n++) turns.wait({ by: 'a', go: () => void went++ }, false);
    for (const [expected, tookMs] of [
      [8, 60_000],
      [9, 0],
      [11, 0],
    ]) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(went).toBe(expected);
      turns.took(tookMs);
    }
  });

  it('do work step by step, and report what it fails by', async () => {
    const turns = new Turns(1, 60_000);
    const steps: string[] = [];
    const work = (by: string) => turns.work(by, () => steps.push(by) < 5);
    await Promise.all([work('a'), work('b')]);
    expect(steps.join('')).toMatch(/^ab(ab|ba){2}$/);
    let left = 2;
    const fails = turns.work('a', () => {
      if (--left === 0) throw new Error('the disk is full');
      return true;
    });
    await expect(fails).rejects.toThrow('the disk is full');
  });
});
