/**
 * The receipt of a verdict: a compact JWS (RFC 7515) that anybody can verify offline. Made of the stored events, so that a repeat
 * has the same one, and signed by the newest secret's key.
 */
import { CompactSign } from 'jose';
import { shownPrefix } from '#keys/events';
import { type LogSeals, secretId } from '#kit/log/seal';
import { privateKey } from '#kit/log/signing-key';
import type { ClaimState } from './events.js';

export const RECEIPT_TYPE = 'mvs-receipt+json';
/** Hex digits of a scan set's digest that callers see. */
const SHOWN_DIGITS = 16;

export class Receipts {
  private readonly signing: { key: ReturnType<typeof privateKey>; kid: string } | undefined;

  /** Without a secret nothing is signed. */
  constructor({ given: [secret] }: Pick<LogSeals, 'given'>) {
    this.signing = secret === undefined ? undefined : { key: privateKey(secret), kid: secretId(secret) };
  }

  /** @returns undefined where nothing can be signed: the claim has no verdict, or the log no secret */
  async of(claim: ClaimState): Promise<string | undefined> {
    if (claim.status !== 'scored' || this.signing === undefined) return undefined;
    const { key, kid } = this.signing;
    return new CompactSign(Buffer.from(JSON.stringify(receiptOf(claim))))
      .setProtectedHeader({ alg: 'EdDSA', kid, typ: RECEIPT_TYPE })
      .sign(key);
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
