/** Set up in each process that runs specs: notes what a spec takes, processor time by cause and time by the clock. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { SpecTimes } from './reporter.js';

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

let running: { spec: string; from: ReturnType<typeof now>; loaded?: ReturnType<typeof now> } | undefined;

/** Writes what the spec that has run took. */
function end(): void {
  const { spec, from, loaded = from } = running!;
  const to = now();
  const times: SpecTimes = {
    spec,
    loading: loaded.main + loaded.threads - from.main - from.threads,
    main: to.main - loaded.main,
    threads: to.threads - loaded.threads,
    children: to.children - from.children,
    clock: to.clock - from.clock,
  };
  writeFileSync(join(process.env.TEST_TIMES_DIR!, randomUUID()), JSON.stringify(times));
}

// The runner says which spec it is about to load.
const { setState } = expect;
expect.setState = (state) => {
  if (state.testPath) {
    running = { spec: relative('.', state.testPath), from: now() };
  }
  setState(state);
};

// A spec that defines its first block or test has loaded what it imports. It ends after the last of its hooks.
const globals = globalThis as unknown as Record<string, (...args: unknown[]) => unknown>;
const { beforeAll: before, afterAll: after } = globals;
for (const name of ['describe', 'it', 'beforeAll', 'beforeEach', 'afterAll', 'afterEach']) {
  const define = globals[name];
  const noting = (...args: unknown[]) => {
    if (running && !running.loaded) {
      running.loaded = now();
      before(() => void after(end));
    }
    return define(...args);
  };
  globals[name] = Object.assign(noting, define);
}
