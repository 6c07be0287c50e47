import { LogInvariants } from '#catalogue/invariants';
import type { Chain } from '#domain/approval';
import { fold } from '#domain/decider';
import type { LoggedEvent } from '#domain/logged';
import { streams } from '#domain/streams';
import type { RecordedEvent } from '#kit/log/port';
import { readEvents } from '#kit/log/stored-events';
import { rungOf, uncalibrated } from './events.js';
import { type Decided, decidedReader, evolveDecided } from './rejected-decisions.js';

const AT = '2026-11-01T00:00:00.000Z';
const MODEL = 'a'.repeat(64);
const chain: Chain<LoggedEvent> = { beginning: () => 'f'.repeat(64), after: () => 'f'.repeat(64) };
const proposal = {
  ...{ digest: 'd'.repeat(64), evidence_digest: 'e'.repeat(64), method: 'cross-pairs/1', model: MODEL },
  ...{ position: '1', decisions: 0, claims: 80, roughs: 80, polishes: 80, pairs: 6320, threshold: 0.7 },
  ...{ interval: [0.69, 0.71], wrong_per_1000: 20, expected_genuine_accept: null, expected_genuine_accept_error: null },
  expected_genuine_accept_reason: 'too few claims',
};
const approved: LoggedEvent = {
  ...{ stream: streams.calibration('lab-a'), revision: 0n, position: 100n, type: 'RungApproved', version: 3 },
  data: {
    ...{ population: 'lab-a', reject_target: 0.98, scorer: null, operator: 'ben', reason: 'why', at: AT },
    ...{ proposal, requested_by: null, chain: 'f'.repeat(64) },
  },
};
/** As a replica of 0.2 recorded it. */
const recorded = (revision: number, n: number): LoggedEvent => ({
  ...{ stream: streams.rejectedDecisions('lab-a'), revision: BigInt(n), position: BigInt(101 + n) },
  ...{ type: 'DecisionPassedOver', version: 1 },
  data: { population: 'lab-a', revision, problem: 'rests on 80 claims, and the log does not hold as many', at: AT },
});

const stateOf = async (...events: LoggedEvent[]) => {
  const store = {
    readStream: async (name: string) => events.filter(({ stream }) => stream === name) as RecordedEvent[],
  };
  const decided = await readEvents<Decided>(decidedReader(store), approved.stream);
  return fold(evolveDecided, uncalibrated, decided);
};

describe('a decision that stands recorded as passed over', () => {
  it('counts as a decision and changes nothing else; another one decides', async () => {
    const approval = async (...events: LoggedEvent[]) => {
      const state = await stateOf(approved, ...events);
      return [state.decisions, rungOf(state, MODEL, 0.98).approval !== undefined];
    };
    expect(await approval()).toEqual([1, true]);
    expect(await approval(recorded(1, 0))).toEqual([1, true]);
    expect(await approval(recorded(0, 0))).toEqual([1, false]);
    expect(await approval(recorded(0, 0), { ...approved, revision: 1n })).toEqual([2, true]);
  });

  it('is held to the log by its check', () => {
    const events = [approved, recorded(0, 0), recorded(3, 1)];
    const invariants = new LogInvariants({ calibration: chain, lotScorer: chain }, events, () => '');
    expect(events.map((event) => invariants.check(event))).toEqual([
      [expect.stringMatching(/^rests on 80 claims.*; no audit bundle is made of it$/)],
      [],
      ['passes over event 3 of calibration-lab%2Da, which holds'],
    ]);
  });
});
