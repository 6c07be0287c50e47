import { type ActionReason, adviceOf } from '#science/matching/action';
import type { VerificationResult } from '#science/matching/verdict';
import { meaningOf } from './verdict-words.js';

const result = { verdict: 'NO_MATCH', p_match_5050: 0.71, warnings: [] } as unknown as VerificationResult;
const said = (changes: Partial<VerificationResult>, shared = 0, reasons: ActionReason[] | null = null) => {
  const judged = { ...result, ...changes };
  return meaningOf({ ...judged, ...adviceOf(judged, shared, reasons) });
};

it('says what a verdict means and what to do', () => {
  expect(said({})).toEqual({
    means: expect.stringMatching(
      /genuine claims often score so[.] .* If half .*, 71.0% of those with this score would be[.]$/,
    ),
    todo: expect.stringContaining('six of the rough, re-seated in between'),
  });
  const warnings = ['Uncalibrated population: ...', 'only 1 rough scans; ...'];
  expect(said({ warnings: warnings.slice(0, 1) }).means).toMatch(
    /71.0% .* simulated stones[.] Of real ones it is not known[.]$/,
  );
  expect(said({ warnings }).means).toMatch(/it is not known, nor of scans like these [(]see the warnings[)][.]$/);
  expect(said({ p_match_5050: 0.1 }).todo).toBe('Reject the claim.');
  expect(said({ verdict: 'MATCH' }).todo).toMatch(/^Accept/);
  expect(said({ verdict: 'MATCH' }, 0, ['too_few_rough_scans', 'insufficient_coverage'])).toEqual({
    means: expect.stringMatching(
      /not to be accepted on it alone: fewer than 3 different rough scans, .*; a part of the/,
    ),
    todo: expect.stringContaining('If it stays so, a person decides'),
  });
  expect(said({ verdict: 'MATCH' }, 1)).toEqual({
    means: expect.stringContaining('A scan of the rough is a scan of the polish too'),
    todo: expect.stringContaining('Check the files'),
  });
});
