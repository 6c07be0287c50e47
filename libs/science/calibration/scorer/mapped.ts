/** Sides under a map, and the bank's stones under it, against which their scores are normalised. */
import { type PackedMatrix, SimdKernel } from '#science/compute/simd-kernel';
import { VECTOR_LENGTH } from '../evidence.js';
import type { BankSide } from './bank.js';
import type { ScorerMap } from './map.js';

/** The rows of a map that has none: 1 on the diagonal. */
export const AS_IT_IS = Float32Array.from({ length: VECTOR_LENGTH ** 2 }, (_, i) =>
  i % (VECTOR_LENGTH + 1) === 0 ? 1 : 0,
);

/** A map ready to be applied. Its kernel and all packed in it go when nothing holds them any more. */
export class PackedMap {
  /** Values of a mapped side, all encoders together. */
  readonly width: number;
  private readonly packed: PackedMatrix[];
  constructor(
    readonly kernel: SimdKernel,
    readonly map: ScorerMap,
  ) {
    this.packed = map.map(({ rows }) => {
      const all = rows.length > 0 ? rows : AS_IT_IS;
      return kernel.packTransposed(all, VECTOR_LENGTH, all.length / VECTOR_LENGTH);
    });
    this.width = this.packed.reduce((sum, { m }) => sum + m, 0);
  }

  /**
   * Maps both sides of a claim at once: the kernel takes rows two by two.
   * @param both rough and polish, encoders x 256 each
   */
  pair(both: Float32Array): [rough: Float32Array, polish: Float32Array] {
    const mapped = this.mapped((row) => (row === 0 ? 'rough' : 'polish'), both, 2);
    return [mapped.subarray(0, this.width), mapped.subarray(this.width)];
  }

  /** @param vectors count x encoders x 256 @returns count x width, each encoder's part of length one */
  apply(side: BankSide, vectors: Float32Array, count: number): Float32Array {
    return this.mapped(() => side, vectors, count);
  }

  private mapped(sideOf: (row: number) => BankSide, vectors: Float32Array, count: number): Float32Array {
    const length = this.map.length * VECTOR_LENGTH;
    const out = new Float32Array(count * this.width);
    const centred = new Float32Array(count * VECTOR_LENGTH);
    for (let encoder = 0, at = 0; encoder < this.map.length; encoder++) {
      for (let row = 0; row < count; row++) {
        const mean = this.map[encoder][sideOf(row)];
        for (let i = 0; i < VECTOR_LENGTH; i++)
          centred[row * VECTOR_LENGTH + i] = vectors[row * length + encoder * VECTOR_LENGTH + i] - mean[i];
      }
      const { m } = this.packed[encoder];
      const mapped = this.kernel.product(centred, this.packed[encoder], count, VECTOR_LENGTH, m);
      for (let row = 0; row < count; row++) {
        let squares = 0;
        for (let i = row * m; i < (row + 1) * m; i++) squares += mapped[i] * mapped[i];
        const norm = squares > 0 ? Math.sqrt(squares) : 1;
        for (let i = 0; i < m; i++) out[row * this.width + at + i] = mapped[row * m + i] / norm;
      }
      at += m;
    }
    return out;
  }

  /** Cosines of two mapped sides by encoder, in float64, added in order. @param to where they go @returns it */
  cosines(a: Float32Array, b: Float32Array, to: Float64Array): Float64Array {
    for (let encoder = 0, at = 0; encoder < to.length; encoder++) {
      const end = at + this.packed[encoder].m;
      let cosine = 0;
      for (; at < end; at++) cosine += a[at] * b[at];
      to[encoder] = cosine;
    }
    return to;
  }
}

/** One side of the bank's stones under a map. */
export class Cohort {
  private readonly packed: PackedMatrix;
  /** @param rows mapped, one a group, in their order */
  constructor(
    private readonly under: PackedMap,
    private readonly rows: Float32Array,
    readonly groups: number,
  ) {
    this.packed = under.kernel.packTransposed(rows, under.width, groups);
  }

  row(group: number): Float32Array {
    return this.rows.subarray(group * this.under.width, (group + 1) * this.under.width);
  }

  /**
   * The groups that score best with mapped sides, best first, equal ones in their order.
   * @param count sides @param most groups of each wanted
   */
  best(sides: Float32Array, count: number, most: number): Best[] {
    const table = this.under.kernel.product(sides, this.packed, count, this.under.width, this.groups);
    const of = (side: number) => table.subarray(side * this.groups, (side + 1) * this.groups);
    return Array.from({ length: count }, (_, side) => bestOfRow(of(side), Math.min(most, this.groups)));
  }
}

/** Groups with their sums of cosines over the encoders, best first. */
export interface Best {
  groups: Int32Array;
  sums: Float32Array;
}

function bestOfRow(scores: Float32Array, most: number): Best {
  const groups = new Int32Array(most);
  const sums = new Float32Array(most);
  let held = 0;
  for (let group = 0; group < scores.length; group++) {
    const score = scores[group];
    if (held === most && !(score > sums[most - 1])) continue;
    let at = held < most ? held++ : most - 1;
    for (; at > 0 && score > sums[at - 1]; at--) {
      sums[at] = sums[at - 1];
      groups[at] = groups[at - 1];
    }
    sums[at] = score;
    groups[at] = group;
  }
  return { groups, sums };
}
