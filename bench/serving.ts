// The service as `npm run serve` runs it, in a process of its own that reports to its parent how it fares.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { bundledService } from '../test/programs.js';

export interface Vitals {
  /** Delay of the main thread's event loop since the last question, milliseconds. */
  loopP99: number;
  loopMax: number;
  rssMiB: number;
  /** Processor time of all threads since the start, milliseconds. */
  cpuMs: number;
}

const delay = monitorEventLoopDelay({ resolution: 5 });
const { run } = await bundledService();
/** Without the check of the log, whose work cannot be told from that of the requests. */
const checksLog = !process.argv.includes('--unchecked');
const service = await run({ args: [], checksLog });
delay.enable();
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  // The resolution itself is no delay.
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - 5);
  const vitals: Vitals = {
    loopP99: late(delay.percentile(99)),
    loopMax: late(delay.max),
    rssMiB: process.memoryUsage.rss() / 2 ** 20,
    cpuMs: (user + system) / 1000,
  };
  delay.reset();
  process.send!(vitals);
});
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.send!(service.address);
