import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PROJECTIONS } from '#catalogue/projections';
import { streams } from '#domain/streams';
import { closeViews, dump, keyOf, TestLog, viewOf } from './test/log.js';

afterAll(closeViews);

const KEYS = [
  keyOf('lab-1', { population: 'lab' }),
  keyOf('lab-2', { population: 'lab' }),
  keyOf('lab-3', { population: 'lab' }),
  keyOf('trial', { population: 'lab', kind: 'test' }),
  keyOf('elsewhere'),
];
const MODELS = ['a', 'b', 'c'].map((digit) => digit.repeat(64));

const set = fc.record({
  stone: fc.constantFrom('A', 'B', 'C', 'D', 'E'),
  session: fc.nat(3),
  angle: fc.constantFrom(0.02, 0.1, 0.2, 0.3, 0.9),
  reference: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined, freq: 2 }),
});
const claim = fc.record({
  key: fc.constantFrom(...KEYS),
  rough: set,
  polish: set,
  verdict: fc.constantFrom('MATCH' as const, 'NO_MATCH' as const),
  model: fc.constantFrom(...MODELS),
});
const step = fc.record({ claim, after: fc.constantFrom('nothing', 'nothing', 'label', 'repeat', 'shadow', 'review') });

function logOf(steps: (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]): TestLog {
  const log = new TestLog();
  for (const { claim, after } of steps) {
    const claim_id = log.claim(claim);
    const at = log.now();
    const stream = streams.claim(claim.key.id, claim_id);
    if (after === 'label') log.label(claim_id, 'match', claim.verdict, claim.key);
    if (after === 'repeat')
      log.append(stream, {
        type: 'ClaimRepeated',
        version: 2,
        data: { claim_id, request_id: 'again', sent: null, latency_ms: {}, at },
      });
    if (after === 'shadow')
      log.append(stream, {
        type: 'ClaimShadowScored',
        version: 1,
        data: { claim_id, model: MODELS[0], fused_score: 0.5, at },
      });
    if (after === 'review') {
      const data = { claim_id, note: 'seen', outcome: null, operator: 'ada', request_id: 'r', at };
      log.append(streams.review(claim_id), { type: 'ClaimReviewed', version: 3, data });
    }
  }
  return log;
}

describe('a view', () => {
  it.each(PROJECTIONS.map((projection) => [projection.name, projection] as const))(
    'of %s is the same whatever the size of its transactions',
    (_, projection) => {
      fc.assert(
        fc.property(
          fc.array(step, { minLength: 2, maxLength: 40 }),
          fc.integer({ min: 2, max: 50 }),
          (steps, batch) => {
            const { events } = logOf(steps);
            const whole = dump(viewOf(projection, events));
            for (const size of [1, batch]) expect(dump(viewOf(projection, events, size))).toEqual(whole);
            closeViews();
          },
        ),
        { numRuns: 10 },
      );
    },
  );
});
