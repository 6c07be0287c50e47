import { REFERENCE_STEP, referenceAxis } from './axis.js';

it('spans 492.23 to 5988.79 in 671 even steps of 8.2038', () => {
  const axis = referenceAxis();
  expect(axis).toHaveLength(671);
  expect([axis[0], axis[670]]).toEqual([492.23, 5988.79]);
  expect(REFERENCE_STEP).toBeCloseTo(8.2038, 4);
  for (let i = 1; i < 671; i++) expect(Math.abs(axis[i] - axis[i - 1] - REFERENCE_STEP)).toBeLessThan(1e-9);
});
