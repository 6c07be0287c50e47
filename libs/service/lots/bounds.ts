/** The claims that a lot check supports: the product's bounds, and apart from them the figures measured here. */
import { BOUNDS_VERSION, LOT_SCOPE, type LotFolder, type MeasuredBounds, specifiedBounds } from '#lots';

export interface BoundsAnswer {
  version: string;
  stamped: string;
  specified: typeof specifiedBounds;
  /** On simulated lots, with the model that serves; null where nothing was. */
  measured: MeasuredBounds | null;
  /** Digest of the lot model that serves. */
  model: string;
  scope: string;
}

export class LotBounds {
  readonly answer: BoundsAnswer;

  constructor({ model, measured }: Pick<LotFolder, 'model' | 'measured'>) {
    this.answer = {
      version: BOUNDS_VERSION,
      stamped: specifiedBounds.stamped,
      specified: specifiedBounds,
      measured,
      model: model.digest,
      scope: LOT_SCOPE,
    };
  }
}
