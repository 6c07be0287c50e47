/** Secrets, compared over fixed-length hashes in constant time. */
import { hash, timingSafeEqual } from 'node:crypto';

export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');
export const sha256Hex = (text: string): string => hash('sha256', text);

/** True if the secret has this SHA-256 (hex). */
export const hasHash = (secret: string, sha256Of: string): boolean =>
  timingSafeEqual(sha256(secret), Buffer.from(sha256Of, 'hex'));

/** Stands in for the hash of a secret that is not there, so that its absence takes as long to find. */
export const NO_HASH = '0'.repeat(64);
