import type { Limits } from '#config/limits';
import { decoded } from './bytes.js';
import { faultOfHeader, type HeaderLine } from './header.js';
import { NumberReader } from './numbers.js';
import { checkPoints, type FileReading, NON_FINITE_FIX, toReading, unreadable } from './reading.js';
import { Refusal } from './refusal.js';

const [TAB, LF, CR, BLANK, PLUS, COMMA, DOT, SEMICOLON] = Array.from('\t\n\r +,.;', (c) => c.charCodeAt(0));
const POINT_READER = new NumberReader(DOT);
const COMMA_READER = new NumberReader(COMMA);

/** The layout of a row: the separator of its cells, and the reader of its numbers. */
interface Layout {
  separator: number;
  reader: NumberReader;
}
const LAYOUTS: Layout[] = [
  { separator: SEMICOLON, reader: POINT_READER },
  { separator: SEMICOLON, reader: COMMA_READER },
  { separator: TAB, reader: POINT_READER },
  { separator: TAB, reader: COMMA_READER },
  { separator: COMMA, reader: POINT_READER },
  { separator: BLANK, reader: POINT_READER },
  { separator: BLANK, reader: COMMA_READER },
];
const SEPARATOR_NAMES = new Map([
  [SEMICOLON, 'semicolons'],
  [TAB, 'tabs'],
  [COMMA, 'commas'],
  [BLANK, 'blanks'],
]);
const SPLITS = new Map([
  [SEMICOLON, /;/],
  [TAB, /\t/],
  [COMMA, /,/],
  [BLANK, /\s{2,}|\t/],
]);

/** Cells with a number that are looked at in a row, and blanks beside one. */
const CELLS = 4;
const BLANKS = 256;
/** Lines that are no data row; real files have up to 60. */
const OTHER_LINES = 10_000;
/** Bytes of a header or footer line that are looked at, and such lines whose words are. */
const LINE_LOOK = 256;
const WORDED = 500;

/** A number beside a word for a missing value, in the first two cells. */
const NON_FINITE_ROW = (() => {
  const number = '[-+]?[\\d.,]+(?:e[-+]?\\d+)?';
  const none = '[-+]?(?:nan|inf(?:inity)?|1[.,]#\\w+)';
  const gap = '\\s*[,;\\s]\\s*';
  return new RegExp(`^\\s*(?:${number}${gap}${none}|${none}${gap}(?:${number}|${none}))\\s*(?:$|[,;\\s])`, 'i');
})();

/** A number and a separator, or two numbers and a blank: a data row whatever follows. */
const BEGINS_AS_ROW = /^\s*[-+]?\d*[.,]?\d+(e[-+]?\d+)?\s*[,;\t]/i;
const BEGINS_AS_BLANK_ROW = /^(\s*[-+]?\d*[.,]?\d+(e[-+]?\d+)?\s){2}/i;

/**
 * A line of two numbers or more and nothing else that is no row: a separator of thousands, quotes, or stars for a number
 * that did not fit.
 */
