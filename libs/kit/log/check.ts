/** Looks through a whole log during its use, in a thread of its own. */
import { ThreadPool } from '#kit/threads/pool';
import type { LogCheckState, LogDamage } from './damage.js';
import type { Unsealed } from './seal.js';

/** All up to `checked` has been looked at; `head` is where the log ended when the check began. */
export interface LogCheckStep {
  checked: number;
  head: number;
  damage: LogDamage[];
  /** Rows that are no events. */
  unsealed: Unsealed[];
}

/** A function of a module, called with what it looks at, `stop` and `report`: it ends early where `stop` is not 0. */
export interface LogPass {
  module: URL;
  exportName: string;
  of: unknown;
}

export interface LogCheckOptions {
  /** One after the other. */
  passes: readonly LogPass[];
  onDamage(damage: LogDamage): void;
  onUnsealed(found: Unsealed): void;
  /** Once, unless it is closed before. */
  onEnd(state: LogCheckState): void;
}

/** Damage that is listed one by one; all is counted. */
const MAX_LISTED = 100;
/** Pauses for each moment of work, and at least: most of the time the disk and the processor are the service's. */
const PAUSE_SHARE = 9;
const MIN_PAUSE_MS = 10;
/**
 * Called between pieces of work, it pauses in proportion to the last one and answers whether to go on.
 * @param stop the first number ends it as soon as it is not 0
 * @param mostMs of a pause
 */
export function paced(stop: Int32Array, mostMs = Number.POSITIVE_INFINITY): () => boolean {
  let began = performance.now();
  return () => {
    const goOn = pause(stop, Math.min(mostMs, Math.max(MIN_PAUSE_MS, PAUSE_SHARE * (performance.now() - began))));
    began = performance.now();
    return goOn;
  };
}

/** @returns whether to go on */
export const pause = (stop: Int32Array, ms: number): boolean => Atomics.wait(stop, 0, 0, ms) === 'timed-out';

/** One check of the log. */
export class LogCheck {
  state: LogCheckState = { status: 'running', checked: null, head: null, damaged: 0, damage: [] };
  private readonly stop = new Int32Array(new SharedArrayBuffer(4));
  private readonly pool = new ThreadPool({ threads: 1 });
  private waiting: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(private readonly options: LogCheckOptions) {}

  start(afterMs = 0): void {
    this.waiting = setTimeout(() => {
      this.running = this.runPasses()
        .catch((error: Error) => this.fail(error.message))
        .then(() => this.end());
    }, afterMs);
  }

  private async runPasses(): Promise<void> {
    for (const { module, exportName, of } of this.options.passes) {
      if (this.stop[0] !== 0) return;
      await this.pool.run<void>(module, exportName, [of, this.stop], {
        onProgress: (step) => {
          const { checked, head, damage, unsealed } = step as Partial<LogCheckStep>;
          for (const found of unsealed ?? []) this.options.onUnsealed(found);
          if (head !== undefined) this.state = { ...this.state, checked: String(checked), head: String(head) };
          this.take(damage ?? []);
        },
      });
    }
  }

  /** The thread ends by itself, after the step that it is at: it holds the log. */
  async close(): Promise<void> {
    clearTimeout(this.waiting);
    Atomics.store(this.stop, 0, 1);
    Atomics.notify(this.stop, 0);
    await this.running;
  }

  private take(damage: LogDamage[]): void {
    const listed = damage.slice(0, MAX_LISTED - this.state.damage.length);
    this.state = {
      ...this.state,
      status: damage.length > 0 ? 'damaged' : this.state.status,
      damaged: this.state.damaged + damage.length,
      damage: [...this.state.damage, ...listed],
    };
    for (const one of listed) this.options.onDamage(one);
  }

  private fail(reason: string): void {
    if (this.stop[0] !== 0) return;
    this.state = { ...this.state, status: 'failed', reason };
  }

  private async end(): Promise<void> {
    await this.pool.close();
    if (this.stop[0] !== 0) return;
    if (this.state.status === 'running') this.state = { ...this.state, status: 'sound' };
    this.options.onEnd(this.state);
  }
}
