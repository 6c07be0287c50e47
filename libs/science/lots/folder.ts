import { FALSE_ACCEPT_LABEL } from './bounds.js';
import type { KnownFalseAccept } from './lot.js';
import { type MeasuredBounds, type MeasuredRehearsal, measuredIn, nearestInSize } from './measured.js';
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

/** At this share of substitutes an answer quotes the measured figures. */
const QUOTED_SUBSTITUTION = 0.2;

/** One-stone rates of lots of a size by session type: the label, and what was measured on parcels of the physics fitted on. */
export const falseAcceptsOf = (measured: MeasuredBounds | null, members: number) =>
  Object.fromEntries(
    SESSION_TYPES.map((session): [SessionType, KnownFalseAccept] => {
      const cells = (measured?.cells ?? []).filter(
        ({ family, session_type, substitution }) =>
          family === 'test' && session_type === session && substitution === QUOTED_SUBSTITUTION,
      );
      const rate = nearestInSize(cells, members)?.one_stone_false_accept ?? null;
      return [session, { label: FALSE_ACCEPT_LABEL, measured: rate }];
    }),
  ) as Record<SessionType, KnownFalseAccept>;

/** Measured bias of rehearsals on lots of a session type, of the size nearest to this one. */
export const cohortBias = (
  measured: MeasuredBounds | null,
  session: SessionType,
  members: number,
): MeasuredRehearsal | undefined =>
  nearestInSize(
    (measured?.rehearsal ?? []).filter(({ session_type }) => session_type === session),
    members,
  );
