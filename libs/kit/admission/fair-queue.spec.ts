import fc from 'fast-check';
import { FairQueue } from './fair-queue.js';

const order = (...names: string[]) => {
  const fair = new FairQueue<string>();
  for (const name of names) fair.add(name[0], name);
  return fair;
};
const all = <T>(fair: FairQueue<T>) => Array.from({ length: fair.size }, () => fair.take());

describe('fair order', () => {
  it('serves everybody in turn, each in the order of coming', () => {
    expect(all(order('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'))).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('serves who comes to a long queue next, and owes nothing to who was not there', () => {
    const fair = order(...Array.from({ length: 100 }, (_, i) => `a${i}`));
    for (let i = 0; i < 50; i++) fair.take();
    fair.add('b', 'b1');
    fair.add('b', 'b2');
    expect([1, 2, 3, 4].map(() => fair.take())).toEqual(['b1', 'a50', 'b2', 'a51']);
  });

  it('counts large things for what they cost', () => {
    const fair = new FairQueue<[string, number]>(([, cost]) => cost);
    for (const name of ['a1', 'a2']) fair.add('a', [name, 10]);
    for (let i = 1; i <= 20; i++) fair.add('b', [`b${i}`, 1]);
    const names = all(fair).map((thing) => thing![0]);
    expect(names.slice(0, 11)).toEqual(['a1', ...Array.from({ length: 10 }, (_, i) => `b${i + 1}`)]);
    expect(names[11]).toBe('a2');
  });

  it('passes over what does not fit, and puts at the front what goes on', () => {
    const fair = order('a1', 'a2', 'b1');
    expect(fair.take((name) => name !== 'a1')).toBe('a2');
    fair.add('a', 'a2', true);
    expect(all(fair)).toEqual(['b1', 'a2', 'a1']);
    expect(order('a1').take(() => false)).toBeUndefined();
  });

  it('lets the newest of who has most give way, and nothing of who has less', () => {
    const fair = order('a1', 'a2', 'a3', 'b1');
    expect(fair.givesWay('b')).toBe('a3');
    expect(fair.givesWay('c')).toBe('a3');
    expect(fair.givesWay('a')).toBeUndefined();
    fair.add('b', 'b2');
    expect(fair.givesWay('b')).toBeUndefined();
    expect(order('a1').givesWay('b')).toBeUndefined();
  });

  it('serves who has had least of all who wait, whatever waits', () => {
    const coming = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 1, max: 9 })), {
      minLength: 1,
      maxLength: 80,
    });
    fc.assert(
      fc.property(coming, (things) => {
        const fair = new FairQueue<[string, number]>(([, cost]) => cost);
        for (const thing of things) fair.add(thing[0], thing);
        const left = new Map<string, number>();
        for (const [by] of things) left.set(by, (left.get(by) ?? 0) + 1);
        const had = new Map([...left.keys()].map((by) => [by, 0]));
        while (fair.size > 0) {
          const [by, cost] = fair.take()!;
          const waiting = [...left].filter(([, count]) => count > 0).map(([name]) => had.get(name)!);
          expect(had.get(by)).toBe(Math.min(...waiting));
          had.set(by, had.get(by)! + cost);
          left.set(by, left.get(by)! - 1);
        }
        expect([...left.values()].every((count) => count === 0)).toBe(true);
      }),
    );
  });
});
