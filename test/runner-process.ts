/** A process of runner.ts: runs the specs that it is sent, one after another. */
export interface Order {
  path: string;
  globalConfig: unknown;
  projectConfig: unknown;
}
/** What jest takes as the spec's result, or what it met outside of tests: modules that do not load. */
export type Answer = { result: unknown; error?: undefined } | { result?: undefined; error: Error };

// The package exports its runners alone; the module that runs a spec stands beside them.
const { default: runSpec, setWorkerData } = await import(
  new URL('worker-runner.js', import.meta.resolve('jest-light-runner')).href
);

/** So long (ms) a process that is told to end may take to close what it still holds, before it says what that is. */
const CLOSES_WITHIN_MS = 10_000;
/** By then the run has failed by it (ends-reporter.ts), and nobody else would end it. */
const ENDED_WITHIN_MS = 90_000;

process.once('disconnect', () => {
  const held = () => process.getActiveResourcesInfo().join(', ');
  setTimeout(
    () => console.error(`A process that ran specs does not end; it holds: ${held()}`),
    CLOSES_WITHIN_MS,
  ).unref();
  setTimeout(() => process.exit(1), ENDED_WITHIN_MS).unref();
});

process.on('message', async ({ path, globalConfig, projectConfig }: Order) => {
  setWorkerData({ globalConfig, projectConfig, runtime: 'child_process' });
  const answer: Answer = await runSpec(path).then(
    (result: unknown) => ({ result }),
    ({ name, message, stack }: Error) => ({ error: { name, message, stack } }),
  );
  process.send!(answer);
});
