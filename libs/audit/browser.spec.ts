/** The pure core of the JavaScript verifier where no Node is. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { auditKeys } from '#kit/log/signing-key';
import { browserIsHere, openInBrowser } from '../../test/browser.js';
import { type Files, filesOfZip, oldBundle } from './test/forge.js';
import { SIGNATURE, signatureOf, VERIFIER } from './writing.js';

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
async function look(bundle, known) {
  try {
    outcomes.push(await verify(filesOf(bundle), sha256, known));
  } catch (error) {
    outcomes.push(error instanceof Differs ? { differs: error.message } : { fault: String(error) });
  }
}
const { sound, forged, signed, unsound, key } = await (await fetch('/bundles')).json();
for (const bundle of [sound, forged, signed, unsound]) await look(bundle);
// As in a browser of before Ed25519.
crypto.subtle.importKey = async () => { throw new DOMException('', 'NotSupportedError'); };
await look(signed);
await look(signed, { key });
await fetch('/outcomes', { method: 'POST', body: JSON.stringify(outcomes) });`;

const asJson = (files: Files) =>
  Object.fromEntries([...files].map(([path, content]) => [path, content.toString('base64')]));

(browserIsHere ? it : it.skip)(
  'a browser (Chromium) takes sound bundles, says what differs in forged ones, and what it could not check',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mvs-browser-'));
    oldBundle(sources, join(folder, 'bundle.zip'));
    const sound = await filesOfZip(join(folder, 'bundle.zip'));
    const forged = new Map(sound);
    const events = sound.get('events.ndjson')!.toString();
    forged.set('events.ndjson', Buffer.from(events.replace('"verdict":"NO_MATCH"', '"verdict":"MATCH"')));
    const manifest = JSON.parse(sound.get('manifest.json')!.toString());
    manifest.seals = { sealed: events.split('\n').length - 1, taken: 0, unsealed: 0 };
    const listing = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
    const secret = 'a secret of the service: 0123456789abcdef';
    const [{ public_key: key }] = auditKeys({ given: [secret] });
    const signature = Buffer.from(signatureOf(listing, secret));
    const signed = new Map([...sound, ['manifest.json', listing], [SIGNATURE, signature]]);
    const unsound = new Map([...signed, [SIGNATURE, Buffer.from(signature.toString().replace(/.{4}"\}/, '0000"}'))]]);
    const bundles = { sound: asJson(sound), forged: asJson(forged), signed: asJson(signed), unsound: asJson(unsound) };
    const pages: Record<string, [string, string]> = {
      '/': ['text/html', '<!doctype html><title>bundle</title><script type="module" src="/script.mjs"></script>'],
      '/script.mjs': ['text/javascript', SCRIPT],
      '/bundles': ['application/json', JSON.stringify({ ...bundles, key })],
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
      const roots = { root: expect.stringMatching(/^[0-9a-f]{64}$/), chain: expect.stringMatching(/^[0-9a-f]{64}$/) };
      const { seals } = manifest;
      expect(await outcomes).toEqual([
        { ...roots, signature: null },
        { differs: expect.stringMatching(/^events\.ndjson: /) },
        { ...roots, seals, signature: { key, checked: true } },
        { differs: `signature.json: is not one of manifest.json by the key ${key}` },
        { ...roots, seals, signature: { key, checked: false } },
        { fault: expect.stringContaining('this browser cannot check signatures') },
      ]);
    } finally {
      await close();
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
