import { limits as defaultLimits, type Limits } from '#config';
import { JsonScanner, type NumberList } from './json-scanner.js';
import { cleanReference } from './names.js';
import { Refusal, type Side } from './refusal.js';
import type { Scan, ScanSet } from './scan-set.js';
import { finish, finishSliced, type Work } from './slices.js';

/** A readable JSON body; what is wrong with its parts is said when they are asked for, so the caller sets the order. */
export interface JsonClaim {
  /** The member `reject_target` as it came: undefined where absent, an empty list or object where it is one. */
  rejectTarget: unknown;
  /** A side's scans on one ascending axis. Throws its Refusal: `axis_shape`, `side_shape` or `non_finite`. */
  side(side: Side): ScanSet;
}

/** Reads a JSON claim from UTF-8 bytes. Throws a Refusal of kind `invalid_json` or `not_an_object`. */
export function readJsonClaim(body: Uint8Array, limits: Limits = defaultLimits): JsonClaim {
  return finish(claim(body, limits));
}

/** `readJsonClaim` for large bodies: gives the event loop a turn every 256 KiB. */
export function readJsonClaimSliced(body: Uint8Array, limits: Limits = defaultLimits): Promise<JsonClaim> {
  return finishSliced(claim(body, limits));
}

function* claim(body: Uint8Array, limits: Limits): Work<JsonClaim> {
  const scanner = new JsonScanner(body, { depth: limits.jsonDepth, numbers: limits.maxPoints });
  if (!scanner.isObject) {
    yield* scanner.skip(0);
    scanner.ends();
    throw new Refusal('not_an_object', { fix: 'send {"rough": {...}, "polish": {...}}' });
  }
  const found: Partial<Record<Side, SideMembers>> = {};
  let rejectTarget: unknown;
  yield* scanner.object(0, ['rough', 'polish', 'reject_target'], function* (name) {
    if (name === 'reject_target') rejectTarget = yield* plainValue(scanner);
    else found[name] = yield* sideMembers(scanner, limits);
  });
  scanner.ends();
  const sides = {
    rough: yield* readSide('rough', found.rough, limits),
    polish: yield* readSide('polish', found.polish, limits),
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

function* plainValue(scanner: JsonScanner): Work<unknown> {
  if (scanner.isString) return (yield* scanner.string()) ?? '';
  if (!scanner.isList && !scanner.isObject) return scanner.scalar(true);
  const empty = scanner.isList ? [] : {};
  yield* scanner.skip(1);
  return empty;
}

/** What a side's object holds; undefined members are absent, null ones are of the wrong shape. */
interface SideMembers {
  object: boolean;
  wavenumbers?: NumberList | null;
  spectra?: NumberList[] | null;
  stoneId?: string | null;
}

function* sideMembers(scanner: JsonScanner, limits: Limits): Work<SideMembers> {
  if (!scanner.isObject) {
    yield* scanner.skip(1);
    return { object: false };
  }
  const members: SideMembers = { object: true };
  yield* scanner.object(1, ['wavenumbers', 'spectra', 'stone_id'], function* (name) {
    if (name === 'wavenumbers') members.wavenumbers = (yield* scanner.numberList(2)) ?? null;
    else if (name === 'spectra') members.spectra = (yield* scanner.numberLists(2, limits.jsonSpectra)) ?? null;
    else members.stoneId = yield* stoneId(scanner);
  });
  return members;
}

/** A number is taken as its text; null where the value is neither a string nor a number. */
function* stoneId(scanner: JsonScanner): Work<string | null | undefined> {
  if (scanner.isString) return (yield* scanner.string()) ?? null;
  if (!scanner.isList && !scanner.isObject) {
    const value = scanner.scalar();
    if (value === null) return undefined;
    return typeof value === 'number' ? String(value) : null;
  }
  yield* scanner.skip(2);
  return null;
}

function* readSide(side: Side, members: SideMembers | undefined, limits: Limits): Work<ScanSet | Refusal> {
  const { minPoints, maxPoints, jsonSpectra } = limits;
  const shape = (reason: string) =>
    new Refusal('side_shape', { side, reason, fix: `send 1 to ${jsonSpectra} spectra, each as long as wavenumbers` });
  const axis = (reason: string) =>
    new Refusal('axis_shape', { side, reason, fix: `send ${minPoints} to ${maxPoints} different numbers in cm^-1` });

  if (!members) return shape(`the member "${side}" is missing`);
  if (!members.object) return shape(`the member "${side}" is no object`);
  const { wavenumbers, spectra } = members;
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
  if (members.stoneId === null) return shape('stone_id is no string');
  if (!wavenumbers.finite || spectra.some((row) => !row.finite)) {
    return new Refusal('non_finite', { side, fix: 'send the measured absorbance at every wavenumber' });
  }
  yield;
  const order = ascendingOrder(wavenumbers.values);
  const sorted = order(wavenumbers.values);
  for (let i = 1; i < points; i++) if (sorted[i] === sorted[i - 1]) return axis('a wavenumber repeats');
  const scans: Scan[] = [];
  for (const row of spectra) {
    yield;
    scans.push({ wavenumbers: sorted, absorbance: order(row.values) });
  }
  const reference = cleanReference(members.stoneId ?? '', limits);
  return { side, scans, references: reference === '' ? [] : [reference] };
}

/** What brings the values that belong to an axis into its ascending order. */
function ascendingOrder(axis: Float64Array): (values: Float64Array) => Float64Array {
  let ascending = true;
  let descending = true;
  for (let i = 1; i < axis.length; i++) {
    if (axis[i] < axis[i - 1]) ascending = false;
    else descending = false;
  }
  if (ascending) return (values) => values;
  if (descending) return (values) => values.reverse();
  const from = Uint32Array.from(axis, (_, i) => i).sort((a, b) => axis[a] - axis[b]);
  return (values) => Float64Array.from(from, (i) => values[i]);
}
