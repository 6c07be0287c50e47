import { falseAcceptOf, type MeasuredBounds, measuredIn } from './measured.js';
import { type LotModel, SESSION_TYPES, type SessionType } from './model.js';
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

/** One-stone rates of lots of a size: the label, and what was measured, by session type. */
export const falseAcceptsOf = (measured: MeasuredBounds | null, members: number) =>
  Object.fromEntries(SESSION_TYPES.map((session) => [session, falseAcceptOf(measured, session, members)])) as Record<
    SessionType,
    ReturnType<typeof falseAcceptOf>
  >;
