import { random } from '../../../test/streams.js';
import {
  andersonDarling,
  CLEAN_WINDOWS,
  DRIFT_LIMIT,
  DRIFT_MEASURES,
  DRIFT_WINDOW,
  type DriftClaim,
  DriftGathering,
  DriftWatch,
  drifted,
  shippedBaseline,
} from './drift.js';

/** Nearly normal numbers: twelve uniform ones added up. */
function normals(seed: number): () => number {
  const uniform = random(seed);
  return () => Array.from({ length: 12 }, uniform).reduce((sum, value) => sum + value, -6);
}

let claims = 0;
const claimOf = (values: number[], more: Partial<DriftClaim> = {}): DriftClaim => {
  const position = ++claims;
  const scans = { rough: 6, polish: 1 };
  return { position, at: `at ${position}`, rough: `r${position}`, polish: `p${position}`, scans, values, ...more };
};
/** Claims whose `measure` is moved; the others are standard normal. */
const claimsOf = (next: () => number, count: number, moved?: number, by = 0, factor = 1) =>
  Array.from({ length: count }, () =>
    claimOf(DRIFT_MEASURES.map((_, m) => (m === moved ? by + factor * next() : next()))),
  );
const watchOn = (list: DriftClaim[]) => {
  const gathering = new DriftGathering();
  for (const claim of list) gathering.add(claim);
  const sample = gathering.sample();
  return new DriftWatch(() => sample);
};

describe('andersonDarling', () => {
  it('agrees with the sum over the pooled order, written out', () => {
    // Pooled: a b a b b; (N M - n i)^2 / (i (N - i)) by hand, over n m = 6.
    const by =
      (5 * 0 - 3 * 1) ** 2 / 4 + (5 * 1 - 3 * 2) ** 2 / 6 + (5 * 1 - 3 * 3) ** 2 / 6 + (5 * 2 - 3 * 4) ** 2 / 4;
    expect(andersonDarling(Float64Array.of(1, 3), Float64Array.of(2, 4, 5))).toBeCloseTo(by / 6, 12);
  });

  it('is 0 of equal samples, also where all values are one', () => {
    const values = Float64Array.of(1, 2, 2, 3);
    expect(andersonDarling(values, values)).toBe(0);
    expect(andersonDarling(Float64Array.of(7, 7), Float64Array.of(7, 7, 7))).toBe(0);
  });

  it.each([40, 400])(
    'exceeds the limit in about one window of a thousand of an unchanged measure, baseline of %i',
    (size) => {
      const next = random(size);
      const draw = (count: number) => Float64Array.from({ length: count }, next).sort();
      let alarms = 0;
      for (let trial = 0; trial < 1000; trial++)
        if (andersonDarling(draw(size), draw(DRIFT_WINDOW)) > DRIFT_LIMIT) alarms++;
      // With one expected, six or more come once in 1,700 seeds.
      expect(alarms).toBeLessThan(6);
    },
  );
});

describe('a change of each measure', () => {
  it.each(DRIFT_MEASURES.map((measure, m) => [measure, m] as const))('is found and named: %s', (measure, m) => {
    const next = normals(m + 1);
    const watch = watchOn(claimsOf(next, 400));
    for (const claim of claimsOf(next, 3 * DRIFT_WINDOW)) watch.take(claim);
    expect([watch.windows, watch.changes]).toEqual([3, []]);
    const shifted = claimsOf(next, DRIFT_WINDOW, m, 1);
    for (const claim of shifted) watch.take(claim);
    expect(watch.changes).toMatchObject([
      {
        type: 'began',
        window: { from: shifted[0].position, to: shifted[DRIFT_WINDOW - 1].position, claims: DRIFT_WINDOW },
      },
    ]);
    const found = watch.began!.measures.filter((one) => one.drifted);
    expect(found.map((one) => one.measure)).toEqual([measure]);
    expect(Math.abs(found[0].shift! - 1)).toBeLessThan(0.5);
  });

  it('is found where only the spread changes', () => {
    const next = normals(9);
    const watch = watchOn(claimsOf(next, 400));
    for (const claim of claimsOf(next, DRIFT_WINDOW, 4, 0, 3)) watch.take(claim);
    expect(drifted(watch.latest!)).toBe(true);
  });
});

