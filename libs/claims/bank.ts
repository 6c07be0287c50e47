/** The vectors of scan sets: what is kept of spectra. */

import { streams } from '#domain/streams';
import { encodeVector } from '#domain/vectors';
import type { CommandHandler } from '#kit/log/command-handler';
import type { StreamAppend } from '#kit/log/port';
import type { ScoredSides } from '#kit/queue/port';
import type { Model } from '#science/matching/model';
import { bankDecider } from './decide-bank.js';
import type { Submission } from './events.js';
import type { BankedSet } from './events-bank.js';

/**
 * The events that go before a claim's score: both sides' vectors by a model. A set that is there already keeps its first
 * record.
 */
export const banked = (
  commands: CommandHandler,
  { key, claim_id, at, ...sides }: Submission,
  model: Model,
  vectors: ScoredSides,
  by: BankedSet['by'],
  requestId: string,
): StreamAppend[] =>
  (['rough', 'polish'] as const).map((side) => {
    const { digest, scans, references } = sides[side];
    const set: BankedSet = {
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
    return commands.decided(bankDecider, set, {
      stream: streams.bank(key.population, model.digest, digest),
      requestId,
    });
  });
