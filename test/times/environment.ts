/** A test environment that notes what a spec takes: processor time by cause, and time by the clock. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import { TestEnvironment } from 'jest-environment-node';

/** Seconds of processor time: loading its modules, its own thread, its other threads, processes that it has waited for. */
export const CAUSES = ['loading', 'main', 'threads', 'children'] as const;
export type SpecTimes = { spec: string; clock: number } & Record<(typeof CAUSES)[number], number>;

type Setup = ConstructorParameters<typeof TestEnvironment>;

/** Seconds that a tick of Linux's stat files stands for. */
const TICK_S = 0.01;

/** Of a stat file of /proc, in seconds; nothing where there is none (other systems than Linux). */
function seconds(file: string): { own: number; children: number } {
  if (!existsSync(file)) return { own: 0, children: 0 };
  // The name of the program, in brackets, may hold blanks.
  const fields = readFileSync(file, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number);
  return { own: (fields[11] + fields[12]) * TICK_S, children: (fields[13] + fields[14]) * TICK_S };
}

function now() {
  const { user, system } = process.cpuUsage();
  const main = seconds(`/proc/self/task/${process.pid}/stat`).own;
  const { children } = seconds('/proc/self/stat');
  return { main, threads: (user + system) / 1e6 - main, children, clock: performance.now() / 1000 };
}

export default class TimesEnvironment extends TestEnvironment {
  private readonly spec: string;
  private readonly folder: string;
  private readonly from = now();
  private loaded = this.from;

  constructor(config: Setup[0], context: Setup[1]) {
    super(config, context);
    this.spec = relative(config.globalConfig.rootDir, context.testPath);
    this.folder = config.projectConfig.testEnvironmentOptions.times as string;
  }

  handleTestEvent({ name }: { name: string }): void {
    if (name === 'run_start') this.loaded = now();
  }

  override async teardown(): Promise<void> {
    await super.teardown();
    const [{ from, loaded }, to] = [this, now()];
    const times: SpecTimes = {
      spec: this.spec,
      loading: loaded.main + loaded.threads - from.main - from.threads,
      main: to.main - loaded.main,
      threads: to.threads - loaded.threads,
      children: to.children - from.children,
      clock: to.clock - from.clock,
    };
    writeFileSync(join(this.folder, randomUUID()), JSON.stringify(times));
  }
}