describe('an episode', () => {
  const next = normals(77);
  const watch = watchOn(claimsOf(next, 400));
  const window = (moved: boolean) => {
    for (const claim of claimsOf(next, DRIFT_WINDOW, moved ? 0 : undefined, -1)) watch.take(claim);
    return watch.changes.map(({ type }) => type);
  };
  it(`is reported once, outlasts a clean window, ends after ${CLEAN_WINDOWS}, and may come again`, () => {
    expect(window(false)).toEqual([]);
    expect(window(true)).toEqual(['began']);
    expect(window(true)).toEqual(['began']);
    expect(window(false)).toEqual(['began']);
    expect(window(true)).toEqual(['began']);
    expect(window(false)).toEqual(['began']);
    expect(window(false)).toEqual(['began', 'ended']);
    expect(watch.began).toBeUndefined();
    expect(watch.bands.map(({ measure, p05, p95 }) => [measure, p05 < p95])).toEqual(
      DRIFT_MEASURES.map((measure) => [measure, true]),
    );
    expect(watch.episodes).toHaveLength(1);
    expect(watch.episodes[0].began < watch.episodes[0].ended).toBe(true);
    expect(window(true)).toEqual(['began', 'ended', 'began']);
    expect(watch.history).toHaveLength(watch.windows);
    expect(watch.history.at(-1)).toBe(watch.latest);
    for (let more = watch.windows; more < 60; more++) window(false);
    expect([watch.history.length, watch.history.at(-1)]).toEqual([50, watch.latest]);
  });
});

describe('a window', () => {
  it('counts a scan set once: one stone sent often is no window', () => {
    const watch = watchOn(claimsOf(normals(5), 100));
    for (let i = 0; i < 5 * DRIFT_WINDOW; i++) watch.take(claimOf([9, 9, 9, 9, 9], { polish: 'the same' }));
    expect([watch.windows, watch.waiting]).toEqual([0, 1]);
  });
});

describe('the shipped baseline', () => {
  const percentiles = Array.from({ length: 101 }, (_, i) => i / 100);
  const bands = { sharpness: percentiles, detail_residual: percentiles, locally_polynomial: percentiles };
  const asset = {
    baseline: { genuine: percentiles.map((p) => p + 1), wrong: percentiles },
    gauge_bands: { rough: bands, polish: bands },
  };
  it('is made of its percentiles', () => {
    const sample = shippedBaseline(asset)!([claimOf([])]);
    expect(sample).toHaveLength(DRIFT_MEASURES.length);
    expect([sample[0][0], sample[1][0]].map((value) => value.toFixed(4))).toEqual(['1.0003', '0.0003']);
    const values = Float64Array.from({ length: DRIFT_WINDOW }, (_, i) => (i + 0.5) / DRIFT_WINDOW);
    expect(andersonDarling(sample[1], values)).toBeLessThan(0.1);
  });
  it('is that of claims with as many scans, in the shares that a window has them', () => {
    // Fewer rough scans: a score that is lower by 2 and a rough sharpness that is higher by 1.
    const known = (rough: number, score: number, sharpness: number) => ({
      scans: { rough, polish: 1 },
      claims: 100,
      fused_score: percentiles.map((p) => p + score),
      rough_sharpness: percentiles.map((p) => p + sharpness),
      polish_sharpness: percentiles,
      rough_detail_residual: percentiles,
      polish_detail_residual: percentiles,
    });
    const by_scans = [known(1, -2, 2), known(3, -1, 1), known(6, 1, 0)];
    const next = random(3);
    const claimsWith = (rough: number, count: number) =>
      Array.from({ length: count }, () =>
        claimOf([next() - 1, next() + 1, next(), next(), next()], { scans: { rough, polish: 1 } }),
      );
    const alarms = (parts: Parameters<typeof shippedBaseline>[0], list: DriftClaim[]) => {
      const watch = new DriftWatch(shippedBaseline(parts)!);
      for (const claim of list) watch.take(claim);
      return watch.latest!.measures.filter((one) => one.drifted).map((one) => one.measure);
    };
    expect(alarms({ ...asset, by_scans }, claimsWith(3, DRIFT_WINDOW))).toEqual([]);
    // Five rough scans are compared with three: the nearest that is known and not more.
    expect(alarms({ ...asset, by_scans }, claimsWith(5, DRIFT_WINDOW))).toEqual([]);
    expect(alarms(asset, claimsWith(3, DRIFT_WINDOW))).toEqual(['fused_score', 'rough_sharpness']);
    expect(alarms({ ...asset, by_scans }, claimsWith(6, DRIFT_WINDOW))).toEqual(['fused_score', 'rough_sharpness']);
    const [score] = shippedBaseline({ ...asset, by_scans })!([...claimsWith(3, 75), ...claimsWith(6, 25)]);
    expect([score.length, score.filter((value) => value < 0.5).length]).toEqual([2000, 1500]);
  });
  it('is none where the asset holds none', () => {
    expect(shippedBaseline({})).toBeUndefined();
  });
});
