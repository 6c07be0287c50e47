import type { LadderEntry } from '#science/calibration/ladder';
import { type ActionReason, actionReasons, adviceOf } from './action.js';
import type { ExaminedSide } from './warnings.js';

const sideOf = (changes: Partial<ExaminedSide> = {}): ExaminedSide => ({
  ...{ side: 'rough', count: 3, duplicates: 0, shortCoverage: false, references: [] },
  gauges: { sharpness: 0.05, detailResidual: 0, measuredResidual: 0, locallyPolynomial: 0 },
  ...changes,
});
const shipped: LadderEntry = {
  ...{ reject_target: 0.98, threshold: 0.8, upper: 0.81, threshold_source: 'shipped-default: some' },
  expected_genuine_accept: 0.9,
};
const own: LadderEntry = { ...shipped, upper: undefined, threshold_source: 'population-calibrated: 75 claims' };
const result = (verdict: 'MATCH' | 'NO_MATCH', p_match_5050: number, fused_score = 0.9) => ({
  ...{ verdict, p_match_5050, fused_score },
  warnings: [] as string[],
});
const reasonsOf = (changes: Partial<Parameters<typeof actionReasons>[0]>) =>
  actionReasons({
    result: result('MATCH', 0.9),
    ...{ entry: shipped, rough: sideOf(), polish: sideOf({ count: 1 }), sharedScans: 0 },
    ...changes,
  });

it.each([
  ['MATCH', 0.2, 0, 'accept', []],
  ['NO_MATCH', 0.995, 0, 'review', ['likely_no_match']],
  ['NO_MATCH', 0.6, 0, 'review', ['likely_no_match']],
  ['NO_MATCH', 0.599, 0, 'reject', []],
  ['MATCH', 0.9999, 1, 'review', ['shared_scans']],
  ['NO_MATCH', 0.1, 3, 'review', ['shared_scans']],
] as const)(
  '%s at %d with %d shared scans: %s, with a threshold of its own and for answers of before',
  (verdict, p, sharedScans, action, codes) => {
    const judged = result(verdict, p, 0.805);
    const few = sideOf({ count: 1, shortCoverage: true });
    const reasons = actionReasons({ result: judged, entry: own, rough: few, polish: few, sharedScans });
    expect(reasons).toEqual(codes);
    for (const stored of [reasons, null]) {
      const advice = adviceOf(judged, sharedScans, stored);
      expect([advice.action, advice.action_reasons.map(({ code }) => code)]).toEqual([action, codes]);
    }
  },
);

it('accepts under the shipped threshold what was measured, and reviews a MATCH under any other condition, by code and words', () => {
  expect(reasonsOf({})).toEqual([]);
  const gauges = (changes: object) => ({ gauges: { ...sideOf().gauges, ...changes } });
  const cases: [Parameters<typeof reasonsOf>[0], ActionReason][] = [
    [{ rough: sideOf({ count: 2 }) }, 'too_few_rough_scans'],
    [{ rough: sideOf({ count: 4, duplicates: 2 }) }, 'too_few_rough_scans'],
    [{ rough: sideOf({ shortCoverage: true }) }, 'insufficient_coverage'],
    [{ polish: sideOf({ shortCoverage: true }) }, 'insufficient_coverage'],
    [{ polish: sideOf(gauges({ detailResidual: 0.32 })) }, 'off_manifold'],
    [{ rough: sideOf(gauges({ detailResidual: -0.24 })) }, 'off_manifold'],
    [{ rough: sideOf(gauges({ locallyPolynomial: 0.06 })) }, 'locally_polynomial'],
    [{ result: result('MATCH', 0.9, 0.81) }, 'near_threshold'],
    [{ sharedScans: 1 }, 'shared_scans'],
  ];
  for (const [changes, code] of cases) {
    expect(reasonsOf(changes)).toEqual([code]);
    const { action, action_reasons } = adviceOf(result('MATCH', 0.9), changes.sharedScans ?? 0, [code]);
    expect([action, action_reasons]).toEqual(['review', [{ code, text: expect.stringMatching(/^[a-z].{20,}/) }]]);
  }
});

it('leaves a NO_MATCH under the shipped threshold to the pattern', () => {
  const few = sideOf({ count: 1, shortCoverage: true });
  expect(reasonsOf({ result: result('NO_MATCH', 0.3), rough: few })).toEqual([]);
  expect(reasonsOf({ result: result('NO_MATCH', 0.7), rough: few })).toEqual(['likely_no_match']);
});
