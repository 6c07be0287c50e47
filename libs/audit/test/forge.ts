/** A forger's work on a bundle: changes files or events, and makes every hash fit that can be made to fit. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openPromise } from 'yauzl';

/** A bundle's files by path. */
export type Files = Map<string, Buffer>;

/** An event as a line of events.ndjson has it. */
export interface Line {
  stream: string;
  revision: number;
  id: string;
  type: string;
  version: number;
  recorded_at: string;
  metadata?: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: a forger puts in what he likes
  data: Record<string, any>;
}

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

export async function filesOfZip(file: string): Promise<Files> {
  const files: Files = new Map();
  const zip = await openPromise(file, { autoClose: false });
  for await (const entry of zip.eachEntry()) {
    const pieces: Buffer[] = [];
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Buffer);
    files.set(entry.fileName, Buffer.concat(pieces));
  }
  zip.close();
  return files;
}

/**
 * A bundle that a service wrote before, of simulated stones: `mvs-audit-1` from before there was a chain, `mvs-audit-3-means` of a
 * population with a scorer of its mean alone.
 */
export function oldBundle(sourceFolder: string, to: string, name = 'mvs-audit-1'): void {
  writeFileSync(to, gunzipSync(readFileSync(join(sourceFolder, `${name}.zip.gz`))));
}

export function writeFiles(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'mvs-forged-'));
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

export const eventsOf = (files: Files): Line[] =>
  files
    .get('events.ndjson')!
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const UNLISTED = ['manifest.json', 'signature.json'];
/** Sizes and hashes of the manifest. */
export function refit(files: Files, format?: string): void {
  const manifest = JSON.parse(files.get('manifest.json')!.toString());
  if (format !== undefined) manifest.format = format;
  type Entry = { bytes: number; path: string; sha256: string };
  const before = new Map<string, Entry>(manifest.files.map((entry: Entry) => [entry.path, entry]));
  manifest.files = [...files.keys()]
    .filter((path) => !UNLISTED.includes(path))
    .sort()
    .map((path) => {
      const { bytes: _, path: __, sha256: ___, ...more } = before.get(path) ?? ({} as Entry);
      const content = files.get(path)!;
      return { bytes: content.length, path, sha256: sha256(content), ...more };
    });
  files.set('manifest.json', Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
}

/** Puts other events in, and makes chain, listing and manifest fit. */
export function putEvents(files: Files, events: Line[], format = 'mvs-audit/2'): void {
  const { population, method, models } = JSON.parse(files.get('decisions.json')!.toString());
  let chain_root = sha256(JSON.stringify(['mvs-calibration-chain/1', population]));
  const decisions: object[] = [];
  const lines: string[] = [];
  for (const event of events) {
    const decides = event.stream.startsWith('calibration-');
    if (decides && (event.version > 1 || event.type.startsWith('Scorer'))) event.data.chain = chain_root;
    const line = JSON.stringify(event);
    lines.push(`${line}\n`);
    if (!decides) continue;
    chain_root = sha256(`${chain_root}\n${line}\n`);
    decisions.push({ event: event.type, revision: event.revision, ...event.data });
  }
  files.set('events.ndjson', Buffer.from(lines.join('')));
  const chained = format === 'mvs-audit/1' ? {} : { chain_root };
  const listing = { population, method, ...chained, models, decisions };
  files.set('decisions.json', Buffer.from(`${JSON.stringify(listing, null, 1)}\n`));
  refit(files, format);
}

/** As `putEvents`, of the events there are, each as `change` leaves it. */
export function changeEvents(files: Files, change: (event: Line) => void, format?: string): void {
  const events = eventsOf(files);
  for (const event of events) change(event);
  putEvents(files, events, format);
}
