/** The pure core of the JavaScript verifier where no Node is. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { browserIsHere, openInBrowser } from '../../test/browser.js';
import { VERIFIER } from './bundle.js';
import { type Files, filesOfZip, oldBundle } from './test/forge.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..', '..');
const sources = join(root, relative(join(root, 'dist'), here), 'test');

/** Verifies each bundle of /bundles with its files in memory, and reports what came of it. */
const SCRIPT = `import { Differs, verify } from './verify/bundle.mjs';
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const bytes = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
async function sha256(pieces) {
  const all = [];
  for await (const piece of pieces) all.push(piece);
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', await new Blob(all).arrayBuffer())));
}
function filesOf(bundle) {
  const contents = new Map(Object.entries(bundle).map(([path, text]) => [path, bytes(text)]));
  const folders = new Set();
  for (const path of contents.keys())
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at));
  return {
    sizes: new Map([...contents].map(([path, content]) => [path, content.length])),
    folders: [...folders],
    async *pieces(path) { yield contents.get(path); },
  };
}
const outcomes = [];
for (const bundle of await (await fetch('/bundles')).json()) {
  try {
    outcomes.push(await verify(filesOf(bundle), sha256));
  } catch (error) {
    outcomes.push(error instanceof Differs ? { differs: error.message } : { fault: String(error.stack) });
  }
}
await fetch('/outcomes', { method: 'POST', body: JSON.stringify(outcomes) });`;

const asJson = (files: Files) =>
  Object.fromEntries([...files].map(([path, content]) => [path, content.toString('base64')]));

(browserIsHere ? it : it.skip)(
  'a browser (Chromium) takes a sound bundle and says what differs in a forged one',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mvs-browser-'));
    oldBundle(sources, join(folder, 'bundle.zip'));
    const sound = await filesOfZip(join(folder, 'bundle.zip'));
    const forged = new Map(sound);
    const events = sound.get('events.ndjson')!.toString();
    forged.set('events.ndjson', Buffer.from(events.replace('"verdict":"NO_MATCH"', '"verdict":"MATCH"')));
    const pages: Record<string, [string, string]> = {
      '/': ['text/html', '<!doctype html><title>bundle</title><script type="module" src="/script.mjs"></script>'],
      '/script.mjs': ['text/javascript', SCRIPT],
      '/bundles': ['application/json', JSON.stringify([asJson(sound), asJson(forged)])],
    };
    let settle: (outcomes: unknown) => void;
    const outcomes = new Promise((resolve) => {
      settle = resolve;
    });
    const server = createServer(async (request, response) => {
      const { url = '' } = request;
      const part = /^\/verify\/([a-z]+\.mjs)$/.exec(url)?.[1];
      const page = part && ['text/javascript', readFileSync(join(dirname(VERIFIER), 'verify', part), 'utf8')];
      const [type, content] = page || (pages[url] ?? ['text/plain', '']);
      if (url === '/outcomes') settle(JSON.parse(Buffer.concat(await request.toArray()).toString()));
      response.setHeader('content-type', type).end(content);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const close = openInBrowser(`http://127.0.0.1:${port}/`, join(folder, 'browser'));
    try {
      expect(await outcomes).toEqual([
        { root: expect.stringMatching(/^[0-9a-f]{64}$/), chain: expect.stringMatching(/^[0-9a-f]{64}$/) },
        { differs: expect.stringMatching(/^events\.ndjson: /) },
      ]);
    } finally {
      await close();
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
