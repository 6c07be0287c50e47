/**
 * Rows on their way into a view's tables. A call into SQLite costs more than a row, so they gather in memory and go many in
 * one statement. Rows that a fold may ask for while they are on their way bear a key here.
 */
import type Database from 'libsql';

export type Value = string | number | null | Uint8Array;
/** By column; what is left out is null. */
export type Row = Record<string, Value | undefined>;
type Connection = Database.Database;
type Statement = ReturnType<Connection['prepare']>;

/** Rows a statement: what is left over goes in smaller ones. */
const SIZES = [64, 16, 4, 1];

export class Writer {
  private readonly before: (() => void)[] = [];
  private readonly tables: Rows[] = [];

  constructor(private readonly db: Connection) {}

  /** Rows for a table. @param conflict the statement's `ON CONFLICT` clause */
  into(table: string, conflict = ''): Rows {
    const rows = new Rows(this.db, table, conflict);
    this.tables.push(rows);
    return rows;
  }

  /** Done first at each flush: what was gathered in another form becomes rows. */
  beforeFlush(work: () => void): void {
    this.before.push(work);
  }

  flush(): void {
    for (const work of this.before) work();
    for (const rows of this.tables) rows.flush();
  }
}

export class Rows {
  private readonly columns: { name: string; required: boolean }[];
  private readonly statements = new Map<number, Statement>();
  private rows: Row[] = [];
  private readonly keyed = new Map<string, Row>();

  constructor(
    private readonly db: Connection,
    private readonly table: string,
    private readonly conflict: string,
  ) {
    const info = db.prepare('SELECT name, "notnull" FROM pragma_table_info(?)').raw().all(table);
    this.columns = (info as [string, number][]).map(([name, required]) => ({ name, required: required === 1 }));
  }

  /** @throws TypeError where a value is none for its column */
  add(row: Row, key?: string): void {
    for (const { name, required } of this.columns) {
      const value = row[name] ?? null;
      const type = typeof value;
      if (type === 'string' || type === 'number' || ArrayBuffer.isView(value)) continue;
      if (value === null && !required) continue;
      throw new TypeError(`${this.table}.${name} cannot be ${value === null ? 'null' : type}`);
    }
    this.rows.push(row);
    if (key !== undefined) this.keyed.set(key, row);
    if (this.rows.length === SIZES[0]) this.flush();
  }

  /** The row of a key while it is on its way, when it can still be changed. */
  waiting(key: string): Row | undefined {
    return this.keyed.get(key);
  }

  /** Those on their way, whether they bear a key or not. */
  get onTheirWay(): readonly Row[] {
    return this.rows;
  }

  flush(): void {
    for (let at = 0; at < this.rows.length; ) {
      const size = SIZES.find((one) => at + one <= this.rows.length) as number;
      const values: Value[] = [];
      for (const row of this.rows.slice(at, at + size))
        for (const { name } of this.columns) values.push(row[name] ?? null);
      this.statement(size).run(values);
      at += size;
    }
    this.rows = [];
    this.keyed.clear();
  }

  private statement(rows: number): Statement {
    let statement = this.statements.get(rows);
    if (!statement) {
      const row = `(${this.columns.map(() => '?').join(', ')})`;
      const all = Array(rows).fill(row).join(', ');
      statement = this.db.prepare(`INSERT INTO ${this.table} VALUES ${all} ${this.conflict}`);
      this.statements.set(rows, statement);
    }
    return statement;
  }
}
