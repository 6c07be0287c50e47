/** Compares a lot with those on which the bars were set, and counts its own false accepts. */
import { wilson } from '#science/calibration/statistics';
import type { MeasuredShare } from './measured.js';
import type { SessionType } from './model.js';
import { type Usual, usualLots, whereUsual } from './reference-lots.js';
import { apart } from './score.js';

export interface LotFit {
  /** Both lie within what is usual: the published figures may be expected to hold. */
  usual: boolean;
  /** Members that have a look-alike among the others; of a return, stones that are above the bar for a second member too. */
  look_alikes: { share: number; usual_to: number };
  /** Of the members' mean from the middle of the parcels that the bars were set on. */
  distance: { value: number; usual_to: number };
  /** One sentence, to be shown wherever the answer is. */
  says: string;
}

/** @param centre of the members, as the encoder gives it @param share of look-alikes */
export function fitOf(
  usual: Usual | null,
  { session, size, centre, share }: { session: SessionType; size: number; centre: Float64Array; share: number },
): LotFit | null {
  if (usual === null) return null;
  const { look_alikes_to } = usualLots(usual, session, size);
  const { centre: middle, distance_to } = whereUsual(usual, session);
  const distance = apart(centre, middle);
  const [far, alike] = [distance > distance_to, share > look_alikes_to];
  return {
    usual: !far && !alike,
    look_alikes: { share, usual_to: look_alikes_to },
    distance: { value: distance, usual_to: distance_to },
    says: sentence(far ? distance / distance_to : null, alike ? share : null),
  };
}

function sentence(times: number | null, share: number | null): string {
  if (times === null && share === null) return 'The lot is like those that the bars were set on.';
  const why = [
    ...(times === null ? [] : [`its stones lie ${times.toFixed(1)} times as far out as is usual`]),
    ...(share === null ? [] : [`${Math.round(100 * share)}% of its stones have a look-alike in it`]),
  ];
  return (
    `This lot is unlike those that the bars were set on (${why.join(', and ')}): the published figures do not hold for it, ` +
    'and what is confirmed may be foreign. Do not rely on the answer; have a lot model trained on parcels of your own.'
  );
}

/**
 * Says of a return that it lies further from the members, as a whole, than sessions of one lot usually do; null where it does not.
 * @param stones that returned @param offset what was taken off all of them
 */
export function offsetSays(
  usual: Usual | null,
  { session, stones, offset }: { session: SessionType; stones: number; offset: number },
): string | null {
  const usualTo = usual && usualLots(usual, session, stones).offset_to;
  if (!usualTo || offset <= usualTo) return null;
  return `as a whole the return lies ${(offset / usualTo).toFixed(1)} times as far from the members as is usual: it may be another lot`;
}

/**
 * One stone's false accept rate of the lot itself, every place being open: members that another member would be taken
 * for, and returning stones that would be taken for a second member. Both say the same of two sessions; each counts half.
 * @param members of them with a look-alike, and all @param returned the same of the returning stones, if there are any
 */
export function ownFalseAccept(members: readonly [number, number], returned: readonly [number, number]): MeasuredShare {
  const [hits, of] = [members[0] + returned[0], members[1] + returned[1]];
  const share = hits / of;
  // A stone that looks like another stands in both counts: they are not as many as they seem.
  const trials = Math.max(members[1], returned[1]);
  return { share, interval: wilson(share * trials, trials) };
}
