/** The signature of a bundle: Ed25519 (RFC 8032) over its manifest, by a key that follows from the secret of the log's seals. */
import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto';
import { type LogSeals, secretId } from '#kit/log/seal';

/** Beside the manifest, which does not name it. */
export const SIGNATURE = 'signature.json';
const PURPOSE = 'mvs-audit-signature/1';
/** What stands before the 32 bytes of a private key in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

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

/** The same for the same secret, on every replica. */
const privateKey = (secret: string): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32))]),
    format: 'der',
    type: 'pkcs8',
  });

/** The 32 bytes as hex digits. */
function publicKey(secret: string): string {
  const { x } = createPublicKey(privateKey(secret)).export({ format: 'jwk' });
  return Buffer.from(x as string, 'base64url').toString('hex');
}

/** The public keys of the bundles that secrets sign, in the order of the secrets, whose ids those of the seals are. */
export const auditKeys = ({ given }: Pick<LogSeals, 'given'>) =>
  given.map((secret) => ({ id: secretId(secret), public_key: publicKey(secret) }));

/** signature.json of a manifest by a secret. */
export function signatureOf(manifest: Uint8Array, secret: string): Uint8Array {
  const signature = sign(null, manifest, privateKey(secret)).toString('hex');
  return Buffer.from(`${JSON.stringify({ algorithm: 'Ed25519', key: publicKey(secret), signature })}\n`);
}
