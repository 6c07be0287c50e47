import { Presets, SingleBar } from 'cli-progress';
import { io } from './io.js';
import { printError } from './print.js';

export interface Progress {
  advance(by?: number): void;
  stop(): void;
}

/** Between two lines of a run whose stderr is no terminal; a run that is over sooner prints none. */
const LINE_MILLISECONDS = 5000;

/** On stderr: a bar where that is a terminal, a line now and then where it is a pipe or a file. */
export function showProgress(what: string, total: number): Progress {
  const { stderr } = io();
  if (!stderr.isTTY) return lines(what, total);
  const bar = new SingleBar(
    { format: `${what} {bar} {value}/{total}, about {eta_formatted} more`, stream: stderr, hideCursor: true },
    Presets.shades_classic,
  );
  bar.start(total, 0);
  return { advance: (by = 1) => bar.increment(by), stop: () => bar.stop() };
}

/** @param now milliseconds of a clock that never steps back */
export function lines(
  what: string,
  total: number,
  write: (line: string) => void = (line) => printError(line),
  now = () => performance.now(),
): Progress {
  let done = 0;
  let writtenAt = now();
  let last = -1;
  const writeLine = () => {
    writtenAt = now();
    last = done;
    write(`mvs: ${what} ${done}/${total}, ${total - done} left`);
  };
  return {
    advance(by = 1) {
      done += by;
      if (now() - writtenAt >= LINE_MILLISECONDS) writeLine();
    },
    stop() {
      if (last >= 0 && last < done) writeLine();
    },
  };
}
