/** The signature of a bundle: Ed25519 (RFC 8032) over its manifest, by a key that follows from the secret of the log's seals. */
import { sign } from 'node:crypto';
import type { LogSeals } from '#kit/log/seal';
import { privateKey, publicKey } from '#kit/log/signing-key';

/** Beside the manifest, which does not name it. */
export const SIGNATURE = 'signature.json';

/** What a bundle takes of the seals of its log; without a secret it is not signed. */
export type Sealing = Pick<LogSeals, 'given' | 'isTaken'>;

/** How many of a bundle's events the service sealed and how many an operator took; without a seal none is an event. */
export interface SealCounts {
  sealed: number;
  taken: number;
  unsealed: number;
}

/** How an event is counted: up to a place up to which an operator took the log as it stood, it is one of those. */
export const standingOf = (seals: Sealing, position: bigint): keyof SealCounts =>
  seals.isTaken(position) ? 'taken' : 'sealed';

/** signature.json of a manifest by a secret. */
export function signatureOf(manifest: Uint8Array, secret: string): Uint8Array {
  const signature = sign(null, manifest, privateKey(secret)).toString('hex');
  return Buffer.from(`${JSON.stringify({ algorithm: 'Ed25519', key: publicKey(secret), signature })}\n`);
}
