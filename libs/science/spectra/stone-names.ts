/**
 * The stones that names of scan files speak of. A name is read without its folders and its extension, and by a template where
 * an operator or a user gives one.
 */
import { cleanReference, isScanName, lastPart } from './names.js';
import type { Side } from './refusal.js';

/** Names of a request's scan files by side. */
export type SidesOfNames = Readonly<Record<Side, readonly string[]>>;

/** Characters of a name that a template is held to; file systems allow 255. */
const LONGEST_NAME = 255;
const LONGEST_TEMPLATE = 128;

/** A word for a side between separators; what precedes the last one is the stone. */
const MARKED = /^(?:(?<stone>.*)[_\-\s])?(?<side>rough|polish(?:ed)?)(?:[_\-\s](?<rest>.*))?$/isu;
/** A number of a scan behind an underscore. */
const NUMBERED = /^(.+?)_+\d+$/su;
/** The last part of a name between hyphens or blanks. */
const LAST_PART = /^(.*[^-\s])[-\s]+[^-\s]+$/su;
/** `<base_code>` and the parts behind it that are numbers. */
const BASE_AND_PARTS = /^[^.]+(?:\.\d+(?![^.]))*/u;

const stemOf = (name: string): string => {
  const last = lastPart(name).slice(0, LONGEST_NAME);
  return (isScanName(last) ? last.slice(0, last.lastIndexOf('.')) : last).normalize('NFC').trim();
};

/** What one name says by itself; either may be missing. */
export interface NamedStone {
  stone?: string;
  side?: Side;
}
export type NameReader = (name: string) => NamedStone | undefined;

const sideOf = (word: string): Side => (/^r/i.test(word) ? 'rough' : 'polish');

/** Stone and side of a name such as `2026-001_rough_2.csv`; undefined where it does not name both. */
export function markedName(name: string): Required<NamedStone> | undefined {
  const { stone = '', side = '' } = MARKED.exec(stemOf(name))?.groups ?? {};
  const reference = cleanReference(stone);
  return reference === '' ? undefined : { stone: reference, side: sideOf(side) };
}

export class StoneTemplateError extends Error {
  override readonly name = 'StoneTemplateError';
}

const FIELDS: Record<string, string> = {
  '{stone}': '(?<stone>.+)',
  '{side}': '(?<side>rough|polish(?:ed)?|r|p)',
  '{scan}': '\\d+',
  '*': '.*',
};

/**
 * A reader of names by a template such as `{stone}_{side}_{scan}`: `{stone}` once, `{side}` (rough, polish, polished, r or p in any
 * case), `{scan}` (digits) and `*` (anything) once at most, with text between them. Each name takes at most some cubic
 * number of steps in its 255 characters, whatever the name.
 * @throws StoneTemplateError in a sentence
 */
export function stoneTemplate(template: string): NameReader {
  const parts = template.split(/(\{[^{}]*\}|\*)/u).filter((part) => part !== '');
  const fields = parts.filter((part) => /^(\{.*\}|\*)$/su.test(part));
  const unknown = fields.find((field) => !(field in FIELDS));
  const fault =
    unknown !== undefined
      ? `${unknown} is no field: {stone}, {side}, {scan} and * are`
      : template.length > LONGEST_TEMPLATE
        ? `it is longer than ${LONGEST_TEMPLATE} characters`
        : !fields.includes('{stone}')
          ? 'it needs the field {stone}'
          : new Set(fields).size < fields.length
            ? 'each field stands in it once'
            : parts.some((part, i) => part in FIELDS && parts[i + 1] in FIELDS)
              ? 'between two fields there has to be text, such as _'
              : undefined;
  if (fault !== undefined) throw new StoneTemplateError(fault);
  const source = parts.map((part) => FIELDS[part] ?? part.normalize('NFC').replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&'));
  const pattern = new RegExp(`^${source.join('')}$`, 'isu');
  return (name) => {
    const { stone, side } = pattern.exec(stemOf(name))?.groups ?? {};
    const reference = cleanReference(stone ?? '');
    return reference === '' ? undefined : { stone: reference, ...(side && { side: sideOf(side) }) };
  };
}

/**
 * The stone reference of each name, '' where it has none, decided over all names of a request: a last part behind a hyphen or a
 * blank is a scan where names of one side differ in it (`AB12-1`, `AB12-2`), else the stone's (`2026-001`).
 * @param read by a template: a name that does not fit has no reference
 */
export function referenceReader(names: SidesOfNames, read?: NameReader): (name: string) => string {
  if (read) return (name) => read(name)?.stone ?? '';
  const shared = new Set([...sharedHeads(names.rough), ...sharedHeads(names.polish)]);
  return (name) => byDefault(stemOf(name), shared);
}

/** The same by side, distinct and in order of appearance. */
export function stonesOf(names: SidesOfNames, read?: NameReader): Record<Side, string[]> {
  const referenceOf = referenceReader(names, read);
  const of = (side: Side) => [...new Set(names[side].map(referenceOf))].filter((reference) => reference !== '');
  return { rough: of('rough'), polish: of('polish') };
}

/** What precedes the last hyphen or blank of several names that differ behind it. */
function sharedHeads(names: readonly string[]): string[] {
  const heads = new Map<string, string>();
  const found: string[] = [];
  for (const stem of names.map(stemOf)) {
    const [, head] = LAST_PART.exec(stem) ?? [];
    if (head === undefined) continue;
    const before = heads.get(head);
    if (before === undefined) heads.set(head, stem);
    else if (before !== stem) found.push(head);
  }
  return found;
}

function byDefault(stem: string, shared: ReadonlySet<string>): string {
  const marked = MARKED.exec(stem)?.groups;
  if (marked?.stone) return cleanReference(marked.stone);
  const named = marked ? (marked.rest ?? '') : stem;
  // A number alone behind a side's word counts scans.
  if (marked && /^\d*$/.test(named)) return '';
  return cleanReference(unmarked(named, shared));
}

/** As `AB12.1_3`, `AB12.1_second` or `AB12.1`. */
function unmarked(stem: string, shared: ReadonlySet<string>): string {
  const [, head] = LAST_PART.exec(stem) ?? [];
  const stone =
    NUMBERED.exec(stem)?.[1] ?? /^([^_]+)_/u.exec(stem)?.[1] ?? (head !== undefined && shared.has(head) ? head : stem);
  return BASE_AND_PARTS.exec(stone)?.[0] ?? stone;
}
