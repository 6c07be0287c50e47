/**
 * A view's tables, as its fold writes and reads them. A call into SQLite costs more than a row, so new rows gather in
 * memory and go many in one statement. A fold has no other way to its tables: whatever it reads or changes holds what it
 * has written, however many events share a transaction.
 */
import type Database from 'libsql';

export type Value = string | number | null | Uint8Array;
/** By column; what is left out is null. */
export type Row = Record<string, Value | undefined>;
type Connection = Database.Database;
type Statement = Database.Statement<Value[]>;

/** Rows a statement: what is left over goes in smaller ones. */
const SIZES = [64, 16, 4, 1];

interface TableOptions {
  /** Columns that name a row, each name added once: then rows can be found and changed while they gather. */
  key?: readonly string[];
  /** The statement's `ON CONFLICT` clause. */
  conflict?: string;
}

export class Tables {
  private readonly work: (() => void)[] = [];
  /** Tables with rows that are not written yet. */
  private readonly gathering = new Set<Rows>();

  constructor(private readonly db: Connection) {}

  /** A table whose new rows gather. */
  into(table: string, options: TableOptions = {}): Rows {
    return new Rows(this.db, this.gathering, table, options);
  }

  /** A statement that sees all rows: those that gather for a table it names are written before it runs. */
  prepare(sql: string): Query {
    return new Query(this.db.prepare(sql), this.gathering, new Set(sql.match(/\w+/g)));
  }

  /** Done first at each flush: what a fold gathers in a form of its own becomes rows, and is no row before. */
  beforeFlush(work: () => void): void {
    this.work.push(work);
  }

  flush(): void {
    for (const work of this.work) work();
    for (const rows of this.gathering) rows.flush();
  }
}

/** A prepared statement, used as SQLite's. */
export class Query {
  constructor(
    private readonly statement: Statement,
    private readonly gathering: ReadonlySet<Rows>,
    private readonly words: ReadonlySet<string>,
  ) {}

  /** Answers rows as lists of values. */
  raw(): this {
    this.statement.raw();
    return this;
  }

  run(...values: Value[]): void {
    this.settle();
    this.statement.run(...values);
  }

  get(...values: Value[]): unknown {
    this.settle();
    return this.statement.get(...values);
  }

  all(...values: Value[]): unknown[] {
    this.settle();
    return this.statement.all(...values);
  }

  private settle(): void {
    for (const rows of this.gathering) if (this.words.has(rows.table)) rows.flush();
  }
}

export class Rows {
  private readonly columns: { name: string; required: boolean }[];
  private readonly inserts = new Map<number, Statement>();
  private readonly updates = new Map<string, Statement>();
  private readonly key: readonly string[];
  private readonly conflict: string;
  private rows: Row[] = [];
  private readonly byKey = new Map<Value | undefined, Row>();

  constructor(
    private readonly db: Connection,
    private readonly gathering: Set<Rows>,
    readonly table: string,
    { key = [], conflict = '' }: TableOptions,
  ) {
    this.key = key;
    this.conflict = conflict;
    const info = db.prepare('SELECT name, "notnull" FROM pragma_table_info(?)').raw().all(table);
    this.columns = (info as [string, number][]).map(([name, required]) => ({ name, required: required === 1 }));
  }

  /** @throws TypeError where a value does not fit its column */
  add(row: Row): void {
    for (const column of this.columns) this.check(column, row[column.name]);
    this.rows.push(row);
    if (this.key.length > 0) this.byKey.set(nameOf(this.key.map((column) => row[column])), row);
    this.gathering.add(this);
    if (this.rows.length === SIZES[0]) this.flush();
  }

  /** A function that gives these columns of the row with a key, and undefined where there is none. */
  reader(...columns: string[]): (...key: Value[]) => Readonly<Row> | undefined {
    const read = this.db.prepare(`SELECT ${columns.join(', ')} FROM ${this.table} WHERE ${this.named}`);
    return (...key) => this.byKey.get(nameOf(key)) ?? (read.get(...key) as Row | undefined);
  }

  /** Changes columns of the row with a key, where there is one. @throws TypeError as `add` does */
  change(changes: Row, ...key: Value[]): void {
    for (const column of this.columns) if (column.name in changes) this.check(column, changes[column.name]);
    const row = this.byKey.get(nameOf(key));
    if (row) Object.assign(row, changes);
    else this.update(Object.keys(changes)).run(...Object.values(changes).map((value) => value ?? null), ...key);
  }

  flush(): void {
    for (let at = 0; at < this.rows.length; ) {
      const size = SIZES.find((one) => at + one <= this.rows.length) as number;
      const values: Value[] = [];
      for (const row of this.rows.slice(at, at + size))
        for (const { name } of this.columns) values.push(row[name] ?? null);
      this.insert(size).run(...values);
      at += size;
    }
    this.rows = [];
    this.byKey.clear();
    this.gathering.delete(this);
  }

  private check({ name, required }: { name: string; required: boolean }, value: Value | undefined = null): void {
    const type = typeof value;
    if (type === 'string' || type === 'number' || ArrayBuffer.isView(value)) return;
    if (value === null && !required) return;
    throw new TypeError(`${this.table}.${name} cannot be ${value === null ? 'null' : type}`);
  }

  private get named(): string {
    return this.key.map((column) => `${column} = ?`).join(' AND ');
  }

  private insert(rows: number): Statement {
    let statement = this.inserts.get(rows);
    if (!statement) {
      const row = `(${this.columns.map(() => '?').join(', ')})`;
      const all = Array(rows).fill(row).join(', ');
      statement = this.db.prepare(`INSERT INTO ${this.table} VALUES ${all} ${this.conflict}`);
      this.inserts.set(rows, statement);
    }
    return statement;
  }

  private update(columns: string[]): Statement {
    const changes = columns.map((column) => `${column} = ?`).join(', ');
    let statement = this.updates.get(changes);
    if (!statement) {
      statement = this.db.prepare(`UPDATE ${this.table} SET ${changes} WHERE ${this.named}`);
      this.updates.set(changes, statement);
    }
    return statement;
  }
}

const nameOf = (key: (Value | undefined)[]) => (key.length === 1 ? key[0] : key.join('\n'));
