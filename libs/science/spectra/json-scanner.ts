import { isUtf8 } from 'node:buffer';
import { ListKernel } from './list-kernel.js';
import { NumberReader } from './numbers.js';
import { Refusal } from './refusal.js';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const ESCAPES = new Set(Buffer.from('"\\/bfnrt'));
/** Beyond JSON, as Python clients send them. */
const WORDS: [string, unknown][] = [
  ['true', true],
  ['false', false],
  ['null', null],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
];
/** Strings longer than this are checked and not decoded. */
export const DECODED_BYTES = 64 * 1024;
/** Blanks in a row that are walked over. */
const BLANKS = 1024 * 1024;

export interface NumberList {
  values: Float64Array;
  /** As sent; more than the values where there are more than allowed. */
  count: number;
  finite: boolean;
}

/** One a thread, made when first needed. */
let lists: ListKernel | undefined;

/** To be called when a body is read, or given up. */
export const forgetLists = (): void => lists?.forget();

/**
 * Walks over JSON text (RFC 8259 in UTF-8, plus NaN and infinities) without building values, one byte once or twice.
 * Throws a Refusal of kind `invalid_json` at the first fault.
 */
export class JsonScanner {
  private numbers = new Float64Array(0);
  private at = 0;
  private escaped = false;
  private wide = false;
  /** JSON bounds no number's length: one of 5,000 digits is a number, mostly an infinite one. */
  private readonly reader = new NumberReader(undefined, Number.POSITIVE_INFINITY);

  constructor(
    private readonly bytes: Uint8Array,
    private readonly limits: { depth: number; numbers: number },
  ) {
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.at = 3;
  }

  /** The next byte that is no white space; undefined at the end. */
  peek(): number | undefined {
    const { bytes } = this;
    const stop = this.at + BLANKS;
    while (this.at < bytes.length) {
      const c = bytes[this.at];
      if (c !== 32 && c !== 10 && c !== 13 && c !== 9) return c;
      if (++this.at > stop) this.fail('nothing but blanks');
    }
    return undefined;
  }

  get isObject(): boolean {
    return this.peek() === OPEN_OBJECT;
  }

  get isList(): boolean {
    return this.peek() === OPEN_LIST;
  }

  get isString(): boolean {
    return this.peek() === QUOTE;
  }

  get isScalar(): boolean {
    return !this.isObject && !this.isList && !this.isString;
  }

  ends(): void {
    if (this.peek() !== undefined) this.fail('something follows the object');
  }

  private fail(reason: string): never {
    throw new Refusal('invalid_json', {
      reason: `${reason} at byte ${this.at}`,
      fix: 'send one JSON object in UTF-8',
    });
  }

  private expect(byte: number): void {
    if (this.peek() !== byte) this.fail(`${JSON.stringify(String.fromCharCode(byte))} expected`);
    this.at++;
  }

  /** Walks over an object `depth` levels deep; `member` must consume the values of the names it is called with. */
  object<Name extends string>(depth: number, names: readonly Name[], member: (name: Name) => void): void {
    this.expect(OPEN_OBJECT);
    if (this.peek() === CLOSE_OBJECT) {
      this.at++;
      return;
    }
    for (;;) {
      const start = this.openString();
      this.toClosingQuote();
      const text = this.decode(this.closeString(start));
      const name = names.find((candidate) => candidate === text);
      this.expect(COLON);
      if (name !== undefined) member(name);
      else if (this.isScalar) this.scalar();
      else this.skip(depth + 1);
      if (this.peek() !== COMMA) break;
      this.at++;
    }
    this.expect(CLOSE_OBJECT);
  }

  /** A string decoded, or undefined where it is too long to be anything of interest. */
  string(): string | undefined {
    const start = this.openString();
    this.toClosingQuote();
    return this.decode(this.closeString(start));
  }

  private openString(): number {
    this.expect(QUOTE);
    this.escaped = false;
    this.wide = false;
    return this.at - 1;
  }

  private toClosingQuote(): void {
    const { bytes } = this;
    while (this.at < bytes.length) {
      const c = bytes[this.at++];
      if (c === QUOTE) return;
      if (c < 32) this.fail('a control character in a string');
      if (c >= 128) this.wide = true;
      else if (c === BACKSLASH) this.escape();
    }
    this.fail('a string does not end');
  }

  private closeString(start: number): Buffer {
    const text = Buffer.from(this.bytes.buffer, this.bytes.byteOffset + start, this.at - start);
    if (this.wide && !isUtf8(text)) this.fail('a string is not UTF-8');
    return text;
  }

  private decode(text: Buffer): string | undefined {
    if (text.length > DECODED_BYTES) return undefined;
    return this.escaped ? (JSON.parse(text.toString()) as string) : text.toString('utf8', 1, text.length - 1);
  }

  private escape(): void {
    this.escaped = true;
    const c = this.bytes[this.at++];
    if (ESCAPES.has(c)) return;
    const digits = Buffer.from(this.bytes.subarray(this.at, this.at + 4)).toString('latin1');
    if (c !== 117 || !/^[0-9a-fA-F]{4}$/.test(digits)) this.fail('a bad escape in a string');
    this.at += 4;
  }

  /** A number or a word; `loose` allows a number without a digit before its point. */
  scalar(loose = false): unknown {
    this.peek();
    const value = this.reader.read(this.bytes, this.at);
    if (this.reader.end >= 0 && (!this.reader.loose || loose)) {
      this.at = this.reader.end;
      return value;
    }
    for (const [word, meaning] of WORDS) {
      if (this.holds(word)) {
        this.at += word.length;
        return meaning;
      }
    }
    return this.fail('a value expected');
  }

