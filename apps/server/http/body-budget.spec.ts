import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { BodyBudget } from './body-budget.js';

const response = () => new PassThrough() as unknown as ServerResponse & PassThrough;

/** Uploads that note when they have to give way. */
function sender(budget: BodyBudget, by: string, gaveWay: string[]) {
  let n = 0;
  return (bytes: number) => {
    const name = `${by}${++n}`;
    const answer = response();
    const holding = budget.of(answer, by);
    holding.giveWay = ({ code }) => gaveWay.push(`${name} ${code}`);
    budget.add(holding, bytes);
    return answer;
  };
}

describe('memory for bodies', () => {
  it('is all there for one sender, who is then refused, and is given back', async () => {
    const budget = new BodyBudget(100);
    const a = sender(budget, 'a', []);
    const [first] = [a(60), a(40)];
    expect(() => a(1)).toThrow(expect.objectContaining({ code: 'bodies_full', status: 503 }));
    first.destroy();
    await new Promise((resolve) => first.once('close', resolve));
    expect(budget.heldBytes).toBe(40);
    a(60);
    expect(() => a(101)).toThrow('too many bytes');
  });

  it('is taken from the newest of who holds most, never from who holds less', () => {
    const gaveWay: string[] = [];
    const budget = new BodyBudget(100);
    const [a, b, c] = ['a', 'b', 'c'].map((by) => sender(budget, by, gaveWay));
    for (let n = 0; n < 10; n++) a(10);
    b(30);
    expect(gaveWay).toEqual(['a10 bodies_full', 'a9 bodies_full', 'a8 bodies_full']);
    b(20);
    c(30);
    expect(gaveWay.slice(3)).toEqual(['a7 bodies_full', 'a6 bodies_full', 'a5 bodies_full', 'b2 bodies_full']);
    expect(budget.heldBytes).toBe(100);
    expect(() => a(10)).toThrow('too many bytes');
    expect(gaveWay).toHaveLength(7);
  });

  it('gives turns to everybody, goes on with what was begun, and lets others run between', async () => {
    const budget = new BodyBudget(100);
    const went: string[] = [];
    const reader = (by: string, name: string) => ({ by, go: () => void went.push(name) });
    for (let n = 0; n < 20; n++) budget.wait(reader('a', `a${n}`), false);
    budget.wait(reader('a', 'a begun'), true);
    const left = reader('b', 'b1');
    budget.wait(left, false);
    budget.wait(reader('b', 'b2'), false);
    budget.leave(left);
    expect(went).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(went).toEqual(['a begun', 'b2', 'a0', 'a1', 'a2', 'a3', 'a4', 'a5']);
    while (went.length < 22) await new Promise((resolve) => setImmediate(resolve));
    expect(went.at(-1)).toBe('a19');
  });
});
