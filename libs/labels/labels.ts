/** Ground truth from the caller: which claims were right. */
import { setImmediate } from 'node:timers/promises';
import { isClaimId } from '#claims/decide';
import type { Verdict } from '#claims/events';
import { storedClaim } from '#claims/queries-claim';
import { streams } from '#domain/streams';
import type { ApiKeys } from '#keys/credentials';
import type { KeyFacts } from '#keys/events';
import type { CommandHandler } from '#kit/log/command-handler';
import type { EventReader } from '#kit/log/port';
import type { LogSeals } from '#kit/log/seal';
import type { KeptResults } from '#kit/views/kept-results';
import { type LabelClaims, type LabelResult, labelDecider } from './decide.js';
import type { Label } from './events.js';
import { LabelIndex } from './label-index.js';

/** Reads of the log in a row before others get a turn. */
export const READS_A_TURN = 32;

export interface LabelsDependencies {
  store: Pick<EventReader, 'readStream'>;
  pages: Pick<KeptResults, 'get'>;
  seals: Pick<LogSeals, 'countIn'>;
  commands: CommandHandler;
  keys: Pick<ApiKeys, 'whileActive'>;
  now(): Date;
}

export class Labels {
  private readonly index: LabelIndex;

  constructor(private readonly dependencies: LabelsDependencies) {
    this.index = new LabelIndex(dependencies.store, dependencies.pages, dependencies.seals);
  }

  /**
   * An answer for each item, in order; what is answered as accepted or amended is stored.
   * @throws CommandRefused (credential), StoreUnavailable
   */
  async label(key: KeyFacts, items: readonly unknown[], requestId: string): Promise<LabelResult[]> {
    const { commands, keys, now } = this.dependencies;
    const verdicts = await this.verdictsOf(key, items);
    const stream = streams.labels(key.id);
    const command: LabelClaims = {
      type: 'label',
      items,
      verdictOf: (claimId) => verdicts.get(claimId),
      requestId,
      at: now().toISOString(),
    };
    const handled = await keys.whileActive(key.id, (grant) => {
      const read = async () => {
        const seen = await this.index.read(key.id, verdicts.keys());
        await grant.toStore();
        return seen;
      };
      return commands.handle(labelDecider, command, { stream, requestId, read });
    });
    if (handled.refusal !== undefined || !handled.answer) throw new TypeError('labels are answered one by one');
    return handled.answer;
  }

  /** The label of a claim that holds now. @throws StoreUnavailable */
  async labelOf(keyId: string, claimId: string): Promise<Label | undefined> {
    const { state } = await this.index.read(keyId, [claimId]);
    return state.get(claimId)?.at(-1);
  }

  private async verdictsOf(key: KeyFacts, items: readonly unknown[]): Promise<Map<string, Verdict>> {
    const ids = new Set<string>();
    for (const item of items) {
      const { claim_id } = (item ?? {}) as { claim_id?: unknown };
      if (typeof claim_id === 'string' && isClaimId(claim_id)) ids.add(claim_id);
    }
    const verdicts = new Map<string, Verdict>();
    let reads = 0;
    for (const id of ids) {
      const state = await storedClaim(this.dependencies.store, key.id, id);
      if (state.status === 'scored') verdicts.set(id, state.scoring.result.verdict);
      if (++reads % READS_A_TURN === 0) await setImmediate();
    }
    return verdicts;
  }
}
