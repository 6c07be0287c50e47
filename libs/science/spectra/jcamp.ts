import type { Limits } from '#config/limits';
import {
  type Acquired,
  checkedReading,
  checkUnprocessed,
  evenAxis,
  type FileReading,
  said,
  unreadable,
} from './reading.js';
import { printableName } from './refusal.js';

/*
 * JCAMP-DX 4.24 and 5 (McDonald and Wilks, Appl. Spectrosc. 42 (1988) 151): labelled records `##LABEL=value` of ASCII, of
 * which one holds the data: in rows of an abscissa and evenly spaced ordinates (X++(Y..Y)), written as plain numbers
 * (AFFN, PAC) or with letters for signs, differences and repeats (SQZ, DIF, DUP); or in pairs (XY..XY).
 */
const FIX = 'export the absorbance spectrum over 1/CM as JCAMP-DX, or as two columns';
const AGAIN = 'export the file again, or send it again whole';
/** Bytes in which a file names its data. */
const HEAD_BYTES = 65_536;
/** Bytes of a file: the longest scan as pairs of long numbers, and its labels. */
const MAX_BYTES = 16 * 1024 * 1024;
const DATA_LABELS = ['XYDATA', 'XYPOINTS', 'PEAKTABLE', 'PEAKASSIGNMENTS', 'NTUPLES', 'RADATA'];
const WAVENUMBERS = /^(1\s*\/\s*cm|cm\s*\^?\s*-\s*1|wave\s*numbers?\b.*)$/i;
const INFRARED = /infra[\s-]*red|\b(ft-?\s?)?[nm]?ir\b/i;
const NO_SPECTRUM = /interferogram|peak|derivative|raman|emission|reflect/i;
const ABSORBANCE = /^(abs(orbance)?\.?(\s*units?)?|a)$/i;
/** Relative departure of what a file says twice: values are rounded as they are written. */
const ROUNDED = 0.01;

