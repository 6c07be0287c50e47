/** A lot as the command line keeps it: names, digests and vectors of its stones, no spectrum. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { decodeLotVector, encodeLotVector } from '#domain/vectors';
import type { ReadLot } from '#kit/queue/lots/port';
import type { MemberStone } from '#lots/events';
import { BOUNDS_VERSION, LOT_STONES } from '#science/lots/bounds';
import type { EnrolledLot } from '#science/lots/lot';
import { LOT_VECTOR, type LotModel, SESSION_TYPES } from '#science/lots/model';
import { digestOf } from '#science/lots/stones';
import { InputError } from './exit.js';

const FORMAT = 'mvs-lot-1';

/** A change since the lot was enrolled, as the API lists it. */
export interface LotChange {
  what: 'renamed' | 'session_type_corrected' | 'retired';
  to: string | null;
  at: string;
}

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
  /** Oldest first; left out where nothing was changed. */
  changes?: LotChange[];
  /** Left out of lots in use. */
  retired_at?: string;
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

/** In place of the former file: a reader finds either of them, whole. */
export async function replaceLotFile(path: string, lot: LotFile): Promise<void> {
  const part = `${path}.part`;
  try {
    await writeLotFile(part, lot);
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** As JSON for a reader: without the stones' numbers. */
export const shownLot = (lot: LotFile): string =>
  JSON.stringify({ ...lot, stones: lot.stones.map(({ stone, scans }) => ({ stone, scans })) }, null, 2);

/** A lot of this or a former model, retired or not. @throws InputError where the file holds none */
export async function openLotFile(path: string): Promise<LotFile> {
  const lot = parsed(await readFile(path, 'utf8'));
  if (!lot) throw new InputError(`${path} holds no enrolled lot: make one with mvs lots enrol`);
  return lot;
}

/** @throws InputError */
export function inUse(path: string, lot: LotFile): LotFile {
  if (lot.retired_at === undefined) return lot;
  throw new InputError(`${path} is retired: it is read, and no longer checked, rehearsed or changed`);
}

/** @throws InputError where the lot is of another model */
export function ofModel(path: string, lot: LotFile, { digest }: Pick<LotModel, 'digest'>): LotFile {
  if (lot.model === digest) return lot;
  throw new InputError(`${path} was enrolled with another lot model (${lot.model.slice(0, 16)}): enrol the lot again`);
}

/** A lot to be worked on with this model. @throws InputError */
export const readLotFile = async (path: string, model: Pick<LotModel, 'digest'>): Promise<LotFile> =>
  ofModel(path, inUse(path, await openLotFile(path)), model);

function parsed(text: string): LotFile | undefined {
  let lot: Partial<LotFile> | null;
  try {
    lot = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { format, name, model, stones, twins, session_type, changes, retired_at } = lot ?? {};
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
    stones.every(isMember) &&
    (changes === undefined || (Array.isArray(changes) && changes.every((one) => typeof one?.what === 'string'))) &&
    (retired_at === undefined || typeof retired_at === 'string');
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
