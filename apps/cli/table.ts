import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import Papa from 'papaparse';
import { UsageError } from './exit.js';

/** A table of answers that a stopped run goes on with. No cell holds a line feed: a row is a line. */
export class AnswerTable<Row extends object> {
  constructor(
    readonly file: string,
    private readonly columns: readonly (keyof Row & string)[],
    /** The last so many columns are not in tables of former versions, which go on. */
    private readonly added = 0,
  ) {}

  /** The rows of whole lines; none where there is no file. Changes nothing. @throws UsageError for another table */
  read(): Row[] {
    if (!existsSync(this.file)) return [];
    const whole = this.wholeLines().toString('utf8');
    const [head] = whole.split('\n', 1);
    if (whole !== '' && head !== this.head && head !== this.formerHead) {
      throw new UsageError(`--out: ${this.file} is no table of answers`);
    }
    const missing = Object.fromEntries(this.columns.slice(this.columns.length - this.added).map((name) => [name, '']));
    const { data } = Papa.parse<Row>(whole, { header: true, skipEmptyLines: true });
    return head === this.head ? data : data.map((row) => ({ ...row, ...missing }));
  }

  /** As read, and ready for more: a half-written last line is cut off. */
  open(): Row[] {
    const rows = this.read();
    const whole = existsSync(this.file) ? this.wholeLines() : Buffer.of();
    if (whole.length === 0) writeFileSync(this.file, `${this.head}\n`);
    else if (whole.toString('utf8').startsWith(`${this.head}\n`)) truncateSync(this.file, whole.length);
    else this.replace(rows);
    return rows;
  }

  /** Writes rows; they are on the disk when it returns. */
  append(rows: Row[]): void {
    if (rows.length === 0) return;
    const file = openSync(this.file, 'a');
    try {
      writeSync(file, `${Papa.unparse(rows, { columns: [...this.columns], header: false, newline: '\n' })}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  replace(rows: Row[]): void {
    const text = Papa.unparse({ fields: [...this.columns], data: rows }, { newline: '\n' });
    writeFileSync(`${this.file}.new`, `${text}\n`);
    renameSync(`${this.file}.new`, this.file);
  }

  private get head(): string {
    return this.columns.join(',');
  }

  private get formerHead(): string {
    return this.columns.slice(0, this.columns.length - this.added).join(',');
  }

  private wholeLines(): Buffer {
    const bytes = readFileSync(this.file);
    return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
  }
}

/** Rows of a table with a header; a byte order mark and blank lines are left out. */
export const readNamedColumns = (file: string): Record<string, string>[] =>
  Papa.parse<Record<string, string>>(readFileSync(file, 'utf8').replace(/^\ufeff/, ''), {
    header: true,
    skipEmptyLines: 'greedy',
    transformHeader: (name) => name.trim().toLowerCase(),
    transform: (cell) => cell.trim(),
  }).data;
