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

describe('the wrong claims that shipped thresholds let through on a population', () => {
  it('is the figure on the most claims, measured once at each mark', () => {
    expect(standing(figureAt(30), figureAt(100, 40))).toMatchObject({ claims: 100 });
    const state = fold(evolveFigure, noFigure, [measured(figureAt(100))]);
    for (const claims of [30, 100]) expect(figureDecider.decide(state, figureAt(claims))).toEqual({ events: [] });
    expect(figureDecider.decide(state, figureAt(300))).toEqual({ events: [measured(figureAt(300))] });
  });

  it('rests on claims that stand in the log before it, as the check of the log sees', () => {
    const event: LoggedEvent = {
      ...{ stream: 'figure-lab%2Da', revision: 0n, position: 0n },
      ...{ type: 'CarriedMeasured', version: 1, data: { ...figureAt(30) } },
    };
    const chain = { beginning: () => '', after: () => '' };
    const invariants = new LogInvariants({ calibration: chain, lotScorer: chain }, [event], () => '');
    expect(invariants.check(event)).toEqual(['rests on 30 claims, and the log does not hold as many before it']);
  });
});
