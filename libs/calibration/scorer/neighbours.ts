import { VECTOR_LENGTH } from '../evidence.js';
import { type BankSide, type ClaimBank, isNeighbour, rowOfBank, SIDES } from './bank.js';
import type { ScorerMap } from './map.js';
import { NEIGHBOUR } from './method.js';

/** Directions an encoder in which a bank's sides are compared before they are compared whole. */
const DIRECTIONS = 16;
/** Far above what rounding does to a squared distance. */
const MARGIN = 1e-3;

/**
 * Finds the claims that are neighbours of a side. Sides that are no neighbours differ by more than 2 (1 - NEIGHBOUR) an
 * encoder, squared, and nearly all do so in a few directions already; only the others are compared whole. What comes out
 * does not depend on the directions.
 */
export class NeighbourIndex {
  private readonly bases: Float64Array[];
  private readonly coordinates: Record<BankSide, Float32Array>;
  private readonly width: number;
  private readonly furthest: number;

  constructor(
    private readonly bank: ClaimBank,
    map: ScorerMap,
  ) {
    this.bases = map.map(({ rows }) => orthonormal(rows));
    this.width = this.bases.reduce((sum, basis) => sum + basis.length / VECTOR_LENGTH, 0);
    this.furthest = 2 * bank.encoders * (1 - NEIGHBOUR) + MARGIN;
    const projected = (side: BankSide) => {
      const all = new Float32Array(bank.claims * this.width);
      for (let claim = 0; claim < bank.claims; claim++)
        all.set(this.project(rowOfBank(bank, side, claim)), claim * this.width);
      return all;
    };
    this.coordinates = { rough: projected(SIDES[0]), polish: projected(SIDES[1]) };
  }

  /** @param vectors encoders x 256 @returns claims of the bank, in order */
  of(side: BankSide, vectors: Float32Array): number[] {
    const { bank, width, furthest } = this;
    const point = this.project(vectors);
    const all = this.coordinates[side];
    const found: number[] = [];
    for (let claim = 0; claim < bank.claims; claim++) {
      let distance = 0;
      for (let i = 0, at = claim * width; i < width && distance <= furthest; i++, at++) {
        const difference = point[i] - all[at];
        distance += difference * difference;
      }
      if (distance <= furthest && isNeighbour(vectors, rowOfBank(bank, side, claim), bank.encoders)) found.push(claim);
    }
    return found;
  }

  private project(vectors: Float32Array): Float32Array {
    const point = new Float32Array(this.width);
    let at = 0;
    for (const [encoder, basis] of this.bases.entries())
      for (let from = 0; from < basis.length; from += VECTOR_LENGTH) {
        let sum = 0;
        for (let i = 0; i < VECTOR_LENGTH; i++) sum += basis[from + i] * vectors[encoder * VECTOR_LENGTH + i];
        point[at++] = sum;
      }
    return point;
  }
}

/** An orthonormal basis of the first rows' span, by Gram and Schmidt, twice for accuracy. */
function orthonormal(rows: Float32Array): Float64Array {
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
  const flat = new Float64Array(basis.length * VECTOR_LENGTH);
  for (const [i, row] of basis.entries()) flat.set(row, i * VECTOR_LENGTH);
  return flat;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
