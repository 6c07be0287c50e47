/** Verifies an audit bundle beside the page, by the service's own copy of the verifier, never by the bundle's. */
import { Differs, type Found, verify } from '../../../docs/audit/verify/bundle.mjs';
import { zipFiles } from '../../../docs/audit/verify/zip.mjs';

export type { Found };

/** A bundle to verify, with the roots and the key that somebody noted elsewhere. */
export interface Bundle {
  zip: Blob;
  root?: string;
  key?: string;
  continues?: string;
}

export interface ListedDecision {
  event: string;
  operator: string;
  requested_by?: string | null;
  at: string;
  reason?: string;
  reject_target?: number;
  proposal?: { threshold?: number; claims?: number; groups?: number; rests_on?: unknown[] };
}

export type Outcome =
  | (Found & { says: 'sound'; owner: string; decisions: ListedDecision[] })
  /** Something differs, or there is no verdict. */
  | { says: 'differs' | 'unreadable'; why: string };

const hex = (bytes: ArrayBuffer) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

async function sha256(
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>> | Iterable<Uint8Array<ArrayBuffer>>,
): Promise<string> {
  const all: BlobPart[] = [];
  for await (const piece of pieces) all.push(piece);
  return hex(await crypto.subtle.digest('SHA-256', await new Blob(all).arrayBuffer()));
}

async function verified({ zip, root, key, continues }: Bundle): Promise<Outcome> {
  if (!isSecureContext)
    return {
      says: 'unreadable',
      why: 'a browser computes digests for pages by https or on localhost alone: use mvs audit verify',
    };
  try {
    const read = async (from: number, bytes: number) =>
      new Uint8Array(await zip.slice(from, from + bytes).arrayBuffer());
    const files = await zipFiles(zip.size, read);
    const found = await verify(files, sha256, { root, key, continues });
    const parts: BlobPart[] = [];
    for await (const piece of files.pieces('decisions.json')) parts.push(piece);
    const { population, workspace, decisions } = JSON.parse(await new Blob(parts).text());
    return { says: 'sound', ...found, owner: population ?? workspace.name, decisions };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { says: error instanceof Differs ? 'differs' : 'unreadable', why };
  }
}

addEventListener('message', async ({ data }: MessageEvent<Bundle>) => postMessage(await verified(data)));
