import { FIRST_MELEE, type FirstMelee, firstParcel } from './first-family.js';
import type { Parcel } from './parcel.js';

/** Families of parcels: those of the first simulator share its physics and no mines. */
export const MELEE_FAMILIES = [...FIRST_MELEE] as const;
export type MeleeFamily = FirstMelee;

export const isMeleeFamily = (name: string): name is MeleeFamily => MELEE_FAMILIES.some((one) => one === name);

/** A parcel of either simulator. */
export function parcelOf(family: MeleeFamily, seed: number, parcel: number): Parcel {
  return firstParcel(family, seed, parcel);
}
