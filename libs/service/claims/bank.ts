/** The vectors of scan sets: what is kept of spectra. */
import { type BankedSet, bankDecider, encodeVector, type Submission, streams } from '#domain';
import { WrongExpectedRevision } from '#event-store';
import type { Model } from '#matching';
import type { ScoredSides } from '#scoring';
import type { CommandHandler } from '../command-handler.js';

/** Both sides' vectors by a model; a set that is there already keeps its first record. @throws StoreUnavailable */
export async function bank(
  commands: CommandHandler,
  { key, claim_id, at, ...sides }: Submission,
  model: Model,
  vectors: ScoredSides,
  by: BankedSet['by'],
  requestId: string,
): Promise<void> {
  await Promise.all(
    (['rough', 'polish'] as const).map(async (side) => {
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
      const stream = streams.bank(key.population, model.digest, digest);
      const seen = { state: bankDecider.initial, revision: -1n };
      try {
        const { refusal } = await commands.handle(bankDecider, set, { stream, requestId, seen, attempts: 1 });
        if (refusal) throw new Error(`vectors refused: ${refusal}`);
      } catch (error) {
        // Banked before: the record that is there need not be read.
        if (!(error instanceof WrongExpectedRevision)) throw error;
      }
    }),
  );
}
