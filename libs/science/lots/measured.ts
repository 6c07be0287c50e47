/**
 * Figures of a lot model on simulated lots. It stands in a file beside the model, is kept apart from the specified
 * bounds, and says nothing of real stones.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ModelFileError } from '#science/matching/safetensors';
import type { LotModel, SessionType } from './model.js';

/** A share with its 95% interval, by bootstrap over parcels. */
export interface MeasuredShare {
  share: number;
  interval: [number, number];
}

/** Lots of one kind. Null where there was nothing to count. */
export interface MeasuredCell {
  /** `test`: parcels of the physics that the model was fitted on; `newest`: other mines and another microscope;
   * `second`: the second family of stones, of other physics. */
  family: string;
  session_type: SessionType;
  lot_size: number;
  substitution: number;
  lots: number;
  /** Members that are confirmed as members, and of them those confirmed as another member than they are. */
  genuine_confirmed: MeasuredShare;
  genuine_misnamed: MeasuredShare;
  unrelated_caught: MeasuredShare | null;
  twins_caught: MeasuredShare | null;
  /** Unrelated stones that would be confirmed, each being the only one offered and every place open. */
  one_stone_false_accept: MeasuredShare | null;
}

/** By how much a rehearsal promises more than lots of the same parcel keep, at 20% substitution. */
export interface MeasuredRehearsal {
  session_type: SessionType;
  lot_size: number;
  lots: number;
  /** Caught, as rehearsed with stones of the cohort, and with other stones of the same parcel. */
  cohort: number;
  parcel: number;
  flatters_by: MeasuredShare;
}

/** How right the answers of lots of a size were about their own lot, a fifth being exchanged. */
export interface MeasuredAnswers {
  family: string;
  lot_size: number;
  lots: number;
  /** Lots said at enrolment to be unlike those on which the bars were set. */
  marked: number;
  /** A stranger's, all places being open: the true share, the share that the lots said, and lots whose interval held the truth. */
  false_accept: number;
  own: number;
  own_within: number;
  /** Substitutes caught, and the share that rehearsals promised; null where none promised any. */
  caught: number;
  rehearsed: number | null;
}

export interface MeasuredBounds {
  simulated: true;
  note: string;
  /** Digest of the model. */
  model: string;
  seed: number;
  /** Of every stone, at enrolment and at return. */
  scans: number;
  cells: MeasuredCell[];
  rehearsal: MeasuredRehearsal[];
  /** Left out of what was measured before they were. */
  answers?: MeasuredAnswers[];
}

export const MEASURED_FILE = 'measured.json';

/** @throws ModelFileError where the text is malformed, or was measured with another model */
export function loadMeasured(text: string, { digest }: Pick<LotModel, 'digest'>): MeasuredBounds {
  let measured: Partial<MeasuredBounds> | null;
  try {
    measured = JSON.parse(text);
  } catch {
    measured = null;
  }
  if (measured?.simulated !== true || !Array.isArray(measured.cells) || !Array.isArray(measured.rehearsal)) {
    throw new ModelFileError('The measured bounds cannot be read.');
  }
  if (measured.model !== digest) {
    throw new ModelFileError('The measured bounds belong to another lot model: measure them with mvs lots report.');
  }
  return measured as MeasuredBounds;
}

/**
 * The figures measured with the model of a folder; null if there are none.
 * @throws ModelFileError
 */
export function measuredIn(folder: string, model: Pick<LotModel, 'digest'>): MeasuredBounds | null {
  const file = join(folder, MEASURED_FILE);
  return existsSync(file) ? loadMeasured(readFileSync(file, 'utf8'), model) : null;
}

/** Of what was measured at several sizes of lots that at the nearest size; undefined where nothing was. */
export function nearestInSize<Of extends { lot_size: number }>(measured: readonly Of[], size: number): Of | undefined {
  const apart = ({ lot_size }: Of) => Math.abs(Math.log(lot_size / size));
  return measured.toSorted((a, b) => apart(a) - apart(b))[0];
}
