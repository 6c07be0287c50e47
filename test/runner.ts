/**
 * Jest's runner: processes that take one spec after another, run by jest-light-runner in plain Node. The package's own
 * `child-process` runner may lose the configuration of one of several processes that start at once, which then waits
 * for ever; here it travels with each spec.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './client/packed.js';
import type { Answer, Order } from './runner-process.js';

/** So long (ms) a process that has no more specs may take to end before the run counts as over. */
const ENDS_WITHIN_MS = 5_000;

interface Test {
  path: string;
  context: { config: unknown };
}

type Suites = Record<string, { later?: boolean; holds: string[] }>;

/** What takes long begins first, in the order of the lists of `later` suites: begun last, each would be waited for alone. */
function longestFirst(tests: Test[]): Test[] {
  const suites: Suites = JSON.parse(readFileSync(join(root, 'test/suites.json'), 'utf8'));
  const long = Object.values(suites).flatMap(({ later, holds }) => (later ? holds : []));
  const place = ({ path }: Test) => {
    const at = long.findIndex((held) => relative(join(root, 'dist'), path).startsWith(held));
    return at < 0 ? long.length : at;
  };
  return tests.toSorted((a, b) => place(a) - place(b));
}

export default class SpecRunner {
  constructor(private readonly globalConfig: { maxWorkers: number }) {}

  async runTests(
    tests: Test[],
    _watcher: unknown,
    onStart: (test: Test) => Promise<void>,
    onResult: (test: Test, result: unknown) => Promise<void>,
    onFailure: (test: Test, error: Error) => Promise<void>,
  ): Promise<void> {
    const waiting = longestFirst(tests);
    const lane = async () => {
      let child: ChildProcess | undefined;
      for (let test = waiting.shift(); test; test = waiting.shift()) {
        await onStart(test);
        if (!child?.connected) child = fork(join(import.meta.dirname, 'runner-process.js'));
        try {
          await onResult(test, await this.run(child, test));
        } catch (error) {
          await onFailure(test, error as Error);
        }
      }
      if (!child?.connected) return;
      // It ends by itself: what a spec left open holds the run, and ends-reporter.ts says so. To give back its memory takes
      // a process seconds on a busy machine, which jest would call a test that left something open.
      const ended = once(child, 'exit');
      child.disconnect();
      await Promise.race([ended, sleep(ENDS_WITHIN_MS, undefined, { ref: false })]);
    };
    await Promise.all(Array.from({ length: Math.min(this.globalConfig.maxWorkers, tests.length) }, lane));
  }

  /** @throws what the process says it met outside of tests (modules that do not load), or that it ended. */
  private async run(child: ChildProcess, { path, context }: Test): Promise<unknown> {
    const order: Order = { path, globalConfig: this.globalConfig, projectConfig: context.config };
    const over = new AbortController();
    const { signal } = over;
    const ended = once(child, 'exit', { signal }).then(([code, by]) => {
      throw new Error(`the process of the spec ended: ${by ?? `exit code ${code}`}`);
    });
    try {
      child.send(order);
      const [{ result, error }] = (await Promise.race([once(child, 'message', { signal }), ended])) as [Answer];
      if (error) throw Object.assign(new Error(error.message), error);
      return result;
    } finally {
      over.abort();
    }
  }
}
