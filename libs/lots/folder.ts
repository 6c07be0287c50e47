import { type MeasuredBounds, measuredIn } from './measured.js';
import type { LotModel } from './model.js';
import { lotModelIn } from './shipped.js';

/** A lot model with what was measured of it. */
export interface LotFolder {
  model: LotModel;
  measured: MeasuredBounds | null;
}

/** @throws ModelFileError */
export function readLotFolder(folder: string): LotFolder {
  const model = lotModelIn(folder);
  return { model, measured: measuredIn(folder, model) };
}
