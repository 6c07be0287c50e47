/** Parcels of a trader: stones that were scanned before they went out and again when they came back, exchanged by nobody. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { limits, lotLimitsOf } from '#config/limits';
import { OWN_PARCEL_STONES } from '#science/lots/bounds';
import { type LotModel, SESSION_TYPES, type SessionType } from '#science/lots/model';
import { sessionFingerprint } from '#science/lots/session';
import { prepareStones, refuseEnrolmentScans, spectraByStone } from '#science/lots/stones';
import { Refusal } from '#science/spectra/refusal';
import { InputError } from '../../apps/cli/exit.js';
import { listInputs, readInput } from '../../apps/cli/files.js';
import { MIN_PARCELS } from './bars.js';
import type { Visit } from './parcel.js';
import { type PreprocessedStones, preprocessStone, SquareSum } from './scans.js';

/** Of all session types: more would take gigabytes and change little. */
export const MAX_PARCELS = 100;
const LAYOUT = '<session type>/<parcel>/enrol/<stone>_<n>.<ext> and <session type>/<parcel>/return/<stone>_<n>.<ext>';

/** A parcel as it was read. */
export interface OwnParcel {
  /** In the order in which parcels were read. */
  number: number;
  name: string;
  type: SessionType;
  /** Spectra of the stones that both visits have, in one order. */
  enrol: Float32Array[];
  back: Float32Array[];
}

/** Where a parcel lies. */
interface Listed {
  folder: string;
  name: string;
  type: SessionType;
}

/** The parcels `FOLDER/<session type>/<parcel>`. @throws InputError where there are none, too few, or folders of another name */
export async function listOwnParcels(folder: string): Promise<Listed[]> {
  const listed: Listed[] = [];
  for (const type of await foldersIn(folder)) {
    if (!isSessionType(type))
      throw new InputError(
        `${join(folder, type)} is no session type: the folder holds ${LAYOUT}, session types being ${SESSION_TYPES.join(', ')}`,
      );
    const names = await foldersIn(join(folder, type));
    if (names.length < MIN_PARCELS)
      throw new InputError(
        `${join(folder, type)} holds ${names.length} parcels, and bars take ${MIN_PARCELS} of a session type: add parcels, or leave ` +
          'this session type out',
      );
    listed.push(...names.map((name) => ({ folder: join(folder, type, name), name, type })));
  }
  if (listed.length === 0) throw new InputError(`${folder} holds no parcels: they are folders ${LAYOUT}`);
  if (listed.length > MAX_PARCELS)
    throw new InputError(
      `${folder} holds ${listed.length} parcels, and a training takes ${MAX_PARCELS}: keep the latest`,
    );
  return listed;
}

/**
 * Reads `enrol/<stone>_<n>.<ext>` and `return/<stone>_<n>.<ext>` of each parcel. A stone has one name in both visits.
 * @param model only what a blank scan is comes from it
 * @param printError is told of stones that one visit lacks; they are left out
 * @throws InputError that names the folder, file or stone and the fix
 */
export async function readOwnParcels(
  listed: readonly Listed[],
  model: Pick<LotModel, 'preprocessing'>,
  printError: (line: string) => void,
  advance: () => void = () => {},
): Promise<OwnParcel[]> {
  const parcels: OwnParcel[] = [];
  for (const { folder, name, type } of listed) {
    parcels.push({ number: parcels.length, name, type, ...(await readParcel(folder, model, printError)) });
    advance();
  }
  return parcels;
}

