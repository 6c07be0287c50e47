import { InvalidReceipt } from './errors.js';
import type { ReceiptKeys, Verification } from './generated/contract.js';

/** A side of a claim: the first 16 hex digits of its scans' digest, and its stone references. */
export interface ReceiptSide {
  digest: string;
  stone_ids: string[];
}

/** What a receipt says; a later service may add members. */
export interface Receipt
  extends Pick<
    Verification,
    'claim_id' | 'verdict' | 'fused_score' | 'threshold' | 'threshold_source' | 'reject_target'
  > {
  /** The prefix of the API key that made the claim. */
  key: string;
  /** Digest of the model. */
  model: string;
  ladder_revision: string;
  rough: ReceiptSide;
  polish: ReceiptSide;
  /** When the verdict was stored, ISO 8601. */
  at: string;
}

const TYPE = 'mvs-receipt+json';
const HEADER = ['alg', 'kid', 'typ'];
const FORM = /^([\w-]{1,512})[.]([\w-]{1,65536})[.]([\w-]{85}[AQgw])$/;

/**
 * What a receipt says, verified offline. @param keys `receipt_keys` of GET /api/v1, kept from before
 * @throws InvalidReceipt in a sentence
 */
export async function verifyReceipt(receipt: string, { keys }: ReceiptKeys): Promise<Receipt> {
  const found = FORM.exec(receipt);
  if (!found) throw new InvalidReceipt('it is no compact JWS: three parts between dots, and nothing else');
  const [, head, body, signature] = found as unknown as [string, string, string, string];
  const header = parsed(head);
  if (Object.keys(header).sort().join() !== HEADER.join() || header.alg !== 'EdDSA' || header.typ !== TYPE)
    throw new InvalidReceipt(`its header is no receipt’s: alg EdDSA, typ ${TYPE} and kid`);
  const key = keys.find(({ kid }) => kid === header.kid);
  if (!key) throw new InvalidReceipt(`it is by the key ${JSON.stringify(header.kid)}, which is not among those given`);
  const imported = await crypto.subtle
    .importKey('jwk', { kty: 'OKP', crv: 'Ed25519', x: key.x }, 'Ed25519', false, ['verify'])
    .catch((error: Error) => {
      throw new InvalidReceipt(`the key ${key.kid} cannot be used (Ed25519): ${error.message}`);
    });
  const signed = new TextEncoder().encode(`${head}.${body}`);
  if (!(await crypto.subtle.verify('Ed25519', imported, bytesOf(signature), signed)))
    throw new InvalidReceipt(`it was changed, or is not by the key ${key.kid}`);
  return parsed(body) as unknown as Receipt;
}

function parsed(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(part)));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // As of what is no object.
  }
  throw new InvalidReceipt('a part of it is no JSON');
}

const bytesOf = (part: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(part.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0));
