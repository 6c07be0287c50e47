/**
 * Jest's runner: processes that take one spec after another, run by jest-light-runner in plain Node. The package's own
 * `child-process` runner may lose the configuration of one of several processes that start at once, which then waits
 * for ever; here it travels with each spec.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Order } from './runner-process.js';

/** So long (ms) a process that has no more specs may take to end before the run counts as over. */
const ENDS_WITHIN_MS = 5_000;

interface Test {
  path: string;
  context: { config: unknown };
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
    const waiting = [...tests];
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