async function readParcel(
  folder: string,
  model: Pick<LotModel, 'preprocessing'>,
  printError: (line: string) => void,
): Promise<Pick<OwnParcel, 'enrol' | 'back'>> {
  const [enrol, back] = [await readVisit(folder, 'enrol', model), await readVisit(folder, 'return', model)];
  refused(folder, () => refuseEnrolmentScans(enrol.stones, back.stones));
  const byName = new Map(back.stones.map(({ stone }, i) => [stone, back.spectra[i]]));
  const both = enrol.stones.flatMap(({ stone }, i) => {
    const again = byName.get(stone);
    return again ? [{ stone, enrol: enrol.spectra[i], back: again }] : [];
  });
  const known = new Set(both.map(({ stone }) => stone));
  const alone = [...enrol.stones, ...back.stones].map(({ stone }) => stone).filter((stone) => !known.has(stone));
  if (both.length < OWN_PARCEL_STONES.min)
    throw new InputError(
      `${folder} holds ${both.length} stones that were scanned on both visits, and a parcel takes ${OWN_PARCEL_STONES.min}: name each ` +
        'stone alike in enrol and in return, or leave the parcel out',
    );
  for (const stone of alone) printError(`mvs: ${join(folder, stone)} is left out: one of its visits is missing`);
  return { enrol: both.map((one) => one.enrol), back: both.map((one) => one.back) };
}

async function readVisit(folder: string, visit: Visit, model: Pick<LotModel, 'preprocessing'>) {
  const path = join(folder, visit);
  const files = await listInputs([path]).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new InputError(`${path} is missing: a parcel is scanned on two visits, enrol and return`);
    throw error instanceof Refusal ? new InputError(`${path}: ${error.detail}`) : error;
  });
  try {
    const named = await Promise.all(files.map((file) => readInput(file)));
    const { stones, spectra } = await prepareStones(named, 'parcel', model, lotLimitsOf(limits));
    return {
      stones,
      spectra: spectraByStone(
        spectra,
        stones.map(({ scans }) => scans),
      ),
    };
  } catch (error) {
    if (error instanceof Refusal) throw new InputError(`${path}: ${error.detail}`);
    throw error;
  }
}

function refused(folder: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (error instanceof Refusal) throw new InputError(`${folder}: ${error.detail}`);
    throw error;
  }
}

const isSessionType = (name: string): name is SessionType => SESSION_TYPES.some((type) => type === name);

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const natural = new Intl.Collator('en', { numeric: true });
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort((a, b) => natural.compare(a, b) || (a < b ? -1 : 1));
}

/** Own parcels as the encoder takes them. */
export interface PreprocessedParcels extends PreprocessedStones {
  /** Number of each parcel. */
  numbers: number[];
  /** Session type of each parcel. */
  types: SessionType[];
  /** Looks of the sessions of each type, two per parcel. */
  looks: Record<SessionType, number[][]>;
}

/** The parcels' spectra are zeroed. */
export function preprocessParcels(
  preprocessing: LotModel['preprocessing'],
  parcels: readonly OwnParcel[],
): PreprocessedParcels {
  const inputs = 2 * preprocessing[0].scale.length;
  const counts = parcels.map(({ enrol }) => enrol.length);
  const rows = () => new Float32Array(inputs * counts.reduce((sum, count) => sum + count, 0));
  const looks: Record<SessionType, number[][]> = { shaken: [], 'table-up': [], 'culet-focus': [] };
  const out = {
    inputs,
    parcels: counts,
    types: parcels.map(({ type }) => type),
    looks,
    numbers: parcels.map(({ number }) => number),
    enrol: rows(),
    back: rows(),
  };
  const scatter = new Float64Array(inputs * inputs);
  const differences = new SquareSum(scatter, inputs);
  let scattered = 0;
  for (const visit of ['enrol', 'back'] as const) {
    let at = 0;
    for (const parcel of parcels) {
      looks[parcel.type].push(sessionFingerprint({ preprocessing }, parcel[visit]));
      for (const spectra of parcel[visit]) {
        scattered += preprocessStone(preprocessing, spectra, out[visit].subarray(at, at + inputs), differences);
        spectra.fill(0);
        at += inputs;
      }
    }
  }
  differences.end();
  return { ...out, scatter, scattered };
}
