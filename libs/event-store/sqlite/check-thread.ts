// The thread that looks through the log. It pauses so that most of the time the disk and the processor are the service's.
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { checkSteps, type LogCheckMessage } from './check.js';

/** Pauses for each moment of work, and at least. */
const PAUSE_SHARE = 9;
const LEAST_PAUSE_MILLISECONDS = 10;

const port = parentPort!;
const { directory, letPass } = workerData as { directory: string; letPass?: string };
const closing = new AbortController();
port.once('message', () => closing.abort());
const tell = (message: LogCheckMessage) => port.postMessage(message);

try {
  let began = performance.now();
  for (const step of checkSteps(directory, letPass)) {
    tell(step);
    const pause = Math.max(LEAST_PAUSE_MILLISECONDS, PAUSE_SHARE * (performance.now() - began));
    await setTimeout(pause, undefined, { signal: closing.signal });
    began = performance.now();
  }
} catch (error) {
  if (!closing.signal.aborted) tell({ failed: (error as Error).message });
} finally {
  port.close();
}
