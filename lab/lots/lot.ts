/** Lots drawn out of a parcel: who is a member, and what comes back. */
import type { Random } from '../simulator/index.js';
import { roughOf, SIMULATED_STOCK, type Stock, stonesOf, twinOf } from './parcel.js';

/** The stone in a place of the returning lot. */
export interface Returned {
  stone: number;
  /** The member it is, as a place in `members`; null for a substitute. */
  member: number | null;
  /** Of a substitute from the same rough: the member it takes the place of. */
  twinOf?: number;
}

export interface Lot {
  /** Stones of the parcel. */
  members: number[];
  returned: Returned[];
}

export interface LotPlan {
  size: number;
  /** Share of the members that are exchanged. */
  substitution: number;
  /** Exchanged for the other stone of the same rough; else for stones of roughs that no member comes from. */
  twins: boolean;
}

/** Members that come as pairs from one rough: about a tenth of a lot. */
const pairsOf = (size: number) => Math.round(size / 20);

/** Roughs that lots of a size need, a fifth of their stones being exchanged for strangers. */
export const roughsFor = (size: number): number => size + Math.round(0.2 * size);

/** Stones of roughs that no member comes from. */
export function strangersTo(members: readonly number[], stock: Stock): number[] {
  const roughs = new Set(members.map((stone) => roughOf(stone, stock)));
  return range(0, stonesOf(stock)).filter((stone) => !roughs.has(roughOf(stone, stock)));
}

/** A random lot. */
export function drawLot({ size, substitution, twins }: LotPlan, random: Random, stock = SIMULATED_STOCK): Lot {
  const paired = shuffled(range(0, stock.twinned), random).slice(0, pairsOf(size));
  const others = shuffled(
    range(0, stock.roughs).filter((rough) => !paired.includes(rough)),
    random,
  );
  const singles = others.slice(0, size - 2 * paired.length).map((rough) => {
    const twin = twinOf(rough, stock);
    return twin !== null && random.chance(0.5) ? twin : rough;
  });
  const members = shuffled([...paired.flatMap((rough) => [rough, stock.roughs + rough]), ...singles], random);
  const free = (member: number) => {
    const twin = twinOf(members[member], stock);
    return twin !== null && !members.includes(twin);
  };
  const places = shuffled(range(0, size), random).filter((member) => !twins || free(member));
  const exchanged = new Set(places.slice(0, Math.round(substitution * size)));
  const strangers = shuffled(strangersTo(members, stock), random);
  const returned = members.map((stone, member): Returned => {
    if (!exchanged.has(member)) return { stone, member };
    if (twins) return { stone: twinOf(stone, stock) as number, member: null, twinOf: member };
    return { stone: strangers.pop() as number, member: null };
  });
  return { members, returned: shuffled(returned, random) };
}

const range = (from: number, end: number) => Array.from({ length: end - from }, (_, i) => from + i);

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}
