/** Ways to change the files of a bundle, all hashes made to fit, and sure to have changed something. */
import { eventsOf, type Files, type Line, putEvents, refit } from './forge.js';

export const isApproval = ({ type }: Line) => type === 'RungApproved';
/** The first event of a type. */
export const first = (events: Line[], type: string): Line => events.find((event) => event.type === type)!;

export type Change = (files: Files) => void;
/** Another text in a file, all hashes made to fit. */
export const rewrite =
  (path: string, from: string | RegExp, to: string): Change =>
  (files) => {
    const before = files.get(path)!.toString('latin1');
    const after = before.replace(from, to);
    expect(after).not.toBe(before);
    files.set(path, Buffer.from(after, 'latin1'));
    if (path !== 'manifest.json') refit(files);
  };
/** The same in both files that hold decisions. */
export const rewriteDecisions =
  (from: string, to: string): Change =>
  (files) => {
    rewrite('events.ndjson', new RegExp(from), to)(files);
    rewrite('decisions.json', new RegExp(from.replaceAll('":', '": ')), to.replaceAll('":', '": '))(files);
  };
export const event =
  (type: string, change: (event: Line) => void): Change =>
  (files) => {
    const events = eventsOf(files);
    change(first(events, type));
    putEvents(files, events);
  };
export const claims =
  (change: (text: string) => string): Change =>
  (files) => {
    const path = [...files.keys()].find((one) => one.endsWith('claims.ndjson'))!;
    const before = files.get(path)!.toString('latin1');
    const after = change(before);
    expect(after).not.toBe(before);
    files.set(path, Buffer.from(after, 'latin1'));
    refit(files);
  };
export const vectors =
  (change: (bytes: Buffer) => Buffer, shape?: number[]): Change =>
  (files) => {
    const path = [...files.keys()].find((one) => one.endsWith('.f32'))!;
    files.set(path, change(Buffer.from(files.get(path)!)));
    if (shape) {
      const manifest = JSON.parse(files.get('manifest.json')!.toString());
      for (const entry of manifest.files) if (entry.shape) entry.shape = shape;
      files.set('manifest.json', Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
    }
    refit(files);
  };
/** A listing or a manifest as a forger has it. */
// biome-ignore lint/suspicious/noExplicitAny: he puts in what he likes
export type Anything = Record<string, any>;
export const listing =
  (change: (listing: Anything) => object | undefined): Change =>
  (files) => {
    const before = JSON.parse(files.get('decisions.json')!.toString());
    const after = change(before) ?? before;
    files.set('decisions.json', Buffer.from(`${JSON.stringify(after, null, 1)}\n`));
    refit(files);
  };
export const manifest =
  (change: (manifest: Anything) => void): Change =>
  (files) => {
    const after = JSON.parse(files.get('manifest.json')!.toString());
    change(after);
    files.set('manifest.json', Buffer.from(`${JSON.stringify(after, null, 1)}\n`));
  };
export const added =
  (path: string): Change =>
  (files) => {
    files.set(path, Buffer.from('x'));
    refit(files);
  };
export const bytesIn = (path: string, ...bytes: number[]): Change =>
  rewrite(path, 'enough claims', `enough ${String.fromCharCode(...bytes)}`);
export const BOM = '\xef\xbb\xbf';
export const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