const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]\d{1,3}(?!\d))?`;
const TOKEN = new RegExp(String.raw`[\s,;]*(?:(${NUMBER})|([@A-Ia-i%J-Rj-rS-Zs])(\d*\.?\d*))`, 'y');
const PAIR = new RegExp(String.raw`[\s,;]*(${NUMBER})[\s,]+(${NUMBER})[\s,;]*`, 'y');

/** Labels stand in plain text exports too, above rows without any. */
export const isJcamp = (bytes: Uint8Array): boolean =>
  /^\W*##\s*(TITLE|JCAMP-?DX)\s*=/i.test(new TextDecoder('latin1').decode(bytes.subarray(0, 256))) &&
  /##\s*(JCAMP|XY|PEAK|NTUPLES|RADATA)/i.test(new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES)));

/** Reads the one spectrum of a JCAMP-DX file. Throws a Refusal that names the file, and the line or the label. */
export function readJcamp(file: string, bytes: Uint8Array, limits: Limits): FileReading {
  return new JcampFile(file, limits).read(bytes);
}

class JcampFile {
  private readonly labels = new Map<string, string>();
  /** The record of the data; '' before it came. */
  private form = '';
  /** Lines that are no labels belong to it. */
  private inData = false;
  /** Number of the line. */
  private line = 0;
  /** Abscissas as written, each with the place of its ordinate, its line, and whether that line repeats an ordinate. */
  private readonly abscissas: { x: number; at: number; line: number; repeats: boolean }[] = [];
  private readonly ordinates: number[] = [];
  /** The last ordinate was written as a difference: the next line begins with that ordinate, once more. */
  private repeats = false;

  constructor(
    private readonly file: string,
    private readonly limits: Limits,
  ) {}

  private fail(reason: string, fix = FIX): never {
    throw unreadable(this.file, reason, fix);
  }

  read(bytes: Uint8Array): FileReading {
    if (bytes.length > MAX_BYTES) this.fail(`it has more than ${this.limits.maxPoints} points`);
    for (const line of new TextDecoder('latin1').decode(bytes).split(/\r\n?|\n/)) {
      this.line++;
      this.take(line.replace(/\$\$.*$/, ''));
    }
    if (this.form === '') this.fail('it holds no spectrum (no XYDATA and no XYPOINTS)');
    this.checkLabels();
    const factor = this.number('YFACTOR') ?? 1;
    const y = Float64Array.from(this.ordinates, (value) => factor * value);
    const x = this.axis(this.number('XFACTOR') ?? 1);
    const choice = `${this.form.toUpperCase()} in absorbance over 1/CM, factor ${factor}`;
    const acquired = this.acquired();
    return checkedReading({ file: this.file, format: 'jcamp-dx', choice, acquired }, x, y, this.limits);
  }

  private take(line: string): void {
    const [, name, value] = /^\s*##([^=]*)=(.*)$/.exec(line) ?? [];
    if (name === undefined) {
      if (this.inData && line.trim() !== '') this.data(line);
      return;
    }
    const label = name.toUpperCase().replace(/[\s\-/_]/g, '');
    this.inData = DATA_LABELS.includes(label);
    if (!this.inData) {
      this.labels.set(label, value.trim());
      return;
    }
    if (this.form !== '') this.fail(`it holds several spectra (line ${this.line})`, 'export each spectrum by itself');
    this.form = `${label}=${value.replace(/\s/g, '')}`;
    if (!/^(XYDATA|XYPOINTS)=\((X\+\+\(Y\.\.Y\)|XY\.\.XY)\)$/i.test(this.form))
      this.fail(`it holds ${printableName(this.form)} and no spectrum in a form that is read`);
  }

  private data(line: string): void {
    if (!(/X\+\+/i.test(this.form) ? this.row(line) : this.pairs(line)))
      this.fail(`line ${this.line} cannot be read: a value is missing or is no number`, AGAIN);
  }

  private pairs(line: string): boolean {
    for (PAIR.lastIndex = 0; PAIR.lastIndex < line.length; ) {
      const [, x, y] = PAIR.exec(line) ?? [];
      if (x === undefined) return false;
      this.mark(Number(x), this.ordinates.length);
      this.add(Number(y));
    }
    return true;
  }

  /** Abscissa and ordinates of one line. @returns whether all of it was understood */
  private row(line: string): boolean {
    const text = line.trimEnd();
    let [value, difference] = [0, 0];
    let kind: 'abscissa' | 'none' | 'value' | 'difference' = 'abscissa';
    for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.length; ) {
      const [, plain, letter = '', digits] = TOKEN.exec(text) ?? [];
      if (plain === undefined && letter === '') return false;
      const number = plain === undefined ? numberOf(letter, digits) : Number(plain);
      if (kind === 'abscissa') {
        this.mark(number, this.ordinates.length - Number(this.repeats));
        kind = 'none';
      } else if (/[S-Zs]/.test(letter)) {
        if (kind === 'none') return false;
        for (let count = 1; count < number; count++) {
          if (kind === 'difference') value += difference;
          this.add(value);
        }
      } else {
        const isDifference: boolean = /[%J-Rj-r]/.test(letter);
        if (isDifference && kind === 'none') return false;
        if (isDifference) difference = number;
        value = isDifference ? value + number : number;
        if (kind !== 'none' || !this.repeats) this.add(value);
        else if (value !== this.ordinates.at(-1))
          this.fail(`line ${this.line} does not begin with the last value of the line before: values are lost`, AGAIN);
        kind = isDifference ? 'difference' : 'value';
      }
    }
    this.repeats = kind === 'difference';
    return kind !== 'abscissa';
  }

  private mark(x: number, at: number): void {
    this.abscissas.push({ x, at, line: this.line, repeats: this.repeats });
  }

  private add(value: number): void {
    const { maxPoints } = this.limits;
    if (this.ordinates.length === maxPoints) this.fail(`it has more than ${maxPoints} points`);
    this.ordinates.push(value);
  }

  /** A label's number; undefined where the label is missing. */
  private number(label: string): number | undefined {
    const text = this.labels.get(label);
    if (text === undefined || text === '') return undefined;
    const number = Number(text.replace(/^([-+\d.]+),(\d+)$/, '$1.$2'));
    if (!Number.isFinite(number)) this.fail(`its ${label} is no number`, AGAIN);
    return number;
  }

  /** Wavenumbers of the ordinates: between FIRSTX and LASTX where the file says them, else between the lines' abscissas. */
  private axis(factor: number): Float64Array {
    const { abscissas, ordinates } = this;
    const count = ordinates.length;
    const said = this.number('NPOINTS');
    if (said !== undefined && said !== count) this.fail(`it holds ${count} points, and NPOINTS says ${said}`, AGAIN);
    const [first, last] = [this.number('FIRSTX'), this.number('LASTX')];
    if (/XY\.\./i.test(this.form) || first === undefined || last === undefined) {
      const axis = new Float64Array(count);
      if (abscissas.some(({ repeats }) => repeats)) this.fail('it says no FIRSTX or no LASTX', AGAIN);
      for (const [i, { x, at }] of abscissas.entries()) {
        const next = abscissas[i + 1] ?? { x: x + (this.number('DELTAX') ?? 0) / factor, at: at + 1 };
        for (let j = at; j < (abscissas[i + 1]?.at ?? count); j++)
          axis[j] = factor * (x + ((j - at) * (next.x - x)) / (next.at - at));
      }
      return axis;
    }
    const step = (last - first) / (count - 1);
    const axis = evenAxis(first, last, count);
    const within = 0.6 * Math.max(Math.abs(step), Math.abs(factor));
    for (const { x, at, line, repeats } of abscissas) {
      // The abscissa of a line that repeats an ordinate is that one's, or the next one's: programs differ.
      const off = [at, at + Number(repeats)].map((place) => Math.abs(factor * x - axis[place]));
      if (!off.some((one) => one <= within))
        this.fail(`line ${line} begins at ${factor * x} where FIRSTX, LASTX and NPOINTS put ${axis[at]}`, AGAIN);
    }
    return axis;
  }

  /** The labels say that this is an unprocessed infrared absorbance over wavenumbers. */
  private checkLabels(): void {
    const { labels } = this;
    const said = (label: string) => printableName(labels.get(label) ?? '');
    const [type, x, y] = ['DATATYPE', 'XUNITS', 'YUNITS'].map(said);
    if (type !== '' && (!INFRARED.test(type) || NO_SPECTRUM.test(type))) this.fail(`its DATA TYPE is ${type}`);
    if (!WAVENUMBERS.test(x)) this.fail(x === '' ? 'it says no XUNITS' : `its XUNITS are ${x}, no wavenumbers`);
    if (!ABSORBANCE.test(y)) this.fail(y === '' ? 'it says no YUNITS' : `its YUNITS are ${y}, no absorbance`);
    checkUnprocessed(this.file, said('DATAPROCESSING'));
    const [first, written, factor] = [this.number('FIRSTY'), this.ordinates[0], this.number('YFACTOR') ?? 1];
    const isFirst = (value: number) => Math.abs(value - first!) <= ROUNDED * Math.abs(first!) + Math.abs(factor);
    if (first !== undefined && !isFirst(factor * written) && !isFirst(written))
      this.fail('its first value is not that of FIRSTY', AGAIN);
  }

  private acquired(): Acquired {
    const { labels } = this;
    const text = (...names: string[]) => names.map((name) => labels.get(name)).find(Boolean);
    const resolution = Number.parseFloat(text('RESOLUTION') ?? '');
    return said({
      name: text('TITLE'),
      instrument: text('SPECTROMETER/DATASYSTEM', 'SPECTROMETERDATASYSTEM'),
      date: text('LONGDATE') ?? ([text('DATE'), text('TIME')].filter(Boolean).join(' ') || undefined),
      resolution: resolution > 0 ? resolution : undefined,
      apodisation: [...labels].find(([label]) => /APODI[SZ]ATION/.test(label))?.[1],
    });
  }
}

/** A letter and the digits behind it: the letter is the first digit with its sign, or the first digit of a count. */
function numberOf(letter: string, digits: string): number {
  const code = letter.charCodeAt(0);
  if (/[S-Z]/.test(letter)) return Number(`${code - 82}${digits}`);
  if (letter === 's') return Number(`9${digits}`);
  const from = '@%'.includes(letter) ? code : letter <= 'I' ? 64 : letter <= 'R' ? 73 : letter <= 'i' ? 96 : 105;
  return Number(`${letter > 'Z' ? '-' : ''}${code - from}${digits}`);
}
