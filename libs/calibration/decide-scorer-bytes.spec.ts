import fc from 'fast-check';
import { admissionFault } from '#catalogue/admission';
import { LogInvariants } from '#catalogue/invariants';
import { streams } from '#domain/streams';
import { testOf } from '#domain/test/given';
import { scorerPartsDecider } from './decide-scorer-bytes.js';
import { noScorer, type ScorerPart, scorerBytes } from './events-scorer.js';

const scorer = 'a'.repeat(64);
const stream = streams.scorer('lab', scorer);
const partsOf = (bytes: Uint8Array, state = noScorer): ScorerPart[] => {
  const decision = scorerPartsDecider.decide(state, { population: 'lab', scorer, bytes });
  return 'events' in decision ? decision.events : [];
};
const { given } = testOf(scorerPartsDecider);

describe('a scorer in parts', () => {
  it('gives its bytes back, whatever they are, and nothing before the last part is there', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 5000 }), (bytes) => {
        const back = scorerBytes(given(...partsOf(bytes)).state);
        expect(back && Buffer.from(back).equals(bytes)).toBe(true);
      }),
    );
    const bytes = new Uint8Array(1_200_000).map((_, i) => i * i);
    const parts = partsOf(bytes);
    expect(parts).toHaveLength(3);
    expect(scorerBytes(given(...parts.slice(0, 2)).state)).toBeUndefined();
    expect(Buffer.from(scorerBytes(given(...parts).state)!).equals(bytes)).toBe(true);
  });

  it('gets what a crash left out, and no part twice', () => {
    const bytes = new Uint8Array(1_200_000).fill(7);
    const [first, second, third] = partsOf(bytes);
    expect(partsOf(bytes, given(first).state)).toEqual([second, third]);
    expect(partsOf(bytes, given(first, second, third).state)).toEqual([]);
    expect(given(first, first, third).state).toEqual(given(first).state);
    // Nor is there one more than the first one says, whoever wrote it.
    const one = { ...third, data: { ...third.data, part: 3, parts: 4 } };
    expect(given(first, second, third, one).state).toEqual(given(first, second, third).state);
  });

  it('fits into an append part by part, and is no spectrum to the log’s check', () => {
    const parts = partsOf(new Uint8Array(1_200_000).map((_, i) => i * 31));
    const chain = { beginning: () => '', after: (root: string) => root };
    const invariants = new LogInvariants({ calibration: chain, lotScorer: chain }, [], () => scorer);
    for (const [revision, { type, version, data }] of parts.entries()) {
      const event = { type, version, data: { ...data } };
      expect(JSON.stringify(event).length).toBeLessThan(1_000_000);
      expect(admissionFault(stream, event)).toBeUndefined();
      expect(invariants.check({ stream, revision: BigInt(revision), position: BigInt(revision), ...event })).toEqual(
        [],
      );
    }
  });
});
