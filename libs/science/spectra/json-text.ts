/** A JSON body as the runtime parses it, after a look at what that would cost. */
import { isUtf8 } from 'node:buffer';
import { Refusal } from './refusal.js';

const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const BACKSLASH = 92;
const OPEN = [91, 123];
const CLOSE = [93, 125];
/** Of `Infinity` and `NaN`. */
const INITIALS = [73, 78];
/** Lists, objects, strings and non-finite numbers together. A claim has some hundred; of millions the runtime makes gigabytes. */
const PARTS = 250_000;
/** Beyond JSON: a number without a digit before its point. */
const BARE_TARGET = /"reject_target"\s*:\s*(?=\.\d)/;

const invalid = (reason: string) => new Refusal('invalid_json', { reason, fix: 'send one JSON object in UTF-8' });

/**
 * The value of JSON text (RFC 8259 in UTF-8). Beyond JSON, as Python clients send them, NaN and infinities are read, each as an
 * infinite number.
 * @param allowed levels of nesting, and numbers of the whole body
 * @throws Refusal of kind `invalid_json`
 */
export function parseJson(bytes: Uint8Array, allowed: { depth: number; numbers: number }): unknown {
  if (!isUtf8(bytes)) throw invalid('it is not UTF-8');
  const words = wordsIn(bytes, allowed);
  const text = textOf(words.length > 0 ? withNumbers(bytes, words) : bytes).replace(/^\ufeff/, '');
  try {
    return JSON.parse(BARE_TARGET.test(text) ? text.replace(BARE_TARGET, (name) => `${name}0`) : text);
  } catch {
    // The runtime's own sentence quotes the text, which holds spectra.
    throw invalid('it cannot be parsed');
  }
}

const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString();

/**
 * Places outside strings where a non-finite number may begin.
 * @throws Refusal of what would take far more time and memory than a claim of as many bytes
 */
function wordsIn(bytes: Uint8Array, { depth, numbers }: { depth: number; numbers: number }): number[] {
  const words: number[] = [];
  let [level, parts, commas] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const c = bytes[at];
    if (c === COMMA) commas++;
    else if (c === QUOTE) {
      parts++;
      at = endOfString(bytes, at);
    } else if (c >= INITIALS[0]) {
      if (OPEN.includes(c)) {
        parts++;
        if (++level > depth) throw invalid(`more than ${depth} levels of nesting at byte ${at}`);
      } else if (CLOSE.includes(c)) level--;
      else if (INITIALS.includes(c) && ++parts <= PARTS) words.push(at);
    }
  }
  if (parts > PARTS) throw invalid(`more than ${PARTS} lists, objects and strings`);
  if (commas > numbers + PARTS) throw invalid(`more than ${numbers} numbers`);
  return words;
}

/** The place of the quote that ends the string, or the end of the text. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let before = at;
    while (bytes[before - 1] === BACKSLASH) before--;
    if ((at - before) % 2 === 0) return at;
  }
  return bytes.length;
}

/** The text with a number for each word that is one; blanks keep it apart from what stands beside it. */
function withNumbers(bytes: Uint8Array, words: readonly number[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const at of words) {
    const word = ['Infinity', 'NaN'].find((one) => textOf(bytes.subarray(at, at + one.length)) === one);
    if (word === undefined) continue;
    const signed = word === 'Infinity' && bytes[at - 1] === MINUS;
    pieces.push(bytes.subarray(from, at), Buffer.from(signed ? '1e999 ' : ' 1e999 '));
    from = at + word.length;
  }
  return Buffer.concat([...pieces, bytes.subarray(from)]);
}
