/** Scan sets as they were banked, by population, model and digest, and whether two of them are alike. */
import { ModelIds } from '../model-ids.js';
import type { Connection } from '../projection.js';
import type { Rows, Writer } from '../rows.js';
import { type Sketch, similarity } from './nearness.js';
import { Recent } from './recent.js';

/** A scan set as it is in its table; without a sketch where it was scored and never banked. */
export type SetRow = {
  id: number;
  model_id: number;
  digest: string;
  low: number | null;
  high: number | null;
  vector: Uint8Array | null;
};

/** Sets that are kept in memory, 1 kB each with vectors of three encoders. */
const KEPT = 8192;
/** Most sets that are remembered as never banked, and as not yet claimed. */
const REMEMBERED = 16_384;

export const bytesOf = (blob: Uint8Array): Int8Array => new Int8Array(blob.buffer, blob.byteOffset, blob.byteLength);

export const sketchIn = ({ low, high, vector }: SetRow): Sketch | undefined =>
  low !== null && high !== null && vector ? { low, high, values: bytesOf(vector) } : undefined;

export class ScanSets {
  readonly models: ModelIds;
  private readonly rows: Rows;
  private readonly setOf;
  private readonly vectorOf;
  /** A set's row never changes, and one that is not there yet is never looked for in vain before it comes through here. */
  private readonly byName = new Recent<string, SetRow>(KEPT);
  private readonly vectorsById = new Recent<number, Uint8Array | null>(KEPT);
  /** Sets that were banked and have not been claimed. */
  private readonly unclaimed = new Set<number>();
  /** Digests of sets that were scored without having been banked, which the service does not do; undefined where many were. */
  private unbanked: Set<string> | undefined;

  constructor(db: Connection, writer: Writer) {
    this.models = new ModelIds(db);
    this.rows = writer.into('sets');
    this.setOf = db.prepare('SELECT * FROM sets WHERE model_id = ? AND digest = ?');
    this.vectorOf = db.prepare('SELECT vector FROM sets WHERE id = ?').raw();
    const unbanked = db.prepare(`SELECT digest FROM sets WHERE model_id < 0 LIMIT ${REMEMBERED}`).raw().all();
    if (unbanked.length < REMEMBERED) this.unbanked = new Set((unbanked as [string][]).flat());
  }

  bank(population: string, model: string, digest: string, { low, high, values }: Sketch, position: number): void {
    // Twice the position, so that no stone's id is the same: a set that was never banked has its stone's.
    const id = 2 * position;
    const model_id = this.models.of(population, model);
    this.keep({ id, model_id, digest, low, high, vector: Buffer.from(values.buffer) });
    if (this.unclaimed.size >= REMEMBERED) this.unclaimed.clear();
    this.unclaimed.add(id);
  }

  /** @returns `waiting` where its row is not in the table yet */
  find(model: number, digest: string): { set?: SetRow; waiting: boolean } {
    const name = `${model} ${digest}`;
    const row = this.rows.waiting(name) as SetRow | undefined;
    return {
      set: row ?? this.byName.of(name, () => this.setOf.get(model, digest) as SetRow | undefined),
      waiting: !!row,
    };
  }

  /** The set that a claim names. @param id of the set where it was never banked */
  claimed(model: number, digest: string, id: number): { set: SetRow; waiting: boolean; first: boolean } {
    let { set, waiting } = this.find(model, digest);
    if (!set && this.mayBeUnbanked(digest)) ({ set, waiting } = this.find(-model, digest));
    set ??= this.addUnbanked({ id, model_id: -model, digest, low: null, high: null, vector: null });
    return { set, waiting, first: this.unclaimed.delete(set.id) };
  }

  /** Other sets of the same scans: under another model of the population, or from before they were banked. */
  *others(model: number, digest: string): Generator<{ set: SetRow; waiting: boolean }> {
    let numbers = this.models.others(model);
    if (this.mayBeUnbanked(digest)) numbers = [...numbers, ...[model, ...numbers].map((id) => -id)];
    for (const number of numbers) {
      const { set, waiting } = this.find(number, digest);
      if (set) yield { set, waiting };
    }
  }

  /** True if a set is at least so near to another one, known by its id. */
  near(set: SetRow, other: number, min: number): boolean {
    if (set.vector === null) return false;
    const vector = this.vector(other);
    return vector !== null && similarity(bytesOf(set.vector), bytesOf(vector)) >= min;
  }

  private vector(id: number): Uint8Array | null {
    return this.vectorsById.of(id, () => {
      const find = () => (this.vectorOf.get(id) as [Uint8Array | null] | undefined)?.[0];
      const found = find();
      if (found !== undefined) return found;
      this.rows.flush();
      return find() ?? null;
    });
  }

  private mayBeUnbanked(digest: string): boolean {
    return this.unbanked === undefined || this.unbanked.has(digest);
  }

  private addUnbanked(set: SetRow): SetRow {
    this.keep(set);
    this.unbanked?.add(set.digest);
    if (this.unbanked?.size === REMEMBERED) this.unbanked = undefined;
    return set;
  }

  private keep(set: SetRow): void {
    const name = `${set.model_id} ${set.digest}`;
    this.rows.add(set, name);
    this.byName.put(name, set);
    this.vectorsById.put(set.id, set.vector);
  }
}
