/** Scans of parcels as the encoder takes them; what runs on threads. */
import { encodeStone, preprocessLotScan } from '#science/lots/encoder';
import { LOT_VECTOR, type LotModel, type SessionType } from '#science/lots/model';
import { sessionFingerprint } from '#science/lots/session';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { sampled } from '#science/spectra/scan-set';
import { ascending, type SimulatedScan } from '../simulator/index.js';
import { type MeleeFamily, parcelOf } from './families.js';
import type { Parcel, Stock, Visit } from './parcel.js';

/** Scans of a stone in a visit: the specified operating point. */
export const LOT_SCANS = 3;

/** The parcels, and the session type of each. */
export interface ParcelJob {
  family: MeleeFamily;
  seed: number;
  parcels: { parcel: number; type: SessionType }[];
  /** The first so many stones of each. */
  stones: number;
  scans?: number;
}

/** Scans on the reference axis, count x 671, as a service brings them there. */
export function onReferenceAxis(scans: readonly SimulatedScan[]): Float32Array {
  return sampled(scans.map(ascending), 'masked');
}

export const spectraOf = (parcel: Parcel, stone: number, visit: Visit, type: SessionType, scans = LOT_SCANS) =>
  onReferenceAxis(parcel.scans(stone, visit, type, scans));

/** One scan of each stone's enrolment, for the preprocessing's yardstick and scale: stones x 671. */
export function firstScans({ family, seed, parcels, stones }: ParcelJob): Float32Array {
  const spectra = new Float32Array(parcels.length * stones * REFERENCE_POINTS);
  for (const [p, { parcel, type }] of parcels.entries()) {
    const made = parcelOf(family, seed, parcel);
    for (let stone = 0; stone < stones; stone++)
      spectra.set(spectraOf(made, stone, 'enrol', type, 1), (p * stones + stone) * REFERENCE_POINTS);
  }
  return spectra;
}

/** Mean preprocessed scans of stones, parcel by parcel (rows of `inputs`), and how scans of one stone differ. */
export interface PreprocessedStones {
  inputs: number;
  /** Stones of each parcel. */
  parcels: number[];
  enrol: Float32Array;
  back: Float32Array;
  /** Lower triangle of the summed covariance between the scans of a stone and visit, and how many were summed. */
  scatter: Float64Array;
  scattered: number;
}

/** Stones whose scans' scatter is summed: one of so many. */
const SCATTER_EVERY = 3;

export function preprocessStones(
  { family, seed, parcels, stones, scans = LOT_SCANS }: ParcelJob,
  preprocessing: LotModel['preprocessing'],
): PreprocessedStones {
  const inputs = 2 * preprocessing[0].scale.length;
  const rows = parcels.length * stones;
  const out: PreprocessedStones = {
    inputs,
    parcels: parcels.map(() => stones),
    enrol: new Float32Array(rows * inputs),
    back: new Float32Array(rows * inputs),
    scatter: new Float64Array(inputs * inputs),
    scattered: 0,
  };
  const differences = new SquareSum(out.scatter, inputs);
  for (const [p, { parcel, type }] of parcels.entries()) {
    const made = parcelOf(family, seed, parcel);
    for (let stone = 0; stone < stones; stone++) {
      for (const visit of ['enrol', 'return'] as const) {
        const spectra = spectraOf(made, stone, visit, type, scans);
        const row = p * stones + stone;
        const mean = (visit === 'enrol' ? out.enrol : out.back).subarray(row * inputs, (row + 1) * inputs);
        const contrasts = stone % SCATTER_EVERY === 0 ? differences : undefined;
        out.scattered += preprocessStone(preprocessing, spectra, mean, contrasts);
      }
    }
  }
  differences.end();
  return out;
}

/**
 * The mean of a stone's preprocessed scans, into `mean`, and what distinguishes its scans, into `differences`.
 * @param spectra count x 671
 * @returns how many differences were added
 */
