/** The claims that a lot check supports: the product's bounds, and apart from them the figures measured here. */
import { BOUNDS_VERSION, LOT_SCOPE, specifiedBounds } from '#science/lots/bounds';
import type { LotFolder } from '#science/lots/folder';
import type { BoundsAnswer } from './shapes.js';

/** The bounds stay what they are, whatever a workspace approves. */
const WORKSPACE_SCORERS =
  'Checks and rehearsals that say scorer: workspace were decided by a scorer of the workspace’s own, on lots unlike those that these ' +
  'figures were measured on. They hold for the shipped scorer alone; such an answer gives what was rehearsed on the workspace’s lots.';

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
      workspace_scorers: WORKSPACE_SCORERS,
    };
  }
}
