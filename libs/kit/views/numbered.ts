/** Long texts that many rows have alike, numbered in the order of their first mention. */
import type { Tables } from './tables.js';

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

/** A population's vectors under one model are a set of their own: numbered, as rows that bear both texts are long. */
export const MODELS_TABLE = `
  CREATE TABLE models (id INTEGER PRIMARY KEY, population TEXT NOT NULL, model TEXT NOT NULL, UNIQUE (population, model))`;

export class ModelIds {
  private readonly ids = new Map<string, Map<string, number>>();
  private readonly populations: string[] = [];
  private readonly insert;

  constructor(tables: Tables) {
    this.insert = tables.prepare('INSERT INTO models VALUES (?, ?, ?)');
    const rows = tables.prepare('SELECT population, model FROM models ORDER BY id').raw().all() as [string, string][];
    for (const [population, model] of rows) this.keep(population, model);
  }

  /** Numbered now where it was not yet. */
  of(population: string, model: string): number {
    const known = this.ids.get(population)?.get(model);
    if (known !== undefined) return known;
    const id = this.keep(population, model);
    this.insert.run(id, population, model);
    return id;
  }

  populationOf(id: number): string {
    return this.populations[id - 1];
  }

  /** The same population's under other models. */
  others(id: number): number[] {
    const of = this.ids.get(this.populationOf(id)) as Map<string, number>;
    return of.size === 1 ? [] : [...of.values()].filter((other) => other !== id);
  }

  private keep(population: string, model: string): number {
    const id = this.populations.push(population);
    this.ids.set(population, (this.ids.get(population) ?? new Map<string, number>()).set(model, id));
    return id;
  }
}
