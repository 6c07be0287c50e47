import { falseAcceptOf, type MeasuredBounds, type MeasuredRehearsal, measuredIn } from './measured.js';
import { type LotModel, SESSION_TYPES, type SessionType } from './model.js';
import { type Usual, usualIn } from './reference-lots.js';
import { lotModelIn } from './shipped.js';

/** A lot model with what was measured of it, and for which lots. */
export interface LotFolder {
  model: LotModel;
  measured: MeasuredBounds | null;
  usual: Usual | null;
}

/** @throws ModelFileError */
export function readLotFolder(folder: string): LotFolder {
  const model = lotModelIn(folder);
  return { model, measured: measuredIn(folder, model), usual: usualIn(folder, model) };
}

/** One-stone rates of lots of a size: the label, and what was measured, by session type. */
export const falseAcceptsOf = (measured: MeasuredBounds | null, members: number) =>
  Object.fromEntries(SESSION_TYPES.map((session) => [session, falseAcceptOf(measured, session, members)])) as Record<
    SessionType,
    ReturnType<typeof falseAcceptOf>
  >;

/** Measured bias of rehearsals on lots of a session type, of the size nearest to this one. */
export function cohortBias(
  measured: MeasuredBounds | null,
  session: SessionType,
  members: number,
): MeasuredRehearsal | undefined {
  const apart = ({ lot_size }: MeasuredRehearsal) => Math.abs(Math.log(lot_size / members));
  return measured?.rehearsal
    .filter(({ session_type }) => session_type === session)
    .sort((a, b) => apart(a) - apart(b))[0];
}
