import { FIRST_MELEE, type FirstMelee, firstParcel } from './first-family.js';
import type { Parcel } from './parcel.js';
import { secondParcel } from './second-family.js';

/** Families of parcels. Those of the first simulator share its physics and no mines; `second` is the second's. */
export const MELEE_FAMILIES = [...FIRST_MELEE, 'second'] as const;
export type MeleeFamily = FirstMelee | 'second';

/** A parcel of either simulator. */
export const parcelOf = (family: MeleeFamily, seed: number, parcel: number): Parcel =>
  family === 'second' ? secondParcel(seed, parcel) : firstParcel(family, seed, parcel);
