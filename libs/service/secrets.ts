/** Secrets, compared over fixed-length hashes in constant time. */
import { createHash, timingSafeEqual } from 'node:crypto';

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
export const sha256Hex = (text: string): string => sha256(text).toString('hex');

/** Whether the secret has this SHA-256 (hex). */
export const hasHash = (secret: string, hash: string): boolean =>
  timingSafeEqual(sha256(secret), Buffer.from(hash, 'hex'));

/** Stands in for the hash of a secret that is not there, so that its absence takes as long to find. */
export const NO_HASH = '0'.repeat(64);
