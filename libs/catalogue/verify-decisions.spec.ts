import { createHash } from 'node:crypto';
import { rungOf } from '#calibration/events';
import type { Chain } from '#domain/approval';
import type { LoggedEvent } from '#domain/logged';
import { streams } from '#domain/streams';
import { LogInvariants } from './invariants.js';
import { upcast } from './upcast.js';
import { type LogFacts, noDecisions, verifyDecision, verifyDecisions } from './verify-decisions.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const chain: Chain<LoggedEvent> = {
  beginning: (population) => sha256(population),
  after: (root, { type, stored, version, data }) =>
    sha256(JSON.stringify([root, type, stored?.version ?? version, stored?.data ?? data])),
};
const rootOf = (population: string, events: LoggedEvent[]) => events.reduce(chain.after, chain.beginning(population));

const MODEL = 'a'.repeat(64);
const proposalOf = (more: object = {}) => ({
  ...{ digest: 'd'.repeat(64), evidence_digest: 'e'.repeat(64), method: 'cross-pairs/1', model: MODEL },
  ...{ position: '1', decisions: 0, claims: 80, roughs: 80, polishes: 80, pairs: 6320, threshold: 0.7 },
  ...{ interval: [0.69, 0.71], wrong_per_1000: 20, expected_genuine_accept: null, expected_genuine_accept_error: null },
  expected_genuine_accept_reason: 'too few claims',
  ...more,
});
type More = { population?: string; proposal?: object; [member: string]: unknown };

/** A stream of lab-a, event after event at places 100, 101, ... */
class Stream {
  readonly events: LoggedEvent[] = [];

  append(type: string, { proposal, ...more }: More = {}, version = 2): this {
    const decisions = this.events.filter((one) => one.type !== 'ApprovalRequested').length;
    const data: Record<string, unknown> = {
      ...{ population: 'lab-a', reject_target: 0.98, operator: 'ben', reason: 'why', at: '2026-11-01T00:00:00.000Z' },
      ...(type === 'RungWithdrawn' ? { model: MODEL } : { proposal: proposalOf({ decisions, ...proposal }) }),
      ...(type === 'RungApproved' && { requested_by: null }),
      ...(version > 1 && { chain: rootOf('lab-a', this.events) }),
      ...more,
    };
    const n = this.events.length;
    const place = { stream: streams.calibration('lab-a'), revision: BigInt(n), position: BigInt(100 + n) };
    this.events.push({ ...place, type, version, data });
    return this;
  }
}
const stream = () => new Stream();

/** A log in whose first ten places `claims` claims were counted. */
const facts = (claims = 1000, more: Partial<LogFacts> = {}): LogFacts => ({
  chainedFrom: () => 5n,
  claimAt: (population, model, n) => (population === 'lab-a' && model === MODEL && n <= claims ? 10n : undefined),
  ...more,
});
const beforeTheChain = facts(1000, { chainedFrom: () => undefined });

const judge = ({ events }: Stream, known = facts()) => {
  const { valid, problems } = verifyDecisions(events, chain, known);
  const approved = rungOf(valid.state, MODEL, 0.98).approval !== undefined;
  return { approved, problems: [...problems.values()], decisions: valid.state.decisions };
};

