/** Tests run on the build's output: what is tested is what is shipped. */
export default {
  testEnvironment: 'node',
  rootDir: '.',
  roots: ['<rootDir>/dist'],
  testMatch: ['**/*.spec.js'],
  transform: {},
  testTimeout: 30_000,
  slowTestThreshold: 20,
};
