import type { Decider } from '#domain/decider';
import {
  type CarriedFigure,
  type CarriedMeasured,
  evolveFigure,
  type FigureState,
  figureOf,
  noFigure,
} from './events-figure.js';

/** Every replica measures the same: one that comes later, or with fewer claims, adds nothing. */
export const figureDecider: Decider<FigureState, CarriedFigure, CarriedMeasured> = {
  initial: noFigure,
  evolve: evolveFigure,
  decide: (state, figure) => ({
    events:
      (figureOf(state, figure)?.claims ?? 0) < figure.claims
        ? [{ type: 'CarriedMeasured', version: 1, data: figure }]
        : [],
  }),
};