const NUMBERS_ALONE = /^["'\s\d.,;*+\-\u00a0e]*\d["'\s\d.,;*+\-\u00a0e]*$/i;
const BETWEEN_NUMBERS = /[;\t ]+|"\s*,\s*"|,(?=\*)|(?<=\*),/;
const isLostRow = (text: string) =>
  NUMBERS_ALONE.test(text) && text.split(BETWEEN_NUMBERS).filter((cell) => /\d|\*{2}/.test(cell)).length > 1;

const FIX = 'export the absorbance spectrum as two columns, wavenumber in cm^-1 and absorbance';
/** The number that a line begins with. */
const FIRST_NUMBER = /^\s*"?([-+]?\d+(?:[.,]\d+)?(?:e[-+]?\d+)?)(?![\d.,])/i;
const WHOLE_ROW_FIX = 'export every row with both of its numbers, or the range that was measured';
const ROW_FIX = 'export plain numbers, without separators of thousands and wide enough for every value';
export const EMPTY = 'it is empty';
export const NO_NUMERIC_ROW = 'it holds no numeric row';

/** Reads a two-column text export. Throws a Refusal that names the file. */
export function readText(file: string, bytes: Uint8Array, limits: Limits): FileReading {
  return new TextFile(file, bytes, limits).read();
}

/** A line that is no data row, and the place where it begins. */
type TextLine = HeaderLine & { start: number };

class TextFile {
  private at = 0;
  private wavenumbers = new Float64Array(1024);
  private absorbance = new Float64Array(1024);
  private points = 0;
  private layout?: Layout;
  /** No decimal mark was seen yet. */
  private open = true;
  private columns = 0;
  /** The first three cells of the row read last. */
  private readonly cells = new Float64Array(CELLS);
  private lastIndex = -1;
  private headerLines = 0;
  private footerLines = 0;
  private numericLines = 0;
  private otherLines = 0;
  /** Header and footer lines whose words are read. */
  private readonly worded: TextLine[] = [];
  private lastHeader?: TextLine;
  private firstFooter?: TextLine;

  constructor(
    private readonly file: string,
    private readonly bytes: Uint8Array,
    private readonly limits: Limits,
  ) {}

  private fail(reason: string, fix = FIX): never {
    throw unreadable(this.file, reason, fix);
  }

  read(): FileReading {
    const { bytes } = this;
    if (bytes.length === 0) this.fail(EMPTY, 'send the file again');
    if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
      this.fail('it is text in UTF-16', 'save it as UTF-8 or ASCII text');
    }
    if (bytes.includes(0)) this.fail('it is neither an OPUS file nor text', FIX);
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.at = 3;
    while (this.at < bytes.length) {
      const start = this.at;
      if (bytes[start] === LF || bytes[start] === CR) {
        this.at++;
        continue;
      }
      if (this.layout && this.footerLines === 0) {
        const columns = this.row(this.layout);
        if (columns === this.columns && !this.open) {
          this.store(columns);
          continue;
        }
        this.at = start;
      }
      const end = this.lineEnd();
      this.line(start, end);
      this.at = end + 1;
    }
    return this.finish();
  }

  private lineEnd(): number {
    const { bytes } = this;
    let end = this.at;
    while (end < bytes.length && bytes[end] !== LF && bytes[end] !== CR) end++;
    return end;
  }

  /**
   * Reads the cells of the line at `at` and moves behind its end. Returns the number of columns, trailing empty ones
   * not counted and at most CELLS; 0 for a blank line; -1 where a cell is no number.
   */
  private row({ separator, reader }: Layout): number {
    const { bytes, cells } = this;
    let p = this.at;
    let columns = 0;
    for (let column = 0; ; column++) {
      const stop = p + BLANKS;
      while ((bytes[p] === BLANK || (bytes[p] === TAB && separator !== TAB)) && p < stop) p++;
      let c = bytes[p];
      if (c === LF || c === CR || p >= bytes.length) break;
      if (c === separator) {
        p++;
        continue;
      }
      if (column >= CELLS) return CELLS;
      cells[column] = reader.read(bytes, c === PLUS ? p + 1 : p);
      if (reader.end < 0) return -1;
      columns = column + 1;
      p = reader.end;
      const gap = p;
      while ((bytes[p] === BLANK || (bytes[p] === TAB && separator !== TAB)) && p < gap + BLANKS) p++;
      c = bytes[p];
      if (c === LF || c === CR || p >= bytes.length) break;
      if (c === separator) p++;
      else if (separator !== BLANK || p === gap) return -1;
    }
    this.at = bytes[p] === CR && bytes[p + 1] === LF ? p + 2 : p + 1;
    return columns;
  }

  /** The number of columns under the first layout that gives two or more, or the most that any gives. */
  private anyRow(start: number, end: number): { columns: number; layout?: Layout } {
    let best: { columns: number; layout?: Layout } = { columns: -1 };
    for (const layout of LAYOUTS) {
      this.at = start;
      const columns = this.row(layout);
      if (columns > 1) return { columns, layout };
      if (columns > best.columns && this.at > end) best = { columns };
    }
    return best;
  }

  /** A line that is not plainly one more data row. */
  private line(start: number, end: number): void {
    const { columns, layout } = this.anyRow(start, end);
    if (!layout && ++this.otherLines > OTHER_LINES) {
      this.fail(`it has more than ${OTHER_LINES} lines that are no data rows`);
    }
    if (columns === 0) return;
    if (columns > 0) this.numericLines++;
    if (layout) {
      this.unusualRow(start, end, columns, layout);
      return;
    }
    const texts = decoded(this.bytes.subarray(start, Math.min(end, start + LINE_LOOK)));
    const [text] = texts;
    if (NON_FINITE_ROW.test(text)) {
      throw new Refusal('non_finite', { file: this.file, fix: NON_FINITE_FIX });
    }
    if (this.footerLines === 0 && isLostRow(text))
      this.fail(`line ${this.lineNumber(start)} is a data row that cannot be read`, ROW_FIX);
    const footer = this.points > 0;
    const line = { texts, start, footer };
    if (!footer) {
      this.headerLines++;
      this.lastHeader = line;
      if (this.headerLines <= WORDED) this.worded.push(line);
      return;
    }
    const begins = this.layout?.separator === BLANK ? BEGINS_AS_BLANK_ROW : BEGINS_AS_ROW;
    if (this.footerLines === 0 && (columns === 1 || begins.test(text))) {
      this.fail(`line ${this.lineNumber(start)}, the row behind data row ${this.points}, is broken`);
    }
    this.footerLines++;
    this.firstFooter ??= line;
    if (this.footerLines <= WORDED) this.worded.push(line);
  }

  /** Number of the line that begins at `start`, counted from 1; CR, LF and both together end one. */
  private lineNumber(start: number): number {
    const { bytes } = this;
    let lines = 1;
    for (let i = 0; i < start; i++) if (bytes[i] === LF || (bytes[i] === CR && bytes[i + 1] !== LF)) lines++;
    return lines;
  }

  /** A row of two or more numbers: the first one, one that settles the decimal mark, or one that does not belong. */
  private unusualRow(start: number, end: number, columns: number, layout: Layout): void {
    if (this.footerLines > 0) this.fail(`garbage stands between data rows, behind row ${this.points}`);
    if (columns >= CELLS) this.fail('it is a table of several curves');
    const before = this.lastHeader;
    if (this.points === 0 && before && BEGINS_AS_ROW.test(before.texts[0]))
      this.fail(`line ${this.lineNumber(before.start)}, the row before the first data row, is broken`);
    const marked = this.bytes.subarray(start, end).includes(layout.reader === COMMA_READER ? COMMA : DOT);
    const settles = this.layout?.separator === layout.separator && this.open;
    if (this.layout && this.layout !== layout && !settles) {
      this.fail(`data row ${this.points + 1} is written in another way than those before`);
    }
    if (this.columns > 0 && columns !== this.columns) {
      this.fail(`data row ${this.points + 1} has another number of columns than those before`);
    }
    this.layout = layout;
    this.columns = columns;
    if (marked || layout.separator === COMMA) this.open = false;
    this.at = start;
    this.row(layout);
    this.store(columns);
  }

  private store(columns: number): void {
    const { cells, points } = this;
    if (columns === 3) {
      const index = cells[0];
      if (points === 0 ? index !== 0 && index !== 1 : index !== this.lastIndex + 1) {
        this.fail('it has three columns and the first does not count 0, 1, 2, ... or 1, 2, 3, ...: a table of curves');
      }
      this.lastIndex = index;
    }
    if (points === this.limits.maxPoints) this.fail(`it has more than ${this.limits.maxPoints} points`);
    if (points === this.wavenumbers.length) {
      this.wavenumbers = grown(this.wavenumbers);
      this.absorbance = grown(this.absorbance);
    }
    this.wavenumbers[points] = cells[columns - 2];
    this.absorbance[points] = cells[columns - 1];
    this.points++;
  }

  private finish(): FileReading {
    const { points, limits, layout } = this;
    if (points === 0 || !layout) {
      if (this.numericLines > 0) this.fail('it has one column, values without their wavenumbers');
      this.fail(NO_NUMERIC_ROW);
    }
    const x = this.wavenumbers.slice(0, points);
    const y = this.absorbance.slice(0, points);
    checkPoints(this.file, x, y, limits);
    this.checkEnds(x);
    this.checkHeader(layout);
    const separator = SEPARATOR_NAMES.get(layout.separator);
    const comma = layout.reader === COMMA_READER ? ' and a decimal comma' : '';
    const index = this.columns === 3 ? ', the first an index' : '';
    const around = `${this.headerLines} header and ${this.footerLines} footer lines`;
    const choice = `${this.columns} columns${index}, separated by ${separator}${comma}, with ${around}`;
    return toReading({ file: this.file, format: 'text', choice }, x, y);
  }

  /** The lines beside the data are no rows of it that could not be read: their first number does not go on with the axis. */
  private checkEnds(x: Float64Array): void {
    const last = x.length - 1;
    for (const [line, from, step] of [
      [this.lastHeader, x[0], x[0] - x[1]],
      [this.firstFooter, x[last], x[last] - x[last - 1]],
    ] as const) {
      const begin = line && FIRST_NUMBER.exec(line.texts[0])?.[1];
      if (!begin) continue;
      const steps = (Number(begin.replace(',', '.')) - from) / step;
      if (steps > 0.2 && steps < 3.5)
        this.fail(`line ${this.lineNumber(line.start)} is a data row that cannot be read`, WHOLE_ROW_FIX);
    }
  }

  /** Its words say that the columns are wavenumbers and absorbance, as far as they say anything. */
  private checkHeader({ separator }: Layout): void {
    const { lastHeader, worded } = this;
    const lines = lastHeader && !worded.includes(lastHeader) ? [...worded, lastHeader] : worded;
    const fault = faultOfHeader(lines, SPLITS.get(separator)!);
    if (fault) this.fail(`line ${this.lineNumber(fault.line.start)} ${fault.reason}`, fault.fix);
  }
}

function grown(values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * values.length);
  larger.set(values);
  return larger;
}
