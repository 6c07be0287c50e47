/** Claims and lots, the two kinds of job: their form in Redis, and of their vectors at the edge. */
import { limits } from '#config/limits';
import { VECTOR } from '#science/matching/model';
import type { LotJob, ScoredStones } from '../lots/port.js';
import type { ScoredSides, ScoringJob } from '../port.js';
import type { JobData, LotJobData } from './protocol.js';
import type { Encoded } from './reply.js';

export interface JobKind<J, R, D = object> {
  /** A job's content. Its spectra travel beside it. */
  data(job: J): D;
  /** Scans of a job, by its content; none of what no edge sends. */
  scansOf(data: Partial<D>): number | undefined;
  result(encoded: Encoded): R;
}

const MAX_SCANS = 256;
const isCount = (n: unknown, max: number): n is number =>
  Number.isInteger(n) && (n as number) >= 1 && (n as number) <= max;

/** `count` vectors of a claim. */
const vectorsOf = (vectors: Float32Array, from: number, count: number): Float32Array[] =>
  Array.from({ length: count }, (_, i) => vectors.slice((from + i) * VECTOR, (from + i + 1) * VECTOR));

function sidesOf({ vectors }: Encoded): { rough: Float32Array[]; polish: Float32Array[] } {
  const encoders = vectors.length / VECTOR / 2;
  return { rough: vectorsOf(vectors, 0, encoders), polish: vectorsOf(vectors, encoders, encoders) };
}

export const claimJobs: JobKind<ScoringJob, ScoredSides, JobData> = {
  data: ({ model, roughCount, polishCount, shadow }) => ({ model, roughCount, polishCount, ...(shadow && { shadow }) }),
  scansOf: ({ roughCount, polishCount }) =>
    isCount(roughCount, MAX_SCANS) && isCount(polishCount, MAX_SCANS) ? roughCount + polishCount : undefined,
  result: (encoded) => ({ model: encoded.model, engine: encoded.engine, ...sidesOf(encoded) }),
};

export const lotJobs: JobKind<LotJob, ScoredStones, LotJobData> = {
  data: ({ model, scans }) => ({ model, scans }),
  scansOf: ({ scans }) => {
    if (!Array.isArray(scans) || !scans.every((count) => isCount(count, limits.lotScans))) return undefined;
    const total = scans.reduce((sum, count) => sum + count, 0);
    return isCount(total, limits.lotScans) ? total : undefined;
  },
  result: ({ model, vectors }) => ({ model, vectors }),
};
