// Prepares a fresh clone for `npm start` and `npm test`: dependencies and a build. Says what it does.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Runs a command with the terminal as its own; ends this process with its status where it fails. */
export function step(what, command, args) {
  console.log(`> ${what}`);
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}

/** @param options of scripts/build.mjs */
export function prepare(...options) {
  if (!existsSync('node_modules/.package-lock.json')) step('installing dependencies (npm ci)', 'npm', ['ci']);
  step('building', process.execPath, ['scripts/build.mjs', ...options]);
}
