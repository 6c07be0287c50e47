import { availableParallelism } from 'node:os';

/** Folder of the notes of `npm test -- --times`, which sets it. */
const times = process.env.TEST_TIMES_DIR;

/** Tests run on the build's output: what is tested is what is shipped. */
export default {
  // Node loads the specs, as it loads the service: what several of them import is loaded and compiled once in a process.
  runner: '<rootDir>/dist/test/runner.js',
  rootDir: '.',
  // Jest begins with the specs that took longest in the last run; a run's own folder of temporary files goes with it.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  roots: ['<rootDir>/dist'],
  testMatch: ['**/*.spec.js'],
  transform: {},
  // Two more than there are cores: a spec waits for its own processes, or for a time to pass, half of its time.
  maxWorkers: availableParallelism() + 2,
  slowTestThreshold: 20,
  setupFilesAfterEnv: ['setup.js', ...(times ? ['times/setup.js'] : [])].map((file) => `<rootDir>/dist/test/${file}`),
  reporters: [
    'default',
    '<rootDir>/dist/test/ends-reporter.js',
    ...(times ? [['<rootDir>/dist/test/times/reporter.js', { folder: times }]] : []),
  ],
};
