/** The files of a bundle, whosever it is, as they are written: with the verifier, the manifest over all of them and its signature. */
import { createHash, sign } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { original, type RecordedEvent } from '#kit/log/port';
import type { LogSeals } from '#kit/log/seal';
import { auditKeys, privateKey, publicKey } from '#kit/log/signing-key';
import { shippedModelFolder } from '#science/matching/shipped';

export const MANIFEST = 'manifest.json';
/** Beside the manifest, which does not name it. */
export const SIGNATURE = 'signature.json';
export const DOCS = join(dirname(dirname(shippedModelFolder())), 'docs');
/** The verifier that goes into each bundle, with its parts. */
export const VERIFIER = join(DOCS, 'audit', 'verify.mjs');
export const VERIFIER_PARTS = join(DOCS, 'audit', 'verify');
const PIECE_BYTES = 1 << 16;

/** What a bundle takes of the seals of its log; without a secret it is not signed. */
export type Sealing = Pick<LogSeals, 'given' | 'isTaken'>;

/** How many of a bundle's events the service sealed and how many an operator took; without a seal none is an event. */
interface SealCounts {
  sealed: number;
  taken: number;
  unsealed: number;
}

/** How an event is counted: up to a place up to which an operator took the log as it stood, it is one of those. */
const standingOf = (seals: Sealing, position: bigint): keyof SealCounts =>
  seals.isTaken(position) ? 'taken' : 'sealed';

/** signature.json of a manifest: Ed25519 (RFC 8032), by a key that follows from a secret of the log's seals. */
export function signatureOf(manifest: Uint8Array, secret: string): Uint8Array {
  const signature = sign(null, manifest, privateKey(secret)).toString('hex');
  return Buffer.from(`${JSON.stringify({ algorithm: 'Ed25519', key: publicKey(secret), signature })}\n`);
}

/** Takes the bundle's files one after the other, each to its end. */
export type Sink = (path: string, pieces: AsyncIterable<Uint8Array>) => Promise<void>;

export interface PreparedBundle {
  /** A file name that no bundle of other decisions has. */
  name: string;
  /** Public key of its signature; undefined where nothing signs it. */
  signedBy?: string;
  /**
   * Writes every file into a sink, the manifest after all others and the signature after it.
   * @returns the root digest: the manifest's SHA-256, 64 hex digits
   */
  write(sink: Sink): Promise<string>;
}

/** Writes into a sink, and counts. */
export class BundleFiles {
  private readonly files: { path: string; bytes: number; sha256: string; shape?: number[] }[] = [];
  private readonly counts: SealCounts = { sealed: 0, taken: 0, unsealed: 0 };

  /** @param seals of the log; without them the bundle says nothing of seals and is not signed */
  constructor(
    private readonly sink: Sink,
    private readonly seals: Sealing | undefined,
  ) {}

  readonly put = async (path: string, pieces: AsyncIterable<Uint8Array>, shape?: () => number[]): Promise<void> => {
    const hash = createHash('sha256');
    let bytes = 0;
    async function* hashed() {
      for await (const piece of gathered(pieces)) {
        hash.update(piece);
        bytes += piece.length;
        yield piece;
      }
    }
    await this.sink(path, hashed());
    const sha256 = hash.digest('hex');
    this.files.push({ path, bytes, sha256, ...(shape && { shape: shape(), type: 'float32le' }) });
  };

  readonly putText = (path: string, text: string): Promise<void> => this.put(path, piecesOf([Buffer.from(text)]));

  /** Lines of events by their places in the log, each as it is stored. */
  async *lines(lines: AsyncIterable<{ line: Uint8Array; position: bigint }>): AsyncGenerator<Uint8Array> {
    for await (const { line, position } of lines) {
      if (this.seals) this.counts[standingOf(this.seals, position)]++;
      yield line;
    }
  }

  /** The verifier, the manifest and its signature. @returns the root digest */
  async end(format: string): Promise<string> {
    await this.put('verify.mjs', piecesOf([readFileSync(VERIFIER)]));
    for (const part of readdirSync(VERIFIER_PARTS).sort())
      await this.put(`verify/${part}`, piecesOf([readFileSync(join(VERIFIER_PARTS, part))]));
    const files = this.files.sort((a, b) => (a.path < b.path ? -1 : 1));
    const content = { files, format, ...(this.seals && { seals: this.counts }) };
    const manifest = Buffer.from(`${JSON.stringify(sorted(content), null, 1)}\n`);
    await this.sink(MANIFEST, piecesOf([manifest]));
    const [secret] = this.seals?.given ?? [];
    if (secret !== undefined) await this.sink(SIGNATURE, piecesOf([signatureOf(manifest, secret)]));
    return createHash('sha256').update(manifest).digest('hex');
  }
}

/** Whose it is, day and log position of the last decision (0 without one), and the beginning of its chain root, which covers them all. */
export function bundleName(owner: string, last: RecordedEvent | undefined, chainRoot: string): string {
  const safe = owner.replace(/[^A-Za-z0-9-]+/g, '_').slice(0, 64);
  const when = last ? `${String(last.data.at).slice(0, 10)}-${last.position}` : '0';
  return `audit-${safe}-${when}-${chainRoot.slice(0, 12)}.zip`;
}

/** Decisions as decisions.json lists them. */
export const listed = (decisions: readonly RecordedEvent[]) =>
  decisions.map(original).map(({ type, revision, data }) => ({ event: type, revision: Number(revision), ...data }));

/** The public key of a bundle's signature; undefined where nothing signs it. */
export const signerOf = (seals: Sealing | undefined): string | undefined =>
  auditKeys({ given: seals?.given.slice(0, 1) ?? [] })[0]?.public_key;

export async function* piecesOf(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** Small pieces gathered into larger ones. */
async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    size += piece.length;
    if (size < PIECE_BYTES) continue;
    yield Buffer.concat(waiting);
    [waiting, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(waiting);
}

/** With the keys of every object in order: the manifest's canonical form. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}
