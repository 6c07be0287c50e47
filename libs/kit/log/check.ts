/** Looks through a whole log during its use, in a thread of its own. */
import { ThreadPool } from '#kit/threads/pool';
import type { LogCheckState, LogDamage } from './damage.js';
import type { DamagedRow } from './seal.js';

/** All up to `checked` has been looked at; `head` is where the log ended when the check began. */
export interface LogCheckStep {
  checked: number;
  head: number;
  damage: LogDamage[];
  rows: DamagedRow[];
}

/** A function of a module, called with what it looks at, `stop` and `report`: it ends early where `stop` is not 0. */
export interface LogPass {
  module: URL;
  exportName: string;
  of: unknown;
}

export interface LogCheckOptions {
  pass: LogPass;
  onDamage(damage: LogDamage): void;
  onDamagedRow(found: DamagedRow): void;
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
      this.running = this.runPass()
        .catch((error: Error) => this.fail(error.message))
        .then(() => this.end());
    }, afterMs);
  }

  private async runPass(): Promise<void> {
    const { module, exportName, of } = this.options.pass;
    await this.pool.run<void>(module, exportName, [of, this.stop], {
      onProgress: (step) => {
        const { checked, head, damage, rows } = step as LogCheckStep;
        for (const found of rows) this.options.onDamagedRow(found);
        this.state = { ...this.state, checked: String(checked), head: String(head) };
        this.take(rows.map(asDamage));
        for (const one of this.take(damage)) this.options.onDamage(one);
      },
    });
  }

  /** The thread ends by itself, after the step that it is at: it holds the log. */
  async close(): Promise<void> {
    clearTimeout(this.waiting);
    Atomics.store(this.stop, 0, 1);
    Atomics.notify(this.stop, 0);
    await this.running;
  }

  /** @returns what is listed of it */
  private take(damage: LogDamage[]): LogDamage[] {
    const listed = damage.slice(0, MAX_LISTED - this.state.damage.length);
    this.state = {
      ...this.state,
      status: damage.length > 0 ? 'damaged' : this.state.status,
      damaged: this.state.damaged + damage.length,
      damage: [...this.state.damage, ...listed],
    };
    return listed;
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

const asDamage = ({ position, stream, revision, type, problem }: DamagedRow): LogDamage => ({
  ...{ position: String(position), stream, revision: revision < 0n ? null : Number(revision), type, problem },
});
