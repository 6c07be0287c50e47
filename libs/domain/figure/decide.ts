import type { Decider } from '../decider.js';
import {
  type CarriedFigure,
  type CarriedMeasured,
  evolveFigure,
  type FigureState,
  figureOf,
  noFigure,
} from './events.js';

/** Every replica measures the same: whoever comes later, or with fewer claims, adds nothing. */
export const figureDecider: Decider<FigureState, CarriedFigure, CarriedMeasured> = {
  initial: noFigure,
  evolve: evolveFigure,
  decide: (state, figure) => {
    const known = (figureOf(state, figure)?.claims ?? 0) >= figure.claims;
    return { events: known ? [] : [{ type: 'CarriedMeasured', version: 1, data: figure }] };
  },
};
