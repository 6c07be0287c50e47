import fc from 'fast-check';
import { interpolatedQuantile, ranked } from './quantile.js';

const lists = fc.array(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -3, max: 3 })), {
  minLength: 1,
  maxLength: 70,
});

it('finds without sorting what sorting would bring to a place', () => {
  fc.assert(
    fc.property(lists, fc.nat(), (values, at) => {
      const rank = at % values.length;
      const sorted = Float64Array.from(values).sort();
      const reordered = Float64Array.from(values);
      expect(ranked(reordered, rank) + 0).toBe(sorted[rank] + 0);
      expect(reordered.slice(0, rank).every((value) => value <= sorted[rank])).toBe(true);
      expect(reordered.slice(rank).every((value) => value >= sorted[rank])).toBe(true);
      expect([...reordered.sort()]).toEqual([...sorted]);
    }),
  );
});

it('interpolates a quantile between the values around it', () => {
  expect(interpolatedQuantile(Float64Array.of(4, 1, 3, 2), 0.5)).toBe(2.5);
  expect(interpolatedQuantile(Float64Array.of(7, 5, 9), 0)).toBe(5);
  expect(interpolatedQuantile(Float64Array.of(7, 5, 9), 1)).toBe(9);
  expect(interpolatedQuantile(Float64Array.of(7, 5, 9, 1, 3), 0.3)).toBeCloseTo(3.4, 12);
  expect(interpolatedQuantile(new Float64Array(0), 0.3)).toBe(Number.NaN);
});
