/** The vendor's reason for not resolving an identifier. */
export type RefusalReason = 'invalid-barcode' | 'invalid-stone-id' | 'not-found';

/** The vendor answered about the identifier, with an `error` body: asking again changes nothing. */
export class VendorRefusal extends Error {
  override readonly name = 'VendorRefusal';

  constructor(
    readonly reason: RefusalReason,
    readonly status: number,
    /** The vendor's own sentence, shortened. */
    readonly text: string,
  ) {
    super(`the vendor refuses it (${reason}, status ${status}): ${text}`);
  }
}

export type FaultKind =
  | 'network'
  | 'timeout'
  | 'status'
  | 'redirect'
  | 'not-json'
  | 'wrong-shape'
  | 'wrong-answer'
  | 'too-large'
  | 'circuit-open';

/** Kinds and statuses that a later attempt may mend. */
const TRANSIENT: readonly FaultKind[] = ['network', 'timeout'];
const TOO_MANY = 429;
/** Statuses about the caller, whatever the words beside them: key, right, proxy, rate. */
const ABOUT_THE_CALLER: readonly number[] = [401, 403, 407, TOO_MANY];

/** The vendor gave no answer that can be used. */
export class VendorFault extends Error {
  override readonly name = 'VendorFault';

  constructor(
    readonly kind: FaultKind,
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }

  /** True if the same request may succeed later: network failure, time-out, 429, 5xx. */
  get transient(): boolean {
    const { kind, status = 0 } = this;
    return TRANSIENT.includes(kind) || (kind === 'status' && (status === TOO_MANY || status >= 500));
  }
}

/**
 * The reason that an `error` body gives for refusing the identifier; undefined if it is about something else, such as a key
 * or a rate. The vendor's texts say "invalid barcode", "invalid stoneId" or "stone not found", in no fixed words.
 */
export function refusalReason(status: number, text: string): RefusalReason | undefined {
  if (ABOUT_THE_CALLER.includes(status) || /\b(key|token|secret|credential|auth\w*|rate|quota)\b/i.test(text))
    return undefined;
  if (!/stone|barcode/i.test(text)) return undefined;
  if (/not\s+found|no\s+such|unknown/i.test(text)) return 'not-found';
  if (!/invalid/i.test(text)) return undefined;
  return /barcode/i.test(text) ? 'invalid-barcode' : 'invalid-stone-id';
}
