/** The claims that a lot check supports: the product's bounds, and apart from them the figures measured here. */
import { BOUNDS_VERSION, LOT_SCOPE, specifiedBounds } from '#science/lots/bounds';
import type { LotFolder } from '#science/lots/folder';
import type { BoundsAnswer } from './shapes.js';

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
