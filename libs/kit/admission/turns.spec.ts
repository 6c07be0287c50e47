import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

describe('turns', () => {
  it('go to everybody, first to what was begun, and let others run between', async () => {
    const turns = new Turns(8);
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
});
