/** Ground truth from the caller: which claims were right. */
import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import {
  type ClaimEvent,
  decideLabels,
  evolveClaim,
  evolveLabels,
  fold,
  isClaimId,
  type KeyFacts,
  type LabelEvent,
  type LabelResult,
  type LabelState,
  noClaim,
  noLabels,
  streams,
  type Verdict,
} from '#domain';
import { MAX_APPEND_BYTES, type NewEvent, splitIntoAppends, WrongExpectedRevision } from '#event-store';
import { ApiKeys } from '#service';
import { PARTS, type Parts } from '../parts.js';

/** Streams read in a row before others get a turn. */
const READS_A_TURN = 32;
/** A claim's submission and verdict are among its first events; repeats come after. */
const FIRST_EVENTS = 2;

@Injectable()
export class Labels {
  constructor(
    @Inject(PARTS) private readonly parts: Parts,
    private readonly keys: ApiKeys,
  ) {}

  /** An answer for each item, in order; what is answered as accepted or amended is stored. */
  async label(key: KeyFacts, items: readonly unknown[], requestId: string): Promise<LabelResult[]> {
    const verdicts = await this.verdictsOf(key, items);
    const stream = streams.labels(key.id);
    for (;;) {
      const { state, revision } = await this.read(stream);
      await this.keys.requireActive(key.id);
      const { results, events } = decideLabels(state, {
        type: 'label',
        items,
        verdictOf: (claimId) => verdicts.get(claimId),
        requestId,
        at: this.parts.now().toISOString(),
      });
      if (await this.store(stream, events, revision, requestId)) return results;
    }
  }

  /** Each append expects what the one before left: two calls at once cannot both decide on the same state. */
  private async store(stream: string, events: LabelEvent[], from: bigint, requestId: string): Promise<boolean> {
    const metadata = { correlationId: requestId };
    const fresh = events.map((event) => ({ ...event, id: this.parts.newId(), metadata }) as unknown as NewEvent);
    let expected = from;
    try {
      for (const part of splitIntoAppends(fresh, MAX_APPEND_BYTES)) {
        const { revision } = await this.parts.store.append(stream, part, expected < 0n ? 'no_stream' : expected);
        expected = revision;
      }
      return true;
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return false;
      throw error;
    }
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
      const events = await this.parts.store.readStream(streams.claim(key.id, id), { limit: FIRST_EVENTS });
      const state = fold(evolveClaim, noClaim, events as unknown as ClaimEvent[]);
      if (state.status === 'scored') verdicts.set(id, state.scoring.result.verdict);
      if (++reads % READS_A_TURN === 0) await setImmediate();
    }
    return verdicts;
  }

  private async read(stream: string): Promise<{ state: LabelState; revision: bigint }> {
    const events = await this.parts.store.readStream(stream);
    const state = fold(evolveLabels, noLabels(), events as unknown as LabelEvent[]);
    return { state, revision: events[events.length - 1]?.revision ?? -1n };
  }
}
