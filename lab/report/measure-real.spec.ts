import { correlation } from './measure-real.js';

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
});
