import fc from 'fast-check';
import { quantile } from '#science/numerics/quantile';
import { countAtMost, shareAbove, wilson } from './statistics.js';

const values = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 60 });
const ascending = values.map((list) => Float64Array.from(list).sort());

describe('quantile', () => {
  it('lets at most one minus the share exceed it, and is the smallest such value', () => {
    fc.assert(
      fc.property(ascending, fc.integer({ min: 1, max: 100 }), (sorted, percent) => {
        const value = quantile(sorted, percent / 100);
        const above = sorted.filter((one) => one > value).length;
        expect(above * 100).toBeLessThanOrEqual((100 - percent) * sorted.length);
        const smaller = sorted.filter((one) => one < value);
        if (smaller.length > 0)
          expect((sorted.length - smaller.length) * 100).toBeGreaterThan((100 - percent) * sorted.length);
      }),
    );
  });

  it('takes rank 49 of 50 at 0.98', () => {
    const ranks = Array.from({ length: 50 }, (_, i) => i + 1);
    expect(quantile(ranks, 0.98)).toBe(49);
    expect(quantile(ranks, 0)).toBe(1);
    expect(quantile(ranks, 1)).toBe(50);
  });
});

it('countAtMost and shareAbove agree with counting', () => {
  fc.assert(
    fc.property(ascending, fc.double({ min: -1, max: 1, noNaN: true }), (sorted, value) => {
      expect(countAtMost(sorted, value)).toBe(sorted.filter((one) => one <= value).length);
      expect(shareAbove(sorted, value)).toBeCloseTo(sorted.filter((one) => one > value).length / sorted.length, 12);
    }),
  );
});

describe('wilson', () => {
  it('gives the published interval of 8 in 10', () => {
    const [low, high] = wilson(8, 10);
    expect(low).toBeCloseTo(0.4902, 4);
    expect(high).toBeCloseTo(0.9433, 4);
  });

  it('holds the share and stays within 0 and 1', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (some, rest) => {
        const [low, high] = wilson(some, some + rest);
        const share = some + rest === 0 ? 0.5 : some / (some + rest);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(share);
        expect(high).toBeGreaterThanOrEqual(share);
      }),
    );
  });
});
