import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { uniform } from '#numerics';
import { differingBits, NEAR, type Sketch, similarity } from './nearness.js';
import { NearWindows } from './windows.js';

/** Sketches that are near each other as those of real stones are: a large common part, and a little of their own. */
const sketches = (length: number, count: number) =>
  fc
    .tuple(
      fc.int8Array({ minLength: length, maxLength: length }),
      fc.array(fc.tuple(fc.int8Array({ minLength: length, maxLength: length }), fc.nat(40), fc.integer(), fc.nat(63)), {
        minLength: 1,
        maxLength: count,
      }),
    )
    .map(([common, own]) =>
      own.map(([values, share, , bit], i): Sketch => {
        const mixed = values.map((value, j) =>
          Math.max(-127, Math.min(127, Math.round((value * share + common[j] * (100 - share)) / 100))),
        );
        // Signatures a few bits apart.
        const flipped = 1n << (BigInt(bit) % 32n);
        return { low: Number(flipped) | (i & 3), high: bit, values: mixed };
      }),
    );

/** The sets that the window must find, by the definition: float64 sums in JavaScript, over all that it holds. */
function byHand(
  held: Sketch[],
  sketch: Sketch,
  { cosine, latest, slack }: { cosine: number; latest: number; slack: number },
) {
  const found: number[] = [];
  for (let i = held.length - 1; i >= Math.max(0, held.length - Math.min(latest, 1024)); i--) {
    if (differingBits(sketch, held[i]) > slack) continue;
    if (similarity(sketch.values, held[i].values) >= cosine) found.push(i);
  }
  return found;
}

describe('a window of scan sets', () => {
  it.each([512, 256, 300, 768])('finds what the float64 cosine finds, with vectors of %i', (length) => {
    const window = (all: Sketch[]) =>
      new NearWindows().of('w', (one) => {
        for (const [i, sketch] of all.entries()) one.add(i, sketch);
      });
    fc.assert(
      fc.property(sketches(length, 12), ([first, ...held]) => {
        const one = window(held);
        for (const bar of [NEAR.copy, NEAR.rescan, { cosine: -1, latest: 5, slack: 64 }])
          expect(one.near(first, bar)).toEqual(byHand(held, first, bar));
      }),
      { numRuns: 40 },
    );
  });

  it('decides the bar by the last bit as float64 does', () => {
    const random = uniform(1);
    const next = () => Math.floor(256 * random()) - 128;
    const sketch = (): Sketch => ({
      low: 0,
      high: 0,
      values: Int8Array.from({ length: 512 }, () => Math.max(-127, next())),
    });
    const query = sketch();
    for (let i = 0; i < 200; i++) {
      const other = sketch();
      const cosine = similarity(query.values, other.values);
      const window = new NearWindows().of('w', (one) => one.add(7, other));
      expect(window.near(query, { cosine, latest: 1, slack: 64 })).toEqual([7]);
      expect(window.near(query, { cosine: cosine + Math.abs(cosine) * 2 ** -52, latest: 1, slack: 64 })).toEqual([]);
    }
  });

  it('holds the latest 1,024, follows stones that turn out to be others, and gives its memory back', () => {
    const windows = new NearWindows();
    const sketch = (n: number): Sketch => ({ low: 0, high: 0, values: new Int8Array(512).fill(1 + (n % 100)) });
    const window = windows.of('w', (one) => {
      for (let i = 0; i < 1500; i++) one.add(i, sketch(i));
    });
    const all = { cosine: 0.99, latest: 5000, slack: 0 };
    expect(window.near(sketch(0), all)).toEqual(Array.from({ length: 1024 }, (_, i) => 1499 - i));
    windows.rename(1499, 3);
    expect(window.near(sketch(0), { ...all, latest: 2 })).toEqual([3, 1498]);
    for (let n = 0; n < 400; n++) windows.of(`w${n}`, (one) => one.add(n, sketch(n)));
    expect(windows.has('w')).toBe(false);
    expect(windows.memoryBytes).toBeLessThan(96 * 1024 * 1024);
  });

  it('takes a row of another length for none', () => {
    const window = new NearWindows().of('w', (one) => {
      one.add(1, { low: 0, high: 0, values: new Int8Array(512).fill(3) });
      one.add(2, { low: 0, high: 0, values: new Int8Array(256).fill(3) });
    });
    const query = { low: 0, high: 0, values: new Int8Array(512).fill(5) };
    expect(window.near(query, NEAR.copy)).toEqual([1]);
    expect(window.near({ ...query, values: new Int8Array(256).fill(5) }, NEAR.copy)).toEqual([]);
  });
});
