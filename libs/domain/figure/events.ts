import type { EventOf } from '../catalogue.js';
import { never } from '../decider.js';

export type CarriedMeasured = EventOf<'CarriedMeasured'>;
/** Share of wrong claims that the shipped thresholds let through on a population, measured on its own first claims. */
export type CarriedFigure = CarriedMeasured['data'];

/** Counted claims at which it is measured. */
export const FIGURE_CLAIMS = [30, 100, 300] as const;

/** The newest by model and asset. */
export type FigureState = Readonly<Record<string, CarriedFigure>>;

export const noFigure: FigureState = {};

const figureKey = ({ model, ladder_digest }: Pick<CarriedFigure, 'model' | 'ladder_digest'>) =>
  `${model} ${ladder_digest}`;

export const figureOf = (
  state: FigureState,
  of: Pick<CarriedFigure, 'model' | 'ladder_digest'>,
): CarriedFigure | undefined => state[figureKey(of)];

/**
 * The reason why nobody would have measured this after the events before it, as the end of a sentence that begins with it.
 */
export function figureFault(state: FigureState, figure: CarriedFigure): string | undefined {
  const { claims, stones } = figure;
  if (!FIGURE_CLAIMS.some((one) => one === claims)) return `was measured on ${claims} claims, where nothing is`;
  if (stones > claims) return `names ${stones} rough stones of ${claims} claims`;
  if ((figureOf(state, figure)?.claims ?? 0) < claims) return undefined;
  return 'was measured on no more claims than the figure before it';
}

/** A figure that nobody would have measured is passed over. */
export function evolveFigure(state: FigureState, event: CarriedMeasured): FigureState {
  switch (event.type) {
    case 'CarriedMeasured':
      return figureFault(state, event.data) ? state : { ...state, [figureKey(event.data)]: event.data };
    default:
      return never(event.type);
  }
}