describe('the outcome of a calibration stream', () => {
  it('is what the domain wrote: requests, approvals and withdrawals, in every version', () => {
    const asked = stream().append('ApprovalRequested', { operator: 'anna' });
    asked.append('RungApproved', { requested_by: 'anna' });
    expect(judge(asked)).toEqual({ approved: true, problems: [], decisions: 1 });
    expect(judge(asked.append('RungWithdrawn'))).toMatchObject({ approved: false, problems: [], decisions: 2 });
    const past = stream().append('RungApproved', {}, 1).append('RungWithdrawn', {}, 1).append('RungApproved');
    expect(judge(past, beforeTheChain)).toMatchObject({ approved: true, problems: [] });
    const began = facts(1000, { chainedFrom: () => 102n });
    expect(judge(past, began)).toMatchObject({ approved: true, problems: [] });
  });

  it('is the same of events that a reader lifted', () => {
    const past = stream().append('RungApproved', {}, 1).append('RungWithdrawn').append('RungApproved');
    const lifted = stream();
    for (const event of past.events)
      lifted.events.push({ ...event, ...upcast(event), stored: { version: event.version, data: event.data } });
    expect(judge(lifted, beforeTheChain)).toEqual(judge(past, beforeTheChain));
    expect(judge(lifted, beforeTheChain).problems).toEqual([]);
  });

  it.each<[string, Stream, string]>([
    [
      'another population’s approval in the stream',
      stream().append('RungApproved', { population: 'lab-b', chain: rootOf('lab-b', []) }),
      'belongs into a stream calibration-{population}',
    ],
    [
      'another population’s approval with this stream’s chain',
      stream().append('RungApproved', { population: 'lab-b', proposal: { threshold: 0.1 } }),
      'belongs into a stream calibration-{population}',
    ],
    ['a rung that never settles', stream().append('RungApproved', { reject_target: 0.9 }), 'which never settles'],
    ['no rung', stream().append('RungApproved', { reject_target: 0.984 }), 'has none of'],
    ['an approval without a chain', stream().append('RungApproved', {}, 1), 'by a program that chains by then'],
    ['a chain of zeros', stream().append('RungApproved', { chain: '0'.repeat(64) }), 'does not carry the hash'],
    ['no chain', stream().append('RungApproved', { chain: null }), 'does not carry the hash'],
    ['too few claims for the rung', stream().append('RungApproved', { proposal: { claims: 74 } }), 'needs 75'],
    ['a proposal of before', stream().append('RungApproved', { proposal: { decisions: 1 } }), 'after 1 decisions'],
    ['claims that are not there', stream().append('RungApproved', { proposal: { claims: 1001 } }), 'not hold as many'],
    ['another model’s claims', stream().append('RungApproved', { proposal: { model: 'b'.repeat(64) } }), 'not hold'],
    ['a first operator who asked for nothing', stream().append('RungApproved', { requested_by: 'anna' }), 'first op'],
    [
      'a first operator who is the second',
      stream().append('ApprovalRequested', { operator: 'ben' }).append('RungApproved', { requested_by: 'ben' }),
      'first operator',
    ],
    ['one member too many', stream().append('RungApproved', { event: 'RungWithdrawn' }), 'no member of it'],
    ['an event of another kind', stream().append('KeyRevoked', {}, 1), 'data'],
  ])('is nothing of %s', (_, forged, problem) => {
    expect(judge(forged)).toMatchObject({ approved: false, problems: [expect.stringContaining(problem)] });
  });

  it('is not changed by what is passed over, which the log’s own check names; the chain goes on over it', () => {
    const forged = stream().append('RungApproved').append('RungApproved', { reject_target: 0.9 });
    forged.append('RungWithdrawn', { chain: '0'.repeat(64) });
    expect(judge(forged)).toMatchObject({ approved: true, decisions: 3 });
    expect(judge(forged).problems).toHaveLength(2);
    // The service goes on in the same stream.
    expect(judge(forged.append('RungWithdrawn'))).toMatchObject({ approved: false });
    expect(judge(forged.append('RungApproved')).approved).toBe(true);

    const invariants = new LogInvariants({ calibration: chain, lotScorer: chain }, forged.events, () => '');
    const named = forged.events.map((event) => invariants.check(event).join());
    expect(named.slice(1, 3)).toEqual([
      expect.stringMatching(/never settles; no audit bundle is made of it$/),
      expect.stringMatching(/does not carry the hash .*; no audit bundle is made of it$/),
    ]);
    // No claim of this log was counted.
    expect(named[0]).toMatch(/^rests on 80 claims, .*; no audit bundle is made of it$/);
  });

  it('breaks with the next event where one was changed, taken away, or put in of an older version', () => {
    const whole = stream().append('RungApproved').append('RungWithdrawn').append('RungApproved');
    const [a, b, c] = whole.events;
    const broken = (events: LoggedEvent[]) => [...verifyDecisions(events, chain, facts()).problems.keys()];
    expect(broken([a, { ...b, data: { ...b.data, reason: 'another' } }, c])).toEqual([2n]);
    expect(broken([a, c])).toEqual([2n]);
    const { chain: _, ...unchained } = c.data;
    expect(broken([a, b, { ...c, version: 1, data: unchained }])).toEqual([2n]);
  });

  it('is nothing that anybody decides by once an event of it was lost', () => {
    const lost = { type: 'EventLost', version: 1, data: { type: 'RungWithdrawn', position: '7', reason: 'damaged' } };
    const [first] = stream().append('RungApproved').events;
    const verified = verifyDecision(noDecisions, first, chain, facts());
    expect(() => verifyDecision(verified.valid, { ...first, ...lost, revision: 1n }, chain, facts())).toThrow(
      'EventLost',
    );
  });
});
