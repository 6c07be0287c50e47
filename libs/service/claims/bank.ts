/** The vectors of scan sets: what is kept of spectra. */
import { type BankedSet, bankDecider, encodeVector, type Submission, streams } from '#domain';
import type { StreamAppend } from '#event-store';
import type { Model } from '#matching';
import type { ScoredSides } from '#scoring';
import type { CommandHandler } from '../command-handler.js';

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
