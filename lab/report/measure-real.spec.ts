import { areaOf, correlation } from './measure-real.js';

describe('plain comparisons of scans', () => {
  it('correlate values of any size', () => {
    const a = Float64Array.of(10, 30, 20, 60);
    expect(
      correlation(
        a,
        a.map((value) => 5 + 100 * value),
      ),
    ).toBeCloseTo(1, 12);
    expect(correlation(Float64Array.of(1, 2, 3, 4), Float64Array.of(10, 40, 20, 30))).toBeCloseTo(0.4, 12);
  });

  it('rank same above different by the area under the ROC, and say none where a scan is refused', () => {
    const pair = (same: boolean, model: number | null) =>
      ({ scans: [0, 1], same, model, derivative: 0, snv: 0 }) as Parameters<typeof areaOf>[0][number];
    const pairs = [pair(true, 0.9), pair(true, 0.5), pair(false, 0.5), pair(false, 0.1)];
    expect(areaOf(pairs, ({ model }) => model)).toBe(0.875);
    expect(areaOf([...pairs, pair(false, null)], ({ model }) => model)).toBeNull();
  });
});
