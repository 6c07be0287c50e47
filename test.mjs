// npm test: installs what is missing, builds what is stale, runs jest on the build.
import { prepare, step } from './prepare.mjs';

prepare();
step('running the tests', process.execPath, [
  '--experimental-vm-modules',
  '--no-warnings',
  'node_modules/jest/bin/jest.js',
  ...process.argv.slice(2),
]);
