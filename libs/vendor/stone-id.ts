/**
 * The vendor's identifiers. A stone identifier is `<base_code>` for a rough stone and
 * `<base_code>.<part>` for a split or polished one. The vendor states no alphabet; only ASCII letters and digits are
 * taken, so that no look-alike letter and no blank ever reaches the vendor.
 */
export interface StoneId {
  base: string;
  /** Absent on a rough stone. */
  part?: string;
}

/** An identifier that cannot be one: nothing is sent. */
export class IdentifierError extends Error {
  override readonly name = 'IdentifierError';
}

/** Longest base code, part and barcode, in characters. */
const MAX_BASE = 64;
const MAX_PART = 16;
const MAX_BARCODE = 128;
/** Characters of a refused identifier in the sentence about it. */
const MAX_SHOWN = 64;

const CODE = /^[A-Za-z0-9]+$/;
const BARCODE = /^[\x21-\x7e]+$/;

/** The text as an error shows it: short, and every character that could mislead is escaped. */
const shown = (text: string): string => {
  const characters = Array.from(text);
  const short = characters.length > MAX_SHOWN ? `${characters.slice(0, MAX_SHOWN).join('')}...` : text;
  return JSON.stringify(short).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
};

/** @throws IdentifierError with a sentence that says what is wrong */
export function parseStoneId(text: string): StoneId {
  const refuse = (why: string) => new IdentifierError(`${shown(text)} is no stone identifier: ${why}`);
  const [base, part, ...more] = text.split('.');
  if (base === '') throw refuse(part === undefined ? 'it is empty' : 'a part needs a base code before it');
  if (more.length > 0) throw refuse('it has more than one dot');
  if (!CODE.test(base) || (part !== undefined && part !== '' && !CODE.test(part))) {
    throw refuse('only the letters A to Z, digits, and one dot before the part may stand in it');
  }
  if (part === '') throw refuse('no part follows its dot');
  if (base.length > MAX_BASE) throw refuse(`its base code is longer than ${MAX_BASE} characters`);
  if (part !== undefined && part.length > MAX_PART) throw refuse(`its part is longer than ${MAX_PART} characters`);
  return part === undefined ? { base } : { base, part };
}

export const formatStoneId = ({ base, part }: StoneId): string => (part === undefined ? base : `${base}.${part}`);

/** The barcode as it is sent. @throws IdentifierError */
export function checkBarcode(text: string): string {
  const refuse = (why: string) => new IdentifierError(`${shown(text)} is no barcode: ${why}`);
  if (text === '') throw refuse('it is empty');
  if (text.length > MAX_BARCODE) throw refuse(`it is longer than ${MAX_BARCODE} characters`);
  if (!BARCODE.test(text)) throw refuse('only printable ASCII characters without blanks may stand in it');
  return text;
}
