// npm test: installs what is missing, builds what is stale, runs jest on the build.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const step = (what, command, args, env = process.env) => {
  console.log(`> ${what}`);
  const { status } = spawnSync(command, args, { stdio: 'inherit', env, shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
};

if (!existsSync('node_modules/.package-lock.json')) step('installing dependencies (npm ci)', 'npm', ['ci']);
step('building', process.execPath, ['build.mjs']);
step('running the tests', process.execPath, [
  '--experimental-vm-modules',
  '--no-warnings',
  'node_modules/jest/bin/jest.js',
  ...process.argv.slice(2),
]);
