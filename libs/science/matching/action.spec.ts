import { actionOf } from './action.js';

it.each([
  ['MATCH', 0.2, 0, 'accept'],
  ['NO_MATCH', 0.995, 0, 'review'],
  ['NO_MATCH', 0.6, 0, 'review'],
  ['NO_MATCH', 0.599, 0, 'reject'],
  ['MATCH', 0.9999, 1, 'review'],
  ['NO_MATCH', 0.1, 3, 'review'],
] as const)('%s at %d with %d shared scans: %s', (verdict, p_match_5050, shared, action) => {
  expect(actionOf({ verdict, p_match_5050 }, shared)).toBe(action);
});