export function preprocessStone(
  preprocessing: LotModel['preprocessing'],
  spectra: Float32Array,
  mean: Float32Array,
  differences?: SquareSum,
): number {
  const inputs = mean.length;
  const scans = spectra.length / REFERENCE_POINTS;
  const seen = Array.from({ length: scans }, () => new Float32Array(inputs));
  for (let k = 0; k < scans; k++) {
    preprocessLotScan({ preprocessing }, spectra, k, seen[k]);
    for (let i = 0; i < inputs; i++) mean[i] += seen[k][i] / scans;
  }
  if (!differences) return 0;
  // Helmert's contrasts: scans - 1 independent differences of the scans' common variance.
  for (let k = 1; k < scans; k++) {
    const row = differences.next();
    for (let i = 0; i < inputs; i++) {
      let before = 0;
      for (let j = 0; j < k; j++) before += seen[j][i];
      row[i] = (k * seen[k][i] - before) / Math.sqrt(k * (k + 1));
    }
  }
  return scans - 1;
}

/** Vectors of stones by their mean preprocessed scans: rows of LOT_VECTOR. @param rows as long as the encoder's mean */
export function projected(
  { mean, projection }: Pick<LotModel, 'mean' | 'projection'>,
  rows: Float32Array,
): Float32Array {
  const inputs = mean.length;
  const vectors = new Float32Array((rows.length / inputs) * LOT_VECTOR);
  const vector = new Float64Array(LOT_VECTOR);
  for (let from = 0, to = 0; from < rows.length; from += inputs, to += LOT_VECTOR) {
    vector.fill(0);
    for (let i = 0; i < inputs; i++) {
      const value = rows[from + i] - mean[i];
      for (let j = 0; j < LOT_VECTOR; j++) vector[j] += value * projection[i * LOT_VECTOR + j];
    }
    vectors.set(vector, to);
  }
  return vectors;
}

/** Sums x x' into the lower triangle of a square table, four rows at a time. */
export class SquareSum {
  private readonly rows: Float64Array[];
  private held = 0;

  constructor(
    private readonly table: Float64Array,
    private readonly n: number,
  ) {
    this.rows = Array.from({ length: 4 }, () => new Float64Array(n));
  }

  /** The place for the next row, to be written in full. */
  next(): Float64Array {
    if (this.held === 4) this.end();
    return this.rows[this.held++];
  }

  /** Adds what is still held. */
  end(): void {
    const { table, n, held } = this;
    for (let k = held; k < 4; k++) this.rows[k].fill(0);
    const [a, b, c, d] = this.rows;
    for (let i = 0; i < n; i++) {
      const [ai, bi, ci, di] = [a[i], b[i], c[i], d[i]];
      if (ai === 0 && bi === 0 && ci === 0 && di === 0) continue;
      for (let j = 0, at = i * n; j <= i; j++, at++) table[at] += ai * a[j] + bi * b[j] + ci * c[j] + di * d[j];
    }
    this.held = 0;
  }
}

/** A parcel's stones as the encoder sees them: rows of LOT_VECTOR, and the looks of its two sessions. */
export interface EncodedParcel {
  parcel: number;
  type: SessionType;
  enrol: Float32Array;
  back: Float32Array;
  looks: number[][];
  /** Of parcels that are not simulated. */
  stock?: Stock;
}

/** Stones from which a session's look is learnt. */
const LOOKED_AT = 20;

export function encodeParcels(
  { family, seed, parcels, stones, scans = LOT_SCANS }: ParcelJob,
  model: Pick<LotModel, 'preprocessing' | 'mean' | 'projection'>,
): EncodedParcel[] {
  return parcels.map(({ parcel, type }) => {
    const made = parcelOf(family, seed, parcel);
    const encoded = (visit: Visit) => {
      const vectors = new Float32Array(stones * LOT_VECTOR);
      const looked: Float32Array[] = [];
      for (let stone = 0; stone < stones; stone++) {
        const spectra = spectraOf(made, stone, visit, type, scans);
        vectors.set(encodeStone(model, spectra, scans), stone * LOT_VECTOR);
        if (stone < LOOKED_AT) looked.push(spectra);
      }
      return { vectors, look: sessionFingerprint(model, looked) };
    };
    const [enrol, back] = (['enrol', 'return'] as const).map(encoded);
    return { parcel, type, enrol: enrol.vectors, back: back.vectors, looks: [enrol.look, back.look] };
  });
}
