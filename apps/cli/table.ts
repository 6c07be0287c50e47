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
  ) {}

  /** The rows of whole lines; none where there is no file. Changes nothing. @throws UsageError for another table */
  read(): Row[] {
    if (!existsSync(this.file)) return [];
    const whole = this.wholeLines().toString('utf8');
    if (whole !== '' && !whole.startsWith(`${this.columns.join(',')}\n`)) {
      throw new UsageError(`--out: ${this.file} is no table of answers`);
    }
    return Papa.parse<Row>(whole, { header: true, skipEmptyLines: true }).data;
  }

  /** As read, and ready for more: a half-written last line is cut off. */
  open(): Row[] {
    const rows = this.read();
    const whole = existsSync(this.file) ? this.wholeLines().length : 0;
    if (whole > 0) truncateSync(this.file, whole);
    else writeFileSync(this.file, `${this.columns.join(',')}\n`);
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
