import { LogInvariants } from '#catalogue/invariants';
import { fold } from '#domain/decider';
import type { LoggedEvent } from '#domain/logged';
import { streams } from '#domain/streams';
import { rungOf } from './events.js';
import { type DecisionPassedOver, passedOverDecider } from './events-passed-over.js';
import { type Chain, type LogFacts, obeyAll } from './obey.js';

const AT = '2026-11-01T00:00:00.000Z';
const MODEL = 'a'.repeat(64);
const chain: Chain<LoggedEvent> = { beginning: () => 'f'.repeat(64), after: () => 'f'.repeat(64) };
const proposal = {
  ...{ digest: 'd'.repeat(64), evidence_digest: 'e'.repeat(64), method: 'cross-pairs/1', model: MODEL },
  ...{ position: '1', decisions: 0, claims: 80, roughs: 80, polishes: 80, pairs: 6320, threshold: 0.7 },
  ...{ interval: [0.69, 0.71], wrong_per_1000: 20, expected_genuine_accept: null, expected_genuine_accept_error: null },
  expected_genuine_accept_reason: 'too few claims',
};
/** Sound as far as its stream shows it. */
const approved: LoggedEvent = {
  ...{ stream: streams.calibration('lab-a'), revision: 0n, position: 100n, type: 'RungApproved', version: 2 },
  data: {
    ...{ population: 'lab-a', reject_target: 0.98, operator: 'ben', reason: 'why', at: AT },
    ...{ proposal, requested_by: null, chain: 'f'.repeat(64) },
  },
};
const found = (revision: number): DecisionPassedOver => ({
  type: 'DecisionPassedOver',
  version: 1,
  data: { population: 'lab-a', revision, problem: 'rests on 80 claims, and the log does not hold as many', at: AT },
});
const stateOf = (...events: DecisionPassedOver[]) => fold(passedOverDecider.evolve, passedOverDecider.initial, events);
const decides = (facts?: LogFacts, ...events: DecisionPassedOver[]) => {
  const { obeyed } = obeyAll([approved], chain, facts, stateOf(...events));
  return rungOf(obeyed.state, MODEL, 0.98).approval !== undefined;
};

describe('a finding of others on a calibration stream', () => {
  it('is recorded once for each event', () => {
    const state = stateOf(found(0));
    expect(passedOverDecider.decide(state, found(0).data)).toEqual({ events: [] });
    expect(passedOverDecider.decide(state, found(1).data)).toEqual({ events: [found(1)] });
  });

  it('takes effect where the claims are not counted here, and nowhere else', () => {
    const facts: LogFacts = { position: 1000n, chainedFrom: () => 5n, claimAt: () => 10n };
    expect(decides()).toBe(true);
    expect(decides(undefined, found(0))).toBe(false);
    expect(decides(undefined, found(1))).toBe(true);
    expect(decides(facts, found(0))).toBe(true);
    expect(decides({ ...facts, position: 99n }, found(0))).toBe(false);
  });

  it('is held to the log by its check', () => {
    const recorded = (revision: number, n: number): LoggedEvent => ({
      ...{ stream: streams.passedOver('lab-a'), revision: BigInt(n), position: BigInt(101 + n) },
      ...found(revision),
    });
    const events = [approved, recorded(0, 0), recorded(3, 1)];
    const invariants = new LogInvariants(chain, events, () => '');
    expect(events.map((event) => invariants.check(event))).toEqual([
      [expect.stringMatching(/^rests on 80 claims.*; it is not obeyed$/)],
      [],
      ['passes over event 3 of calibration-lab%2Da, which is to be obeyed'],
    ]);
  });
});
