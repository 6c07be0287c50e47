/**
 * Usual measures of lots like those on which a model's bars were set. It stands in a file beside the model, and says for
 * which lots the published figures may be expected to hold.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Isotonic, probabilityAt } from '#science/calibration/isotonic';
import { ModelFileError } from '#science/matching/safetensors';
import { nearestInSize } from './measured.js';
import { isNumber, LOT_VECTOR, type LotModel, SESSION_TYPES, type SessionType } from './model.js';

/** Of lots of one session type and size. */
export interface UsualLots {
  session_type: SessionType;
  lot_size: number;
  /** Shares up to this one are usual: members that have a look-alike among the others. */
  look_alikes_to: number;
  /**
   * Offsets of the returning session up to this length are usual, of as many stones as `lot_size`. Not there where the model
   * takes none off.
   */
  offset_to?: number;
}

export interface Usual {
  simulated: boolean;
  /** Digest of the model. */
  model: string;
  /** Parcels of each session type, and lots drawn out of each. */
  parcels: number;
  lots: number;
  /** Mean vector of all their stones. */
  centre: number[];
  cells: UsualLots[];
  /** Distances up to this one are usual: of the members' mean from that centre. */
  distance_to: number;
  /** No two scans of one stone were nearer to each other than this, a stone's mean to another's: squared, a number. */
  rescan_from: number;
  /** That a returning stone is the member whose place it takes, by its margin; a fifth of the lot being exchanged. */
  genuine: Record<SessionType, Isotonic>;
  /** Of session types whose bars were set on a trader's own parcels: where those lie. */
  own?: { session_types: SessionType[]; centre: number[]; distance_to: number };
}

export const USUAL_FILE = 'usual.json';

const isCurve = (curve: Partial<Isotonic> | undefined): boolean => {
  const { scores, probabilities } = curve ?? {};
  const lists = [scores, probabilities];
  return (
    lists.every((list) => Array.isArray(list) && list.length > 0 && list.every(isNumber)) &&
    scores!.length === probabilities!.length
  );
};

const isCentre = (centre: unknown): boolean =>
  Array.isArray(centre) && centre.length === LOT_VECTOR && centre.every(isNumber);
const isOwn = (own: Partial<Usual['own']>): boolean =>
  own === undefined ||
  (isCentre(own.centre) &&
    isNumber(own.distance_to) &&
    Array.isArray(own.session_types) &&
    own.session_types.length > 0);

/** @throws ModelFileError where the text is malformed, or belongs to another model */
export function loadUsual(text: string, { digest }: Pick<LotModel, 'digest'>): Usual {
  let read: Partial<Usual> | null;
  try {
    read = JSON.parse(text);
  } catch {
    read = null;
  }
  const { centre, cells, distance_to, rescan_from, genuine, model, own } = read ?? {};
  const sound =
    isCentre(centre) &&
    isOwn(own) &&
    Array.isArray(cells) &&
    SESSION_TYPES.every((type) => cells.some((cell) => cell?.session_type === type)) &&
    cells.every((cell) => [cell?.lot_size, cell?.look_alikes_to, cell?.offset_to ?? 0].every(isNumber)) &&
    isNumber(distance_to) &&
    isNumber(rescan_from) &&
    SESSION_TYPES.every((type) => isCurve(genuine?.[type]));
  if (!sound) throw new ModelFileError('The file of what is usual of lots cannot be read.');
  if (model !== digest)
    throw new ModelFileError(
      'The file of what is usual of lots belongs to another lot model: mvs lots train writes both.',
    );
  return read as Usual;
}

/**
 * The usual measures with the model of a folder; null if they were not measured.
 * @throws ModelFileError
 */
export function usualIn(folder: string, model: Pick<LotModel, 'digest'>): Usual | null {
  const file = join(folder, USUAL_FILE);
  return existsSync(file) ? loadUsual(readFileSync(file, 'utf8'), model) : null;
}

/** Where the parcels lie that the bars of a session type were set on. */
export const whereUsual = ({ own, centre, distance_to }: Usual, session: SessionType) =>
  own?.session_types.includes(session) ? own : { centre, distance_to };

/** Of lots of this session type and the nearest size, or of as many returning stones. */
export function usualLots({ cells }: Usual, session: SessionType, size: number): UsualLots {
  const own = cells.filter(({ session_type }) => session_type === session);
  return nearestInSize(own, size) as UsualLots;
}

/** That a stone is the member whose place it takes. */
export const genuineAt = ({ genuine }: Usual, session: SessionType, margin: number): number =>
  probabilityAt(genuine[session], margin);
