/** Chromium without a screen, where it is installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];
const program = PROGRAMS.find((path) => existsSync(path));

/** Whether a test that needs a browser runs: where every service is required, it fails without one. */
export const browserIsHere = program !== undefined || process.env.MVS_REQUIRE_SERVICES === '1';

/** @param folder for the browser's own files @returns what ends the browser */
export function openInBrowser(url: string, folder: string): () => Promise<void> {
  const options = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}`];
  const browser = spawn(program ?? PROGRAMS[0], [...options, url], { stdio: 'ignore' });
  const ended = once(browser, 'close');
  return async () => {
    browser.kill('SIGKILL');
    await ended;
  };
}
