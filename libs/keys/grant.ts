/**
 * What makes a revocation end every answer that rests on the key. On one replica it waits for what holds the key. Where several
 * share the log, none knows what another has in hand: there the log says first that a revocation has begun, which every
 * replica follows that asks from then on, and is told of the revocation itself a while later. Whoever asked before has
 * stored and answered by then, or asks again.
 */
import { StoreUnavailable } from '#kit/log/port';

/** Between the beginning of a revocation and its end, on a log that replicas share (ms). */
export const REVOCATION_MS = 5_000;
/** What rests on a key is handed to the log so long after the log was asked for the key, or it is asked again. */
const STORED_WITHIN_MS = 3_000;
/** And is answered so long after it. The rest is for an append and an answer under way. */
const ANSWERED_WITHIN_MS = 4_500;

/** A call's right to store what rests on a key, while the key is held. */
export class Grant {
  private askedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param requireActive asks the log for the key
   * @param shared whether other replicas may revoke it, who know of no hold here
   */
  constructor(
    private readonly requireActive: () => Promise<void>,
    private readonly shared: boolean,
  ) {}

  /** @throws CommandRefused (credential) once the key is revoked */
  async ask(): Promise<void> {
    const began = performance.now();
    await this.requireActive();
    this.askedAt = began;
  }

  /** To be called before each append. @throws CommandRefused (credential), StoreUnavailable */
  toStore(): Promise<void> {
    return this.within(STORED_WITHIN_MS);
  }

  /** To be called once all is stored. */
  toAnswer(): Promise<void> {
    return this.within(ANSWERED_WITHIN_MS);
  }

  private async within(ms: number): Promise<void> {
    const late = () => this.shared && performance.now() - this.askedAt > ms;
    if (late()) await this.ask();
    if (late()) throw new StoreUnavailable('the event log takes too long to say whether the key is active');
  }
}
