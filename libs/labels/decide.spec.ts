import fc from 'fast-check';
import type { Verdict } from '#claims/events';
import { limits } from '#config/limits';
import { testOf } from '#domain/test/given';
import { type LabelResult, labelDecider } from './decide.js';
import type { LabelEvent } from './events.js';

const verdicts: Record<string, Verdict> = { m: 'MATCH', n: 'NO_MATCH' };
const verdictOf = (claimId: string) => (Object.hasOwn(verdicts, claimId) ? verdicts[claimId] : undefined);
const { given } = testOf(labelDecider);
/** Nothing refuses the whole: each item has its answer. */
const label = (log: LabelEvent[], ...items: unknown[]) => {
  const decided = given(...log).when({ type: 'label', items, verdictOf, requestId: 'r1', at: 'T1' });
  return decided as { answer: LabelResult[]; events: LabelEvent[] };
};
const statuses = (events: LabelEvent[], ...items: unknown[]) =>
  label(events, ...items).answer.map(({ status }) => status);

const { events: held } = label([], { claim_id: 'm', expected: 'match', stone_id: '1001', note: 'seen' });

describe('labels', () => {
  it('given none, when labelled, then accepted with the verdict and whether they agree', () => {
    const { answer: results, events } = label(
      [],
      { claim_id: 'm', expected: 'match', stone_id: ' 1001 ' },
      { claim_id: 'n', expected: 'match' },
    );
    expect(results).toEqual([
      { claim_id: 'm', status: 'accepted', expected: 'match', verdict: 'MATCH', agrees: true, stone_id: '1001' },
      { claim_id: 'n', status: 'accepted', expected: 'match', verdict: 'NO_MATCH', agrees: false },
    ]);
    expect(events).toEqual([
      {
        type: 'ClaimLabelled',
        version: 1,
        data: {
          claim_id: 'm',
          verdict: 'MATCH',
          agrees: true,
          label: { expected: 'match', stone_id: '1001', request_id: 'r1', at: 'T1' },
        },
      },
      {
        type: 'ClaimLabelled',
        version: 1,
        data: {
          claim_id: 'n',
          verdict: 'NO_MATCH',
          agrees: false,
          label: { expected: 'match', request_id: 'r1', at: 'T1' },
        },
      },
    ]);
  });

  it('given a label, when the same comes, then it is a duplicate and nothing changes', () => {
    for (const same of [{}, { stone_id: '1001' }, { note: 'seen' }, { stone_id: null, note: '' }]) {
      const { answer: results, events } = label(held, { claim_id: 'm', expected: 'match', ...same });
      expect(results[0].status).toBe('duplicate');
      expect(events).toEqual([]);
    }
  });

  it('given a label, when another comes, then it is amended and both versions are kept', () => {
    const { answer: results, events } = label(held, { claim_id: 'm', expected: 'no_match' });
    expect(results).toMatchObject([{ status: 'amended', expected: 'no_match', verdict: 'MATCH', agrees: false }]);
    expect(events).toMatchObject([
      {
        type: 'LabelAmended',
        data: { previous: { expected: 'match', note: 'seen' }, label: { expected: 'no_match' } },
      },
    ]);
    expect(
      given(...held, ...events)
        .state.get('m')
        ?.map(({ expected }) => expected),
    ).toEqual(['match', 'no_match']);
  });

  it('given a label, when another note or stone comes, then it is amended: nothing sent is dropped', () => {
    expect(statuses(held, { claim_id: 'm', expected: 'match', note: 'seen twice' })).toEqual(['amended']);
    expect(statuses(held, { claim_id: 'm', expected: 'match', stone_id: '1002' })).toEqual(['amended']);
  });

  it('given a label, when only one member is sent again, then the others stay', () => {
    const amended = (item: object) => label(held, { claim_id: 'm', expected: 'match', ...item });
    for (const [item, holds] of [
      [{ note: 'seen twice' }, { expected: 'match', stone_id: '1001', note: 'seen twice' }],
      [{ stone_id: '1002' }, { expected: 'match', stone_id: '1002', note: 'seen' }],
      [{ expected: 'no_match' }, { expected: 'no_match', stone_id: '1001', note: 'seen' }],
    ] as const) {
      const { answer: results, events } = amended(item);
      expect(events[0].data.label).toMatchObject(holds);
      expect(results[0].stone_id).toBe(holds.stone_id);
    }
  });

  it('sees in one call what its earlier items did', () => {
    const one = { claim_id: 'm', expected: 'match' };
    expect(statuses([], one, one, { ...one, expected: 'no_match' }, one)).toEqual([
      'accepted',
      'duplicate',
      'amended',
      'amended',
    ]);
  });

  it.each([
    [{ claim_id: 'x', expected: 'match' }, 'unknown claim_id'],
    [{ claim_id: '__proto__', expected: 'match' }, 'unknown claim_id'],
    [{ expected: 'match' }, 'unknown claim_id'],
    [{ claim_id: 7, expected: 'match' }, 'unknown claim_id'],
    [null, 'unknown claim_id'],
    ['m', 'unknown claim_id'],
    [['m', 'match'], 'unknown claim_id'],
    [{ claim_id: 'm' }, 'expected must be match or no_match'],
    [{ claim_id: 'm', expected: 'MATCH' }, 'expected must be match or no_match'],
    [{ claim_id: 'm', expected: true }, 'expected must be match or no_match'],
    [{ claim_id: 'm', expected: 'match', note: 'x'.repeat(281) }, 'note is longer than 280 characters'],
    [{ claim_id: 'm', expected: 'match', note: 5 }, 'note must be a string'],
    [{ claim_id: 'm', expected: 'match', stone_id: {} }, 'stone_id must be a string'],
  ])('rejects %j: %s', (item, reason) => {
    const { answer: results, events } = label([], item);
    expect(results).toMatchObject([{ status: 'rejected', agrees: null, reason }]);
    expect(events).toEqual([]);
  });

  it('counts characters, not code units, and caps the reference', () => {
    expect(statuses([], { claim_id: 'm', expected: 'match', note: '💎'.repeat(limits.noteCharacters) })).toEqual([
      'accepted',
    ]);
    const stone_id = 'y'.repeat(limits.referenceCharacters);
    const [answered] = label([], { claim_id: 'm', expected: 'match', stone_id: `${stone_id}y` }).answer;
    expect(answered.stone_id).toBe(stone_id);
  });

  it('keeps its invariants under any calls with anything in them', () => {
    const item = fc.oneof(
      fc.record(
        {
          claim_id: fc.constantFrom('m', 'n', 'x', 'toString'),
          expected: fc.constantFrom('match', 'no_match', 'maybe'),
          note: fc.oneof(fc.string({ maxLength: 3 }), fc.anything()),
          stone_id: fc.constantFrom('1', '2', 3, null),
        },
        { requiredKeys: [] },
      ),
      fc.anything(),
    );
    fc.assert(
      fc.property(fc.array(fc.array(item)), (calls) => {
        const log: LabelEvent[] = [];
        for (const items of calls) {
          const before = JSON.stringify([...given(...log).state]);
          const { answer: results, events } = label(log, ...items);
          expect(results).toHaveLength(items.length);
          const written = results.filter(({ status }) => status === 'accepted' || status === 'amended');
          expect(events.map(({ data }) => data.claim_id)).toEqual(written.map(({ claim_id }) => claim_id));
          expect(JSON.stringify([...given(...log).state])).toBe(before);
          log.push(...events);
          // The labels taken are held: the same call again changes nothing.
          const last = results.findLast(({ status }) => status !== 'rejected');
          if (last)
            expect(
              given(...log)
                .state.get(last.claim_id!)
                ?.at(-1)?.expected,
            ).toBe(last.expected);
        }
        const versions = [...given(...log).state.values()].flat().length;
        expect(versions).toBe(log.length);
      }),
    );
  });
});
