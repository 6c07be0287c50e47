import { availableParallelism } from 'node:os';

/** Tests run on the build's output: what is tested is what is shipped. */
export default {
  testEnvironment: 'node',
  rootDir: '.',
  roots: ['<rootDir>/dist'],
  testMatch: ['**/*.spec.js'],
  transform: {},
  // One more than there are cores: a test waits for its own processes half of the time.
  maxWorkers: availableParallelism() + 1,
  // No measure of anything: a test that hangs fails, on the busiest machine.
  testTimeout: 600_000,
  slowTestThreshold: 20,
  reporters: ['default', '<rootDir>/dist/test/ends-reporter.js'],
};