  private holds(word: string): boolean {
    for (let i = 0; i < word.length; i++) if (this.bytes[this.at + i] !== word.charCodeAt(i)) return false;
    return true;
  }

  /** Walks over any value, `depth` levels deep already. */
  skip(depth: number): void {
    const closers: number[] = [];
    let named = false;
    for (;;) {
      const c = this.peek();
      if (named || c === QUOTE) {
        const start = this.openString();
        this.toClosingQuote();
        this.closeString(start);
        if (named) {
          this.expect(COLON);
          named = false;
          continue;
        }
      } else if (c === OPEN_OBJECT || c === OPEN_LIST) {
        if (depth + closers.length >= this.limits.depth) this.fail(`more than ${this.limits.depth} levels of nesting`);
        this.at++;
        if (this.peek() !== c + 2) {
          closers.push(c + 2);
          named = c === OPEN_OBJECT;
          continue;
        }
        this.at++;
      } else this.scalar();
      while (closers.length > 0 && this.peek() === closers.at(-1)) {
        this.at++;
        closers.pop();
      }
      if (closers.length === 0) return;
      this.expect(COMMA);
      named = closers.at(-1) === CLOSE_OBJECT;
    }
  }

  /** A list of numbers, as many as allowed and all counted, or undefined where it is another value. */
  numberList(depth: number): NumberList | undefined {
    const start = this.at;
    if (this.isList) {
      this.at++;
      const list = this.restOfNumbers();
      if (list) return list;
    }
    this.skipFrom(start, depth);
    return undefined;
  }

  /** A list of lists of numbers; undefined where it is another value, at most one list more than `max`. */
  numberLists(depth: number, max: number): NumberList[] | undefined {
    const start = this.at;
    const lists: NumberList[] = [];
    let next: number | undefined = this.isList ? COMMA : undefined;
    while (next === COMMA && lists.length <= max) {
      this.at++;
      if (!this.isList) break;
      this.at++;
      const list = this.restOfNumbers();
      if (!list) break;
      lists.push(list);
      next = this.peek();
    }
    if (next === CLOSE_LIST) {
      this.at++;
      return lists;
    }
    const empty = lists.length === 0 && next === COMMA && this.peek() === CLOSE_LIST;
    this.skipFrom(start, depth);
    return empty || lists.length > max ? lists : undefined;
  }

  /** The list whose bracket was just read; undefined if it holds anything but numbers. */
  private restOfNumbers(): NumberList | undefined {
    if (this.peek() === CLOSE_LIST) {
      this.at++;
      return { values: new Float64Array(0), count: 0, finite: true };
    }
    const plain = this.plainList();
    if (plain) return plain;
    return this.mixedList();
  }

  private skipFrom(start: number, depth: number): void {
    this.at = start;
    this.skip(depth);
  }

  /** A list that the kernel reads in one go, as most are. */
  private plainList(): NumberList | undefined {
    lists ??= new ListKernel();
    const count = lists.read(this.bytes, this.at, this.bytes.length);
    if (count === 0 || count > this.limits.numbers || this.bytes[lists.end - 1] !== CLOSE_LIST) return undefined;
    this.at = lists.end;
    const values = new Float64Array(count);
    lists.copy(values, 0);
    return { values, count, finite: true };
  }

  /** A list with words, exponents, many digits or blanks in it, or a very long one; undefined at anything but numbers. */
  private mixedList(): NumberList | undefined {
    const { bytes, reader } = this;
    lists ??= new ListKernel();
    let { numbers } = this;
    let count = 0;
    let finite = true;
    for (let p = this.at; ; ) {
      const read = lists.read(bytes, p, bytes.length);
      if (read > 0) {
        while (numbers.length < count + read && numbers.length < this.limits.numbers) numbers = this.grow();
        lists.copy(numbers, count);
        count += read;
        p = lists.end;
        if (bytes[p - 1] !== CLOSE_LIST) continue;
      } else {
        // The rest is read here: elements that the kernel leaves, and the body's end.
        if (bytes[p] === 32) p++;
        if (bytes[p] <= 32) p = this.skipBlanks(p);
        let value = reader.read(bytes, p);
        if (reader.end >= 0 && !reader.loose) p = reader.end;
        else {
          this.at = p;
          value = this.nonFinite();
          if (this.at === p) return undefined;
          p = this.at;
        }
        if (value - value !== 0) finite = false;
        if (count === numbers.length && count < this.limits.numbers) numbers = this.grow();
        if (count < numbers.length) numbers[count] = value;
        count++;
        if (bytes[p] <= 32) p = this.skipBlanks(p);
        if (bytes[p++] === COMMA) continue;
        if (bytes[p - 1] !== CLOSE_LIST) return undefined;
      }
      this.at = p;
      return { values: numbers.slice(0, count), count, finite };
    }
  }

  private skipBlanks(p: number): number {
    this.at = p;
    this.peek();
    return this.at;
  }

  private nonFinite(): number {
    for (const [word, meaning] of WORDS) {
      if (typeof meaning === 'number' && this.holds(word)) {
        this.at += word.length;
        return meaning;
      }
    }
    return 0;
  }

  private grow(): Float64Array<ArrayBuffer> {
    const larger = new Float64Array(Math.min(this.limits.numbers, Math.max(1024, 2 * this.numbers.length)));
    larger.set(this.numbers);
    this.numbers = larger;
    return larger;
  }
}
