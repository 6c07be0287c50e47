/** A forger's work on a scorer in a bundle: changes it and makes every digest fit that can be made to fit. */
import { createHash } from 'node:crypto';
import { proposalDigest, VECTOR_LENGTH } from '#science/calibration/evidence';
import { scorerProposalDigest } from '#science/calibration/scorer/ladders';
import { eventsOf, type Files, type Line, putEvents, refit } from './forge.js';

export const SCORED_FORMAT = 'mvs-audit/3';
const sha256 = (...parts: Uint8Array[]): string => createHash('sha256').update(Buffer.concat(parts)).digest('hex');

/** A file's path by how it ends. */
export const pathOf = (files: Files, end: RegExp): string => [...files.keys()].find((path) => end.test(path))!;

/** Puts a file of float32 rows in another's place, or the same one with other rows. */
export function putRows(files: Files, from: string, to: string, content: Buffer): void {
  const manifest = JSON.parse(files.get('manifest.json')!.toString());
  const entry = manifest.files.find(({ path }: { path: string }) => path === from);
  Object.assign(entry, { path: to, shape: [content.length / 4 / VECTOR_LENGTH, VECTOR_LENGTH] });
  files.set('manifest.json', Buffer.from(JSON.stringify(manifest)));
  files.delete(from);
  files.set(to, content);
}

/** The first scorer's header and tables as `change` leaves them, and all that names it made to fit. */
export function forgeScorer(
  files: Files,
  // biome-ignore lint/suspicious/noExplicitAny: a forger puts in what he likes
  change: (header: any, tables: Float32Array) => void,
): void {
  const events = eventsOf(files);
  const { proposal } = events.find(({ type }) => type === 'ScorerApproved')!.data;
  const folder = `evidence/${proposal.model}`;
  const before = `${folder}/scorer-${proposal.scorer}`;
  const header = JSON.parse(files.get(`${before}.json`)!.toString());
  const bytes = files.get(`${before}.f32`)!;
  const tables = new Float32Array(new Uint8Array(bytes).buffer);
  change(header, tables);
  const claims = files
    .get(`${folder}/claims.ndjson`)!
    .toString()
    .split('\n')
    .slice(Math.max(proposal.claims - 1200, 0), proposal.claims)
    .map((line) => JSON.parse(line));
  const width = 4 * VECTOR_LENGTH * header.encoders.length;
  const vectors = files.get(`${folder}/vectors.f32`)!;
  const rows = (side: string) =>
    claims.map((claim) => vectors.subarray(claim[side].row * width, (claim[side].row + 1) * width));
  const json = Buffer.from(JSON.stringify(header));
  const line = Buffer.concat([json, Buffer.alloc((4 - (json.length % 4)) % 4, ' ')]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(line.length);
  const content = Buffer.from(tables.buffer);
  const digest = sha256(
    Buffer.from('MVS scorer 1\n\0\0\0'),
    length,
    line,
    content,
    ...rows('rough'),
    ...rows('polish'),
  );
  const after = `${folder}/scorer-${digest}`;
  files.delete(`${before}.json`);
  files.set(`${after}.json`, Buffer.from(`${JSON.stringify(header)}\n`));
  putRows(files, `${before}.f32`, `${after}.f32`, content);
  for (const { data } of events) {
    if (data.scorer === proposal.scorer) {
      data.scorer = digest;
      if (data.proposal)
        data.proposal.digest = proposalDigest({ ...pinned(data), rung: data.reject_target, scorer: digest });
    }
    if (data.proposal?.scorer === proposal.scorer) data.proposal.scorer = digest;
  }
  putEvents(files, events, SCORED_FORMAT);
}

const pinned = ({ population, proposal }: Line['data']) => ({ ...proposal, population });

/** Other ladders, the proposals' digests made to fit. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export function forgeLadders(files: Files, change: (ladders: any) => void): void {
  const path = pathOf(files, /ladders-/);
  const ladders = JSON.parse(files.get(path)!.toString());
  change(ladders);
  const text = JSON.stringify(ladders);
  const digest = sha256(Buffer.from(text));
  files.delete(path);
  files.set(path.replace(/ladders-[0-9a-f]{64}/, `ladders-${digest}`), Buffer.from(`${text}\n`));
  const events = eventsOf(files);
  for (const { type, data } of events)
    if (type.startsWith('Scorer') && data.proposal)
      data.proposal.digest = scorerProposalDigest({ ...pinned(data), ladders: digest } as never);
  putEvents(files, events, SCORED_FORMAT);
  refit(files, SCORED_FORMAT);
}
