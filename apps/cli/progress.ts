import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  advance(by?: number): void;
  stop(): void;
}

/** A bar on stderr where that is a terminal, and nothing in a pipe. */
export function showProgress(what: string, total: number): Progress {
  if (!process.stderr.isTTY) return { advance() {}, stop() {} };
  const bar = new SingleBar(
    { format: `${what} {bar} {value}/{total}, {eta_formatted} left`, stream: process.stderr, hideCursor: true },
    Presets.shades_classic,
  );
  bar.start(total, 0);
  return { advance: (by = 1) => bar.increment(by), stop: () => bar.stop() };
}
