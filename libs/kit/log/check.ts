/** Looks through a whole log during its use, in a thread of its own. */
import { ThreadPool } from '#kit/threads/pool';
import type { LogCheckState, LogDamage } from './damage.js';
import type { DamagedRow } from './seal.js';

/** `checked` positions have been looked at; `head` is where the log ended when the check began. */
export interface LogCheckStep {
  checked: number;
  head: number;
  /** The place at which the check went on, 0 where it began with the first event. */
  resumedAt: number;
  /** When the whole log had been gone over last, ISO 8601. */
  wholeAt: string | null;
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
  /** Each hour of a check. */
  onProgress?(state: LogCheckState): void;
  /** Once a check, unless it is closed before. */
  onEnd(state: LogCheckState): void;
}

/** Damage that is listed one by one; all is counted. */
const MAX_LISTED = 100;
/** A check pauses for so many moments for each of work: a tenth of a core while it is new, then a hundredth. */
const [PAUSES_AT_FIRST, PAUSES] = [9, 99];
const AT_FIRST_MS = 5 * 60_000;
const MIN_PAUSE_MS = 10;
/** A log that a hundredth of a core does not get through in this time gets more, up to a tenth. */
const WHOLE_WITHIN_MS = 7 * 24 * 3600_000;
/** A log that was found sound is gone over again after (ms). */
const AGAIN_AFTER_MS = 24 * 3600_000;
const TOLD_EVERY_MS = 3600_000;

/**
 * Called after each piece of work with the share of the log that it was, it pauses and answers whether to go on.
 * @param stop the first number ends it as soon as it is not 0
 */
export function paced(stop: Int32Array): (share: number) => boolean {
  const start = performance.now();
  let began = start;
  return (share) => {
    const now = performance.now();
    const goOn = pause(stop, pauseAfter(now - began, share, now - start));
    began = performance.now();
    return goOn;
  };
}

/** @param worked ms @param share of the log @param since the check began, ms @returns ms */
export function pauseAfter(worked: number, share: number, since: number): number {
  const least = Math.max(MIN_PAUSE_MS, PAUSES_AT_FIRST * worked);
  if (since < AT_FIRST_MS) return least;
  return Math.max(least, Math.min(PAUSES * worked, WHOLE_WITHIN_MS * share - worked));
}

/** @returns whether to go on */
export const pause = (stop: Int32Array, ms: number): boolean => Atomics.wait(stop, 0, 0, ms) === 'timed-out';

const NOT_BEGUN: LogCheckState = {
  ...{ status: 'running', checked: null, head: null, resumed_at: null, whole_at: null, damaged: 0, damage: [] },
};

/** Checks the log again and again, until damage is found. One that waits for its time keeps no process. */
export class LogCheck {
  state = NOT_BEGUN;
  private readonly stop = new Int32Array(new SharedArrayBuffer(4));
  private waiting: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(private readonly options: LogCheckOptions) {}

  start(afterMs = 0): void {
    this.waiting = setTimeout(() => {
      this.running = this.check();
    }, afterMs).unref();
  }

  private async check(): Promise<void> {
    this.state = { ...NOT_BEGUN, whole_at: this.state.whole_at };
    const pool = new ThreadPool({ threads: 1, inSqlite: true });
    await this.runPass(pool).catch((error: Error) => this.fail(error.message));
    await pool.close();
    if (this.stop[0] !== 0) return;
    if (this.state.status === 'running') this.state = { ...this.state, status: 'sound' };
    this.options.onEnd(this.state);
    if (this.state.status === 'sound') this.start(AGAIN_AFTER_MS);
  }

  private async runPass(pool: ThreadPool): Promise<void> {
    const { module, exportName, of } = this.options.pass;
    let told = performance.now();
    await pool.run<void>(module, exportName, [of, this.stop], {
      onProgress: (step) => {
        const { checked, head, resumedAt, wholeAt, damage, rows } = step as LogCheckStep;
        for (const found of rows) this.options.onDamagedRow(found);
        this.state = { ...this.state, checked: String(checked), head: String(head) };
        this.state = { ...this.state, resumed_at: resumedAt > 0 ? String(resumedAt) : null, whole_at: wholeAt };
        this.take(rows.map(asDamage));
        for (const one of this.take(damage)) this.options.onDamage(one);
        if (performance.now() - told < TOLD_EVERY_MS) return;
        told = performance.now();
        this.options.onProgress?.(this.state);
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
}

const asDamage = ({ position, stream, revision, type, problem }: DamagedRow): LogDamage => ({
  ...{ position: String(position), stream, revision: revision < 0n ? null : Number(revision), type, problem },
});
