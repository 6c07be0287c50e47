import { FIRST_MELEE, firstParcel } from './first-family.js';
import { fourthParcel, thirdParcel } from './later-families.js';
import type { Parcel } from './parcel.js';
import { secondParcel } from './second-family.js';

/** Families of parcels. Those of the first simulator share its physics and no mines; nothing is fitted on the others. */
export const MELEE_FAMILIES = [...FIRST_MELEE, 'second', 'third', 'fourth'] as const;
export type MeleeFamily = (typeof MELEE_FAMILIES)[number];

/** A parcel of any family. */
export function parcelOf(family: MeleeFamily, seed: number, parcel: number): Parcel {
  if (family === 'second') return secondParcel(seed, parcel);
  if (family === 'third') return thirdParcel(seed, parcel);
  if (family === 'fourth') return fourthParcel(seed, parcel);
  return firstParcel(family, seed, parcel);
}
