/**
 * Answers that may be asked for once more, by who asks and an Idempotency-Key: in the memory of this process alone, as each
 * holds a secret that no log has.
 */
import { CommandRefused } from '#kit/log/refused';

const KEPT_MS = 10 * 60_000;
/** The oldest goes first. */
const MAX_KEPT = 1000;

export class Repeats<T> {
  private readonly kept = new Map<string, { wish: string; answer: Promise<T>; until: number }>();

  /** @param nowMs a clock that never steps back */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /**
   * The answer that was made for it within ten minutes, or a new one; a failure is not kept.
   * @throws CommandRefused (conflict) where it came with another wish before
   */
  once(by: string, wish: unknown, make: () => Promise<T>): Promise<T> {
    for (const [one, { until }] of this.kept) if (until <= this.nowMs()) this.kept.delete(one);
    const wanted = JSON.stringify(wish);
    const before = this.kept.get(by);
    if (before) {
      if (before.wish === wanted) return before.answer;
      throw new CommandRefused('conflict', 'this Idempotency-Key came with another body; send a fresh one');
    }
    const answer = make();
    this.kept.set(by, { wish: wanted, answer, until: this.nowMs() + KEPT_MS });
    if (this.kept.size > MAX_KEPT) this.kept.delete(this.kept.keys().next().value!);
    answer.catch(() => this.kept.delete(by));
    return answer;
  }
}
