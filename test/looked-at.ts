/**
 * Loaded into a program before it (`node --import`), so that a test can ask what it does: it answers each message of its
 * parent.
 */
export interface Look {
  /** Handlers by signal. */
  signals: Record<string, number>;
  /** Periods (ms) of the intervals that run. */
  intervals: number[];
  /** Threads that were started so far. */
  threads: number;
}

const intervals = new Map<NodeJS.Timeout, number>();
const { setInterval: begin, clearInterval: end } = globalThis;
globalThis.setInterval = ((act: () => void, ms: number, ...args: []) => {
  const timer = begin(act, ms, ...args);
  intervals.set(timer, ms);
  return timer;
}) as typeof setInterval;
globalThis.clearInterval = (timer) => {
  intervals.delete(timer as NodeJS.Timeout);
  end(timer);
};

let threads = 0;
process.on('worker', () => threads++);
process.on('message', () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGQUIT'];
  const look: Look = {
    signals: Object.fromEntries(
      signals.map((signal) => [signal, process.listenerCount(signal)] as const).filter(([, count]) => count > 0),
    ),
    intervals: [...intervals.values()].sort((a, b) => a - b),
    threads,
  };
  process.send?.(look);
});
process.channel?.unref();
