/** Vectors of jobs that wait together, in one pass of the encoders. */
import { encodeSides, type PlacedModel } from '#science/matching/encoder';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import type { ScoringJob, SideVectors } from './port.js';

export interface EncodedSides {
  rough: SideVectors;
  polish: SideVectors;
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
  const sides = jobs.flatMap(({ roughCount, polishCount }) => [roughCount, polishCount]);
  const vectors = await encodeSides(placed, batch, sides);
  batch.fill(0);
  return jobs.map((_, i) => ({ rough: vectors[2 * i], polish: vectors[2 * i + 1] }));
}
