/** Secrets, compared over fixed-length hashes in constant time. */
import { createHash, timingSafeEqual } from 'node:crypto';

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
export const sha256Hex = (text: string): string => sha256(text).toString('hex');

/** Whether the secret has this SHA-256 (hex). */
export const hasHash = (secret: string, hash: string): boolean =>
  timingSafeEqual(sha256(secret), Buffer.from(hash, 'hex'));
