import type { EventOf } from '../catalogue.js';
import { never } from '../decider.js';

export type CarriedMeasured = EventOf<'CarriedMeasured'>;
/** What the shipped thresholds let through on a population, measured on its own first claims. */
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

export function evolveFigure(state: FigureState, event: CarriedMeasured): FigureState {
  switch (event.type) {
    case 'CarriedMeasured':
      return { ...state, [figureKey(event.data)]: event.data };
    default:
      return never(event.type);
  }
}
