import { quantile } from '#science/numerics/quantile';
import { separateGenuine } from './genuine-accept.js';

/** Evenly spread scores of wrong pairs, 0 to 1. */
const wrong = Float64Array.from({ length: 10_000 }, (_, i) => (i + 0.5) / 10_000);
const threshold = quantile(wrong, 0.98);
const estimateGenuineAccept = (claims: Float64Array, of: Float64Array, at: number, rejectTarget: number) =>
  separateGenuine(claims, { t20: quantile(of, 0.2), t80: quantile(of, 0.8) }, at, rejectTarget);

/** Claims of which a share is wrong, spread like the wrong pairs; of the genuine ones a share is confirmed. */
function claims(total: number, wrongShare: number, confirmed: number, missedAt = 0.9): Float64Array {
  const wrongs = Math.round(total * wrongShare);
  const genuine = total - wrongs;
  const hits = Math.round(genuine * confirmed);
  return Float64Array.from([
    ...Array.from({ length: wrongs }, (_, i) => (i + 0.5) / wrongs),
    ...Array.from({ length: hits }, () => 1.5),
    ...Array.from({ length: genuine - hits }, () => missedAt),
  ]).sort();
}

describe('separateGenuine', () => {
  it('finds the share confirmed and the share genuine, whatever the mix', () => {
    for (const wrongShare of [0, 0.05, 0.2, 0.35]) {
      const found = estimateGenuineAccept(claims(4000, wrongShare, 0.93), wrong, threshold, 0.98);
      expect(found.estimate).toBeCloseTo(0.93, 2);
      expect(found.genuine_share).toBeCloseTo(1 - wrongShare, 2);
      expect(found.standard_error).toBeGreaterThan(0);
    }
  });

  it('has the standard error of a plain share where all claims are genuine', () => {
    const found = estimateGenuineAccept(claims(1000, 0, 0.9), wrong, threshold, 0.98);
    expect(found.standard_error).toBeCloseTo(Math.sqrt((0.9 * 0.1) / 1000), 6);
  });

  it.each([
    ['too few claims', claims(99, 0, 0.95)],
    ['too few genuine claims', claims(1000, 0.45, 0.95)],
    ['too uncertain', claims(100, 0.1, 0.5)],
    ['genuine claims score like wrong ones', claims(4000, 0.05, 0.9, 0.7)],
  ])('gives none: %s', (reason, scores) => {
    expect(estimateGenuineAccept(scores, wrong, threshold, 0.98)).toMatchObject({ estimate: null, reason });
  });
});
