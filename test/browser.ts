/** Chromium without a screen, where it is installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'undici';
import { until } from './until.js';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];
const program = PROGRAMS.find((path) => existsSync(path));
/** For what starts it by other means. */
export const chromium = program ?? PROGRAMS[0];

/** True if a test that needs a browser runs: where every service is required, it fails without one. */
export const browserIsHere = program !== undefined || process.env.MVS_REQUIRE_SERVICES === '1';

/** @param folder for the browser's own files @returns what ends the browser */
export function openInBrowser(url: string, folder: string, more: string[] = []): () => Promise<void> {
  const options = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}`, ...more];
  // With its helpers in a group of its own: one that outlived it would still write into its folder.
  const browser = spawn(chromium, [...options, url], { stdio: 'ignore', detached: true });
  const ended = once(browser, 'close');
  return async () => {
    if (browser.pid !== undefined && browser.exitCode === null) process.kill(-browser.pid, 'SIGKILL');
    await ended;
  };
}

/** A page's requests and the browser's complaints, by the protocol of Chromium's developer tools. */
export interface WatchedPage {
  requested: string[];
  complaints: string[];
  /** Value of an expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  /** Loads the page again, for a reader of these colours. */
  load(scheme: 'light' | 'dark'): Promise<void>;
  close(): Promise<void>;
}

interface Message {
  id?: number;
  method?: string;
  result?: { result?: { value?: unknown } };
  params?: { request?: { url: string }; entry?: { text: string }; exceptionDetails?: { text: string } };
}

export async function watchPage(url: string, folder: string): Promise<WatchedPage> {
  const end = openInBrowser('about:blank', folder, ['--remote-debugging-port=0']);
  const port = join(folder, 'DevToolsActivePort');
  // The file is there before its text is.
  await until(async () => existsSync(port) && readFileSync(port, 'utf8').includes('\n'));
  const [number] = readFileSync(port, 'utf8').split('\n');
  const pages = (await (await fetch(`http://127.0.0.1:${number}/json/list`)).json()) as Record<string, string>[];
  const socket = new WebSocket(pages.find(({ type }) => type === 'page')?.webSocketDebuggerUrl ?? '');
  await once(socket, 'open');
  const waiting = new Map<number, (result: Message['result']) => void>();
  const [requested, complaints]: string[][] = [[], []];
  socket.addEventListener('message', ({ data }) => {
    const { id, method, result, params } = JSON.parse(String(data)) as Message;
    if (id !== undefined) waiting.get(id)?.(result);
    if (method === 'Network.requestWillBeSent') requested.push(params?.request?.url ?? '');
    const said = params?.entry?.text ?? params?.exceptionDetails?.text;
    if (said !== undefined) complaints.push(said);
  });
  let calls = 0;
  const call = (method: string, params: object = {}) =>
    new Promise<Message['result']>((resolve) => {
      waiting.set(++calls, resolve);
      socket.send(JSON.stringify({ id: calls, method, params }));
    });
  for (const domain of ['Network', 'Page', 'Log', 'Runtime']) await call(`${domain}.enable`);
  const load = async (scheme: 'light' | 'dark') => {
    await call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
    await call('Page.navigate', { url });
  };
  await load('light');
  return {
    requested,
    complaints,
    async evaluate(expression) {
      return (await call('Runtime.evaluate', { expression, returnByValue: true }))?.result?.value;
    },
    load,
    async close() {
      socket.close();
      await end();
    },
  };
}
