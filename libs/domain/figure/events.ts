import { type Happened, never } from '../decider.js';

/** What the shipped thresholds let through on a population, measured on its own first claims. */
export interface CarriedFigure {
  population: string;
  /** Digest of the model, 64 hex digits. */
  model: string;
  /** Digest of the calibration asset that came with it, 64 hex digits. */
  ladder_digest: string;
  /** Counted claims that it was measured on, and their rough stones. */
  claims: number;
  stones: number;
  /** Wrong claims in 1,000 that the shipped threshold accepts, by rung. */
  rungs: { reject_target: number; wrong_per_1000: number }[];
  at: string;
}

export type CarriedMeasured = Happened<'CarriedMeasured', 1, CarriedFigure>;

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
