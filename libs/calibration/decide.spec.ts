import fc from 'fast-check';
import { countsAsEvidence, type Submission } from '#claims/events';
import { testOf } from '#domain/test/given';
import { CLAIMS_NEEDED, REJECT_TARGETS, type RejectTarget } from '#science/calibration/ladder';
import { type CalibrationCommand, calibrationDecider } from './decide.js';
import { type CalibrationEvent, type ProposalFacts, rungOf } from './events.js';

const model = 'a'.repeat(64);
const proposalAt = (decisions: number, more: Partial<ProposalFacts> = {}): ProposalFacts => ({
  digest: `digest ${decisions}`,
  evidence_digest: 'e',
  method: 'cross-pairs/1',
  model,
  position: '17',
  decisions,
  claims: 80,
  roughs: 80,
  polishes: 80,
  pairs: 6320,
  threshold: 0.71,
  interval: [0.7, 0.72],
  wrong_per_1000: 20,
  expected_genuine_accept: null,
  expected_genuine_accept_error: null,
  expected_genuine_accept_reason: 'too few claims',
  ...more,
});
type Approve = Extract<CalibrationCommand, { type: 'approve' }>;
const approve = (more: Partial<Approve> = {}): Approve => ({
  type: 'approve',
  population: 'lab',
  rejectTarget: 0.98,
  model,
  operator: 'anna',
  reason: 'eighty claims',
  at: 'T1',
  chain: 'c'.repeat(64),
  claimsHeld: 80,
  proposal: proposalAt(0),
  fourEyes: false,
  operators: ['anna', 'ben'],
  ...more,
});
const withdraw: CalibrationCommand = {
  type: 'withdraw',
  population: 'lab',
  rejectTarget: 0.98,
  model,
  operator: 'ben',
  reason: 'new instrument',
  at: 'T2',
  chain: 'd'.repeat(64),
};
const { given, logOf } = testOf(calibrationDecider);
const decided = (...commands: CalibrationCommand[]) => given(...logOf(commands));

