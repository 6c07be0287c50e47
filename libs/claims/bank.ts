/** The vectors of scan sets: what is kept of spectra. */

import { encodeVector } from '#domain/vectors';
import type { ScoredSides } from '#kit/queue/port';
import type { Model } from '#science/matching/model';
import type { Submission } from './events.js';
import type { BankedSet } from './events-bank.js';

/** Both sides' vectors by a model, as they are stored. */
export const bankedSets = (
  { key, claim_id, at, ...sides }: Submission,
  model: Model,
  vectors: ScoredSides,
  by: BankedSet['by'] = 'claim',
): BankedSet[] =>
  (['rough', 'polish'] as const).map((side) => {
    const { digest, scans, references } = sides[side];
    return {
      population: key.population,
      model: model.digest,
      digest,
      side,
      scans,
      references,
      vectors: Object.fromEntries(model.encoders.map(({ name }, i) => [name, encodeVector(vectors[side][i])])),
      by,
      claim_id,
      at,
    };
  });
