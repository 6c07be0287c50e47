/** Lots of stones that the shipped lot model does not know: vectors of simulated parcels of `second`, shaken, seed 9100. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '#config/version';
import { LOT_VECTOR } from '../model.js';
import type { CheckedHistory } from '../scorer/propose.js';

/**
 * Of each parcel its first stones as they were enrolled and as they came back, 96 numbers each, in two hundredths: 14 parcels of
 * one trader and 5 of another, as `encodeParcels` of the laboratory gives them.
 */
const FILE = 'libs/science/lots/test/second-vectors.bin';
const STONES = 24;
const UNIT = 200;
/** Parcels of the first trader; five of the second stand behind them. */
export const FIRST_TRADER = 14;

const read = readFileSync(join(packageFolder(), FILE));
const numbers = Float32Array.from({ length: read.length / 2 }, (_, i) => read.readInt16LE(2 * i) / UNIT);
const rowOf = (parcel: number, visit: 0 | 1, stone: number) => {
  const from = ((2 * parcel + visit) * STONES + stone) * LOT_VECTOR;
  return numbers.subarray(from, from + LOT_VECTOR);
};

export interface MadeLot extends CheckedHistory {
  /** Of each returned stone its member, or null for a stranger. */
  truth: (number | null)[];
}

export interface MadeWish {
  stones?: number;
  /** Returned stones that are strangers: of the same parcel, as far as it has more, then of the next one. */
  exchanged?: number;
  /** Sets the lot's name, where one parcel gives several. */
  name?: string;
}

/** @param parcel one lot of each */
export function madeLot(parcel: number, { stones = 20, exchanged = 4, name = `${parcel}` }: MadeWish = {}): MadeLot {
  const own = Array.from({ length: stones }, (_, stone) => rowOf(parcel, 0, stone));
  const truth = own.map((_, i) => (i < exchanged ? null : i));
  const stranger = (i: number) => {
    const spare = stones + i;
    return spare < STONES ? rowOf(parcel, 1, spare) : rowOf((parcel + 1) % FIRST_TRADER, 1, i);
  };
  const returned = truth.map((member, i) => (member === null ? stranger(i) : rowOf(parcel, 1, member)));
  const rows = (all: Float32Array[]) => Float32Array.from(all.flatMap((one) => [...one]));
  const id = Buffer.from(name).toString('hex').padStart(32, '0');
  return {
    lot_id: `lot_${id}`,
    check_id: `chk_${id}`,
    session_type: 'shaken',
    stones: truth.map((_, i) => `P${i}`),
    members: rows(own),
    returned: rows(returned),
    truth,
  };
}

/** The same stones scanned once more: enrolled as they came back, and the other way round. */
export function rescanned(lot: MadeLot, name: string): MadeLot {
  const id = Buffer.from(name).toString('hex').padStart(32, '0');
  const { members, returned } = lot;
  return { ...lot, lot_id: `lot_${id}`, check_id: `chk_${id}`, members: returned, returned: members };
}