describe('calibration of a population', () => {
  it('given enough claims, when approved, then the rung is calibrated and no other', () => {
    expect(given().when(approve())).toEqual({
      events: [
        {
          type: 'RungApproved',
          version: 3,
          data: {
            population: 'lab',
            reject_target: 0.98,
            scorer: null,
            operator: 'anna',
            reason: 'eighty claims',
            at: 'T1',
            chain: 'c'.repeat(64),
            proposal: proposalAt(0),
            requested_by: null,
          },
        },
      ],
    });
    const { state } = decided(approve());
    expect(rungOf(state, model, 0.98)).toMatchObject({ approval: { operator: 'anna' }, changes: 1 });
    expect(rungOf(state, model, 0.97)).toEqual({ changes: 0 });
    expect(rungOf(state, 'b'.repeat(64), 0.98)).toEqual({ changes: 0 });
    expect(state.decisions).toBe(1);
  });

  it('given newer claims, then the proposal stands', () => {
    expect(given().when(approve({ claimsHeld: 9999 }))).toHaveProperty('events');
  });

  it.each([
    ['an approval of the same rung', [approve()]],
    ['an approval of another rung', [approve({ rejectTarget: 0.99 })]],
    ['an approval and its withdrawal', [approve(), withdraw]],
  ])('given %s after it, then the proposal no longer stands', (_, before) => {
    expect(decided(...before).when(approve())).toEqual({ refusal: 'no_such_proposal' });
  });

  it('given another model, or none with this digest, then there is no such proposal', () => {
    expect(given().when(approve({ model: 'b'.repeat(64) }))).toEqual({
      refusal: 'no_such_proposal',
    });
    expect(given().when(approve({ proposal: undefined }))).toEqual({ refusal: 'no_such_proposal' });
  });

  it('given an approval, when withdrawn, then the rung is as it was but for its revision', () => {
    const withdrawn = decided(approve(), withdraw);
    expect(rungOf(withdrawn.state, model, 0.98)).toEqual({ changes: 2 });
    expect(withdrawn.when(withdraw)).toEqual({ refusal: 'not_calibrated' });
    expect(rungOf(withdrawn.state, model, 0.98).approval).toBeUndefined();
  });

  it('under the four-eyes rule takes two operators and the same proposal', () => {
    const first = approve({ fourEyes: true });
    const asked = decided(first);
    expect(rungOf(asked.state, model, 0.98)).toMatchObject({ request: { operator: 'anna' }, changes: 0 });
    expect(rungOf(asked.state, model, 0.98)).not.toHaveProperty('approval');
    expect(asked.when(first)).toEqual({ refusal: 'same_operator' });
    expect(asked.when({ ...first, operator: 'ben' })).toMatchObject({
      events: [{ type: 'RungApproved', data: { operator: 'ben', requested_by: 'anna' } }],
    });
    const other = { ...first, operator: 'ben', proposal: proposalAt(0, { digest: 'of newer claims' }) };
    expect(asked.when(other)).toMatchObject({ events: [{ type: 'ApprovalRequested' }] });
    const annaGone = { ...first, operator: 'ben', operators: ['ben', 'carl'] };
    expect(asked.when(annaGone)).toMatchObject({ events: [{ type: 'ApprovalRequested' }] });
    const carl = { ...annaGone, operator: 'carl' };
    expect(decided(first, annaGone).when(carl)).toMatchObject({
      events: [{ type: 'RungApproved', data: { operator: 'carl', requested_by: 'ben' } }],
    });
    expect(rungOf(decided(first, { ...first, operator: 'ben' }).state, model, 0.98)).not.toHaveProperty('request');
    expect(rungOf(decided(first, withdraw).state, model, 0.98)).toEqual({ changes: 1 });
  });

  const rung = fc.constantFrom(...REJECT_TARGETS);
  const command = fc.oneof(
    fc
      .record({
        rejectTarget: rung,
        claimsHeld: fc.nat(1500),
        operator: fc.constantFrom('anna', 'ben'),
        fourEyes: fc.boolean(),
      })
      .chain((more) =>
        fc.record({ type: fc.constant('approve' as const), more: fc.constant(more), stale: fc.boolean() }),
      ),
    fc.record({ type: fc.constant('withdraw' as const), rejectTarget: rung }),
  );
  it('never calibrates 0.91 and 0.90, never without enough claims, never on a proposal that no longer stands', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        const log: CalibrationEvent[] = [];
        for (const one of commands) {
          const { state, when } = given(...log);
          const proposal = (claims: number, decisions: number) => proposalAt(decisions, { claims });
          const command: CalibrationCommand =
            one.type === 'withdraw'
              ? { ...withdraw, rejectTarget: one.rejectTarget }
              : approve({
                  ...one.more,
                  proposal: proposal(one.more.claimsHeld, one.stale ? state.decisions - 1 : state.decisions),
                });
          const decision = when(command);
          if ('refusal' in decision) continue;
          for (const event of decision.events) {
            if (!('reject_target' in event.data && 'proposal' in event.data)) continue;
            const needed = CLAIMS_NEEDED[event.data.reject_target as RejectTarget];
            expect(event.data.proposal.claims).toBeGreaterThanOrEqual(needed ?? Number.POSITIVE_INFINITY);
            expect(event.data.proposal.decisions).toBe(state.decisions);
          }
          log.push(...decision.events);
        }
        for (const never of [0.9, 0.91]) expect(rungOf(given(...log).state, model, never)).toEqual({ changes: 0 });
      }),
    );
  });
});

describe('evidence', () => {
  const claim = (kind: string, rough: number, polish: number) =>
    ({ key: { kind }, rough: { detail_residual: rough }, polish: { detail_residual: polish } }) as Submission;
  it('is made of production claims with directly acquired noise on both sides', () => {
    expect(countsAsEvidence(claim('production', -0.23, 0.31))).toBe(true);
    expect(countsAsEvidence(claim('test', 0, 0))).toBe(false);
    expect(countsAsEvidence(claim('production', -0.24, 0))).toBe(false);
    expect(countsAsEvidence(claim('production', 0, 0.32))).toBe(false);
  });
});
