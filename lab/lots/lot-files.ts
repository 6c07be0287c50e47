/** A simulated lot as files: what a trader would send, and the truth with it. */
import type { SessionType } from '#science/lots/model';
import { Random, type SimulatedFile, scanFile } from '../simulator/index.js';
import { type MeleeFamily, parcelOf } from './families.js';
import { drawLot } from './lot.js';
import type { Visit } from './parcel.js';

export interface LotOrder {
  family: MeleeFamily;
  seed: number;
  parcel: number;
  stones: number;
  session: SessionType;
  scans: number;
  substitution: number;
  twins: boolean;
  /** True if returned stones are named as they were enrolled: a parcel of a trader's history. */
  named?: boolean;
}

export interface LotFolder {
  /** Fit for file names. */
  name: string;
  /** `enrol/<stone>_<k>.csv`, `return/<position>_<k>.csv` and `truth.json`. */
  files: SimulatedFile[];
}

const two = (number: number) => String(number).padStart(2, '0');

/** One lot of a parcel; a pure function of its order. */
export function lotFiles(order: LotOrder): LotFolder {
  const { family, seed, parcel, stones: size, session, scans, substitution, twins, named = false } = order;
  const random = new Random('lot', family, seed, parcel, size, substitution, Number(twins));
  const { members, returned } = drawLot({ size, substitution, twins }, random);
  const made = parcelOf(family, seed, parcel);
  const visit = (kind: Visit, stone: number, name: string): SimulatedFile[] =>
    made.scans(stone, kind, session, scans).map((scan, k) => ({
      name: `${kind}/${name}_${k + 1}.csv`,
      data: scanFile(scan, 'csv'),
    }));
  const nameOf = (member: number) => `M${two(member + 1)}`;
  const placeOf = (place: number, member: number | null) =>
    named && member !== null ? nameOf(member) : `P${two(place + 1)}`;
  const truth = returned.map(({ member, twinOf }, place) => {
    const is = member !== null ? nameOf(member) : twinOf !== undefined ? `twin of ${nameOf(twinOf)}` : 'substitute';
    return [placeOf(place, member), is] as const;
  });
  const text = JSON.stringify({ simulated: true, ...order, return: Object.fromEntries(truth) }, null, 2);
  return {
    name: `${family}-${seed}-${parcel}`,
    files: [
      ...members.flatMap((stone, member) => visit('enrol', stone, nameOf(member))),
      ...returned.flatMap(({ stone, member }, place) => visit('return', stone, placeOf(place, member))),
      { name: 'truth.json', data: new TextEncoder().encode(`${text}\n`) },
    ],
  };
}
