/** Views of refusals, for specs of what keeps views. */
import type { Projection } from '../projection.js';
import type { ViewFile } from '../view-file.js';

/** Counts refusals; a reason `boom` is more than it can take. */
export const counting = (name: string, version = 1, step = 1): Projection => ({
  name,
  version,
  schema: 'CREATE TABLE seen (reason TEXT PRIMARY KEY, times INTEGER NOT NULL)',
  types: ['RefusalsCounted'],
  fold(tables) {
    const add = tables.prepare('INSERT INTO seen VALUES (?, ?) ON CONFLICT DO UPDATE SET times = times + ?');
    return ({ data }) => {
      add.run(String(data.reason), step, step);
      if (data.reason === 'boom') throw new TypeError('too much');
    };
  },
});

/** Gathers its rows; a reason `boom` is none, which its table refuses when they are written. */
export const gathering: Projection = {
  name: 'gathering',
  version: 1,
  schema: "CREATE TABLE seen (reason TEXT NOT NULL CHECK (reason <> 'boom'), times INTEGER NOT NULL)",
  types: ['RefusalsCounted'],
  fold(tables) {
    const rows = tables.into('seen');
    return ({ data }) => rows.add({ reason: String(data.reason), times: 1 });
  },
};

export const seen = (file: ViewFile) =>
  Object.fromEntries(file.db.prepare('SELECT * FROM seen').raw().all() as [string, number][]);
