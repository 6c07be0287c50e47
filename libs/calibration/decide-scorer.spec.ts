import { fold } from '#domain/decider';
import { SCORER_GROUPS } from '#science/calibration/scorer/method';
import { calibrationDecider, type ScorerCommand, scorerDecider } from './decide.js';
import {
  type CalibrationEvent,
  type CalibrationState,
  evolveCalibration,
  type ProposalFacts,
  rungOf,
  type ScorerProposal,
  scorerInForce,
  scorerOf,
  uncalibrated,
} from './events.js';
import { driftBaseline } from './events-drift.js';

const model = 'a'.repeat(64);
const digestOf = (n: number) => n.toString(16).padStart(64, '0');
const scorerAt = (decisions: number, more: Partial<ScorerProposal> = {}): ScorerProposal => ({
  digest: `proposal ${decisions}`,
  scorer: digestOf(1),
  evidence_digest: 'e',
  method: 'population-scorer/1',
  model,
  position: '50',
  decisions,
  claims: 104,
  groups: 101,
  trimmed: 2,
  curve: 'own',
  rungs: [],
  ...more,
});
const facts = { population: 'lab', model, operator: 'anna', reason: 'why', at: 'T', chain: 'c'.repeat(64) };
const rule = { fourEyes: false, operators: ['anna', 'ben'] };
type Approve = Extract<ScorerCommand, { type: 'approve' }>;
const approve = (more: Partial<Approve> = {}): Approve => ({
  type: 'approve',
  ...facts,
  ...rule,
  proposal: scorerAt(0),
  ...more,
});
const withdraw: ScorerCommand = { type: 'withdraw', ...facts };
const decidedOn = (state: CalibrationState, ...commands: ScorerCommand[]): CalibrationState =>
  commands.reduce((before, command) => {
    const decision = scorerDecider.decide(before, command);
    if ('refusal' in decision) throw new Error(decision.refusal);
    return fold(evolveCalibration, before, decision.events);
  }, state);
const rungApproved = (state: CalibrationState, decisions: number): CalibrationState => {
  const proposal = { digest: 'r', model, decisions, claims: 80, position: '40' } as ProposalFacts;
  const command = { type: 'approve', ...facts, ...rule, rejectTarget: 0.98, claimsHeld: 80, proposal } as const;
  const decision = calibrationDecider.decide(state, command);
  if ('refusal' in decision) throw new Error(decision.refusal);
  return fold(evolveCalibration, state, decision.events as CalibrationEvent[]);
};
const changesOf = (state: CalibrationState) => rungOf(state, model, 0.98);

describe('a population’s own scorer', () => {
  it('is in force from its approval to its withdrawal, under its model alone', () => {
    const approved = decidedOn(uncalibrated, approve());
    expect([scorerInForce(uncalibrated, model), scorerInForce(approved, model)]).toEqual([null, digestOf(1)]);
    expect(scorerInForce(approved, 'b'.repeat(64))).toBeNull();
    expect(approved.decisions).toBe(1);
    const withdrawn = decidedOn(approved, withdraw);
    expect([scorerInForce(withdrawn, model), withdrawn.decisions]).toEqual([null, 2]);
    expect(scorerDecider.decide(withdrawn, withdraw)).toEqual({ refusal: 'not_approved' });
  });

  it('is superseded by the next one; the one in force is not approved again', () => {
    const approved = decidedOn(uncalibrated, approve());
    expect(scorerDecider.decide(approved, approve({ proposal: scorerAt(1) }))).toEqual({ refusal: 'in_force' });
    const next = decidedOn(approved, approve({ proposal: scorerAt(1, { scorer: digestOf(2), groups: 301 }) }));
    expect(scorerInForce(next, model)).toBe(digestOf(2));
  });

  it.each([
    ['no proposal has the digest', { proposal: undefined }],
    ['it is of another model', { proposal: scorerAt(0, { model: 'b'.repeat(64) }) }],
    ['a decision came after it', { proposal: scorerAt(1) }],
  ])('is not approved where %s', (_, more) => {
    expect(scorerDecider.decide(uncalibrated, approve(more))).toEqual({ refusal: 'no_such_proposal' });
  });

  it('is not approved of too few groups, however many claims they are', () => {
    const few = scorerAt(0, { claims: 1000, groups: SCORER_GROUPS.many - 1 });
    expect(scorerDecider.decide(uncalibrated, approve({ proposal: few }))).toEqual({ refusal: 'not_enough_groups' });
  });

  it('takes two operators and the same proposal under the four-eyes rule', () => {
    const first = approve({ fourEyes: true });
    const asked = decidedOn(uncalibrated, first);
    expect([scorerInForce(asked, model), asked.decisions]).toEqual([null, 0]);
    expect(scorerOf(asked, model).request).toMatchObject({ operator: 'anna' });
    expect(scorerDecider.decide(asked, first)).toEqual({ refusal: 'same_operator' });
    expect(scorerDecider.decide(asked, { ...first, operator: 'ben' })).toMatchObject({
      events: [{ type: 'ScorerApproved', data: { operator: 'ben', requested_by: 'anna' } }],
    });
    const gone = { ...first, operator: 'ben', operators: ['ben', 'carl'] };
    expect(scorerDecider.decide(asked, gone)).toMatchObject({ events: [{ type: 'ScorerRequested' }] });
    expect(scorerOf(decidedOn(asked, withdraw), model)).toEqual({});
  });

  it('makes rungs approved under another scorer lapse, and they return with it', () => {
    const raw = rungApproved(uncalibrated, 0);
    expect(changesOf(raw)).toMatchObject({ approval: { scorer: null }, changes: 1 });
    const scored = decidedOn(raw, approve({ proposal: scorerAt(1) }));
    expect(changesOf(scored)).toEqual({ changes: 0 });
    const both = rungApproved(scored, 2);
    expect(changesOf(both)).toMatchObject({ approval: { scorer: digestOf(1) }, changes: 1 });
    const back = decidedOn(both, withdraw);
    expect(changesOf(back)).toMatchObject({ approval: { scorer: null }, changes: 1 });
    expect(changesOf(decidedOn(back, approve({ proposal: scorerAt(4) })))).toEqual(changesOf(both));
  });

  it('spoils proposals of rungs that were made before it', () => {
    expect(() => rungApproved(decidedOn(uncalibrated, approve()), 0)).toThrow('no_such_proposal');
  });

  it('is the baseline of drift, unless a rung approved under it is newer', () => {
    const scored = decidedOn(rungApproved(uncalibrated, 0), approve({ proposal: scorerAt(1) }));
    expect(driftBaseline(scored, model, 9)).toMatchObject({ source: 'approved', reject_target: null, position: '50' });
    expect(driftBaseline(decidedOn(scored, withdraw), model, 9)).toMatchObject({ reject_target: 0.98, position: '40' });
  });
});
