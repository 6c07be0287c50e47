import { availableParallelism } from 'node:os';

/** Folder of the notes of `npm test -- --times`, which sets it. */
const times = process.env.TEST_TIMES_DIR;

/** Tests run on the build's output: what is tested is what is shipped. */
export default {
  testEnvironment: times ? '<rootDir>/dist/test/times/environment.js' : 'node',
  testEnvironmentOptions: { times },
  rootDir: '.',
  roots: ['<rootDir>/dist'],
  testMatch: ['**/*.spec.js'],
  transform: {},
  // One more than there are cores: a test waits for its own processes half of the time.
  maxWorkers: availableParallelism() + 1,
  // No measure of anything: a test that hangs fails, on the busiest machine.
  testTimeout: 600_000,
  slowTestThreshold: 20,
  reporters: [
    'default',
    '<rootDir>/dist/test/ends-reporter.js',
    ...(times ? [['<rootDir>/dist/test/times/reporter.js', { folder: times }]] : []),
  ],
};
