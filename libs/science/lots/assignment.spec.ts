import fc from 'fast-check';
import { assign } from './assignment.js';

/** The best total by trying everything. */
function best(profit: number[][], row = 0, taken = new Set<number>()): number {
  if (row === profit.length) return 0;
  let max = best(profit, row + 1, taken);
  profit[row].forEach((value, column) => {
    if (value <= 0 || taken.has(column)) return;
    taken.add(column);
    max = Math.max(max, value + best(profit, row + 1, taken));
    taken.delete(column);
  });
  return max;
}

it('has the largest total of all one-to-one assignments, more rows than columns too', () => {
  const table = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 5 })).chain(([rows, columns]) =>
    fc.array(fc.array(fc.integer({ min: -20, max: 30 }), { minLength: columns, maxLength: columns }), {
      minLength: rows,
      maxLength: rows,
    }),
  );
  fc.assert(
    fc.property(table, (profit) => {
      const assigned = assign(Float64Array.from(profit.flat()), profit.length, profit[0].length);
      const columns = [...assigned].filter((column) => column >= 0);
      expect(new Set(columns).size).toBe(columns.length);
      const total = [...assigned].reduce((sum, column, row) => sum + (column < 0 ? 0 : profit[row][column]), 0);
      expect(total).toBe(best(profit));
      expect([...assigned].every((column, row) => column < 0 || profit[row][column] > 0)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

it('assigns sixty to sixty', () => {
  const profit = Float64Array.from({ length: 3600 }, (_, i) => (i % 61 === 0 ? 5 : 1));
  expect([...assign(profit, 60, 60)]).toEqual(Array.from({ length: 60 }, (_, i) => i));
});
