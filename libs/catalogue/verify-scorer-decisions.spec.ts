import { createHash } from 'node:crypto';
import { scorerPartsDecider } from '#calibration/decide-scorer-bytes';
import { type ScorerProposal, scorerInForce } from '#calibration/events';
import type { Chain } from '#domain/approval';
import type { LoggedEvent } from '#domain/logged';
import { streams } from '#domain/streams';
import { LogInvariants } from './invariants.js';
import { type LogFacts, verifyDecisions } from './verify-decisions.js';

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const chain: Chain<LoggedEvent> = {
  beginning: (population) => sha256(population),
  after: (root, { type, data }) => sha256(JSON.stringify([root, type, data])),
};
const rootOf = (population: string, events: LoggedEvent[]) => events.reduce(chain.after, chain.beginning(population));

const MODEL = 'a'.repeat(64);
const BYTES = new Uint8Array(1_200_000).map((_, i) => i * 7);
const SCORER = sha256(BYTES);
const proposalOf = (more: Partial<ScorerProposal> = {}): ScorerProposal => ({
  ...{ digest: 'd'.repeat(64), scorer: SCORER, evidence_digest: 'e'.repeat(64), method: 'population-scorer/1' },
  ...{ model: MODEL, position: '1', decisions: 0, claims: 60, groups: 50, trimmed: 1, curve: 'shipped', rungs: [] },
  ...more,
});
type More = { proposal?: Partial<ScorerProposal>; [member: string]: unknown };

/** lab-a's calibration stream, event after event at places 100, 101, ... */
function streamOf(...decided: [type: string, more?: More][]): LoggedEvent[] {
  const events: LoggedEvent[] = [];
  for (const [type, { proposal, ...more } = {}] of decided) {
    const decisions = events.filter((one) => one.type !== 'ScorerRequested').length;
    const data = {
      ...{ population: 'lab-a', operator: 'ben', reason: 'why', at: '2026-11-01T00:00:00.000Z' },
      chain: rootOf('lab-a', events),
      ...(type === 'ScorerWithdrawn' ? { model: MODEL } : { proposal: proposalOf({ decisions, ...proposal }) }),
      ...(type === 'ScorerApproved' && { requested_by: null }),
      ...more,
    };
    const n = events.length;
    const place = { stream: streams.calibration('lab-a'), revision: BigInt(n), position: BigInt(100 + n) };
    events.push({ ...place, type, version: 1, data });
  }
  return events;
}
const facts: LogFacts = {
  chainedFrom: () => 5n,
  claimAt: (population, model, n) => (population === 'lab-a' && model === MODEL && n <= 500 ? 10n : undefined),
};
const judge = (events: LoggedEvent[]) => {
  const { valid, problems } = verifyDecisions(events, chain, facts);
  return { inForce: scorerInForce(valid.state, MODEL), problems: [...problems.values()] };
};

