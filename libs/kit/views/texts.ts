import type { Tables } from './tables.js';

/** Texts that many rows have alike, numbered in the order of their first mention. */
export const TEXTS_TABLE = 'CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)';

export class Texts {
  private readonly texts;
  private readonly known;
  private last: number;

  constructor(tables: Tables) {
    this.texts = tables.into('texts', { key: ['text'] });
    this.known = this.texts.reader('id');
    [this.last] = tables.prepare('SELECT coalesce(max(id), 0) FROM texts').raw().get() as [number];
  }

  /** Numbered now where it was not yet. */
  idOf(text: string): number {
    const known = this.known(text);
    if (known) return Number(known.id);
    this.texts.add({ id: ++this.last, text });
    return this.last;
  }
}
