import { adviceOf } from '#science/matching/action';
import type { VerificationResult } from '#science/matching/result';
import { meaningOf } from './verdict-words.js';

const result = { verdict: 'NO_MATCH', p_match_5050: 0.71, warnings: [] } as unknown as VerificationResult;
const said = (changes: Partial<VerificationResult>, shared = 0) => {
  const judged = { ...result, ...changes };
  return meaningOf({ ...judged, ...adviceOf(judged, shared) });
};

it('says what a verdict means and what to do', () => {
  expect(said({})).toEqual({
    means: expect.stringContaining('genuine claims often score so. Were as many claims true as false, 71.0%'),
    todo: expect.stringContaining('Measure the rough again'),
  });
  expect(said({ p_match_5050: 0.1 }).todo).toBe('Reject the claim.');
  expect(said({ verdict: 'MATCH' }).todo).toMatch(/^Accept/);
  expect(said({ verdict: 'MATCH' }, 1)).toEqual({
    means: expect.stringContaining('A scan of the rough is a scan of the polish too'),
    todo: expect.stringContaining('Check the files'),
  });
});