describe('a scorer in a calibration stream', () => {
  it('is what the domain wrote: requested, approved, superseded, withdrawn', () => {
    const asked = streamOf(['ScorerRequested', { operator: 'anna' }], ['ScorerApproved', { requested_by: 'anna' }]);
    expect(judge(asked)).toEqual({ inForce: SCORER, problems: [] });
    const next = 'b'.repeat(64);
    const superseded: [string, More] = ['ScorerApproved', { proposal: { scorer: next, claims: 120, groups: 100 } }];
    expect(judge(streamOf(['ScorerApproved'], superseded))).toEqual({ inForce: next, problems: [] });
    expect(judge(streamOf(['ScorerApproved'], ['ScorerWithdrawn']))).toEqual({ inForce: null, problems: [] });
  });

  it.each<[string, LoggedEvent[], string]>([
    [
      'another population’s approval',
      streamOf(['ScorerApproved', { population: 'lab-b', chain: rootOf('lab-b', []) }]),
      'belongs into a stream',
    ],
    ['another population’s, chained again', streamOf(['ScorerApproved', { population: 'lab-b' }]), 'belongs into'],
    ['a chain of zeros', streamOf(['ScorerApproved', { chain: '0'.repeat(64) }]), 'does not carry the hash'],
    ['no chain', streamOf(['ScorerApproved', { chain: null }]), 'does not carry the hash'],
    ['too few groups', streamOf(['ScorerApproved', { proposal: { groups: 29 } }]), 'next scorer needs 30'],
    ['fewer claims than groups', streamOf(['ScorerApproved', { proposal: { claims: 49 } }]), '50 groups of 49 claims'],
    ['claims that are not there', streamOf(['ScorerApproved', { proposal: { claims: 501 } }]), 'not hold as many'],
    ['another model’s claims', streamOf(['ScorerApproved', { proposal: { model: 'b'.repeat(64) } }]), 'not hold'],
    ['a proposal of before', streamOf(['ScorerApproved', { proposal: { decisions: 1 } }]), 'after 1 decisions'],
    [
      'a first operator who asked for nothing',
      streamOf(['ScorerApproved', { requested_by: 'anna' }]),
      'first operator',
    ],
    [
      'one operator twice',
      streamOf(['ScorerRequested', { operator: 'ben' }], ['ScorerApproved', { requested_by: 'ben' }]),
      'first operator',
    ],
    [
      'a request for another proposal',
      streamOf(
        ['ScorerRequested', { operator: 'anna', proposal: { digest: 'c'.repeat(64) } }],
        ['ScorerApproved', { requested_by: 'anna' }],
      ),
      'first operator',
    ],
    ['a member too many', streamOf(['ScorerApproved', { scorer: SCORER }]), 'no member of it'],
  ])('is nothing of %s', (_, forged, problem) => {
    expect(judge(forged)).toEqual({ inForce: null, problems: [expect.stringContaining(problem)] });
  });

  it.each<[string, Partial<ScorerProposal>, string]>([
    ['the same one again', { groups: 100, claims: 120 }, 'in force already'],
    ['one of too few more', { scorer: 'b'.repeat(64), groups: 99, claims: 120 }, 'next scorer needs 100'],
  ])('stays in force where what follows is %s', (_, proposal, problem) => {
    const forged = streamOf(['ScorerApproved'], ['ScorerApproved', { proposal }]);
    expect(judge(forged)).toEqual({ inForce: SCORER, problems: [expect.stringContaining(problem)] });
  });

  it('stays where a withdrawal does not carry the chain', () => {
    const forged = streamOf(['ScorerApproved'], ['ScorerWithdrawn', { chain: '0'.repeat(64) }]);
    expect(judge(forged)).toEqual({ inForce: SCORER, problems: [expect.stringContaining('hash of the events')] });
  });
});

describe('the check of a log, about a scorer', () => {
  const partsOf = (population = 'lab-a', bytes = BYTES): LoggedEvent[] => {
    const decision = scorerPartsDecider.decide(scorerPartsDecider.initial, { population, scorer: SCORER, bytes });
    if (!('events' in decision)) throw new Error('no parts');
    const stream = streams.scorer(population, SCORER);
    return decision.events.map(({ type, version, data }, i) => ({
      ...{ stream, revision: BigInt(i), position: BigInt(i), type, version, data: { ...data } },
    }));
  };
  const named = (...events: LoggedEvent[]) => {
    const invariants = new LogInvariants({ calibration: chain, lotScorer: chain }, events, sha256);
    // No claim of these logs was counted, which is another problem.
    return events.flatMap((event) => invariants.check(event)).filter((problem) => !/^rests on 60 claims/.test(problem));
  };
  const [first, second, third] = partsOf();
  const again = (part: LoggedEvent, revision: number, more: object = {}) => ({
    ...part,
    revision: BigInt(revision),
    data: { ...part.data, ...more },
  });
  const other = 'AAAA';

  it('is nothing where its parts are whole', () => {
    expect(named(first, second, third)).toEqual([]);
  });

  it.each<[string, LoggedEvent[], string]>([
    ['a part of another content', [first, again(second, 1, { lines: [other] }), third], 'are not what its digest says'],
    ['a part twice', [first, again(first, 1)], 'out of turn'],
    ['a part after the last', [first, second, third, again(third, 3, { part: 3, parts: 4 })], 'out of turn'],
    ['a part in another population’s stream', [{ ...first, stream: streams.scorer('lab-b', SCORER) }], 'belongs into'],
  ])('is %s', (_, events, problem) => {
    expect(named(...events)).toEqual([expect.stringContaining(problem)]);
  });
});
