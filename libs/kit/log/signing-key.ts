/** The key that follows from a secret of the log: Ed25519 (RFC 8032). It signs audit bundles and receipts. */
import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import { type LogSeals, secretId } from './seal.js';

const PURPOSE = 'mvs-audit-signature/1';
/** What stands before the 32 bytes of a private key in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The same for the same secret, on every replica. */
export const privateKey = (secret: string): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32))]),
    format: 'der',
    type: 'pkcs8',
  });

/** Its 32 bytes in base64url, as a JSON Web Key has them. */
const publicPart = (secret: string): string =>
  createPublicKey(privateKey(secret)).export({ format: 'jwk' }).x as string;

/** The 32 bytes as hex digits. */
export const publicKey = (secret: string): string => Buffer.from(publicPart(secret), 'base64url').toString('hex');

type Given = Pick<LogSeals, 'given'>;

/** The public keys of the bundles that secrets sign, in the order of the secrets, whose ids those of the seals are. */
export const auditKeys = ({ given }: Given) =>
  given.map((secret) => ({ id: secretId(secret), public_key: publicKey(secret) }));

/** The same keys as a JSON Web Key Set (RFC 7517). */
export const receiptKeys = ({ given }: Given) => ({
  keys: given.map((secret) => ({
    ...{ kty: 'OKP' as const, crv: 'Ed25519' as const, alg: 'EdDSA' as const, use: 'sig' as const },
    ...{ kid: secretId(secret), x: publicPart(secret) },
  })),
});
