import { LogInvariants } from '#catalogue/invariants';
import { fold } from '#domain/decider';
import type { LoggedEvent } from '#domain/logged';
import { figureDecider } from './decide-figure.js';
import { type CarriedFigure, type CarriedMeasured, evolveFigure, figureOf, noFigure } from './events-figure.js';

const OF = { model: 'a'.repeat(64), ladder_digest: 'b'.repeat(64) };
const figureAt = (claims: number, wrong_per_1000 = 90, stones = claims): CarriedFigure => ({
  ...{ population: 'lab-a', ...OF, claims, stones, rungs: [{ reject_target: 0.98, wrong_per_1000 }] },
  at: '2026-11-01T00:00:00.000Z',
});
const measured = (data: CarriedFigure): CarriedMeasured => ({ type: 'CarriedMeasured', version: 1, data });
const standing = (...figures: CarriedFigure[]) => figureOf(fold(evolveFigure, noFigure, figures.map(measured)), OF);

/** Figures that the service would not have measured after one of 30 claims. */
const FORGED: [string, CarriedFigure, string][] = [
  ['on claims that are no mark', figureAt(31, 0), 'was measured on 31 claims'],
  ['on as many claims as before', figureAt(30, 0), 'no more claims than the figure before it'],
  ['on more stones than claims', figureAt(100, 0, 101), 'names 101 rough stones of 100 claims'],
];

describe('the wrong claims that shipped thresholds let through on a population', () => {
  it('is the figure on the most claims, measured once at each mark', () => {
    expect(standing(figureAt(30), figureAt(100, 40))).toMatchObject({ claims: 100 });
    const state = fold(evolveFigure, noFigure, [measured(figureAt(100))]);
    for (const claims of [30, 100]) expect(figureDecider.decide(state, figureAt(claims))).toEqual({ events: [] });
    expect(figureDecider.decide(state, figureAt(300))).toEqual({ events: [measured(figureAt(300))] });
  });

  it.each(FORGED)('is not moved by one %s, which the check of the log names', (_, forged, problem) => {
    expect(standing(figureAt(30), forged)).toEqual(figureAt(30));
    const events = [figureAt(30), forged].map(
      (figure, i): LoggedEvent => ({
        ...{ stream: 'figure-lab%2Da', revision: BigInt(i), position: BigInt(i) },
        ...{ type: 'CarriedMeasured', version: 1, data: { ...figure } },
      }),
    );
    const invariants = new LogInvariants({ beginning: () => '', after: () => '' }, events, () => '');
    const [first, second] = events.map((event) => invariants.check(event));
    // No claim of this log was counted.
    expect(first).toEqual(['rests on 30 claims, and the log does not hold as many before it']);
    expect(second).toEqual([expect.stringMatching(`${problem}.*; it is passed over`)]);
  });
});
