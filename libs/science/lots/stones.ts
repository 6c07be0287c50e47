/** The scans of a lot, by stone: files grouped by their names, checked, and brought onto the reference axis. */
import { hash } from 'node:crypto';
import type { Limits } from '#config/limits';
import { refuseForeign } from '#science/matching/lattice';
import { pathOf } from '#science/matching/preprocess';
import { REFERENCE_FIRST, REFERENCE_POINTS, REFERENCE_STEP } from '#science/spectra/axis';
import { readScans } from '#science/spectra/files';
import { stoneFromFileName } from '#science/spectra/names';
import { printableName, Refusal, type Unused } from '#science/spectra/refusal';
import { prepareScans, type Scan } from '#science/spectra/scan-set';
import { budgetOf, type NamedFile } from '#science/spectra/zip';
import { LOT_STONES, MIN_SCANS, OWN_PARCEL_STONES, RETURNED_STONES } from './bounds.js';
import { byName } from './clusters.js';
import { FIRST_SEEN } from './encoder.js';
import { LOT_VECTOR, LOT_VIEW_FROM, type LotModel } from './model.js';
import type { Usual } from './reference-lots.js';

/** The purpose of the files sent: it says how many stones they may hold. */
export type Purpose = 'enrol' | 'check';

/** A stone as its files show it; no ordinate of it. */
export interface StoneFacts {
  stone: string;
  scans: number;
  /** SHA-256 of the parsed numbers, 64 hex digits. */
  digest: string;
  /** The same of each scan, ascending. */
  scan_digests: string[];
}

export interface PreparedStones {
  /** In the natural order of their names. */
  stones: StoneFacts[];
  /** Names of each stone's files, as they were sent. */
  files: string[][];
  /** All scans on the reference axis, 671 each, stone by stone; NaN where nothing was measured. */
  spectra: Float32Array<ArrayBuffer>;
  /** Oddities of the files that are no fault. */
  warnings: string[];
  /** Files beside the scans that hold none. */
  unused: Unused[];
}

/** A `parcel` is part of a trader's history, from which models are made. */
const STONES = { enrol: LOT_STONES, check: RETURNED_STONES, parcel: OWN_PARCEL_STONES } as const;
const HOLDS = { enrol: 'a lot holds', check: 'a return holds', parcel: 'a parcel holds' } as const;
/** Stones that a sentence names. */
const NAMED = 8;
/** The last of the bins that no instrument of this product leaves out. */
const SEEN_TO = Math.floor((3990 - REFERENCE_FIRST) / REFERENCE_STEP);

/** Spectra of a stone among those of all, by the scans that each has. */
export function spectraByStone(spectra: Float32Array, scans: readonly number[]): Float32Array[] {
  let end = 0;
  return scans.map((count) => {
    const from = end;
    end += count * REFERENCE_POINTS;
    return spectra.subarray(from, end);
  });
}

/** The identity of a lot's files, whatever their order: SHA-256 over names and digests, 64 hex digits. */
export const digestOf = (stones: readonly Pick<StoneFacts, 'stone' | 'digest'>[]): string =>
  hash('sha256', JSON.stringify(stones.map(({ stone, digest }) => [stone, digest]).sort()), 'hex');

/**
 * Reads, groups and checks. All spectra read are zeroed except those returned.
 * @param onStone called after each stone
 * @param goOn called between scans; throws where the answer is no longer wanted
 * @throws Refusal that names the file or the stone
 */
export async function prepareStones(
  files: NamedFile[],
  purpose: keyof typeof STONES,
  model: Pick<LotModel, 'preprocessing'>,
  limits: Limits,
  onStone: () => void = () => {},
  goOn: () => void = () => {},
): Promise<PreparedStones> {
  const { scans, unused } = await readScans(files, limits, undefined, budgetOf(limits, goOn));
  try {
    const groups = grouped(scans);
    checkCounts(groups, purpose);
    const spectra = new Float32Array(scans.length * REFERENCE_POINTS);
    const stones: StoneFacts[] = [];
    const names: string[][] = [];
    const warnings: string[] = [];
    const copied: string[] = [];
    const short: string[] = [];
    let at = 0;
    for (const [stone, own] of groups) {
      const prepared = prepareScans(own, 'masked');
      refuseForeign({ ...prepared, scans: own }, model.preprocessing[0]);
      for (let scan = 0; scan < prepared.count; scan++) {
        const from = scan * REFERENCE_POINTS;
        if (pathOf(model.preprocessing[0], prepared.spectra, from) === 0) throw blank(own[scan]);
        if (prepared.spectra.subarray(from + FIRST_SEEN, from + SEEN_TO).some(Number.isNaN)) short.push(stone);
      }
      spectra.set(prepared.spectra, at);
      prepared.spectra.fill(0);
      at += prepared.spectra.length;
      if (own.length - prepared.duplicates < MIN_SCANS) throw copies(stone, own.length - prepared.duplicates);
      if (prepared.duplicates > 0) copied.push(stone);
      names.push(own.map(({ file }) => file));
      onStone();
      goOn();
      const { digest, scanDigests: scan_digests } = prepared;
      stones.push({ stone, scans: own.length, digest, scan_digests });
    }
    if (copied.length > 0) warnings.push(`Duplicate scans: copies of a scan among those of ${named(copied)}`);
    const shared = sharing(stones);
    if (shared.length > 0) warnings.push(`Shared scans: the same scan was sent for ${shared.join('; ')}`);
    if (short.length > 0)
      warnings.push(
        `Insufficient wavenumber coverage: part of ${LOT_VIEW_FROM} to 3990 cm^-1 is missing of ${named(short)}`,
      );
    return { stones, files: names, spectra, warnings, unused };
  } finally {
    for (const { absorbance } of scans) absorbance.fill(0);
  }
}

