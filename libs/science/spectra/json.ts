import { limits as defaultLimits, type Limits } from '#config/limits';
import { DECODED_BYTES, forgetLists, JsonScanner, type NumberList } from './json-scanner.js';
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

/** Reads a JSON claim from UTF-8 bytes. Throws a Refusal of kind `invalid_json` or `not_an_object`. */
export function readJsonClaim(body: Uint8Array, limits: Limits = defaultLimits): JsonClaim {
  try {
    return claim(body, limits);
  } finally {
    forgetLists();
  }
}

function claim(body: Uint8Array, limits: Limits): JsonClaim {
  const scanner = new JsonScanner(body, { depth: limits.jsonDepth, numbers: limits.maxPoints });
  if (!scanner.isObject) {
    scanner.skip(0);
    scanner.ends();
    throw new Refusal('not_an_object', { fix: 'send {"rough": {...}, "polish": {...}}' });
  }
  const found: Partial<Record<Side, SideMembers>> = {};
  let rejectTarget: unknown;
  scanner.object(0, ['rough', 'polish', 'reject_target'], (name) => {
    if (name === 'reject_target') rejectTarget = plainValue(scanner);
    else found[name] = sideMembers(scanner, limits);
  });
  scanner.ends();
  const sides = {
    rough: readSide('rough', found.rough, limits),
    polish: readSide('polish', found.polish, limits),
  };
  return {
    rejectTarget,
    side(side) {
      const set = sides[side];
      if (set instanceof Refusal) throw set;
      return set;
    },
  };
}

function plainValue(scanner: JsonScanner): unknown {
  if (scanner.isString) return scanner.string() ?? '';
  if (!scanner.isList && !scanner.isObject) return scanner.scalar(true);
  const empty = scanner.isList ? [] : {};
  scanner.skip(1);
  return empty;
}

/** Members of a side's object: undefined where absent; null is of the wrong shape. */
interface SideMembers {
  object: boolean;
  wavenumbers?: NumberList | null;
  spectra?: NumberList[] | null;
  stoneId?: string | NoReference;
  /** Null where it is no string. */
  unit?: string | null;
}

/** What a side may say of its values: nothing else is read, nor converted. */
const UNIT = 'absorbance';

/** The reason why a stone_id is none, as the end of a sentence. */
class NoReference {
  constructor(readonly reason: string) {}
}

function sideMembers(scanner: JsonScanner, limits: Limits): SideMembers {
  if (!scanner.isObject) {
    scanner.skip(1);
    return { object: false };
  }
  const members: SideMembers = { object: true };
  scanner.object(1, ['wavenumbers', 'spectra', 'stone_id', 'unit'], (name) => {
    if (name === 'wavenumbers') members.wavenumbers = scanner.numberList(2) ?? null;
    else if (name === 'spectra') members.spectra = scanner.numberLists(2, limits.jsonSpectra) ?? null;
    else if (name === 'unit') members.unit = unit(scanner);
    else members.stoneId = stoneId(scanner);
  });
  return members;
}

/** A number is taken as its text. */
function stoneId(scanner: JsonScanner): string | NoReference | undefined {
  if (scanner.isString) return scanner.string() ?? new NoReference(`is longer than ${DECODED_BYTES} bytes`);
  if (!scanner.isList && !scanner.isObject) {
    const value = scanner.scalar();
    if (value === null) return undefined;
    if (typeof value === 'number') return String(value);
  } else scanner.skip(2);
  return new NoReference('is no string');
}

function unit(scanner: JsonScanner): string | null {
  if (scanner.isString) return scanner.string() ?? '';
  scanner.skip(2);
  return null;
}

function readSide(side: Side, members: SideMembers | undefined, limits: Limits): ScanSet | Refusal {
  const { minPoints, maxPoints, jsonSpectra } = limits;
  const shape = (reason: string) =>
    new Refusal('side_shape', { side, reason, fix: `send 1 to ${jsonSpectra} spectra, each as long as wavenumbers` });
  const axis = (reason: string) =>
    new Refusal('axis_shape', { side, reason, fix: `send ${minPoints} to ${maxPoints} different numbers in cm^-1` });

  if (!members) return shape(`the member "${side}" is missing`);
  if (!members.object) return shape(`the member "${side}" is no object`);
  const { wavenumbers, spectra, stoneId, unit } = members;
  if (wavenumbers === undefined || spectra === undefined) {
    return shape(`the member "${wavenumbers === undefined ? 'wavenumbers' : 'spectra'}" is missing`);
  }
  if (wavenumbers === null) return axis('they are no list of numbers');
  const points = wavenumbers.count;
  if (points < minPoints || points > maxPoints) return axis(`there are ${points}`);
  if (spectra === null) return shape('spectra is no list of lists of numbers');
  if (spectra.length === 0) return shape('spectra is empty');
  if (spectra.length > jsonSpectra) return shape(`there are more than ${jsonSpectra} spectra`);
  const odd = spectra.findIndex((row) => row.count !== points);
  if (odd >= 0) return shape(`spectrum ${odd + 1} has ${spectra[odd].count} values where wavenumbers has ${points}`);
  if (stoneId instanceof NoReference) {
    const fix = `send at most ${limits.referenceCharacters} characters, or leave stone_id out`;
    return new Refusal('side_shape', { side, reason: `stone_id ${stoneId.reason}`, fix });
  }
  if (unit !== undefined && unit !== UNIT) {
    const given = unit === null ? 'unit is no string' : `unit is ${JSON.stringify(printableName(unit))}`;
    return new Refusal('unparseable', { side, reason: `${given}, and "${UNIT}" alone is read`, fix: TO_ABSORBANCE });
  }
  if (!wavenumbers.finite || spectra.some((row) => !row.finite)) {
    return new Refusal('non_finite', { side, fix: 'send the measured absorbance at every wavenumber' });
  }
  const { sorted, order } = ascending(wavenumbers.values);
  for (let i = 1; i < points; i++) if (sorted[i] === sorted[i - 1]) return axis('a wavenumber repeats');
  const scans: Scan[] = [];
  for (const row of spectra) {
    scans.push({ wavenumbers: sorted, absorbance: order(row.values) });
  }
  const reference = cleanReference(stoneId ?? '', limits);
  return { side, scans, references: reference === '' ? [] : [reference] };
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

/** The first place in ascending values at or above `value`. */
function lowerBound(sorted: Float64Array, value: number): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (sorted[middle] < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
