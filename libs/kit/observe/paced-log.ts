/** Log lines that may come in crowds: the first at once, then one at a time with how many it stands for. */
import type { Logger } from 'pino';

/** Between two lines of what comes with requests, and of what an operator has to mend. */
const EVERY_MS = 1_000;
export const SELDOM_MS = 10_000;

interface Waiting {
  count: number;
  last: object;
}

export function paced(logger: Pick<Logger, 'warn'>, everyMs = EVERY_MS) {
  const lines = new Map<string, Waiting>();

  function rest(message: string): void {
    const { count, last } = lines.get(message) ?? { count: 0, last: {} };
    lines.delete(message);
    if (count === 0) return;
    logger.warn({ ...last, count }, message);
    wait(message);
  }
  function wait(message: string): void {
    lines.set(message, { count: 0, last: {} });
    setTimeout(rest, everyMs, message).unref();
  }

  return {
    /** @param line what is told of the last one where it stands for several */
    warn(line: object, message: string): void {
      const waiting = lines.get(message);
      if (waiting) {
        waiting.count++;
        waiting.last = line;
        return;
      }
      logger.warn(line, message);
      wait(message);
    },
  };
}

export type PacedLog = ReturnType<typeof paced>;
