/**
 * The receipt of a verdict: a compact JWS (RFC 7515) that anybody can verify offline. It is made of the stored events and signed by
 * the key of the secret that sealed the verdict, so that a repeat has the same one after that secret is rotated: Ed25519 gives one
 * signature for one text.
 */
import { sign } from 'node:crypto';
import { shownPrefix } from '#keys/events';
import { type LogSeals, secretId } from '#kit/log/seal';
import { privateKey } from '#kit/log/signing-key';
import type { ClaimState } from './events.js';

export const RECEIPT_TYPE = 'mvs-receipt+json';
/** Hex digits of a scan set's digest that callers see. */
const SHOWN_DIGITS = 16;

export class Receipts {
  /** By the ids of their secrets, the newest first, which seals what is appended now. */
  private readonly keys: ReadonlyMap<string, ReturnType<typeof privateKey>>;

  /** Without a secret nothing is signed. */
  constructor({ given }: Pick<LogSeals, 'given'>) {
    this.keys = new Map(given.map((secret) => [secretId(secret), privateKey(secret)]));
  }

  /** @returns undefined where nothing can be signed: the claim has no verdict, or the log no secret */
  of(claim: ClaimState): string | undefined {
    const [newest] = this.keys.keys();
    if (claim.status !== 'scored' || newest === undefined) return undefined;
    const kid = claim.sealedBy !== undefined && this.keys.has(claim.sealedBy) ? claim.sealedBy : newest;
    const signed = [{ alg: 'EdDSA', kid, typ: RECEIPT_TYPE }, receiptOf(claim)]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${signed}.${sign(null, Buffer.from(signed), this.keys.get(kid)!).toString('base64url')}`;
  }
}

/** Members in one order: the same claim is the same bytes. */
function receiptOf({ submission, scoring }: Extract<ClaimState, { status: 'scored' }>) {
  const { claim_id, verdict, fused_score, threshold, threshold_source, reject_target } = scoring.result;
  const { key, model, ladder_revision, rough, polish } = submission;
  return {
    ...{ claim_id, key: shownPrefix(key), verdict, fused_score, threshold, threshold_source, reject_target },
    ...{ model, ladder_revision },
    rough: { digest: rough.digest.slice(0, SHOWN_DIGITS), stone_ids: rough.references },
    polish: { digest: polish.digest.slice(0, SHOWN_DIGITS), stone_ids: polish.references },
    at: scoring.at,
  };
}
