import { PassThrough } from 'node:stream';
import { ByteBudget } from './byte-budget.js';

const full = () => new Error('full');

/** Uploads that note when they have to give way. */
function sender(budget: ByteBudget, by: string, gaveWay: string[]) {
  let n = 0;
  return (bytes: number) => {
    const name = `${by}${++n}`;
    const answer = new PassThrough();
    const holding = budget.of(answer, by);
    holding.giveWay = ({ message }) => gaveWay.push(`${name} ${message}`);
    budget.add(holding, bytes);
    return answer;
  };
}

describe('a budget of bytes', () => {
  it('is all there for one sender, who is then refused, and is given back', async () => {
    const budget = new ByteBudget(100, full);
    const a = sender(budget, 'a', []);
    const [first] = [a(60), a(40)];
    expect(() => a(1)).toThrow('full');
    first.destroy();
    await new Promise((resolve) => first.once('close', resolve));
    expect(budget.heldBytes).toBe(40);
    a(60);
    expect(() => a(101)).toThrow('full');
  });

  it('is taken from the newest of who holds most, never from who holds less', () => {
    const gaveWay: string[] = [];
    const budget = new ByteBudget(100, full);
    const [a, b, c] = ['a', 'b', 'c'].map((by) => sender(budget, by, gaveWay));
    for (let n = 0; n < 10; n++) a(10);
    b(30);
    expect(gaveWay).toEqual(['a10 full', 'a9 full', 'a8 full']);
    b(20);
    c(30);
    expect(gaveWay.slice(3)).toEqual(['a7 full', 'a6 full', 'a5 full', 'b2 full']);
    expect(budget.heldBytes).toBe(100);
    expect(() => a(10)).toThrow('full');
    expect(gaveWay).toHaveLength(7);
  });

  it('is not taken from who cannot give way: what is held stays counted', () => {
    const gaveWay: string[] = [];
    const budget = new ByteBudget(100, full);
    budget.add(budget.of(new PassThrough(), 'a'), 60);
    const [b, c] = ['b', 'c'].map((by) => sender(budget, by, gaveWay));
    b(20);
    b(20);
    c(10);
    expect(gaveWay).toEqual(['b2 full']);
    expect(() => c(31)).toThrow('full');
    expect(budget.heldBytes).toBe(90);
  });
});