/** In the natural order of the stones' names; within a stone, of the scans' numbers. */
function grouped<S extends Scan & { file: string }>(scans: S[]): [stone: string, scans: S[]][] {
  const groups = new Map<string, Map<string, S>>();
  for (const scan of scans) {
    const found = stoneFromFileName(scan.file);
    if (!found) {
      const fix = 'name each file by its stone and a number, as A12_1.csv';
      throw new Refusal('stone_name', { file: scan.file, fix });
    }
    const { stone, number } = found;
    const own = groups.get(stone) ?? new Map<string, S>();
    if (own.has(number)) {
      const reason = `there are two scans ${number} of the stone ${printableName(stone)}`;
      throw new Refusal('stone_name', { file: scan.file, reason, fix: 'give each scan a number of its own' });
    }
    groups.set(stone, own.set(number, scan));
  }
  return [...groups]
    .sort(([a], [b]) => byName.compare(a, b) || (a < b ? -1 : 1))
    .map(([stone, own]) => [stone, [...own].sort(([a], [b]) => byName.compare(a, b)).map(([, scan]) => scan)]);
}

function checkCounts(groups: [stone: string, scans: unknown[]][], purpose: keyof typeof STONES): void {
  const few = groups.find(([, { length }]) => length < MIN_SCANS);
  if (few) {
    const [stone, { length }] = few;
    throw new Refusal('stone_scans', {
      reason: `the stone ${printableName(stone)} has ${length}`,
      fix: 'scan it again',
    });
  }
  const { min, max } = STONES[purpose];
  if (groups.length >= min && groups.length <= max) return;
  const names = named(groups.map(([stone]) => stone));
  throw new Refusal('stone_count', {
    reason: `there are ${groups.length} (${names}), and ${HOLDS[purpose]} ${min} to ${max}`,
    fix: 'stones are distinguished by what stands before the last _ of a file name',
  });
}

const copies = (stone: string, different: number) =>
  new Refusal('stone_scans', {
    reason: `the stone ${printableName(stone)} has ${different} different ${different === 1 ? 'scan' : 'scans'}, the rest are copies`,
    fix: 'scan it again: a copy of a scan is no scan',
  });

const blank = ({ file }: Scan) =>
  new Refusal('flat', {
    file,
    reason: 'no absorption of diamond between 1680 and 2680 cm^-1',
    fix: 'send a measured absorbance spectrum',
  });

const named = (stones: string[]): string => {
  const all = [...new Set(stones)];
  const more = all.length > NAMED ? ` and ${all.length - NAMED} more` : '';
  return all.slice(0, NAMED).map(printableName).join(', ') + more;
};

/** A scan of the enrolment matches it, whatever came back. @throws Refusal of kind `enrolment_files` */
export function refuseEnrolmentScans(members: readonly StoneFacts[], returned: readonly StoneFacts[]): void {
  const enrolled = new Map(members.flatMap(({ stone, scan_digests }) => scan_digests.map((one) => [one, stone])));
  for (const { stone, scan_digests } of returned) {
    const member = scan_digests.map((one) => enrolled.get(one)).find((one) => one !== undefined);
    if (member === undefined) continue;
    const reason = `a scan of ${printableName(stone)} is one that ${printableName(member)} was enrolled with`;
    throw new Refusal('enrolment_files', { reason, fix: 'scan the stones that came back' });
  }
}

/**
 * Refuses a return that is nearer to a member than any two scans of one stone were. It is no scan, but that member's
 * enrolment rounded, scaled or with some noise: it would match whatever came back.
 * @param members vectors and @param returned the same of what came back, rows of LOT_VECTOR
 * @throws Refusal of kind `copied_scans`
 */
export function refuseCopies(
  { rescan_from }: Pick<Usual, 'rescan_from'>,
  members: { stones: readonly string[]; vectors: Float32Array },
  returned: { stones: readonly { stone: string }[]; files: readonly string[][]; vectors: Float32Array },
): void {
  const found = returned.stones.flatMap((_, i) => {
    const vector = returned.vectors.subarray(i * LOT_VECTOR, (i + 1) * LOT_VECTOR);
    const member = members.stones.findIndex((_stone, m) => {
      let squares = 0;
      for (let j = 0; j < LOT_VECTOR; j++) squares += (vector[j] - members.vectors[m * LOT_VECTOR + j]) ** 2;
      return squares / LOT_VECTOR < rescan_from;
    });
    return member < 0 ? [] : [{ stone: i, member }];
  });
  if (found.length === 0) return;
  const [{ member }] = found;
  const reason = `${named(found.flatMap(({ stone }) => returned.files[stone]))} are nearer to the enrolment${found.length === 1 ? ` of ${printableName(members.stones[member])}` : ''} than any second scan of a stone`;
  throw new Refusal('copied_scans', { reason, fix: 'scan the stones that came back' });
}

/** Pairs of stones that have a scan in common, number for number. */
function sharing(stones: StoneFacts[]): string[] {
  const owners = new Map<string, string>();
  const pairs = new Set<string>();
  for (const { stone, scan_digests } of stones)
    for (const digest of scan_digests) {
      const owner = owners.get(digest) ?? stone;
      owners.set(digest, owner);
      if (owner !== stone) pairs.add(`${printableName(owner)} and ${printableName(stone)}`);
    }
  return [...pairs].slice(0, NAMED);
}
