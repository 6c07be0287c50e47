import { type EventIn, event } from '#domain/catalogue-entry';
import { never } from '#domain/decider';
import { count, described, list, number, object } from '#domain/schemas';
import { aDigest, at, modelDigest, population, rung } from '#domain/shapes';
import { streams } from '#domain/streams';

/** Events of carried figures. */
export const figureEvents = {
  CarriedMeasured: event(
    1,
    { name: 'figure-{population}', is: (stream, { population }) => stream === streams.figure(population) },
    'the shipped thresholds were measured on a population, at 30, 100 and 300 counted claims',
    {
      population,
      model: modelDigest,
      ladder_digest: described(aDigest, 'digest of the calibration asset that came with the model, 64 hex'),
      claims: described(count, 'the first counted claims, on which it was measured'),
      stones: described(count, 'their rough stones'),
      rungs: described(
        list(
          object({
            reject_target: rung,
            wrong_per_1000: described(number(0, 1000), 'wrong claims in 1,000 that the shipped threshold accepts'),
          }),
          16,
        ),
        'by rung: `reject_target`, and `wrong_per_1000`, the wrong claims in 1,000 that its shipped threshold accepts',
      ),
      at,
    },
  ),
};

export type CarriedMeasured = EventIn<typeof figureEvents, 'CarriedMeasured'>;
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

export function evolveFigure(state: FigureState, event: CarriedMeasured): FigureState {
  switch (event.type) {
    case 'CarriedMeasured':
      return { ...state, [figureKey(event.data)]: event.data };
    default:
      return never(event.type);
  }
}
