import { limits as defaultLimits, type Limits } from '#config/limits';
import { lowerBound } from './axis.js';
import { parseJson } from './json-text.js';
import { cleanReference } from './names.js';
import { TO_ABSORBANCE } from './physical.js';
import { printableName, Refusal, type Side } from './refusal.js';
import type { Scan, ScanSet } from './scan-set.js';

/** A readable JSON body. Faults of its parts are reported when they are asked for, so the caller sets the order. */
export interface JsonClaim {
  /**
   * The member `reject_target` as it came: undefined where absent, an empty list or object in place of a list or object.
   */
  rejectTarget: unknown;
  /** A side's scans on one ascending axis. Throws its Refusal: `axis_shape`, `side_shape` or `non_finite`. */
  side(side: Side): ScanSet;
}

/** Longer strings are no reference. */
const REFERENCE_BYTES = 64 * 1024;
/** What a side may say of its values: nothing else is read, nor converted. */
export const UNIT = 'absorbance';

/** Reads a JSON claim from UTF-8 bytes. Throws a Refusal of kind `invalid_json` or `not_an_object`. */
export function readJsonClaim(body: Uint8Array, limits: Limits = defaultLimits): JsonClaim {
  const { jsonDepth, jsonSpectra, maxPoints } = limits;
  const claim = parseJson(body, { depth: jsonDepth, numbers: 2 * (jsonSpectra + 1) * maxPoints });
  if (!isObject(claim)) throw new Refusal('not_an_object', { fix: 'send {"rough": {...}, "polish": {...}}' });
  const { reject_target } = claim;
  return {
    rejectTarget: Array.isArray(reject_target) ? [] : isObject(reject_target) ? {} : reject_target,
    side: (side) => readSide(side, claim[side], limits),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'number');

/** @throws Refusal */
function readSide(side: Side, given: unknown, limits: Limits): ScanSet {
  const { minPoints, maxPoints, jsonSpectra } = limits;
  const shape = (reason: string) =>
    new Refusal('side_shape', { side, reason, fix: `send 1 to ${jsonSpectra} spectra, each as long as wavenumbers` });
  const axis = (reason: string) =>
    new Refusal('axis_shape', { side, reason, fix: `send ${minPoints} to ${maxPoints} different numbers in cm^-1` });

  if (given === undefined) throw shape(`the member "${side}" is missing`);
  if (!isObject(given)) throw shape(`the member "${side}" is no object`);
  const { wavenumbers, spectra, stone_id, unit } = given;
  if (wavenumbers === undefined || spectra === undefined)
    throw shape(`the member "${wavenumbers === undefined ? 'wavenumbers' : 'spectra'}" is missing`);
  if (!isNumbers(wavenumbers)) throw axis('they are no list of numbers');
  const points = wavenumbers.length;
  if (points < minPoints || points > maxPoints) throw axis(`there are ${points}`);
  if (!Array.isArray(spectra)) throw shape('spectra is no list of lists of numbers');
  if (spectra.length === 0) throw shape('spectra is empty');
  if (spectra.length > jsonSpectra) throw shape(`there are more than ${jsonSpectra} spectra`);
  if (!spectra.every(isNumbers)) throw shape('spectra is no list of lists of numbers');
  const odd = spectra.findIndex((row) => row.length !== points);
  if (odd >= 0) throw shape(`spectrum ${odd + 1} has ${spectra[odd].length} values where wavenumbers has ${points}`);
  const reference = typeof stone_id === 'number' ? String(stone_id) : (stone_id ?? '');
  if (typeof reference !== 'string' || reference.length > REFERENCE_BYTES) {
    const reason = `stone_id ${typeof reference === 'string' ? `is longer than ${REFERENCE_BYTES} bytes` : 'is no string'}`;
    const fix = `send at most ${limits.referenceCharacters} characters, or leave stone_id out`;
    throw new Refusal('side_shape', { side, reason, fix });
  }
  if (unit !== undefined && unit !== UNIT) {
    const called = typeof unit === 'string' ? `unit is ${JSON.stringify(printableName(unit))}` : 'unit is no string';
    throw new Refusal('unparseable', { side, reason: `${called}, and "${UNIT}" alone is read`, fix: TO_ABSORBANCE });
  }
  if (![wavenumbers, ...spectra].every((row) => row.every(Number.isFinite)))
    throw new Refusal('non_finite', { side, fix: 'send the measured absorbance at every wavenumber' });
  const { sorted, order } = ascending(new Float64Array(wavenumbers));
  for (let i = 1; i < points; i++) if (sorted[i] === sorted[i - 1]) throw axis('a wavenumber repeats');
  const scans = spectra.map((row): Scan => ({ wavenumbers: sorted, absorbance: order(new Float64Array(row)) }));
  const cleaned = cleanReference(reference, limits);
  return { side, scans, references: cleaned === '' ? [] : [cleaned] };
}

interface Ascending {
  sorted: Float64Array;
  order: (values: Float64Array) => Float64Array;
}

/** The axis in ascending order, and the permutation that brings its values into the same order. */
function ascending(axis: Float64Array): Ascending {
  let rising = true;
  let falling = true;
  for (let i = 1; i < axis.length; i++) {
    if (axis[i] < axis[i - 1]) rising = false;
    else falling = false;
  }
  if (rising) return { sorted: axis, order: (values) => values };
  if (falling) return { sorted: axis.reverse(), order: (values) => values.reverse() };
  const sorted = axis.slice().sort();
  const places = new Uint32Array(axis.length);
  for (let i = 0; i < axis.length; i++) places[i] = lowerBound(sorted, axis[i]);
  const order = (values: Float64Array) => {
    const ordered = new Float64Array(values.length);
    for (let i = 0; i < values.length; i++) ordered[places[i]] = values[i];
    return ordered;
  };
  return { sorted, order };
}
