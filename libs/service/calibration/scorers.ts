/** Populations' own scorers: stored in parts before a decision names them, and loaded from there by every replica. */
import { createHash } from 'node:crypto';
import { PopulationScorer } from '#calibration';
import { type ScorerPart, scorerBytes, scorerPartsDecider, streams } from '#domain';
import { type EventReader, readState } from '#event-store';
import { Refusal } from '#spectra';
import type { CommandHandler } from '../command-handler.js';

/** Scorers in memory, of some megabytes each. */
const HELD = 32;

export interface PopulationScorersNeeds {
  store: Pick<EventReader, 'readStream'>;
  commands: CommandHandler;
}

export class PopulationScorers {
  /** By digest, the longest unused first. */
  private readonly held = new Map<string, Promise<PopulationScorer>>();

  constructor(private readonly needs: PopulationScorersNeeds) {}

  /**
   * The scorer with this digest, whichever replica fitted it.
   * @throws Refusal of kind `asset` where its bytes are not what the digest says; StoreUnavailable
   */
  load(population: string, digest: string): Promise<PopulationScorer> {
    const loading =
      this.held.get(digest) ??
      this.read(population, digest).catch((error) => {
        this.held.delete(digest);
        throw error;
      });
    this.held.delete(digest);
    this.held.set(digest, loading);
    for (const longest of this.held.keys()) {
      if (this.held.size <= HELD) break;
      this.held.delete(longest);
    }
    return loading;
  }

  /** Every part is there when this returns; what is there already stays. */
  async store(population: string, { digest, bytes }: PopulationScorer, requestId?: string): Promise<void> {
    const command = { population, scorer: digest, bytes };
    const stream = streams.scorer(population, digest);
    await this.needs.commands.handle(scorerPartsDecider, command, { stream, requestId });
  }

  private async read(population: string, digest: string): Promise<PopulationScorer> {
    const stream = streams.scorer(population, digest);
    const { state } = await readState<typeof scorerPartsDecider.initial, ScorerPart>(
      this.needs.store,
      stream,
      scorerPartsDecider,
    );
    const bytes = scorerBytes(state);
    const found = bytes && createHash('sha256').update(bytes).digest('hex');
    if (found !== digest) {
      const reason = `the scorer ${digest} of population ${population} is ${found ? 'not what was stored' : 'not whole'}`;
      throw new Refusal('asset', { reason, fix: 'contact the operator, do not retry' });
    }
    return PopulationScorer.load(bytes!);
  }
}
