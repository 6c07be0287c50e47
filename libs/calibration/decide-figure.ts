import type { Decider } from '#domain/decider';
import {
  type CarriedFigure,
  type CarriedMeasured,
  evolveFigure,
  type FigureState,
  figureFault,
  noFigure,
} from './events-figure.js';

/** Every replica measures the same: whoever comes later, or with fewer claims, adds nothing. */
export const figureDecider: Decider<FigureState, CarriedFigure, CarriedMeasured> = {
  initial: noFigure,
  evolve: evolveFigure,
  decide: (state, figure) => ({
    events: figureFault(state, figure) ? [] : [{ type: 'CarriedMeasured', version: 1, data: figure }],
  }),
};
