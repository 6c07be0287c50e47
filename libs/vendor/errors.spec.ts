import { refusalReason, VendorFault } from './errors.js';

it.each([
  [404, 'stone not found', 'not-found'],
  [200, 'Stone with barcode 7 NOT FOUND', 'not-found'],
  [400, 'invalid barcode', 'invalid-barcode'],
  [422, 'the stoneId is invalid', 'invalid-stone-id'],
  [401, 'unknown stone key', undefined],
  [403, 'stone not found', undefined],
  [429, 'stone not found', undefined],
  [400, 'invalid secret-key for stones', undefined],
  [404, 'endpoint not found', undefined],
  [500, 'unknown error', undefined],
])('status %d with "%s" is about the identifier: %s', (status, text, reason) => {
  expect(refusalReason(status, text)).toBe(reason);
});

it.each([
  [429, true],
  [503, true],
  [401, false],
  [403, false],
])('a fault of status %d may pass: %s', (status, transient) => {
  expect(new VendorFault('status', '', status).transient).toBe(transient);
});
