/** Vectors of jobs that wait together: one pass of the encoders over all their scans, then each side's mean. */
import { encodeScans, type PlacedModel, poolSide } from '#science/matching/encoder';
import { VECTOR } from '#science/matching/model';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import type { ScoringJob, SideVectors } from './port.js';

export interface EncodedSides {
  rough: SideVectors;
  polish: SideVectors;
}

/** @param tables one per encoder: vectors of a job's scans, rough scans first */
export function sidesOf(
  tables: Float32Array[],
  { roughCount, polishCount }: Pick<ScoringJob, 'roughCount' | 'polishCount'>,
): EncodedSides {
  const mean = (from: number, count: number): SideVectors =>
    tables.map((vectors) => poolSide(vectors.subarray(from * VECTOR, (from + count) * VECTOR)));
  return { rough: mean(0, roughCount), polish: mean(roughCount, polishCount) };
}

/** Zeroes the jobs' spectra. A vector's bits do not depend on the jobs that came along. */
export async function encodeJobs(
  placed: PlacedModel,
  jobs: Pick<ScoringJob, 'roughCount' | 'polishCount' | 'spectra'>[],
): Promise<EncodedSides[]> {
  const counts = jobs.map(({ roughCount, polishCount }) => roughCount + polishCount);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const batch = jobs.length === 1 ? jobs[0].spectra : new Float32Array(total * REFERENCE_POINTS);
  if (jobs.length > 1) {
    let at = 0;
    for (const [i, { spectra }] of jobs.entries()) {
      batch.set(spectra.subarray(0, counts[i] * REFERENCE_POINTS), at);
      at += counts[i] * REFERENCE_POINTS;
      spectra.fill(0);
    }
  }
  const tables = await encodeScans(placed, batch, total);
  batch.fill(0);
  let row = 0;
  return jobs.map((job, i) => {
    const rows = tables.map((vectors) => vectors.subarray(row * VECTOR, (row + counts[i]) * VECTOR));
    row += counts[i];
    return sidesOf(rows, job);
  });
}
