/**
 * The receipt of a verdict: a compact JWS (RFC 7515) that anybody can verify offline. Made of the stored events, so that a repeat
 * has the same one.
 */
import { CompactSign } from 'jose';
import { shownPrefix } from '#keys/events';
import { type LogSeals, secretId } from '#kit/log/seal';
import { privateKey } from '#kit/log/signing-key';
import type { ClaimState } from './events.js';

export const RECEIPT_TYPE = 'mvs-receipt+json';
/** Hex digits of a scan set's digest that callers see. */
const SHOWN_DIGITS = 16;

interface Signing {
  key: ReturnType<typeof privateKey>;
  kid: string;
}

export class Receipts {
  private readonly newest: Signing | undefined;
  private readonly byId: ReadonlyMap<string, Signing>;

  /** Without a secret nothing is signed. */
  constructor({ given }: Pick<LogSeals, 'given'>) {
    const signing = given.map((secret): Signing => ({ key: privateKey(secret), kid: secretId(secret) }));
    this.newest = signing[0];
    this.byId = new Map(signing.map((one) => [one.kid, one]));
  }

  /** Of the key that signs the receipts of verdicts that are stored now. */
  get kid(): string | undefined {
    return this.newest?.kid;
  }

  /**
   * By the key that signed it first, as long as that one's secret is given: a repeat after a rotation has the same receipt.
   * @returns undefined where nothing can be signed: the claim has no verdict, or the log no secret
   */
  async of(claim: ClaimState): Promise<string | undefined> {
    if (claim.status !== 'scored') return undefined;
    const signing = this.byId.get(claim.scoring.receipt_kid ?? '') ?? this.newest;
    if (signing === undefined) return undefined;
    return new CompactSign(Buffer.from(JSON.stringify(receiptOf(claim))))
      .setProtectedHeader({ alg: 'EdDSA', kid: signing.kid, typ: RECEIPT_TYPE })
      .sign(signing.key);
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
