/** A lot as the command line keeps it: names, digests and vectors of its stones, no spectrum. */
import { readFile, writeFile } from 'node:fs/promises';
import { decodeLotVector, encodeLotVector, type MemberStone } from '#domain';
import {
  BOUNDS_VERSION,
  digestOf,
  type EnrolledLot,
  LOT_STONES,
  LOT_VECTOR,
  type LotModel,
  SESSION_TYPES,
} from '#lots';
import type { ReadLot } from '#scoring';
import { InputError } from './exit.js';

const FORMAT = 'mvs-lot-1';

export interface LotFile extends Omit<EnrolledLot, 'placing' | 'fit'> {
  format: typeof FORMAT;
  name: string;
  /** Digest of the lot model. */
  model: string;
  digest: string;
  /** Left out in files of before there was one. */
  fit?: EnrolledLot['fit'];
  stones: MemberStone[];
  bounds_version: string;
}

export const lotFileOf = (name: string, { stones, vectors, model }: ReadLot, enrolled: EnrolledLot): LotFile => {
  const { placing, ...facts } = enrolled;
  return {
    format: FORMAT,
    name,
    model,
    digest: digestOf(stones),
    ...facts,
    stones: stones.map((stone, i) => ({
      ...stone,
      vector: encodeLotVector(vectors.subarray(i * LOT_VECTOR, (i + 1) * LOT_VECTOR)),
      ...placing[i],
    })),
    bounds_version: BOUNDS_VERSION,
  };
};

export const writeLotFile = (path: string, lot: LotFile): Promise<void> =>
  writeFile(path, `${JSON.stringify(lot, null, 1)}\n`);

/** @throws InputError where the file holds no lot, or one of another model */
export async function readLotFile(path: string, { digest }: Pick<LotModel, 'digest'>): Promise<LotFile> {
  const lot = parsed(await readFile(path, 'utf8'));
  if (!lot) throw new InputError(`${path} holds no enrolled lot: make one with mvs lots enrol`);
  if (lot.model !== digest)
    throw new InputError(
      `${path} was enrolled with another lot model (${lot.model.slice(0, 16)}): enrol the lot again`,
    );
  return lot;
}

function parsed(text: string): LotFile | undefined {
  let lot: Partial<LotFile> | null;
  try {
    lot = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { format, name, model, stones, twins, session_type } = lot ?? {};
  const sound =
    format === FORMAT &&
    typeof name === 'string' &&
    typeof model === 'string' &&
    SESSION_TYPES.some((type) => type === session_type) &&
    Array.isArray(twins) &&
    twins.every((pair) => typeof pair?.a === 'string' && typeof pair.b === 'string') &&
    Array.isArray(stones) &&
    stones.length >= LOT_STONES.min &&
    stones.length <= LOT_STONES.max &&
    stones.every(isMember);
  return sound ? (lot as LotFile) : undefined;
}

const isMember = (stone: Partial<MemberStone> | null): boolean =>
  typeof stone?.stone === 'string' &&
  typeof stone.vector === 'string' &&
  decodeLotVector(stone.vector) !== undefined &&
  Number.isFinite(stone.cohort) &&
  Number.isFinite(stone.crowding) &&
  Array.isArray(stone.scan_digests) &&
  stone.scan_digests.every((digest) => typeof digest === 'string');
