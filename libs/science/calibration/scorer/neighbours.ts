import type { PackedMatrix, SimdKernel } from '#science/compute/simd-kernel';
import { scoreOf, VECTOR_LENGTH } from '../evidence.js';
import { NEARLY_IDENTICAL } from '../stones.js';
import { type BankSide, type ClaimBank, rowOfBank } from './bank.js';
import type { ScorerMap } from './map.js';
import { AS_IT_IS } from './mapped.js';

/** Directions an encoder in which a bank's sides are compared before they are compared whole. */
const DIRECTIONS = 16;
/** Far above the rounding error of a squared distance. */
const MARGIN = 1e-3;

/** Claims of the bank that are neighbours of a side, in order. */
export interface Neighbours {
  claims: number[];
  /** Those of them that hold the same scans. */
  same: number[];
}

/** The bank's sides in those directions: encoders x DIRECTIONS values a claim, and half of each one's squared length. */
interface Points {
  packed: PackedMatrix;
  halves: Float32Array;
}

/**
 * Finds the claims that are neighbours of a side. Sides that are no neighbours differ by more than 2 (1 - least) per
 * encoder, squared, and nearly all do so in a few directions already; only the others are compared whole. The result does
 * not depend on the directions.
 */
export class NeighbourIndex {
  /** By encoder. */
  private readonly bases: PackedMatrix[];
  private readonly width: number;
  private readonly points: Partial<Record<BankSide, Points>> = {};
  private readonly furthest: number;

  constructor(
    private readonly kernel: SimdKernel,
    private readonly bank: ClaimBank,
    map: ScorerMap,
    /** Mean cosine of neighbours. */
    private readonly least: number,
  ) {
    this.bases = map.map(({ rows }) => {
      const basis = orthonormal(rows.length > 0 ? rows : AS_IT_IS);
      return kernel.packTransposed(basis, VECTOR_LENGTH, basis.length / VECTOR_LENGTH);
    });
    this.width = this.bases.reduce((sum, { m }) => sum + m, 0);
    this.furthest = 2 * bank.encoders * (1 - least) + MARGIN;
  }

  /** @param vectors encoders x 256 */
  of(side: BankSide, vectors: Float32Array): Neighbours {
    return this.near(side, vectors, this.project(vectors, 1));
  }

  /**
   * Neighbours of both sides of a claim at once: the kernel takes rows two by two.
   * @param both rough and polish, encoders x 256 each
   */
  ofPair(both: Float32Array): Record<BankSide, Neighbours> {
    const { width } = this;
    const half = both.length / 2;
    const points = this.project(both, 2);
    return {
      rough: this.near('rough', both.subarray(0, half), points.subarray(0, width)),
      polish: this.near('polish', both.subarray(half), points.subarray(width)),
    };
  }

  private near(side: BankSide, vectors: Float32Array, point: Float32Array): Neighbours {
    const { bank, kernel, width, least } = this;
    const { packed, halves } = this.prepare(side);
    const products = kernel.product(point, packed, 1, width, bank.claims);
    // |x - y|^2 <= furthest, as x.y - |y|^2 / 2 >= (|x|^2 - furthest) / 2.
    const bound = (dot(point, point) - this.furthest) / 2;
    const found: Neighbours = { claims: [], same: [] };
    for (let claim = 0; claim < bank.claims; claim++) {
      if (products[claim] - halves[claim] < bound) continue;
      const score = scoreOf(vectors, rowOfBank(bank, side, claim), bank.encoders);
      if (score >= least) found.claims.push(claim);
      if (score > NEARLY_IDENTICAL) found.same.push(claim);
    }
    return found;
  }

  /** The bank's points, made at the first need. */
  prepare(side: BankSide): Points {
    const known = this.points[side];
    if (known) return known;
    const { bank, kernel, width } = this;
    const points = this.project(bank[side], bank.claims);
    const halves = Float32Array.from({ length: bank.claims }, (_, claim) => {
      const point = points.subarray(claim * width, (claim + 1) * width);
      return dot(point, point) / 2;
    });
    const made = { packed: kernel.packTransposed(points, width, bank.claims), halves };
    this.points[side] = made;
    return made;
  }

  /** @param vectors count x encoders x 256 @returns count x width */
  private project(vectors: Float32Array, count: number): Float32Array {
    const points = new Float32Array(count * this.width);
    const part = new Float32Array(count * VECTOR_LENGTH);
    let at = 0;
    for (const [encoder, basis] of this.bases.entries()) {
      for (let row = 0; row < count; row++) {
        const from = (row * this.bases.length + encoder) * VECTOR_LENGTH;
        part.set(vectors.subarray(from, from + VECTOR_LENGTH), row * VECTOR_LENGTH);
      }
      const along = this.kernel.product(part, basis, count, VECTOR_LENGTH, basis.m);
      for (let row = 0; row < count; row++)
        points.set(along.subarray(row * basis.m, (row + 1) * basis.m), row * this.width + at);
      at += basis.m;
    }
    return points;
  }
}

/** An orthonormal basis of the first rows' span, by Gram and Schmidt, twice for accuracy. */
function orthonormal(rows: Float32Array): Float32Array {
  const basis: Float64Array[] = [];
  for (let from = 0; from < rows.length && basis.length < DIRECTIONS; from += VECTOR_LENGTH) {
    const row = Float64Array.from(rows.subarray(from, from + VECTOR_LENGTH));
    const before = dot(row, row);
    for (let pass = 0; pass < 2; pass++)
      for (const other of basis) {
        const along = dot(row, other);
        for (let i = 0; i < row.length; i++) row[i] -= along * other[i];
      }
    const left = dot(row, row);
    if (!(left > 1e-6 * before)) continue;
    const norm = Math.sqrt(left);
    basis.push(row.map((value) => value / norm));
  }
  const flat = new Float32Array(basis.length * VECTOR_LENGTH);
  for (const [i, row] of basis.entries()) flat.set(row, i * VECTOR_LENGTH);
  return flat;
}

function dot<T extends Float32Array | Float64Array>(a: T, b: T): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
